/* Reads what the profile has counted, address by address; keeps it, and puts it back. */
#include "base/check.h"
#include "machine/units/cache_code.h"
#include "machine/units/call_graph.h"
#include "machine/units/profile_state.h"

#include <stdlib.h>

/* The words that are put back: executions of runs; of places what they have more, and the ways past them. */
struct kept_word {
    uint64_t *at;
    uint64_t value;
};
struct profile_kept {
    struct call_graph_kept *calls;
    size_t count;
    struct kept_word words[];
};

static void keep_word(struct profile_kept *kept, uint64_t *at)
{
    kept->words[kept->count++] = (struct kept_word){at, *at};
}

static void keep_run(struct pc_item *item, void *kept)
{
    keep_word(kept, &run_of(item)->watched.executions);
}

static void keep_place(struct pc_item *item, void *kept)
{
    struct place *place = place_of(item);
    keep_word(kept, (uint64_t *)&place->more);
    keep_word(kept, &place->falls.executions);
    keep_word(kept, &place->turned_falls.executions);
}

struct profile_kept *profile_keep(const struct profile *profile)
{
    const size_t count = profile->runs.count + 3 * profile->places.count;
    struct profile_kept *kept = malloc(sizeof *kept + count * sizeof kept->words[0]);
    ASSERT(kept != NULL);
    kept->count = 0;
    kept->calls = profile->calls != NULL ? call_graph_keep(profile->calls) : NULL;
    pc_table_each(&profile->runs, keep_run, kept);
    pc_table_each(&profile->places, keep_place, kept);
    return kept;
}

static void clear_run(struct pc_item *item, void *context)
{
    (void)context;
    run_of(item)->watched.executions = 0;
}

static void clear_place(struct pc_item *item, void *context)
{
    struct place *place = place_of(item);
    (void)context;
    place->more = 0;
    place->falls.executions = place->turned_falls.executions = 0;
}

void profile_put_back(struct profile *profile, struct profile_kept *kept)
{
    pc_table_each(&profile->runs, clear_run, NULL);
    pc_table_each(&profile->places, clear_place, NULL);
    for (size_t i = 0; i < kept->count; i++) {
        *kept->words[i].at = kept->words[i].value;
    }
    if (kept->calls != NULL) {
        call_graph_put_back(profile->calls, kept->calls);
    }
    free(kept);
}

/* Cycles of code that is in the cache, whose place is known by where they go in the end. */
struct cycles_sum {
    const uint64_t *settled;
    uint64_t cycles;
};

static void add_cycles(const uint64_t *settled, uint64_t cycles, void *context)
{
    struct cycles_sum *sum = context;
    sum->cycles += settled == sum->settled ? cycles : 0;
}

uint64_t profile_other_cycles(const struct profile *profile)
{
    struct cycles_sum sum = {.settled = profile->other_cycles, .cycles = profile->other_cycles[0]};
    if (profile->code != NULL) {
        cache_code_each(profile->code, add_cycles, &sum);
    }
    return sum.cycles;
}

struct counting {
    struct profile_count *counts;
    size_t count;
    const uint64_t *others; /* what has the cycles of no place */
};

static void add_count(struct pc_item *item, void *context)
{
    const struct place *place = place_of(item);
    struct counting *counting = context;
    counting->counts[counting->count++] =
        (struct profile_count){.pc = place->item.pc,
                               .function = place->function,
                               .word = place->word,
                               .executions = (uint64_t)place->more,
                               .falls = place->falls.executions - place->turned_falls.executions,
                               .cycles = place->cycles[0]};
}

static int by_address(const void *a, const void *b)
{
    const struct profile_count *left = a, *right = b;
    if (left->pc != right->pc) {
        return left->pc < right->pc ? -1 : 1;
    }
    return left->function < right->function ? -1 : left->function > right->function;
}

static void add_run(struct pc_item *item, void *context)
{
    const struct run *run = run_of(item);
    const struct counting *counting = context;
    for (unsigned i = 0; i < run->count; i++) {
        const struct profile_count key = {.pc = run->members[i].place->item.pc,
                                          .function = run->members[i].place->function};
        struct profile_count *count =
            bsearch(&key, counting->counts, counting->count, sizeof key, by_address);
        count->executions += run->watched.executions;
        count->falls += run->members[i].turned ? run->watched.executions : 0;
    }
}

/* Of code that is in the cache. */
static void add_cached(const uint64_t *settled, uint64_t cycles, void *context)
{
    const struct counting *counting = context;
    if (settled == counting->others) {
        return;
    }
    const struct place *place =
        (const void *)((const char *)settled - offsetof(struct place, cycles));
    const struct profile_count key = {.pc = place->item.pc, .function = place->function};
    struct profile_count *count =
        bsearch(&key, counting->counts, counting->count, sizeof key, by_address);
    count->cycles += cycles;
}

struct profile_count *profile_counts(const struct profile *profile, size_t *count)
{
    struct counting counting = {.counts =
                                    calloc(profile->places.count + 1, sizeof *counting.counts),
                                .others = profile->other_cycles};
    ASSERT(counting.counts != NULL);
    pc_table_each(&profile->places, add_count, &counting);
    qsort(counting.counts, counting.count, sizeof *counting.counts, by_address);
    pc_table_each(&profile->runs, add_run, &counting);
    if (profile->code != NULL) {
        cache_code_each(profile->code, add_cached, &counting);
    }
    *count = 0;
    for (size_t i = 0; i < counting.count; i++) {
        if (counting.counts[i].executions != 0 || counting.counts[i].cycles != 0) {
            counting.counts[(*count)++] = counting.counts[i];
        }
    }
    return counting.counts;
}
