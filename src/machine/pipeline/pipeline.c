/* The pipeline: puts its parts together, and runs it cycle by cycle. */
#include "base/check.h"
#include "machine/pipeline/shadow.h"
#include "machine/pipeline/tell.h"

#include <stdlib.h>
#include <string.h>

static bool create_caches(struct pipeline *pipeline)
{
    const struct parameters *p = &pipeline->parameters;
#define CACHE(name, level)                                                                         \
    cache_create(&pipeline->name, level, p->name##_bytes, p->name##_ways, p->name##_line,          \
                 p->name##_cycles, p->name##_mshrs)
    if (!CACHE(l1i, LEVEL_L1) || !CACHE(l1d, LEVEL_L1) || !CACHE(l2, LEVEL_L2) ||
        !CACHE(l3, LEVEL_L3) ||
        !cache_create(&pipeline->itlb, LEVEL_L1, p->itlb_entries, p->itlb_ways, 1, 0, 1) ||
        !cache_create(&pipeline->dtlb, LEVEL_L1, p->dtlb_entries, p->dtlb_ways, 1, 0, 1)) {
        return false;
    }
#undef CACHE
    pipeline->bus = (struct memory_bus){.latency = p->memory_cycles,
                                        .chunk_bytes = p->memory_chunk,
                                        .chunk_cycles = p->memory_chunk_cycles};
    pipeline->l1i.next = pipeline->l1d.next = p->l2_bytes != 0 ? &pipeline->l2 : NULL;
    pipeline->l2.next = p->l3_bytes != 0 ? &pipeline->l3 : NULL;
    pipeline->l1i.bus = pipeline->l1d.bus = pipeline->l2.bus = pipeline->l3.bus = &pipeline->bus;
    return true;
}

/* The least power of two that holds so many. */
static unsigned ring_size(uint64_t count)
{
    unsigned size = 1;
    while (size < count) {
        size *= 2;
    }
    return size;
}

static bool create_context(struct pipeline *pipeline, struct context *context)
{
    ASSERT(pipeline->parameters.core_fetch_queue <= INCOMING - STREAM_RECORDS);
    context->incoming = calloc(INCOMING, sizeof *context->incoming);
    context->ready = calloc(pipeline->ring_words, sizeof *context->ready);
    context->parked = calloc(pipeline->ring_words, sizeof *context->parked);
    context->stores = calloc(pipeline->ring, sizeof *context->stores);
    context->fetch_cause = CAUSE_fetch;
    for (unsigned i = 0; i < REGISTERS; i++) {
        context->writers[i] = NO_ENTRY;
    }
    return context->incoming != NULL && context->ready != NULL && context->parked != NULL &&
           context->stores != NULL;
}

/* At least one, or nothing would ever go on. */
static unsigned share_of(uint64_t places, uint64_t percent)
{
    const uint64_t share = places * percent / 100;
    return share > 0 ? (unsigned)share : 1;
}

static bool create_parts(struct pipeline *pipeline)
{
    const struct parameters *p = &pipeline->parameters;
    pipeline->context_count = (unsigned)p->core_contexts;
    pipeline->ring = p->core_reorder_buffer < 64 ? 64 : ring_size(p->core_reorder_buffer);
    pipeline->ring_shift = (unsigned)__builtin_ctz(pipeline->ring);
    pipeline->ring_words = pipeline->ring / 64;
    pipeline->leaving_mask = ring_size(p->core_store_buffer) - 1;
    const size_t entries = (size_t)pipeline->context_count * pipeline->ring;
    pipeline->contexts = calloc(pipeline->context_count, sizeof *pipeline->contexts);
    pipeline->entries =
        aligned_alloc(sizeof *pipeline->entries, entries * sizeof *pipeline->entries);
    pipeline->times = calloc(entries, sizeof *pipeline->times);
    pipeline->leaving = calloc(pipeline->leaving_mask + 1, sizeof *pipeline->leaving);
    pipeline->static_insns = static_insns_create(&pipeline->parameters);
    if (pipeline->context_count > 1) {
        pipeline->seen = calloc(STORES_SEEN, sizeof *pipeline->seen);
    }
    if (pipeline->contexts == NULL || pipeline->entries == NULL || pipeline->times == NULL ||
        pipeline->leaving == NULL || pipeline->static_insns == NULL ||
        (pipeline->context_count > 1 && pipeline->seen == NULL)) {
        return false;
    }
    memset(pipeline->entries, 0, entries * sizeof *pipeline->entries);
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        if (!create_context(pipeline, &pipeline->contexts[i])) {
            return false;
        }
    }
    for (unsigned i = 0; i < EVENT_CYCLES; i++) {
        pipeline->wheel[i] = NO_ENTRY;
    }
    pipeline->slice_limit =
        (struct queue_use){.entries = share_of(p->core_reorder_buffer, p->slices_share),
                           .queue = share_of(p->core_issue_queue, p->slices_share),
                           .memory = share_of(p->core_load_store_queue, p->slices_share)};
    pipeline->unit_counts[CLASS_ALU] = p->units_alu;
    pipeline->unit_counts[CLASS_MULTIPLY] = p->units_multiply;
    pipeline->unit_counts[CLASS_MEMORY] = p->units_memory;
    pipeline->unit_counts[CLASS_FLOAT_ADD] = p->units_float_add;
    pipeline->unit_counts[CLASS_FLOAT_MULTIPLY] = p->units_float_multiply;
    return branch_create(&pipeline->predictor, p) && create_caches(pipeline) &&
           prefetch_create(&pipeline->prefetcher, p);
}

