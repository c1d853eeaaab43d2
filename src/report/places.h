/* Names guest addresses: finds the file that is mapped there, and in it function and line. */
#ifndef STRATA_REPORT_PLACES_H
#define STRATA_REPORT_PLACES_H

#include "machine/linux/process.h"
#include "machine/state/statistics.h"
#include "report/columns.h"
#include "symbols/symbols.h"

/* What is known of an address. */
struct place {
    struct symbol_place symbol; /* what the file's symbols and lines say of it */
    const char *file;           /* the mapped file, without its folders; NULL if there is none */
    bool library;               /* that file is a shared library, not a program */
    uint64_t offset;            /* where the linker put it in that file, as objdump shows it */
};

struct places;

struct places *places_open(struct process *process);
/* The strings live until places_close.  False if not even the file is known. */
bool places_find(struct places *places, guest_addr address, struct place *place);
/* `function`, `source`, `library` and `offset` of an address, or of a place, NULL if nothing is known; an address. */
void places_report_place(struct statistics *s, const struct place *known);
void places_report(struct places *places, struct statistics *statistics, guest_addr address);
void places_report_address(struct statistics *statistics, const char *key, guest_addr address);
/* Whose an instruction is (enum owner of units/origins.h), in words. */
const char *places_owner(unsigned owner);
/* As a person reads them, within so many columns; "-" if nothing is known.  The function: "main"; of a library
 * without debug information with its name, "libc.so.6: memcpy"; without a symbol "libc.so.6+0x1234". */
void places_name(const struct place *place, char *text, size_t columns);
/* The source, "prog.c:12", with blanks behind it up to the column's end. */
void places_source(const struct place *place, char *text, size_t columns);
void places_close(struct places *places);

#endif
