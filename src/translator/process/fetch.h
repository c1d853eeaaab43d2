/* From where the program may execute instructions, as the kernel would decide when it fetches them. */
#ifndef STRATA_TRANSLATOR_FETCH_H
#define STRATA_TRANSLATOR_FETCH_H

#include "translator/translator.h"

/* Says that a mapping is executable; one of which nobody says so is looked up
 * in /proc when the program jumps there. */
void fetch_add(struct fetchable *fetchable, guest_addr start, guest_addr end);
/* The one that `pc` is in; its end is 0 if none is known. */
struct code_range fetch_find(const struct fetchable *fetchable, guest_addr pc);
/* Mappings have changed. */
void fetch_remove(struct fetchable *fetchable, guest_addr start, uint64_t bytes);
/* Of how many instructions from `pc` on can be said that the program may execute
 * them; 0 if not of the first.  Moves the window there. */
uint64_t fetch_count(struct translator *translator, guest_addr pc);
void fetch_forget_window(struct translator *translator);
/* The stack was made for Strata; the program's may be executed, all of it. */
void fetch_open_stack(guest_addr stack);

#endif