struct pipeline *pipeline_create(const struct parameters *parameters)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (pipeline == NULL) {
        return NULL;
    }
    pipeline->parameters = *parameters;
    pipeline->measuring = true;
    if (!create_parts(pipeline)) {
        pipeline_destroy(pipeline);
        return NULL;
    }
    return pipeline;
}

void pipeline_destroy(struct pipeline *pipeline)
{
    if (pipeline == NULL) {
        return;
    }
    for (unsigned i = 0; pipeline->contexts != NULL && i < pipeline->context_count; i++) {
        struct context *context = &pipeline->contexts[i];
        free(context->incoming);
        free(context->ready);
        free(context->parked);
        free(context->stores);
    }
    free(pipeline->contexts);
    free(pipeline->entries);
    free(pipeline->times);
    free(pipeline->seen);
    free(pipeline->leaving);
    static_insns_destroy(pipeline->static_insns);
    branch_destroy(&pipeline->predictor);
    cache_destroy(&pipeline->l1i);
    cache_destroy(&pipeline->l1d);
    cache_destroy(&pipeline->l2);
    cache_destroy(&pipeline->l3);
    cache_destroy(&pipeline->itlb);
    cache_destroy(&pipeline->dtlb);
    prefetch_destroy(&pipeline->prefetcher);
    tell_destroy(pipeline);
    free(pipeline);
}

struct unit *pipeline_count_loads(struct pipeline *pipeline, const struct origins *origins)
{
    struct cache *caches[] = {&pipeline->l1d, &pipeline->l2, &pipeline->l3};
    for (unsigned i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        struct cache *cache = caches[i];
        if (cache->lines != NULL &&
            (cache->shadow = shadow_create((cache->set_mask + 1) * cache->ways)) == NULL) {
            return NULL;
        }
    }
    pipeline->origins = origins;
    pipeline->loads = loads_create(origins);
    return pipeline->loads != NULL ? loads_unit(pipeline->loads) : NULL;
}

void pipeline_forget_origins(struct pipeline *pipeline, guest_addr start, uint64_t bytes)
{
    if (pipeline->origins != NULL) {
        static_insns_forget(pipeline->static_insns, start, bytes);
    }
    if (pipeline->loads != NULL) {
        loads_forget(pipeline->loads, start, bytes);
    }
}

