/* From where the program may execute instructions, as the kernel would decide when it fetches them. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_FETCH_H
#define STRATA_TRANSLATOR_FRAGMENT_FETCH_H

#include "translator/fragment/code_ranges.h"

/* Memory of the program that is executable, or that is not; not all of it, and sorted.
 * Lisp systems have hundreds of pieces, in which code and data take turns. */
#define FETCH_RANGES 1024
struct fetchable {
    struct code_range ranges[FETCH_RANGES];
    unsigned count;
};

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

/* What the kernel says of the mapping around an address. */
struct fetch_mapping {
    struct code_range range;
    unsigned permissions; /* of HOST_READ and the others */
    bool shared;
    bool file; /* what it shows, or shows until the program writes there, is in a file */
    /* Of changes.mapping: regions have the whole list as it is.  It stands here so that forgetting both is one and the
     * same. */
    bool listed;
};
/* False if the kernel does not say; a range that ends at 0 if there is no such mapping. */
bool fetch_ask(guest_addr address, struct fetch_mapping *mapping);

#endif
