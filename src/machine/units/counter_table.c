/* The paper's counter table: a circular buffer of PC-tagged counters, and all addresses that ever had one.
 *
 * The hardware keeps, per entry, a tag, a count and a callback.  For statistics
 * only, executions of every address that was ever monitored go on being
 * counted, as if the table were unlimited.  One number serves both: a monitored
 * address counts from its first ctr.new on, and an entry remembers
 * what it stood at when the entry was made. */
#include "machine/units/counter_table.h"

#include "base/check.h"
#include "base/spread.h"
#include "machine/state/statistics.h"

#include <stdlib.h>
#include <string.h>

#define TAG_BITS 64
#define COUNT_BITS 64
#define CALLBACK_BITS 64
#define THRESHOLD_BITS 64

/* The paper's thresholds, for which reports say how many counters reach them. */
static const uint64_t thresholds[] = {4, 10, 100, 1000, 10000, 100000};
#define THRESHOLDS (sizeof thresholds / sizeof thresholds[0])

struct monitored {
    struct watch_cell cell; /* executions since the first ctr.new */
    guest_addr tag;
    guest_addr callback;
    uint64_t base;      /* cell.executions when the present entry was made */
    uint64_t threshold; /* of the present entry, 0: never */
    uint64_t best;      /* the largest count that an entry of it ever had when it went */
    uint64_t entry;     /* of a table with a size: the present one */
    bool live;          /* an entry holds it */
    bool evicted;       /* at least once */
    bool callback_taken;
    struct monitored *hash_next;
    struct monitored *next; /* in order of creation */
};

#define FIRST_BITS 12

struct counter_table {
    struct unit unit;
    uint64_t size; /* COUNTER_UNLIMITED or the number of entries */
    struct monitored **entries;
    uint64_t index;             /* where the next counter goes */
    struct monitored **buckets; /* 2^bits, and at least as many as monitored addresses */
    unsigned bits;
    struct monitored *first, **last;
    struct counter_totals totals;
};

static struct monitored **bucket_of(const struct counter_table *table, guest_addr tag)
{
    return &table->buckets[spread_key(tag / 2, table->bits)];
}

static struct monitored *find(const struct counter_table *table, guest_addr tag)
{
    struct monitored *monitored = *bucket_of(table, tag);
    while (monitored != NULL && monitored->tag != tag) {
        monitored = monitored->hash_next;
    }
    return monitored;
}

static uint64_t count_of(const struct monitored *monitored)
{
    return monitored->cell.executions - monitored->base;
}

/* A threshold that has been passed already cannot be met again. */
static void set_firing(struct monitored *monitored)
{
    const bool fires =
        monitored->live && monitored->callback != 0 && monitored->threshold > count_of(monitored);
    monitored->cell.fires_at = fires ? monitored->base + monitored->threshold : 0;
}

static void leave_table(struct monitored *monitored)
{
    if (count_of(monitored) > monitored->best) {
        monitored->best = count_of(monitored);
    }
    monitored->live = false;
    set_firing(monitored);
}

static void add_to_bucket(struct counter_table *table, struct monitored *monitored)
{
    struct monitored **bucket = bucket_of(table, monitored->tag);
    monitored->hash_next = *bucket;
    *bucket = monitored;
}

static void add_buckets(struct counter_table *table)
{
    struct monitored **buckets = calloc((size_t)2 << table->bits, sizeof(struct monitored *));
    if (buckets == NULL) {
        return; /* longer chains do */
    }
    free(table->buckets);
    table->buckets = buckets;
    table->bits++;
    for (struct monitored *monitored = table->first; monitored != NULL;
         monitored = monitored->next) {
        add_to_bucket(table, monitored);
    }
}

static struct monitored *add_monitored(struct counter_table *table, guest_addr tag)
{
    struct monitored *monitored = calloc(1, sizeof *monitored);
    ASSERT(monitored != NULL);
    monitored->tag = tag;
    monitored->cell.unit = &table->unit;
    if (table->totals.addresses >> table->bits != 0) {
        add_buckets(table);
    }
    add_to_bucket(table, monitored);
    *table->last = monitored;
    table->last = &monitored->next;
    table->totals.addresses++;
    unit_rewatch(&table->unit, tag, 1);
    return monitored;
}