void pipeline_set_origins(struct pipeline *pipeline, const struct origins *origins)
{
    pipeline->origins = origins;
}

bool pipeline_knows_origins(const struct pipeline *pipeline)
{
    return pipeline->origins != NULL;
}

bool pipeline_make_perfect(struct pipeline *pipeline, guest_addr pc, const struct origins *origins)
{
    pipeline->origins = origins;
    return static_insns_mark(pipeline->static_insns, pc, STATIC_PERFECT);
}

void pipeline_set_helpers(struct pipeline *pipeline, struct helpers *helpers,
                          const struct helper_hooks *hooks)
{
    pipeline->helpers = pipeline->l1d.helpers = helpers;
    pipeline->hooks = pipeline->l1d.hooks = hooks;
}

void pipeline_tell(struct pipeline *pipeline, struct unit_set *units)
{
    tell_units(pipeline, units);
}

unsigned pipeline_room(const struct pipeline *pipeline, unsigned context)
{
    return STREAM_RECORDS - pipeline->contexts[context].stream_count;
}

/* The store of another context that the access reads from, if that has not retired; and from now on others that
 * read there read from this one, if it stores.  Since what is awaited was executed before, no two can await
 * one another; and since it is fetch that waits, nothing that waits takes the room that the store needs. */
static uint64_t note_access(struct pipeline *pipeline, unsigned context,
                            const struct record *record)
{
    const uint64_t place = context_address(pipeline, context, record->address) / 8;
    struct store_seen *seen = &pipeline->seen[place % STORES_SEEN];
    uint64_t awaited = 0;
    if (record->insn->flags & STATIC_LOAD && seen->place == place && seen->number != 0) {
        const unsigned writer = seen->number % CONTEXTS_MAX;
        const bool retired = pipeline->contexts[writer].retired >= seen->number / CONTEXTS_MAX;
        awaited = writer != context && !retired ? seen->number : 0;
    }
    if (record->insn->flags & STATIC_STORE) {
        const uint64_t number = pipeline->contexts[context].given * CONTEXTS_MAX + context;
        *seen = (struct store_seen){.place = place, .number = number};
    }
    return awaited;
}

void pipeline_give(struct pipeline *pipeline, unsigned context, const struct record *records,
                   unsigned count)
{
    pipeline->live |= 1u << context;
    struct context *c = &pipeline->contexts[context];
    if (UNLIKELY(pipeline->helpers != NULL)) {
        pipeline->hooks->given(pipeline->helpers, context, c->given, records, count);
    }
    const unsigned end = c->stream_head + c->stream_count;
    for (unsigned i = 0; i < count; i++) {
        struct incoming *incoming = &c->incoming[(end + i) % INCOMING];
        incoming->record = records[i];
        c->given++;
        if (pipeline->seen != NULL) {
            const bool accesses = records[i].insn->flags & (STATIC_LOAD | STATIC_STORE);
            incoming->awaited = accesses ? note_access(pipeline, context, &records[i]) : 0;
        }
    }
    c->stream_count += count;
}

void pipeline_set_space(struct pipeline *pipeline, unsigned context, unsigned space)
{
    pipeline->contexts[context].space = (uint64_t)space << GUEST_SPACE_BITS;
}

void pipeline_set_active(struct pipeline *pipeline, unsigned context, bool active)
{
    pipeline->live |= 1u << context; /* until it turns out to have nothing */
    pipeline->contexts[context].active = active;
    if (active && pipeline->slices >> context & 1) {
        pipeline->hooks->left(pipeline->helpers, context);
    }
}

uint64_t pipeline_cycles(const struct pipeline *pipeline)
{
    return pipeline->now;
}

static void take_earlier(uint64_t *next, uint64_t cycle, uint64_t now)
{
    if (cycle > now && cycle < *next) {
        *next = cycle;
    }
}

