/* The paper's counter table: a buffer of PC-tagged counters, and all loops that ever had one.
 *
 * The hardware keeps, per entry, a tag, a count and a callback.  For statistics only, executions of every address
 * that was ever monitored go on being counted, as if the table were unlimited, until ctr.drop says that the address
 * is another thing from now on: a translator's cache may have other code there soon.  One number serves both: a
 * monitored address counts from its first ctr.new on, and an entry remembers what it stood at when the entry
 * was made.
 *
 * Statistics are of loops, which the program's addresses identify: a loop that a translator builds again and again
 * has one tag after the other. */
#include "machine/units/counter_table_state.h"

#include "base/check.h"
#include "isa/rv64/xstrata_abi.h"
#include "machine/engine/callbacks.h"
#include "machine/units/origins.h"
#include "machine/units/replacement.h"

#include <stdlib.h>
#include <string.h>

#define TAG_BITS 64
#define COUNT_BITS 64
#define CALLBACK_BITS 64
#define THRESHOLD_BITS 64

static struct monitored *find(const struct counter_table *table, guest_addr tag)
{
    return (struct monitored *)(void *)keyed_find(&table->tags, tag);
}

/* A threshold that has been passed already cannot be met again. */
static void set_firing(const struct counter_table *table, struct monitored *monitored)
{
    const bool fires =
        monitored->live && monitored->callback != 0 && monitored->threshold > count_of(monitored);
    const bool tells = monitored->live && table->waiting.by == monitored;
    monitored->cell.fires_at = tells   ? monitored->base + 1
                               : fires ? monitored->base + monitored->threshold
                                       : 0;
}

/* Nobody hears of the eviction that waits. */
static void forget_eviction(struct counter_table *table)
{
    struct monitored *by = table->waiting.by;

    table->waiting.by = NULL;
    table->totals.untold++;
    set_firing(table, by);
}

static void leave_table(struct counter_table *table, struct monitored *monitored)
{
    struct loop *loop = monitored->loop;
    if (table->waiting.by == monitored) {
        forget_eviction(table);
    }
    if (known_of(monitored) > loop->best) {
        loop->best = known_of(monitored);
    }
    monitored->live = false;
    set_firing(table, monitored);
}

/* What is executed there from now on is not the loop any more. */
static void stop_counting(struct counter_table *table, struct monitored *monitored)
{
    struct loop *loop = monitored->loop;
    struct monitored **place = &loop->tags;
    if (table->waiting.by != NULL && table->waiting.evicted == monitored) {
        forget_eviction(table);
    }
    while (*place != monitored) {
        place = &(*place)->next_of_loop;
    }
    *place = monitored->next_of_loop;
    loop->past += monitored->cell.executions;
    monitored->cell.executions = monitored->base = 0;
    monitored->counts = false;
    unit_rewatch(&table->unit, monitored->keyed.key, 1);
}

static void start_counting(struct counter_table *table, struct monitored *monitored,
                           guest_addr home)
{
    struct loop *loop = (struct loop *)(void *)keyed_find(&table->loops, home);
    if (loop == NULL) {
        loop = keyed_add(&table->loops, home, sizeof *loop);
    }
    monitored->loop = loop;
    monitored->next_of_loop = loop->tags;
    loop->tags = monitored;
    monitored->counts = true;
    unit_rewatch(&table->unit, monitored->keyed.key, 1);
}

/* All entries are in use. */
static uint64_t choose_entry(struct counter_table *table)
{
    for (uint64_t i = 0; table->replacement->looks && i < table->size; i++) {
        const struct monitored *at = table->entries[i];
        table->shown[i] =
            (struct replacement_entry){.count = count_of(at), .error = at->error, .last = at->last};
    }
    const uint64_t chosen = table->replacement->choose(table->shown, table->size, table->index);
    ASSERT(chosen < table->size);
    return chosen;
}

/* The entry where a new counter goes. */
static uint64_t find_entry(struct counter_table *table)
{
    if (!table->replacement->looks) {
        return table->replacement->choose(NULL, table->size, table->index);
    }
    for (uint64_t i = 0; table->used < table->size && i < table->size; i++) {
        const uint64_t at = (table->index + i) % table->size;
        if (table->entries[at] == NULL) {
            return at;
        }
    }
    return choose_entry(table);
}

