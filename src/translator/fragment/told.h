/* Changes of code that the program tells of. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_TOLD_H
#define STRATA_TRANSLATOR_FRAGMENT_TOLD_H

#include "translator/fragment/changes.h"

/* A fragment is in use, whose code may change. */
void told_add(struct changes *changes, struct original *original);
/* Compares; what has changed goes. */
void told_compare(struct translator *translator);
/* As changes_wake. */
struct fragment *told_wake(struct context *context, guest_addr start);

#endif
