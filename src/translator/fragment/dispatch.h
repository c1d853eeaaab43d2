/* Decides what the program goes on with, each time that it leaves the fragment cache. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_DISPATCH_H
#define STRATA_TRANSLATOR_FRAGMENT_DISPATCH_H

#include "translator/fragment/fragment.h"

/* The program has left through `exit`: finds or builds the fragment that it goes on with, and returns where
 * to enter it. */
const uint8_t *dispatch(struct context *context, struct exit *exit);

/* What threads have counted without the lock is added up. */
void dispatch_add_up(struct translator *translator);

#endif
