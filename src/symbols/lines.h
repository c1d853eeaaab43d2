/* The source lines of one ELF file, from its DWARF line tables. */
#ifndef STRATA_SYMBOLS_LINES_H
#define STRATA_SYMBOLS_LINES_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses that one compilation unit has code for. */
struct unit_range {
    uint64_t start;
    uint64_t end;
    Dwarf_Die unit;
};

struct lines {
    Dwarf *dwarf; /* NULL if the file has no debug information */
    bool indexed; /* the ranges are there; they are read when first asked for */
    struct unit_range *ranges;
    size_t count;
    size_t capacity;
};

/* Fills `lines`, which must be zero.  `elf` must stay open. */
void lines_open(struct lines *lines, Elf *elf);

struct line_place {
    const char *path;   /* as the compiler wrote it */
    const char *folder; /* where the compiler ran, which path may be relative to; may be NULL */
    unsigned line;
};

/* The strings live until lines_close. */
bool lines_find(struct lines *lines, uint64_t address, struct line_place *place);

void lines_close(struct lines *lines);

#endif