/* `by` takes the entry of `old`. */
static void evict(struct counter_table *table, struct monitored *old, struct monitored *by)
{
    leave_table(table, old);
    old->loop->evicted = true;
    table->totals.evicted++;
    table->used--;
    if (table->evict_callback == 0) {
        return;
    }
    if (table->waiting.by != NULL) {
        forget_eviction(table);
    }
    table->waiting =
        (struct eviction){.by = by, .evicted = old, .loop = old->loop, .count = count_of(old)};
}

static void enter_table(struct counter_table *table, struct monitored *monitored)
{
    monitored->error = 0;
    if (table->size != COUNTER_UNLIMITED) {
        const uint64_t entry = find_entry(table);
        struct monitored *old = table->entries[entry];
        if (old != NULL) {
            monitored->error = table->replacement->takes_over ? count_of(old) + old->error : 0;
            evict(table, old, monitored);
        }
        table->entries[entry] = monitored;
        table->used++;
        monitored->entry = entry;
        table->index = (entry + 1) % table->size;
    }
    monitored->live = true;
    monitored->base = monitored->cell.executions;
    monitored->last = ++table->now;
    memset(monitored->times, 0, sizeof monitored->times);
    table->totals.created++;
}

void counter_table_name_by(struct counter_table *table, const struct origins *origins)
{
    table->origins = origins;
}

void counter_table_take_times(struct counter_table *table)
{
    table->takes_times = true;
}

void counter_table_tell(struct counter_table *table, guest_addr callback)
{
    table->evict_callback = callback;
}

guest_addr counter_table_tells(const struct counter_table *table)
{
    return table->evict_callback;
}

void counter_table_new(struct counter_table *table, guest_addr tag, guest_addr callback,
                       uint64_t threshold)
{
    struct monitored *monitored = find(table, tag);
    if (monitored == NULL) {
        monitored = keyed_add(&table->tags, tag, sizeof *monitored);
        monitored->cell.unit = &table->unit;
    }
    if (!monitored->live) {
        const guest_addr home = table->origins != NULL ? origins_begin(table->origins, tag) : tag;
        if (monitored->counts && monitored->loop->keyed.key != home) {
            stop_counting(table, monitored);
        }
        if (!monitored->counts) {
            start_counting(table, monitored, home);
        }
        enter_table(table, monitored);
    }
    monitored->callback = callback;
    monitored->threshold = threshold;
    set_firing(table, monitored);
}

uint64_t counter_table_read(const struct counter_table *table, guest_addr tag)
{
    const struct monitored *monitored = find(table, tag);
    return monitored != NULL && monitored->live ? count_of(monitored) : UINT64_MAX;
}

uint64_t counter_table_time(const struct counter_table *table, guest_addr tag, uint64_t which)
{
    const struct monitored *monitored = find(table, tag);
    return monitored != NULL && monitored->live && which < XSTRATA_TIME_COUNT
               ? monitored->times[which]
               : UINT64_MAX;
}

void counter_table_drop(struct counter_table *table, guest_addr tag)
{
    struct monitored *monitored = find(table, tag);
    if (monitored == NULL || !monitored->counts) {
        return;
    }
    if (monitored->live) {
        leave_table(table, monitored);
        monitored->loop->kept += count_of(monitored);
        table->totals.dropped++;
        if (table->size != COUNTER_UNLIMITED) {
            ASSERT(table->entries[monitored->entry] == monitored);
            table->entries[monitored->entry] = NULL;
            table->used--;
        }
    }
    stop_counting(table, monitored);
}

/* Whoever is told may add up what his loop has counted. */
static void tell_eviction(struct counter_table *table, struct hart *hart)
{
    const struct eviction told = table->waiting;

    if (table->evict_callback == 0) {
        forget_eviction(table);
        return;
    }
    table->waiting.by = NULL;
    told.loop->kept += told.count;
    callbacks_raise_eviction(hart, &table->teller, table->evict_callback, told.evicted->keyed.key,
                             told.count);
}

static void on_counted(struct unit *unit, const struct watch_event *event, struct watch_cell *cell)
{
    struct monitored *monitored =
        (struct monitored *)(void *)((char *)cell - offsetof(struct monitored, cell));
    struct counter_table *table = (struct counter_table *)(void *)unit;
    const bool reached = monitored->callback != 0 && count_of(monitored) == monitored->threshold;
    if (table->waiting.by == monitored) {
        tell_eviction(table, event->hart);
    }
    set_firing(table, monitored);
    if (reached) {
        unit_raise(unit, event, monitored->callback, monitored->keyed.key);
    }
}

static void on_executed(struct unit *unit, const struct watch_event *event)
{
    struct counter_table *table = (struct counter_table *)(void *)unit;

    ((struct monitored *)event->own)->last = ++table->now;
}

