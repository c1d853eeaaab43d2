/* Takes windows out of a stream of retired instructions. */
#include "slice/sampler.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

struct sampler {
    struct sampler_plan *plan;
    struct slice_retired *ring;
    uint64_t mask;
    uint64_t retired; /* ever; the ring's next place */
    uint64_t since;   /* the first that belongs to what is retired now */
    uint64_t next_due;
    uint8_t watched[1024]; /* by a hash of addresses: whether a target can be there */
};

static size_t window_size(const struct sampler_plan *plan)
{
    return (size_t)plan->before + 1 + plan->after;
}

size_t sampler_plan_bytes(unsigned before, unsigned after, unsigned targets)
{
    const struct sampler_plan plan = {.before = before, .after = after};
    return sizeof plan +
           targets * SAMPLER_SAMPLES * window_size(&plan) * sizeof(struct slice_retired);
}

void sampler_plan_begin(struct sampler_plan *plan, unsigned before, unsigned after,
                        const uint64_t *pcs, unsigned count)
{
    ASSERT(count <= SAMPLER_TARGETS_MAX);
    plan->before = before;
    plan->after = after;
    plan->target_count = count;
    for (unsigned i = 0; i < count; i++) {
        plan->targets[i].pc = pcs[i];
        plan->targets[i].every = 1;
    }
}

static struct slice_retired *place_of(struct sampler_plan *plan, unsigned target, unsigned sample)
{
    return plan->retired + ((size_t)target * SAMPLER_SAMPLES + sample) * window_size(plan);
}

struct slice_window sampler_window(struct sampler_plan *plan, unsigned target, unsigned sample)
{
    const struct sampler_target *from = &plan->targets[target];
    return (struct slice_window){.count = from->windows[sample].count,
                                 .before = from->windows[sample].before,
                                 .retired = place_of(plan, target, sample)};
}

static unsigned hash(uint64_t pc)
{
    return pc / 2 % 1024;
}

struct sampler *sampler_create(struct sampler_plan *plan)
{
    struct sampler *sampler = calloc(1, sizeof *sampler);
    uint64_t size = 1;
    while (size < window_size(plan)) {
        size *= 2;
    }
    if (sampler == NULL || (sampler->ring = calloc(size, sizeof *sampler->ring)) == NULL) {
        free(sampler);
        return NULL;
    }
    sampler->plan = plan;
    sampler->mask = size - 1;
    sampler->next_due = UINT64_MAX;
    for (unsigned i = 0; i < plan->target_count; i++) {
        sampler->watched[hash(plan->targets[i].pc)] = 1;
    }
    return sampler;
}

void sampler_destroy(struct sampler *sampler)
{
    if (sampler != NULL) {
        free(sampler->ring);
    }
    free(sampler);
}

static void thin(struct sampler_plan *plan, unsigned number)
{
    struct sampler_target *target = &plan->targets[number];
    for (unsigned i = 0; i < SAMPLER_SAMPLES / 2; i++) {
        target->windows[i] = target->windows[2 * i];
        memmove(place_of(plan, number, i), place_of(plan, number, 2 * i),
                window_size(plan) * sizeof *plan->retired);
    }
    target->samples = SAMPLER_SAMPLES / 2;
    target->every *= 2;
}

/* Copies what the ring has of the open window. */
static void close_window(struct sampler *sampler, unsigned number)
{
    struct sampler_plan *plan = sampler->plan;
    struct sampler_target *target = &plan->targets[number];
    const uint64_t first = target->due - plan->after - 1 - target->opened;
    const unsigned count = (unsigned)(sampler->retired - first);
    if (target->samples == SAMPLER_SAMPLES) {
        thin(plan, number);
    }
    struct slice_retired *to = place_of(plan, number, target->samples);
    for (unsigned i = 0; i < count; i++) {
        to[i] = sampler->ring[(first + i) & sampler->mask];
    }
    target->windows[target->samples].count = count;
    target->windows[target->samples].before = target->opened;
    target->samples++;
    target->due = 0;
}

static void find_next_due(struct sampler *sampler)
{
    sampler->next_due = UINT64_MAX;
    for (unsigned i = 0; i < sampler->plan->target_count; i++) {
        const uint64_t due = sampler->plan->targets[i].due;
        sampler->next_due = due != 0 && due < sampler->next_due ? due : sampler->next_due;
    }
}

/* The instruction that has just been put into the ring may be watched. */
static void open_windows(struct sampler *sampler, uint64_t pc)
{
    struct sampler_plan *plan = sampler->plan;
    for (unsigned i = 0; i < plan->target_count; i++) {
        struct sampler_target *target = &plan->targets[i];
        if (target->pc != pc || target->executions++ % target->every != 0 || target->due != 0) {
            continue;
        }
        const uint64_t before = sampler->retired - 1 - sampler->since;
        target->opened = before < plan->before ? (unsigned)before : plan->before;
        target->due = sampler->retired + plan->after;
        find_next_due(sampler);
    }
}

static void close_due(struct sampler *sampler, bool all)
{
    for (unsigned i = 0; i < sampler->plan->target_count; i++) {
        const uint64_t due = sampler->plan->targets[i].due;
        if (due != 0 && (all || due == sampler->retired)) {
            close_window(sampler, i);
        }
    }
    find_next_due(sampler);
}

void sampler_retire(struct sampler *sampler, const struct slice_retired *retired)
{
    sampler->ring[sampler->retired++ & sampler->mask] = *retired;
    if (sampler->watched[hash(retired->pc)]) {
        open_windows(sampler, retired->pc);
    }
    if (sampler->retired >= sampler->next_due) {
        close_due(sampler, false);
    }
}

void sampler_break(struct sampler *sampler)
{
    close_due(sampler, true);
    sampler->since = sampler->retired;
}
