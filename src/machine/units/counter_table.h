/* The paper's counter table: PC-tagged execution counters with callbacks. */
#ifndef STRATA_MACHINE_UNITS_COUNTER_TABLE_H
#define STRATA_MACHINE_UNITS_COUNTER_TABLE_H

#include "machine/state/hart.h"
#include "machine/engine/unit.h"

struct counter_table;
struct origins;
struct replacement;

#define COUNTER_UNLIMITED 0
#define COUNTER_ENTRIES_MAX (UINT64_C(1) << 20)
/* What a size in bits may be: of two entries of the paper's to those of the largest table. */
#define COUNTER_BITS_MIN 512
#define COUNTER_BITS_MAX (COUNTER_ENTRIES_MAX * 256)

struct counter_table *counter_table_create(uint64_t entries, const struct replacement *replacement,
                                           struct unit_host host);
struct unit *counter_table_unit(struct counter_table *table);

/* From now on a tag in a translator's cache is a counter of the program's loop that has its code there. */
void counter_table_name_by(struct counter_table *table, const struct origins *origins);

/* From now on counters measure cycles, too: a pipeline tells what retires. */
void counter_table_take_times(struct counter_table *table);

/* ctr.new, ctr.read, ctr.drop.  A callback of 0 only counts, as does threshold 0. */
void counter_table_new(struct counter_table *table, guest_addr tag, guest_addr callback,
                       uint64_t threshold);
uint64_t counter_table_read(const struct counter_table *table, guest_addr tag);
/* ctr.time: one of XSTRATA_TIME_ ... of the tag's counter; all ones if there is none. */
uint64_t counter_table_time(const struct counter_table *table, guest_addr tag, uint64_t which);
void counter_table_drop(struct counter_table *table, guest_addr tag);
/* ctrevict: from now on `callback` hears of evictions; 0: nobody does. */
void counter_table_tell(struct counter_table *table, guest_addr callback);
guest_addr counter_table_tells(const struct counter_table *table);

uint64_t counter_table_entries(const struct counter_table *table);

/* What is known of one monitored loop at the end, for reports; most executed first. */
struct counter_summary {
    guest_addr tag;      /* the program's address, where that is another */
    uint64_t executions; /* since its first ctr.new, evicted or not, but not while it was dropped */
    bool callback_taken;
    bool evicted;
};
struct counter_totals {
    uint64_t created, evicted, dropped, callbacks, live;
    uint64_t told, untold; /* of evictions: callbacks taken, and those that never will be */
    uint64_t addresses;    /* distinct loops: tags, or the program's addresses */
    uint64_t executions;   /* of all of them */
};
struct counter_totals counter_table_totals(const struct counter_table *table);
/* Returns a malloc'ed array of totals.addresses elements. */
struct counter_summary *counter_table_summaries(const struct counter_table *table);

/* How many addresses a lookup looks at, at the most. */
uint64_t counter_table_longest_chain(const struct counter_table *table);
/* What the hardware would consist of; nothing if the table is unlimited. */
struct unit_cost counter_table_cost(const struct counter_table *table);
/* The most entries that so many bits hold with a policy; 0 if not even one. */
uint64_t counter_table_entries_in(uint64_t bits, const struct replacement *replacement);

#endif