/* The cycle in which an access that waits for an MSHR of a level could go on, if that is before `next`.  It
 * comes to a level `before` cycles after it was tried. */
static uint64_t next_free_in(const struct cache *cache, uint64_t now, uint64_t before,
                             uint64_t next)
{
    const uint64_t fill = cache_next_fill(cache, now + before);
    return fill != UINT64_MAX && fill - before < next ? fill - before : next;
}

static uint64_t next_free_mshr(const struct pipeline *pipeline, uint64_t next)
{
    const uint64_t now = pipeline->now;
    const struct cache *const first[] = {&pipeline->l1i, &pipeline->l1d};
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t l2 = first[i]->latency, l3 = l2 + pipeline->l2.latency;
        next = next_free_in(first[i], now, 0, next);
        next = next_free_in(&pipeline->l2, now, l2, next);
        next = next_free_in(&pipeline->l3, now, l3, next);
    }
    return next;
}

/* The next cycle in which something can happen, when nothing did in this one. */
static uint64_t next_cycle(const struct pipeline *pipeline)
{
    const uint64_t now = pipeline->now;
    uint64_t next = complete_next(pipeline);
    for (unsigned live = pipeline->live; live != 0; live &= live - 1) {
        const struct context *context = &pipeline->contexts[__builtin_ctz(live)];
        take_earlier(&next, context->fetch_from, now);
        take_earlier(&next, context->alone_until, now);
        if (context->queue_count > 0) {
            take_earlier(&next,
                         first_in_queue(context)->cycle + pipeline->parameters.core_front_cycles,
                         now);
        }
    }
    for (unsigned class = 0; pipeline->units_until > now && class < CLASS_COUNT; class ++) {
        for (unsigned i = 0; i < pipeline->unit_counts[class]; i++) {
            take_earlier(&next, pipeline->unit_free[class][i], now);
        }
    }
    return pipeline->busy ? next_free_mshr(pipeline, next) : next;
}

/* What is in use stays so for some cycles; numbers wrap, so that these may be less than none. */
static void occupy(struct pipeline *pipeline, uint64_t cycles)
{
    struct pipeline_statistics *statistics = &pipeline->statistics;
    statistics->occupied_entries += cycles * pipeline->in_flight;
    statistics->occupied_queue += cycles * pipeline->waiting;
    statistics->occupied_memory += cycles * pipeline->memory_in_flight;
    statistics->occupied_fetch += cycles * pipeline->queued;
    if (UNLIKELY(pipeline->slices != 0)) {
        statistics->slice_entries += cycles * pipeline->slice_use.entries;
        statistics->slice_queue += cycles * pipeline->slice_use.queue;
        statistics->slice_memory += cycles * pipeline->slice_use.memory;
        statistics->slice_contexts += cycles * (unsigned)__builtin_popcount(pipeline->slices);
    }
}

/* Nothing happens until cycle `next`: the causes stay what they are. */
static void skip_to(struct pipeline *pipeline, uint64_t next)
{
    const uint64_t skipped = next - pipeline->now - 1;
    if (skipped == 0) {
        return;
    }
    pipeline->now += skipped;
    pipeline->turn = (unsigned)((pipeline->turn + skipped) % pipeline->context_count);
    occupy(pipeline, skipped);
    commit_account(pipeline, skipped);
}

/* Nothing happens in this cycle, nor ever after: it was none. */
static void take_back(struct pipeline *pipeline)
{
    occupy(pipeline, -UINT64_C(1));
    commit_take_back(pipeline);
}

