/* The functions of one ELF file in order of address, from its symbol table and what it has to unwind its stack. */
#ifndef STRATA_SYMBOLS_FUNCTIONS_H
#define STRATA_SYMBOLS_FUNCTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
    uint64_t address;
    uint64_t end;     /* one past its last byte */
    bool sized;       /* its own symbol says so; else it ends where another begins */
    const char *name; /* in the ELF file's string table; NULL if it has no symbol */
    char *readable;   /* demangled when first asked for; NULL before, or if name is plain */
    unsigned rank;    /* of several names of an address, the one of the lowest rank is shown */
};

struct functions {
    struct function *items;
    size_t count;
    size_t capacity;
};

/* Fills `functions`, which must be zero; it stays empty if the file has no symbols.  The names
 * point into `elf`, which must stay open. */
void functions_read(struct functions *functions, Elf *elf);

/* The name of the function at `address`, if there is one that has a name. */
bool functions_find(struct functions *functions, uint64_t address, const char **name,
                    uint64_t *offset);

/* Whether there is a function at `address`: where it begins and ends, and its name, NULL if it has no symbol. */
bool functions_range(struct functions *functions, uint64_t address, const char **name,
                     uint64_t *start, uint64_t *end);

void functions_free(struct functions *functions);

#endif
