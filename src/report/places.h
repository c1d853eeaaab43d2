/* Names guest addresses: finds the file that is mapped there, and in it function and line. */
#ifndef STRATA_REPORT_PLACES_H
#define STRATA_REPORT_PLACES_H

#include "machine/linux/process.h"
#include "machine/state/statistics.h"
#include "symbols/symbols.h"

struct places;

struct places *places_open(struct process *process);
/* The strings live until places_close. */
bool places_find(struct places *places, guest_addr address, struct symbol_place *place);
/* `function` and `source` of an address; an address. */
void places_report(struct places *places, struct statistics *statistics, guest_addr address);
void places_report_address(struct statistics *statistics, const char *key, guest_addr address);
/* Whose an instruction is (enum owner of units/origins.h), in words. */
const char *places_owner(unsigned owner);
void places_close(struct places *places);

#endif
