/* The functions that a program's instructions are of, numbered as they are met while it runs. */
#ifndef STRATA_REPORT_FUNCTION_TABLE_H
#define STRATA_REPORT_FUNCTION_TABLE_H

#include "machine/linux/process.h"
#include "machine/units/profile.h"
#include "report/places.h"

struct function_table;

struct table_function {
    const char *
        name; /* of one without a symbol, its file and offset there; NULL: code that no function has */
    const char *file; /* that it was mapped from; NULL: the program made the code itself */
    guest_addr start; /* of the function; 0 if it has no name */
    uint64_t linked;  /* where the linker put it in its file */
    char *made;       /* the name, if the file has none; to be freed */
};

struct function_table *function_table_create(void);
void function_table_destroy(struct function_table *table);

/* For a profile of `process`, which may be empty yet. */
void function_table_follow(struct function_table *table, struct process *process);
/* What a profile asks: `context` is the table. */
struct profile_function function_table_find(void *context, guest_addr pc);

const struct table_function *function_table_get(const struct function_table *table,
                                                uint32_t number);
uint32_t function_table_count(const struct function_table *table);
/* What is known of an address in the function, also when its file is no longer mapped; false if it has no name.  The
 * strings live as long as the table. */
bool function_table_place(const struct function_table *table, uint32_t number, guest_addr address,
                          struct place *place);
/* The name for a person: of code without one, that of its file in brackets. */
const char *function_table_name(const struct function_table *table, uint32_t number);

#endif
