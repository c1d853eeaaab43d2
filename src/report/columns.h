/* Text that must fit into a column of a table for people. */
#ifndef STRATA_REPORT_COLUMNS_H
#define STRATA_REPORT_COLUMNS_H

#include <stddef.h>

/* Room for a text of so many columns, whatever its characters are. */
#define COLUMN_BYTES(columns) (4 * (columns) + 1)

/* Writes `text` into `to`, which has COLUMN_BYTES(columns); of one that is too long the middle becomes "...". */
void columns_fit(char *to, const char *text, size_t columns);
/* The same, with blanks behind what is shorter: printf would count bytes. */
void columns_fill(char *to, const char *text, size_t columns);

#endif
