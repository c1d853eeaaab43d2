/* A table of things that belong to addresses of code, several to one perhaps: it grows, and they never move. */
#ifndef STRATA_MACHINE_UNITS_PC_TABLE_H
#define STRATA_MACHINE_UNITS_PC_TABLE_H

#include "base/spread.h"
#include "machine/state/hart.h"

#include <stdbool.h>
#include <stddef.h>

/* What is in a table begins with this, and was malloc'ed. */
struct pc_item {
    struct pc_item *next; /* in the same bucket */
    guest_addr pc;
};

struct pc_table {
    struct pc_item **buckets;
    unsigned bits; /* there are 2^bits buckets */
    size_t count;
};

/* False if memory runs out. */
bool pc_table_create(struct pc_table *table);
/* Frees all that is in it. */
void pc_table_destroy(struct pc_table *table);
void pc_table_add(struct pc_table *table, struct pc_item *item);
/* Calls `what` for each of them. */
void pc_table_each(const struct pc_table *table, void (*what)(struct pc_item *item, void *context),
                   void *context);

/* The first in the bucket of `pc`: others may be there, too. */
static inline struct pc_item *pc_table_first(const struct pc_table *table, guest_addr pc)
{
    return table->buckets[spread_key(pc / 2, table->bits)];
}

#endif
