/* Sends the exits of fragments straight to other fragments, as soon as these exist. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_LINK_H
#define STRATA_TRANSLATOR_FRAGMENT_LINK_H

#include "translator/fragment/fragment.h"

struct translator;

/* Links the exits of `fragment`, which is new and in the index: a loop of one fragment finds its own head. */
void link_from(struct translator *translator, struct fragment *fragment);
/* Links the exits that wait for `fragment`, which is in the index.  They come after its own, so that the exit
 * which closes a loop makes the loop's counter, not the one that entered it. */
void link_to(struct translator *translator, struct fragment *fragment);
/* One exit, which is neither linked nor waits. */
void link_exit(struct translator *translator, struct exit *exit);
/* The exits that lead to `fragment`, which goes, wait for another; the index no longer has it. */
void link_detach(struct translator *translator, struct fragment *fragment);
/* Those that are linked to `fragment` go to its landing, which has changed. */
void link_again(struct translator *translator, struct fragment *fragment);
/* All exits lead to their trampolines again; and back to fragments. */
void link_undo(struct translator *translator);
void link_redo(struct translator *translator);

#endif
