/* What the counter table keeps: for counter_table.c, and for counter_report.c, which tells of it. */
#ifndef STRATA_MACHINE_UNITS_COUNTER_TABLE_STATE_H
#define STRATA_MACHINE_UNITS_COUNTER_TABLE_STATE_H

#include "machine/units/counter_table.h"

#include "isa/rv64/xstrata_abi.h"
#include "machine/units/keyed.h"
#include "machine/units/replacement.h"

/* The key is where the program has it. */
struct loop {
    struct keyed keyed;
    struct monitored *tags; /* that count its executions now */
    uint64_t past;          /* executions at tags that were dropped */
    uint64_t kept; /* counts of entries that were dropped: whoever drops one reads it first */
    uint64_t best; /* the largest count that an entry of it ever had when it went */
    bool evicted;  /* at least once */
    bool callback_taken;
};

/* The key is the tag. */
struct monitored {
    struct keyed keyed;
    struct watch_cell cell; /* executions since the first ctr.new that no ctr.drop followed */
    struct loop *loop;
    struct monitored *next_of_loop;
    guest_addr callback;
    uint64_t base;                      /* cell.executions when the present entry was made */
    uint64_t threshold;                 /* of the present entry, 0: never */
    uint64_t entry;                     /* of a table with a size: the present one */
    uint64_t error;                     /* of the present entry: what it took over */
    uint64_t last;                      /* when it counted, or was made, for the policy */
    uint64_t times[XSTRATA_TIME_COUNT]; /* of the present entry */
    bool counts;                        /* executions are those of the loop */
    bool live;                          /* an entry holds it */
};

/* An eviction that the program has not been told of.  The hardware has one place for it, not one in each entry: as a rule the
 * new counter counts before another one is made. */
struct eviction {
    struct monitored *by;      /* whose first count tells of it; NULL: none waits */
    struct monitored *evicted; /* whose entry that took */
    struct loop *loop;         /* that the evicted one counted */
    uint64_t count;            /* what it had counted */
};

struct counter_table {
    struct unit unit;
    struct unit teller;        /* whose callbacks tell of evictions */
    guest_addr evict_callback; /* 0: nobody is told */
    struct eviction waiting;
    const struct origins *origins; /* NULL: what is counted is the program itself */
    uint64_t size;                 /* COUNTER_UNLIMITED or the number of entries */
    const struct replacement *replacement;
    struct monitored **entries;
    struct replacement_entry *shown; /* to a policy that looks */
    uint64_t index;                  /* behind the entry where the last counter went */
    uint64_t used;                   /* entries */
    uint64_t now; /* counted executions and new counters, for a policy that asks when */
    bool takes_times;
    struct keyed_set tags, loops;
    struct counter_totals totals;
};

static inline uint64_t count_of(const struct monitored *monitored)
{
    return monitored->cell.executions - monitored->base;
}

/* What the counters of its loop have counted, as far as nobody forgot it. */
static inline uint64_t known_of(const struct monitored *monitored)
{
    return monitored->loop->kept + count_of(monitored);
}

static inline uint64_t executions_of(const struct loop *loop)
{
    uint64_t executions = loop->past;
    for (const struct monitored *at = loop->tags; at != NULL; at = at->next_of_loop) {
        executions += at->cell.executions;
    }
    return executions;
}

/* As unit_kind has it. */
void counter_table_report(const struct unit *unit, struct statistics *statistics);

#endif
