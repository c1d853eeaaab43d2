/* The code of software counters in the cache: where it stands, and whose it is. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_COUNTER_CODE_H
#define STRATA_TRANSLATOR_FRAGMENT_COUNTER_CODE_H

#include "translator/fragment/count.h"
#include "translator/fragment/target.h"

/* Writes the code for `loop`; false if there is no room within reach of its fragment. */
bool counter_code_place(struct translator *translator, struct loop *loop);
/* All ways to the fragment's entry lead through the code. */
void counter_code_pass_through(struct translator *translator, const struct loop *loop);
/* The ways lead to the entry again. */
void counter_code_bypass(struct translator *translator, struct loop *loop);
/* Sends `exit` through code of its own that counts, and then goes to `to`; false if there is no room for it
 * within reach of both. */
bool counter_code_lead_through(struct translator *translator, struct loop *loop, struct exit *exit,
                               const struct fragment *to);
/* The loop's counter at `code` goes with a fragment; nothing happens if there is none of this loop. */
void counter_code_forget(struct translator *translator, const uint8_t *code,
                         const struct loop *loop);
/* The counter that `code` belongs to: where its code begins, and its loop, which is NULL if there is none, or it
 * has gone.  A signal may ask at any time. */
struct placed counter_code_find(const struct translator *translator, const uint8_t *code);
/* The layout of the kind of counters that this run has. */
const struct counter_layout *counter_code_layout(const struct translator *translator);

#endif
