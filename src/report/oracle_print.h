/* How well the traces of a translator hit the paths that the program takes often, as a few lines for a person. */
#ifndef STRATA_REPORT_ORACLE_PRINT_H
#define STRATA_REPORT_ORACLE_PRINT_H

#include "machine/units/oracle.h"

/* Nothing for NULL. */
void oracle_print(const struct oracle *oracle);

#endif
