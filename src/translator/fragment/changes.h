/* How changes of the program's code become known, and what becomes of fragments that were made from it.
 *
 * Two kinds.  Told (told.c): the program says when its code may have changed, as processors want it that need
 * not notice; then it is compared with what it was.  Protected (protect.c): pages that code was translated
 * from are write-protected, for a processor that notices every change. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_CHANGES_H
#define STRATA_TRANSLATOR_FRAGMENT_CHANGES_H

#include "translator/fragment/fetch.h"
#include "translator/fragment/originals.h"

enum code_changes { CHANGES_TOLD, CHANGES_PROTECT };

struct changes {
    bool indexed; /* what fragments are made from is kept in `originals` */
    bool told;    /* the program has said once that code may have changed */
    bool all;     /* even code that cannot be written to may have */
    struct originals *originals;
    struct fetch_mapping
        mapping;               /* protect.c: what the kernel said last; empty if it must be asked */
    unsigned watched_count;    /* protect.c: pages that are watched, or torn */
    uint32_t torn;             /* protect.c: 1 if there is one that is torn */
    struct original *compared; /* told.c: those that are compared the next time */
    unsigned asleep_count;     /* told.c: of originals->asleep */
};

/* Before the program begins. */
void changes_start(struct translator *translator);

/* For build.c, if changes.indexed.  The plan goes on at plan->pc, where so many instructions are readable: how
 * many of them may be read at once.  They are watched from now on. */
uint64_t changes_limit(struct translator *translator, struct plan *plan, uint64_t readable);
/* Whether a fragment made of `plan` must be guarded. */
bool changes_guard(const struct translator *translator, const struct plan *plan);
/* A fragment has been made of `plan`. */
void changes_note(struct translator *translator, struct fragment *fragment,
                  const struct plan *plan);
/* A fragment for `start` that nothing leads to, but whose code is as it was: it is in use again.  NULL if
 * there is none. */
struct fragment *changes_wake(struct context *context, guest_addr start);
/* Of a guarded one: whether its code is another than it was.  Without the lock, while the thread is in the cache. */
bool changes_differ(struct context *context, const struct fragment *fragment);
/* With the lock: whether the code of a guarded fragment is another than it was, or need not be guarded any more.  Then
 * the fragment is gone. */
bool changes_spoil(struct context *context, struct fragment *fragment);
/* There are no fragments any more. */
void changes_forget(struct translator *translator);
/* The cache is empty, and larger now. */
void changes_grow(struct translator *translator);

/* For the two kinds: a fragment goes.  No other thread is in the cache. */
void changes_drop(struct translator *translator, struct original *original);

/* The program says that its code may have changed: what has is no longer used. */
void changes_apply(struct context *context);
/* The program can change even code that cannot be written to, from now on. */
void changes_expect_all(struct translator *translator);
/* Mappings will change, from `start` on: they are as the program made them. */
void changes_before_mapping(struct translator *translator, guest_addr start, uint64_t bytes);
/* Mappings have changed, from `start` on: what was made from code there is no longer used. */
void changes_unmap(struct translator *translator, guest_addr start, uint64_t bytes);

#endif