static void on_retired(struct unit *unit, const struct watch_event *event)
{
    struct monitored *monitored = event->own;
    (void)unit;
    if (event->helper) {
        return;
    }
    monitored->times[XSTRATA_TIME_RETIRED]++;
    monitored->times[XSTRATA_TIME_CYCLES] += event->waited;
    if ((event->instruction->flags & WATCHED_LOAD) != 0 && event->level != WATCH_L1) {
        monitored->times[XSTRATA_TIME_MISSES]++;
        monitored->times[XSTRATA_TIME_MISS_CYCLES] += event->times.done - event->times.issued;
    }
}

static void on_told_begins(struct unit *teller, uint64_t tag)
{
    struct counter_table *table =
        (struct counter_table *)(void *)((char *)teller - offsetof(struct counter_table, teller));
    (void)tag;
    table->totals.told++;
}

static void on_callback_begins(struct unit *unit, uint64_t tag)
{
    struct counter_table *table = (struct counter_table *)(void *)unit;
    find(table, tag)->loop->callback_taken = true;
    table->totals.callbacks++;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const struct counter_table *table = (const struct counter_table *)(const void *)unit;
    /* Asked for each instruction that is decoded, and most programs have no counters. */
    struct monitored *monitored = table->tags.count > 0 ? find(table, instruction->pc) : NULL;
    if (monitored == NULL || !monitored->counts) {
        return (struct watch_request){.events = 0};
    }
    return (struct watch_request){.events = WATCH_COUNTED |
                                            (table->takes_times ? WATCH_RETIRED : 0u) |
                                            (table->replacement->keeps_last ? WATCH_EXECUTED : 0u),
                                  .cell = &monitored->cell,
                                  .own = monitored};
}

uint64_t counter_table_entries(const struct counter_table *table)
{
    return table->size;
}

static struct unit_cost cost_of(uint64_t entries, const struct replacement *replacement)
{
    const uint64_t entry_bits = TAG_BITS + COUNT_BITS + CALLBACK_BITS + THRESHOLD_BITS;
    const struct unit_cost more = replacement->cost(entries);

    return (struct unit_cost){.storage_bits = entries * entry_bits + more.storage_bits,
                              .comparators = entries * 2 + more.comparators,
                              .adders = entries + more.adders};
}

/* An unlimited table cannot be built: it has no cost to state. */
struct unit_cost counter_table_cost(const struct counter_table *table)
{
    return cost_of(table->size, table->replacement);
}

uint64_t counter_table_entries_in(uint64_t bits, const struct replacement *replacement)
{
    uint64_t entries = bits / (TAG_BITS + COUNT_BITS + CALLBACK_BITS + THRESHOLD_BITS);

    while (cost_of(entries, replacement).storage_bits > bits) {
        entries--;
    }
    return entries;
}

static void destroy(struct unit *unit)
{
    struct counter_table *table = (struct counter_table *)(void *)unit;
    keyed_destroy(&table->tags);
    keyed_destroy(&table->loops);
    free(table->entries);
    free(table->shown);
    free(table);
}

static const struct unit_kind kind = {
    .name = "counters",
    .timed = WATCH_RETIRED,
    .watches = watches,
    .counted = on_counted,
    .executed = on_executed,
    .retired = on_retired,
    .callback_begins = on_callback_begins,
    .report = counter_table_report,
    .destroy = destroy,
};

static const struct unit_kind teller_kind = {.name = "evictions",
                                             .callback_begins = on_told_begins};

struct counter_table *counter_table_create(uint64_t entries, const struct replacement *replacement,
                                           struct unit_host host)
{
    struct counter_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    table->unit.kind = &kind;
    table->unit.host = host;
    table->teller = (struct unit){.kind = &teller_kind, .host = host};
    table->size = entries;
    table->replacement = replacement;
    table->entries = calloc(entries + 1, sizeof(struct monitored *));
    table->shown = replacement->looks ? calloc(entries + 1, sizeof *table->shown) : NULL;
    const bool enough = table->entries != NULL && (table->shown != NULL || !replacement->looks);
    const bool has_sets = keyed_create(&table->tags) & keyed_create(&table->loops);
    if (!enough || !has_sets) {
        destroy(&table->unit);
        return NULL;
    }
    return table;
}

uint64_t counter_table_longest_chain(const struct counter_table *table)
{
    return keyed_longest_chain(&table->tags);
}

struct unit *counter_table_unit(struct counter_table *table)
{
    return &table->unit;
}
