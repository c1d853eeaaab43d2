/* The paper's counter table: a circular buffer of PC-tagged counters, and a shadow of all that ever were.
 *
 * The hardware keeps, per entry, a tag, a count and a callback.  For statistics
 * only, executions of every address that was ever monitored go on being
 * counted, as if the table were unlimited: the shadow.  One number serves both:
 * a shadow counts from the address's first ctr.new on, and an entry remembers
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

struct shadow {
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
    struct shadow *hash_next;
    struct shadow *next; /* in order of creation */
};

#define FIRST_BITS 12

struct counter_table {
    struct unit unit;
    uint64_t size; /* COUNTER_UNLIMITED or the number of entries */
    struct shadow **entries;
    uint64_t index;          /* where the next counter goes */
    struct shadow **buckets; /* 2^bits, and at least as many as shadows */
    unsigned bits;
    struct shadow *first, **last;
    struct counter_totals totals;
};

static struct shadow **bucket_of(const struct counter_table *table, guest_addr tag)
{
    return &table->buckets[spread_key(tag / 2, table->bits)];
}

static struct shadow *find(const struct counter_table *table, guest_addr tag)
{
    struct shadow *shadow = *bucket_of(table, tag);
    while (shadow != NULL && shadow->tag != tag) {
        shadow = shadow->hash_next;
    }
    return shadow;
}

static uint64_t count_of(const struct shadow *shadow)
{
    return shadow->cell.executions - shadow->base;
}

/* A threshold that has been passed already cannot be met again. */
static void set_firing(struct shadow *shadow)
{
    const bool fires =
        shadow->live && shadow->callback != 0 && shadow->threshold > count_of(shadow);
    shadow->cell.fires_at = fires ? shadow->base + shadow->threshold : 0;
}

static void leave_table(struct shadow *shadow)
{
    if (count_of(shadow) > shadow->best) {
        shadow->best = count_of(shadow);
    }
    shadow->live = false;
    set_firing(shadow);
}

static void add_to_bucket(struct counter_table *table, struct shadow *shadow)
{
    struct shadow **bucket = bucket_of(table, shadow->tag);
    shadow->hash_next = *bucket;
    *bucket = shadow;
}

static void add_buckets(struct counter_table *table)
{
    struct shadow **buckets = calloc((size_t)2 << table->bits, sizeof(struct shadow *));
    if (buckets == NULL) {
        return; /* longer chains do */
    }
    free(table->buckets);
    table->buckets = buckets;
    table->bits++;
    for (struct shadow *shadow = table->first; shadow != NULL; shadow = shadow->next) {
        add_to_bucket(table, shadow);
    }
}

static struct shadow *add_shadow(struct counter_table *table, guest_addr tag)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);
    ASSERT(shadow != NULL);
    shadow->tag = tag;
    shadow->cell.unit = &table->unit;
    if (table->totals.addresses >> table->bits != 0) {
        add_buckets(table);
    }
    add_to_bucket(table, shadow);
    *table->last = shadow;
    table->last = &shadow->next;
    table->totals.addresses++;
    unit_rewatch(&table->unit, tag, 1);
    return shadow;
}

static void enter_table(struct counter_table *table, struct shadow *shadow)
{
    if (table->size != COUNTER_UNLIMITED) {
        struct shadow *old = table->entries[table->index];
        if (old != NULL) {
            leave_table(old);
            old->evicted = true;
            table->totals.evicted++;
        }
        table->entries[table->index] = shadow;
        shadow->entry = table->index;
        table->index = (table->index + 1) % table->size;
    }
    shadow->live = true;
    shadow->base = shadow->cell.executions;
    table->totals.created++;
}

void counter_table_new(struct counter_table *table, guest_addr tag, guest_addr callback,
                       uint64_t threshold)
{
    struct shadow *shadow = find(table, tag);
    if (shadow == NULL) {
        shadow = add_shadow(table, tag);
    }
    if (!shadow->live) {
        enter_table(table, shadow);
    }
    shadow->callback = callback;
    shadow->threshold = threshold;
    set_firing(shadow);
}

uint64_t counter_table_read(const struct counter_table *table, guest_addr tag)
{
    const struct shadow *shadow = find(table, tag);
    return shadow != NULL && shadow->live ? count_of(shadow) : UINT64_MAX;
}

void counter_table_drop(struct counter_table *table, guest_addr tag)
{
    struct shadow *shadow = find(table, tag);
    if (shadow == NULL || !shadow->live) {
        return;
    }
    leave_table(shadow);
    table->totals.dropped++;
    if (table->size != COUNTER_UNLIMITED) {
        ASSERT(table->entries[shadow->entry] == shadow);
        table->entries[shadow->entry] = NULL;
    }
}

static void on_counted(struct unit *unit, const struct watch_event *event, struct watch_cell *cell)
{
    struct shadow *shadow = (struct shadow *)(void *)cell;
    set_firing(shadow);
    unit_raise(unit, event, shadow->callback, shadow->tag);
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
    struct shadow *shadow = table->totals.addresses > 0 ? find(table, instruction->pc) : NULL;
    if (shadow == NULL) {
        return (struct watch_request){.events = 0};
    }
    return (struct watch_request){.events = WATCH_COUNTED, .cell = &shadow->cell};
}

uint64_t counter_table_entries(const struct counter_table *table)
{
    return table->size;
}

struct counter_totals counter_table_totals(const struct counter_table *table)
{
    struct counter_totals totals = table->totals;
    for (const struct shadow *shadow = table->first; shadow != NULL; shadow = shadow->next) {
        totals.live += shadow->live;
        totals.executions += shadow->cell.executions;
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
    for (const struct shadow *shadow = table->first; shadow != NULL; shadow = shadow->next) {
        summaries[count++] = (struct counter_summary){.tag = shadow->tag,
                                                      .executions = shadow->cell.executions,
                                                      .callback_taken = shadow->callback_taken,
                                                      .evicted = shadow->evicted};
    }
    qsort(summaries, count, sizeof *summaries, by_executions);
    return summaries;
}

/* The largest count that any entry of this address has had. */
static uint64_t best_of(const struct shadow *shadow)
{
    const uint64_t now = shadow->live ? count_of(shadow) : 0;
    return now > shadow->best ? now : shadow->best;
}

static void report_thresholds(const struct counter_table *table, struct statistics *statistics)
{
    statistics->begin_list(statistics, "thresholds");
    for (size_t i = 0; i < THRESHOLDS; i++) {
        uint64_t reached = 0, premature = 0;
        for (const struct shadow *shadow = table->first; shadow != NULL; shadow = shadow->next) {
            if (shadow->cell.executions >= thresholds[i]) {
                reached++;
                premature += shadow->evicted && best_of(shadow) < thresholds[i];
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
    for (struct shadow *shadow = table->first; shadow != NULL;) {
        struct shadow *next = shadow->next;
        free(shadow);
        shadow = next;
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
    struct shadow **places = calloc(entries + 1, sizeof *places);
    struct shadow **buckets = calloc((size_t)1 << FIRST_BITS, sizeof *buckets);
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
        for (const struct shadow *at = table->buckets[i]; at != NULL; at = at->hash_next) {
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
