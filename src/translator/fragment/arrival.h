/* Where the program comes to a hot spot that hardware has found: what was found, and the way out of the cache.
 *
 * The callback may come between any two instructions of the cache, where registers of the program stand in the context
 * already: so it has a place of its own to save them. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_ARRIVAL_H
#define STRATA_TRANSLATOR_FRAGMENT_ARRIVAL_H

#include "translator/fragment/fragment.h"
#include "translator/fragment/optimizer.h"

/* A thread's own. */
struct arrival {
    uint64_t saved[TARGET_SAVED_WORDS]; /* comes first: assembly finds it there */
    struct exit exit;                   /* EXIT_FOUND: what the callback leaves the cache through */
    struct path path;                   /* what was found, in addresses of the program */
    uint64_t began;                     /* when the callback did, by target_clock */
};

/* The hardware begins to look, if the detector wants it; and begins anew, since other code will be in the cache, or it is
 * another one. */
void arrival_start(struct translator *translator);
void arrival_move(const struct translator *translator);
/* The processor calls it at the head of what was found, which is at `at` in the cache. */
void arrival_callback(struct context *context, const uint8_t *at);

#endif
