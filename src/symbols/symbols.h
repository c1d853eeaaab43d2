/* From an address of a program to the function and the source line that a person knows it by. */
#ifndef STRATA_SYMBOLS_SYMBOLS_H
#define STRATA_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols;

/* What is known of one address.  Either half may be missing: then its string is NULL and its number
 * is 0.  The strings live until symbols_close. */
struct symbol_place {
    const char *function; /* C++ names demangled, with their parameters */
    uint64_t offset;      /* from the function's first byte */
    const char *file;     /* without its folders */
    unsigned line;        /* counted from 1 */
    const char *path;     /* of the file, as the compiler wrote it; NULL if file is */
    const char *folder;   /* where the compiler ran, which path may be relative to */
};

/* Opens the ELF file of any machine at `path`.  NULL if there is no such file or it is not ELF; a
 * file without symbols gives an object that finds nothing. */
struct symbols *symbols_open(const char *path);

/* Finds the place of `address`, as the linker assigned it: of a position-independent program that
 * was loaded elsewhere the caller subtracts the load bias.  False if neither half is known. */
bool symbols_find(struct symbols *symbols, uint64_t address, struct symbol_place *place);

/* Whether there is a function at `address`: where it begins and ends, and its name, NULL if it has no symbol. */
bool symbols_function(struct symbols *symbols, uint64_t address, const char **name, uint64_t *start,
                      uint64_t *end);

/* The linked address of the byte at `offset` in the file; false if no loaded segment has it. */
bool symbols_address(struct symbols *symbols, uint64_t offset, uint64_t *address);

/* The other way round. */
bool symbols_offset(struct symbols *symbols, uint64_t address, uint64_t *offset);

/* What a name can be of. */
enum symbol_kind { SYMBOL_FUNCTION, SYMBOL_FILE };

/* Calls `range` for the linked addresses of what has that name (named.h): of a function with the places that it is inlined
 * at, or of a source file. */
void symbols_each_range(struct symbols *symbols, enum symbol_kind kind, const char *name,
                        void (*range)(void *context, uint64_t start, uint64_t end), void *context);
/* Calls `known` for the names that there are. */
void symbols_each_name(struct symbols *symbols, enum symbol_kind kind,
                       void (*known)(void *context, const char *name), void *context);
/* Calls `needed` for each library that the file says it needs, and `folder` for each string of folders that it says they
 * are in, with colons between them. */
void symbols_each_needed(struct symbols *symbols, void (*needed)(void *context, const char *name),
                         void (*folder)(void *context, const char *folders), void *context);

/* Whether the file is a shared library, and not a program: one that is linked to any address says
 * that it is one (DF_1_PIE), since it looks like a library in all else. */
bool symbols_of_library(struct symbols *symbols);

void symbols_close(struct symbols *symbols);

#endif
