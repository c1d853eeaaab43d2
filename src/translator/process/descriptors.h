/* The translator's own descriptors among the program's: as high as can be, and not the program's to close. */
#ifndef STRATA_TRANSLATOR_DESCRIPTORS_H
#define STRATA_TRANSLATOR_DESCRIPTORS_H

#include "translator/fragment/translator.h"

/* Whether `fd` is one of the translator's own, of which the program does not know. */
bool descriptors_are_own(struct context *context, uint64_t fd);
/* Descriptors that a new image of Strata needs outlive execve, or do not. */
void descriptors_keep(const struct reports *reports, bool kept);

#endif
