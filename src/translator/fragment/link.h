/* Sends the exits of fragments straight to other fragments, as soon as these exist. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_LINK_H
#define STRATA_TRANSLATOR_FRAGMENT_LINK_H

#include "translator/fragment/fragment.h"

struct translator;

/* Links an exit, which is neither linked nor waits, or lets it wait for its target. */
void link_exit(struct translator *translator, struct exit *exit);
/* An exit that waited for `fragment`, and waits no longer; NULL if there is none. */
struct exit *link_take_waiting(struct translator *translator, const struct fragment *fragment);
/* The exits that lead to `fragment`, which goes, wait for another; the index no longer has it. */
void link_detach(struct translator *translator, struct fragment *fragment);
/* Exits that are linked to `fragment` go to its landing, which has changed. */
void link_again(struct translator *translator, struct fragment *fragment);
/* All exits to `to`, which counts a loop, but for one, are no longer linked: they lead to their trampolines, and the loop gets
 * a counter when one is taken.  False if there are none. */
bool link_let_go(struct translator *translator, struct fragment *to, const struct exit *but);
/* All exits lead to their trampolines again. */
void link_undo(struct translator *translator);
/* Exits lead to their fragments again, after link_undo. */
void link_redo(struct translator *translator);

/* For those who link exits in their own way (struct counter_kind). */

/* Where an exit, which is neither linked nor waits, can be linked to; NULL if it waits for that now, or can not. */
struct fragment *link_find_or_wait(struct translator *translator, struct exit *exit);
/* Sends the exit to the landing of `to`. */
void link_straight(struct translator *translator, struct exit *exit, struct fragment *to);
/* The exit leads to `to` now. */
void link_note(struct translator *translator, struct exit *exit, struct fragment *to);

#endif