/* False if nothing can ever happen again without more instructions. */
static bool run_cycle(struct pipeline *pipeline)
{
    pipeline->busy = false;
    memset(pipeline->unit_next, 0, sizeof pipeline->unit_next);
    bool any = commit_stage(pipeline);
    any |= complete_stage(pipeline);
    any |= (pipeline->refused != 0 || pipeline->fetch_first) && fetch_again(pipeline);
    any |= issue_stage(pipeline);
    any |= dispatch_stage(pipeline);
    any |= fetch_stage(pipeline);
    occupy(pipeline, 1);
    if (!any) {
        const uint64_t next = next_cycle(pipeline);
        if (next == NO_CYCLE) {
            take_back(pipeline);
            return false;
        }
        skip_to(pipeline, next);
    }
    pipeline->now++;
    pipeline->turn = pipeline->turn + 1 == pipeline->context_count ? 0 : pipeline->turn + 1;
    return true;
}

unsigned pipeline_thread_contexts(const struct pipeline *pipeline)
{
    const unsigned most = (unsigned)pipeline->parameters.core_thread_contexts;
    return most < pipeline->context_count ? most : pipeline->context_count;
}

bool pipeline_is_clock(const struct pipeline *pipeline)
{
    return pipeline->parameters.core_clock == CLOCK_COUNTS_CYCLES;
}

bool pipeline_wants(const struct pipeline *pipeline, unsigned context)
{
    return pipeline->contexts[context].stream_count <= pipeline->parameters.core_fetch_width;
}

static bool wants_more(const struct pipeline *pipeline)
{
    for (unsigned live = pipeline->live; live != 0; live &= live - 1) {
        const unsigned number = (unsigned)__builtin_ctz(live);
        if (pipeline->contexts[number].active && pipeline_wants(pipeline, number)) {
            return true;
        }
    }
    return false;
}

/* Whether anything is under way but slices, which nobody waits for. */
static bool threads_are_busy(const struct pipeline *pipeline)
{
    unsigned busy = pipeline->leaving_count;
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        const struct context *context = &pipeline->contexts[i];
        busy += context->stream_count + context->queue_count + context->count - context->slice_left;
    }
    return busy > 0;
}

static bool any_active(const struct pipeline *pipeline)
{
    bool any = false;
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        any |= pipeline->contexts[i].active;
    }
    return any;
}

void pipeline_run(struct pipeline *pipeline)
{
    /* Where no thread goes on, nothing but slices would make time pass. */
    const bool leaves = pipeline->helpers != NULL && !any_active(pipeline);
    pipeline->hungry = wants_more(pipeline);
    while (!pipeline->hungry && (!leaves || threads_are_busy(pipeline)) && run_cycle(pipeline)) {
    }
}

void pipeline_run_to(struct pipeline *pipeline, unsigned context, uint64_t instructions)
{
    const struct context *c = &pipeline->contexts[context];
    while (c->statistics.instructions < instructions && !wants_more(pipeline) &&
           run_cycle(pipeline)) {
    }
}

struct progress pipeline_progress(const struct pipeline *pipeline, unsigned context)
{
    const struct context *c = &pipeline->contexts[context];
    const struct context_statistics *statistics = &c->statistics;
    uint64_t slots = 0;
    for (unsigned i = 0; i < CAUSE_COUNT; i++) {
        slots += statistics->slots[i];
    }
    return (struct progress){.given = statistics->instructions + c->count + c->queue_count +
                                      c->stream_count,
                             .instructions = statistics->instructions,
                             .cycles = slots / pipeline->parameters.core_commit_width};
}

void pipeline_set_arena(struct pipeline *pipeline, void *arena, size_t bytes)
{
    static_insns_set_arena(pipeline->static_insns, arena, bytes);
}

bool pipeline_arena_full(const struct pipeline *pipeline)
{
    return static_insns_full(pipeline->static_insns);
}

void pipeline_drain(struct pipeline *pipeline)
{
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        pipeline->contexts[i].active = false;
    }
    const bool slices = pipeline->helpers != NULL;
    while ((!slices || threads_are_busy(pipeline)) && run_cycle(pipeline)) {
    }
    if (slices) {
        pipeline->hooks->ended(pipeline->helpers);
    }
}
