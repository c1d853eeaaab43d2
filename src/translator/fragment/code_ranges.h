/* Where in the program translated code came from, so that changes to its mappings are noticed. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_CODE_RANGES_H
#define STRATA_TRANSLATOR_FRAGMENT_CODE_RANGES_H

#include "translator/fragment/context.h"

#include <stdbool.h>

struct code_range {
    guest_addr start, end;
};

#define CODE_PAGE UINT64_C(4096)
#define CODE_RANGES 64
#define CODE_KNOWN_PAGES 64

/* Pages of the program from which code was translated; when there are too many
 * pieces, two become one, with what lies between them. */
struct code_ranges {
    /* The last bytes of pages that are in `ranges`: one for each hash, or 0. */
    guest_addr known_pages[CODE_KNOWN_PAGES];
    unsigned count;
    struct code_range ranges[CODE_RANGES]; /* sorted */
};

static inline bool code_ranges_know(const struct code_ranges *code, guest_addr pc)
{
    return code->known_pages[pc / CODE_PAGE % CODE_KNOWN_PAGES] == (pc | (CODE_PAGE - 1));
}

/* Remembers that code was translated from `start` to `end`. */
void code_ranges_add(struct code_ranges *code, guest_addr start, guest_addr end);
/* Whether code was translated from one of these pages; never wrongly no. */
bool code_ranges_overlap(const struct code_ranges *code, guest_addr start, uint64_t bytes);
void code_ranges_forget(struct code_ranges *code);

#endif
