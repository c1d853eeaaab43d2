/* How long loads that miss wait for their line, by where it comes from: a histogram of powers of two. */
#include "machine/state/statistics.h"
#include "machine/engine/unit.h"

#include <stdlib.h>

#define LEVELS 4

struct miss_latency {
    struct unit unit;
    uint64_t buckets;         /* the last one takes all that wait longer */
    uint64_t *counts[LEVELS]; /* by enum watch_level, and by bucket */
};

static struct miss_latency *of(const struct unit *unit)
{
    return (struct miss_latency *)(uintptr_t)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    (void)unit;
    return (struct watch_request){.events = instruction->flags & WATCHED_LOAD ? WATCH_FILLED : 0u};
}

/* The number of bits of a wait: 1 for one cycle, 2 for two and three. */
static uint64_t bucket_of(const struct miss_latency *own, uint64_t cycles)
{
    const uint64_t bits = cycles == 0 ? 0 : 64 - (uint64_t)__builtin_clzll(cycles);

    return bits < own->buckets ? bits : own->buckets - 1;
}

static void on_filled(struct unit *unit, const struct watch_event *event)
{
    struct miss_latency *own = of(unit);

    if (event->measured) {
        own->counts[event->level][bucket_of(own, event->cycle - event->times.issued)]++;
    }
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    static const char *const levels[LEVELS] = {NULL, "l2", "l3", "memory"};

    for (unsigned level = WATCH_L2; level < LEVELS; level++) {
        statistics->begin_list(statistics, levels[level]);
        for (uint64_t i = 0; i < of(unit)->buckets; i++) {
            statistics->number(statistics, NULL, of(unit)->counts[level][i]);
        }
        statistics->end(statistics);
    }
}

/* A counter for each bucket of the three levels, of 32 bits; one of them is counted up at a time. */
static struct unit_cost cost(const struct unit *unit)
{
    return (struct unit_cost){.storage_bits = (LEVELS - 1) * of(unit)->buckets * 32, .adders = 1};
}

static void destroy(struct unit *unit)
{
    for (unsigned i = 0; i < LEVELS; i++) {
        free(of(unit)->counts[i]);
    }
    free(unit);
}

static struct unit *create(const uint64_t *values)
{
    struct miss_latency *own = calloc(1, sizeof *own);
    bool enough = own != NULL;

    for (unsigned i = 0; enough && i < LEVELS; i++) {
        own->counts[i] = calloc(values[0], sizeof *own->counts[i]);
        enough = own->counts[i] != NULL;
    }
    if (!enough) {
        if (own != NULL) {
            destroy(&own->unit);
        }
        return NULL;
    }
    own->buckets = values[0];
    return &own->unit;
}

static const struct unit_parameter parameters[] = {
    {"buckets", 12, 2, 64, "of each level: the last one takes all that wait longer"},
    {.name = NULL}};

const struct unit_kind miss_latency_unit = {
    .version = UNIT_VERSION,
    .name = "miss_latency",
    .meaning = "how long loads that miss wait for their line, by where it comes from",
    .timed = WATCH_FILLED,
    .parameters = parameters,
    .create = create,
    .watches = watches,
    .filled = on_filled,
    .cost = cost,
    .report = report,
    .destroy = destroy};
