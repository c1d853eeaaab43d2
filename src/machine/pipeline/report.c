/* The statistics of the pipeline: where the cycles went. */
#include "machine/pipeline/measure.h"
#include "machine/pipeline/window.h"
#include "machine/state/statistics.h"

static const char *const cause_names[] = {
#define CAUSE(name, meaning) #name,
#include "machine/pipeline/stack.def"
#undef CAUSE
};

static void report_ratio(struct statistics *s, const char *key, uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        s->nothing(s, key);
    } else {
        s->ratio(s, key, (double)part / (double)whole);
    }
}

static void report_context(struct statistics *s, const struct pipeline *pipeline,
                           const struct context *context)
{
    const uint64_t width = pipeline->parameters.core_commit_width;
    const uint64_t cycles = pipeline_measured(pipeline).cycles;
    s->begin(s, NULL);
    s->number(s, "instructions", context->statistics.instructions);
    report_ratio(s, "ipc", context->statistics.instructions, cycles);
    s->number(s, "slice_instructions", context->statistics.helper_instructions);
    s->begin(s, "cycles");
    uint64_t idle = cycles * width;
    for (unsigned i = 0; i < CAUSE_COUNT; i++) {
        idle -= context->statistics.slots[i];
    }
    for (unsigned i = 0; i < CAUSE_COUNT; i++) {
        report_ratio(s, cause_names[i], i == CAUSE_idle ? idle : context->statistics.slots[i],
                     width);
    }
    s->end(s);
    s->end(s);
}

static void report_cache(struct statistics *s, const char *name, const struct cache *cache,
                         uint64_t instructions, uint64_t cycles)
{
    const struct cache_statistics *statistics = &cache->statistics;
    s->begin(s, name);
    s->number(s, "accesses", statistics->accesses);
    s->number(s, "misses", statistics->misses);
    s->number(s, "merged_misses", statistics->merged);
    report_ratio(s, "misses_per_1000", 1000 * statistics->misses, instructions);
    s->number(s, "writebacks", statistics->writebacks);
    s->number(s, "busy", statistics->busy);
    report_ratio(s, "mshrs_occupied", statistics->miss_cycles, cycles);
    s->end(s);
}

static void report_prefetches(struct statistics *s, const struct pipeline *pipeline)
{
    const struct cache_statistics *l1d = &pipeline->l1d.statistics;
    s->begin(s, "prefetches");
    s->number(s, "software", pipeline->statistics.prefetches);
    s->number(s, "stride", pipeline->prefetcher.issued);
    s->number(s, "dropped", pipeline->prefetcher.dropped);
    s->number(s, "lines", l1d->prefetches);
    s->number(s, "used", l1d->prefetches_used);
    s->number(s, "late", l1d->prefetches_late);
    s->number(s, "useless", l1d->prefetches_useless);
    s->end(s);
}

void pipeline_mix(const struct pipeline *pipeline, uint64_t mix[MIX_COUNT])
{
    for (unsigned i = 0; i < MIX_COUNT; i++) {
        mix[i] = 0;
        for (unsigned context = 0; context < pipeline->context_count; context++) {
            mix[i] += pipeline->contexts[context].statistics.mix[i];
        }
    }
}

static void report_mix(struct statistics *s, const struct pipeline *pipeline)
{
    uint64_t mix[MIX_COUNT];
    pipeline_mix(pipeline, mix);
    s->begin(s, "mix");
#define MIX(name, meaning) s->number(s, #name, mix[MIX_##name]);
#include "machine/pipeline/mix.def"
#undef MIX
    s->end(s);
}

static void report_helpers(struct statistics *s, const struct pipeline *pipeline, uint64_t cycles)
{
    const struct pipeline_statistics *all = &pipeline->statistics;
    uint64_t instructions = 0;
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        instructions += pipeline->contexts[i].statistics.helper_instructions;
    }
    s->begin(s, "helpers");
    s->number(s, "instructions", instructions);
    report_ratio(s, "contexts_occupied", all->slice_contexts, cycles);
    report_ratio(s, "reorder_buffer_occupied", all->slice_entries, cycles);
    report_ratio(s, "issue_queue_occupied", all->slice_queue, cycles);
    report_ratio(s, "load_store_queue_occupied", all->slice_memory, cycles);
    report_ratio(s, "mshrs_occupied", pipeline->l1d.statistics.slice_cycles, cycles);
    s->end(s);
}

/* Into an object that the caller has begun. */
void pipeline_report(const struct pipeline *pipeline, struct statistics *s)
{
    const struct measurement measured = pipeline_measured(pipeline);
    const uint64_t instructions = measured.instructions, cycles = measured.cycles;
    s->number(s, "cycles", cycles);
    s->number(s, "instructions", instructions);
    report_ratio(s, "ipc", instructions, cycles);
    report_ratio(s, "reorder_buffer_occupied", pipeline->statistics.occupied_entries, cycles);
    report_ratio(s, "issue_queue_occupied", pipeline->statistics.occupied_queue, cycles);
    report_ratio(s, "load_store_queue_occupied", pipeline->statistics.occupied_memory, cycles);
    report_ratio(s, "fetch_queue_occupied", pipeline->statistics.occupied_fetch, cycles);
    report_mix(s, pipeline);
    s->begin_list(s, "contexts");
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        report_context(s, pipeline, &pipeline->contexts[i]);
    }
    s->end(s);
    s->begin(s, "branches");
    const struct branch_statistics *branches = &pipeline->predictor.statistics;
    s->number(s, "conditional", branches->conditional);
    s->number(s, "conditional_mispredicted", branches->conditional_wrong);
    s->number(s, "indirect", branches->indirect);
    s->number(s, "indirect_mispredicted", branches->indirect_wrong);
    s->number(s, "returns", branches->returns);
    s->number(s, "returns_mispredicted", branches->returns_wrong);
    s->number(s, "target_misses", branches->misfetched);
    const struct branch_counts all = branch_counts(branches);
    report_ratio(s, "accuracy", all.all - all.wrong, all.all);
    report_ratio(s, "mispredicted_per_1000", 1000 * all.wrong, instructions);
    s->end(s);
    report_cache(s, "l1i", &pipeline->l1i, instructions, cycles);
    report_cache(s, "l1d", &pipeline->l1d, instructions, cycles);
    report_cache(s, "l2", &pipeline->l2, instructions, cycles);
    report_cache(s, "l3", &pipeline->l3, instructions, cycles);
    report_cache(s, "itlb", &pipeline->itlb, instructions, cycles);
    report_cache(s, "dtlb", &pipeline->dtlb, instructions, cycles);
    report_prefetches(s, pipeline);
    if (pipeline->helpers != NULL) {
        report_helpers(s, pipeline, cycles);
    }
}

const struct loads *pipeline_loads(const struct pipeline *pipeline)
{
    return pipeline->loads;
}

uint64_t pipeline_stall_slots(const struct pipeline *pipeline)
{
    uint64_t slots = 0;
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
            const bool stall = cause != CAUSE_base && cause != CAUSE_idle;
            slots += stall ? pipeline->contexts[i].statistics.slots[cause] : 0;
        }
    }
    return slots;
}

uint64_t pipeline_commit_width(const struct pipeline *pipeline)
{
    return pipeline->parameters.core_commit_width;
}

bool pipeline_has_level(const struct pipeline *pipeline, unsigned level)
{
    const struct cache *const caches[] = {&pipeline->l1d, &pipeline->l2, &pipeline->l3};
    return level < sizeof caches / sizeof caches[0] && caches[level]->lines != NULL;
}
