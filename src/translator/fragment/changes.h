/* Notices what the program has changed of its code since that was translated. */
#ifndef STRATA_TRANSLATOR_CHANGES_H
#define STRATA_TRANSLATOR_CHANGES_H

#include "translator/translator.h"

/* Whether code from `start` to `end` is to be compared with what it was. */
bool changes_may_come(const struct translator *translator, guest_addr start, guest_addr end);
/* Remembers what stands at builder->pc, from where the fragment goes on now. */
void changes_note(struct builder *builder);
/* The fragment is complete, if anything of it was noted. */
void changes_end_fragment(struct translator *translator);
/* There are no fragments any more. */
void changes_forget(struct translator *translator);

/* The program says that its code may have changed: what has is no longer used. */
void changes_apply(struct context *context);
/* The program can change even code that cannot be written to, from now on. */
void changes_expect_all(struct translator *translator);

#endif