static void enter_table(struct counter_table *table, struct monitored *monitored)
{
    if (table->size != COUNTER_UNLIMITED) {
        struct monitored *old = table->entries[table->index];
        if (old != NULL) {
            leave_table(old);
            old->evicted = true;
            table->totals.evicted++;
        }
        table->entries[table->index] = monitored;
        monitored->entry = table->index;
        table->index = (table->index + 1) % table->size;
    }
    monitored->live = true;
    monitored->base = monitored->cell.executions;
    table->totals.created++;
}

void counter_table_new(struct counter_table *table, guest_addr tag, guest_addr callback,
                       uint64_t threshold)
{
    struct monitored *monitored = find(table, tag);
    if (monitored == NULL) {
        monitored = add_monitored(table, tag);
    }
    if (!monitored->live) {
        enter_table(table, monitored);
    }
    monitored->callback = callback;
    monitored->threshold = threshold;
    set_firing(monitored);
}

uint64_t counter_table_read(const struct counter_table *table, guest_addr tag)
{
    const struct monitored *monitored = find(table, tag);
    return monitored != NULL && monitored->live ? count_of(monitored) : UINT64_MAX;
}

void counter_table_drop(struct counter_table *table, guest_addr tag)
{
    struct monitored *monitored = find(table, tag);
    if (monitored == NULL || !monitored->live) {
        return;
    }
    leave_table(monitored);
    table->totals.dropped++;
    if (table->size != COUNTER_UNLIMITED) {
        ASSERT(table->entries[monitored->entry] == monitored);
        table->entries[monitored->entry] = NULL;
    }
}

static void on_counted(struct unit *unit, const struct watch_event *event, struct watch_cell *cell)
{
    struct monitored *monitored = (struct monitored *)(void *)cell;
    set_firing(monitored);
    unit_raise(unit, event, monitored->callback, monitored->tag);
}

static void on_callback_begins(struct unit *unit, uint64_t tag)
{
    struct counter_table *table = (struct counter_table *)(void *)unit;
    find(table, tag)->callback_taken = true;
    table->totals.callbacks++;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const struct counter_table *table = (const struct counter_table *)(const void *)unit;
    /* Asked for each instruction that is decoded, and most programs have no counters. */
    struct monitored *monitored = table->totals.addresses > 0 ? find(table, instruction->pc) : NULL;
    if (monitored == NULL) {
        return (struct watch_request){.events = 0};
    }
    return (struct watch_request){.events = WATCH_COUNTED, .cell = &monitored->cell};
}

uint64_t counter_table_entries(const struct counter_table *table)
{
    return table->size;
}

struct counter_totals counter_table_totals(const struct counter_table *table)
{
    struct counter_totals totals = table->totals;
    for (const struct monitored *monitored = table->first; monitored != NULL;
         monitored = monitored->next) {
        totals.live += monitored->live;
        totals.executions += monitored->cell.executions;
    }
    return totals;
}

static int by_executions(const void *a, const void *b)
{
    const struct counter_summary *left = a, *right = b;
    if (left->executions != right->executions) {
        return left->executions < right->executions ? 1 : -1;
    }
    return left->tag < right->tag ? -1 : left->tag > right->tag;
}

struct counter_summary *counter_table_summaries(const struct counter_table *table)
{
    struct counter_summary *summaries = calloc(table->totals.addresses + 1, sizeof *summaries);
    ASSERT(summaries != NULL);
    size_t count = 0;
    for (const struct monitored *monitored = table->first; monitored != NULL;
         monitored = monitored->next) {
        summaries[count++] = (struct counter_summary){.tag = monitored->tag,
                                                      .executions = monitored->cell.executions,
                                                      .callback_taken = monitored->callback_taken,
                                                      .evicted = monitored->evicted};
    }
    qsort(summaries, count, sizeof *summaries, by_executions);
    return summaries;
}

