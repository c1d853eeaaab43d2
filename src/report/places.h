/* Names guest addresses: finds the file that is mapped there, and in it function and line. */
#ifndef STRATA_REPORT_PLACES_H
#define STRATA_REPORT_PLACES_H

#include "machine/linux/process.h"
#include "symbols/symbols.h"

struct places;

struct places *places_open(struct process *process);
/* The strings live until places_close. */
bool places_find(struct places *places, guest_addr address, struct symbol_place *place);
void places_close(struct places *places);

#endif
