/* The part of the target's contract that counters need. */
#ifndef STRATA_TRANSLATOR_TARGET_COUNT_H
#define STRATA_TRANSLATOR_TARGET_COUNT_H

#include "translator/fragment/count.h"

/* Hardware counters.  A tag is the entry of a fragment. */
void target_counter_start(struct context *context, uint64_t threshold);
/* With threshold 0 it only counts. */
void target_counter_new(const uint8_t *tag, uint64_t threshold);
/* All ones if there is none. */
uint64_t target_counter_read(const uint8_t *tag);
void target_counter_drop(const uint8_t *tag);

/* Sends `exit` to a trampoline that makes a counter for `to`, once, and then
 * sends the exit straight there itself.  The counter has the whole threshold, or
 * none if the loop is hot.  False if there is no room for it, or `to` is too far
 * away. */
bool target_link_new_counter(struct translator *translator, struct exit *exit,
                             const struct fragment *to);
/* Makes it visible, and says to the machine's statistics that it is counter code. */
void target_name_new_counter(struct translator *translator, const uint8_t *code);
/* Whether that has happened to an exit with such a trampoline. */
bool target_made_counter(const struct exit *exit);

/* Software counters: code in front of the entry of loop->fragment, which all ways
 * there then lead through.  False if there is no room within reach. */
void target_count_start(struct context *context, struct counts *counts, uint64_t threshold);
bool target_count_begin(struct translator *translator, struct loop *loop);
/* The ways lead to the entry again. */
void target_count_end(struct translator *translator, struct loop *loop);
/* Executions that the code of `loop` has counted. */
uint64_t target_count_read(const struct translator *translator, const struct loop *loop);
/* Takes one execution back. */
void target_count_back(const struct translator *translator, const struct loop *loop);
/* Goes on without a check for the threshold. */
void target_count_pass(struct translator *translator, const struct loop *loop);
/* Of `sw-paper`: where the execution that reached the threshold goes on, which was
 * taken back.  It is counted there: a signal's handler may come first. */
const uint8_t *target_count_resume(const struct loop *loop);
/* Of the code of one counter. */
size_t target_count_bytes(const struct translator *translator);

/* How often `amount` was added to get `sum`, from 0 on and modulo 2^64. */
uint64_t count_additions(uint64_t sum, uint64_t amount);

#endif