/* The largest count that any entry of this address has had. */
static uint64_t best_of(const struct monitored *monitored)
{
    const uint64_t now = monitored->live ? count_of(monitored) : 0;
    return now > monitored->best ? now : monitored->best;
}

static void report_thresholds(const struct counter_table *table, struct statistics *statistics)
{
    statistics->begin_list(statistics, "thresholds");
    for (size_t i = 0; i < THRESHOLDS; i++) {
        uint64_t reached = 0, premature = 0;
        for (const struct monitored *monitored = table->first; monitored != NULL;
             monitored = monitored->next) {
            if (monitored->cell.executions >= thresholds[i]) {
                reached++;
                premature += monitored->evicted && best_of(monitored) < thresholds[i];
            }
        }
        statistics->begin(statistics, NULL);
        statistics->number(statistics, "threshold", thresholds[i]);
        statistics->number(statistics, "reached", reached);
        statistics->number(statistics, "premature_evictions", premature);
        statistics->ratio(statistics, "premature_share",
                          reached == 0 ? 0.0 : (double)premature / (double)reached);
        statistics->end(statistics);
    }
    statistics->end(statistics);
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    const struct counter_table *table = (const struct counter_table *)(const void *)unit;
    const struct counter_totals totals = counter_table_totals(table);
    if (table->size == COUNTER_UNLIMITED) {
        statistics->text(statistics, "entries", "unlimited");
    } else {
        statistics->number(statistics, "entries", table->size);
    }
    statistics->number(statistics, "created", totals.created);
    statistics->number(statistics, "evicted", totals.evicted);
    statistics->number(statistics, "dropped", totals.dropped);
    statistics->number(statistics, "callbacks", totals.callbacks);
    statistics->number(statistics, "live", totals.live);
    statistics->number(statistics, "addresses", totals.addresses);
    report_thresholds(table, statistics);
    statistics->ratio(statistics, "mean_executions",
                      totals.addresses == 0 ? 0.0
                                            : (double)totals.executions / (double)totals.addresses);
    /* An unlimited table cannot be built: it has no cost to state. */
    const uint64_t entry_bits = TAG_BITS + COUNT_BITS + CALLBACK_BITS + THRESHOLD_BITS;
    statistics->number(statistics, "storage_bits", table->size * entry_bits);
    statistics->number(statistics, "comparators", table->size * 2);
    statistics->number(statistics, "adders", table->size);
}

static void destroy(struct unit *unit)
{
    struct counter_table *table = (struct counter_table *)(void *)unit;
    for (struct monitored *monitored = table->first; monitored != NULL;) {
        struct monitored *next = monitored->next;
        free(monitored);
        monitored = next;
    }
    free(table->buckets);
    free(table->entries);
    free(table);
}

static const struct unit_kind kind = {
    .name = "counters",
    .watches = watches,
    .counted = on_counted,
    .callback_begins = on_callback_begins,
    .report = report,
    .destroy = destroy,
};

struct counter_table *counter_table_create(uint64_t entries, struct unit_host host)
{
    struct counter_table *table = calloc(1, sizeof *table);
    struct monitored **places = calloc(entries + 1, sizeof *places);
    struct monitored **buckets = calloc((size_t)1 << FIRST_BITS, sizeof *buckets);
    if (table == NULL || places == NULL || buckets == NULL) {
        free(table);
        free(places);
        free(buckets);
        return NULL;
    }
    table->buckets = buckets;
    table->bits = FIRST_BITS;
    table->unit.kind = &kind;
    table->unit.host = host;
    table->size = entries;
    table->entries = places;
    table->last = &table->first;
    return table;
}

uint64_t counter_table_longest_chain(const struct counter_table *table)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
        uint64_t length = 0;
        for (const struct monitored *at = table->buckets[i]; at != NULL; at = at->hash_next) {
            length++;
        }
        longest = length > longest ? length : longest;
    }
    return longest;
}

struct unit *counter_table_unit(struct counter_table *table)
{
    return &table->unit;
}
