/* Keeps things by the addresses of code that they belong to. */
#include "machine/units/pc_table.h"

#include "base/check.h"

#include <stdlib.h>

#define FIRST_BITS 12

bool pc_table_create(struct pc_table *table)
{
    *table = (struct pc_table){.buckets = calloc((size_t)1 << FIRST_BITS, sizeof *table->buckets),
                               .bits = FIRST_BITS};
    return table->buckets != NULL;
}

static void put(struct pc_table *table, struct pc_item *item)
{
    struct pc_item **bucket = &table->buckets[spread_key(item->pc / 2, table->bits)];
    item->next = *bucket;
    *bucket = item;
}

static void grow(struct pc_table *table)
{
    const struct pc_table old = *table;
    table->bits++;
    table->buckets = calloc((size_t)1 << table->bits, sizeof *table->buckets);
    ASSERT(table->buckets != NULL);
    for (size_t i = 0; i < (size_t)1 << old.bits; i++) {
        for (struct pc_item *item = old.buckets[i], *next; item != NULL; item = next) {
            next = item->next;
            put(table, item);
        }
    }
    free(old.buckets);
}

/* There are at least as many buckets as items. */
void pc_table_add(struct pc_table *table, struct pc_item *item)
{
    if (table->count >> table->bits != 0) {
        grow(table);
    }
    table->count++;
    put(table, item);
}

void pc_table_each(const struct pc_table *table, void (*what)(struct pc_item *item, void *context),
                   void *context)
{
    for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
        for (struct pc_item *item = table->buckets[i]; item != NULL; item = item->next) {
            what(item, context);
        }
    }
}

void pc_table_destroy(struct pc_table *table)
{
    for (size_t i = 0; table->buckets != NULL && i < (size_t)1 << table->bits; i++) {
        for (struct pc_item *item = table->buckets[i], *next; item != NULL; item = next) {
            next = item->next;
            free(item);
        }
    }
    free(table->buckets);
}
