/* Fetch: takes instructions from the contexts' streams, as far as they are predicted. */
#include "machine/pipeline/window.h"

#define PAGE_SHIFT 12

static bool can_fetch(const struct pipeline *pipeline, const struct context *context)
{
    return !context->fetch_blocked && context->fetch_from <= pipeline->now &&
           context->queue_count < pipeline->parameters.core_fetch_queue &&
           (context->stream_count > 1 || (context->stream_count == 1 && !context->active));
}

unsigned fetch_choose(const struct pipeline *pipeline, unsigned candidates)
{
    const uint64_t policy = pipeline->parameters.core_fetch_policy;
    unsigned best = (unsigned)__builtin_ctz(candidates), best_load = UINT32_MAX;
    if ((candidates & (candidates - 1)) == 0) {
        return best;
    }
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        const unsigned number =
            policy == FETCH_MAIN_FIRST ? i : (pipeline->turn + i) % pipeline->context_count;
        const struct context *context = &pipeline->contexts[number];
        if (!(candidates & 1u << number)) {
            continue;
        }
        const unsigned load =
            policy == FETCH_ICOUNT ? context->queue_count + context->in_queues : 0;
        if (load < best_load) {
            best = number;
            best_load = load;
        }
    }
    return best;
}

/* Whether the instruction is in the first level now; if not, fetch waits for it. */
static bool fetch_line(struct pipeline *pipeline, struct context *context, unsigned number,
                       guest_addr pc)
{
    const uint64_t address = context_address(pipeline, number, pc);
    const guest_addr line = (address >> pipeline->l1i.line_shift) + 1;
    if (context->fetch_line == line || pipeline->parameters.ideal_memory) {
        return true;
    }
    const uint64_t now = pipeline->now;
    const bool again = context->fetch_translated != 0;
    if (!again) {
        const bool there = cache_translate(&pipeline->itlb, address >> PAGE_SHIFT, now);
        context->fetch_translated = there ? now : now + pipeline->parameters.tlb_miss_cycles;
    }
    const uint64_t start = context->fetch_translated > now ? context->fetch_translated : now;
    struct access access = {.line = address, .now = start, .kind = ACCESS_READ, .again = again};
    const uint64_t ready = cache_access(&pipeline->l1i, &access);
    if (ready == CACHE_BUSY) {
        pipeline->busy = true;
        return false;
    }
    context->fetch_line = line;
    context->fetch_translated = 0;
    if (ready > now + pipeline->parameters.l1i_cycles) {
        context->fetch_from = ready;
        context->fetch_cause = CAUSE_fetch;
        return false;
    }
    return true;
}

static unsigned fetch_context(struct pipeline *pipeline, unsigned number, unsigned room)
{
    struct context *context = &pipeline->contexts[number];
    unsigned fetched = 0;
    while (fetched < room && can_fetch(pipeline, context)) {
        const struct record record = context->stream[context->stream_head];
        const struct branch_site *site = &record.slot->site;
        if (!fetch_line(pipeline, context, number, site->pc)) {
            break;
        }
        const unsigned following = (context->stream_head + 1) % STREAM_RECORDS;
        const guest_addr next =
            context->stream_count > 1 ? context->stream[following].slot->site.pc : site->next;
        const bool right = site->kind != BRANCH_NONE
                               ? branch_predicted(&pipeline->predictor, number, site, next)
                               : next == site->next;
        context->queue[(context->queue_head + context->queue_count) & context->queue_mask] =
            (struct fetched){.record = record, .cycle = pipeline->now, .mispredicted = !right};
        context->queue_count++;
        context->stream_head = following;
        context->stream_count--;
        fetched++;
        if (!right) {
            context->fetch_blocked = true;
            context->fetch_cause = CAUSE_branch;
        }
        if (next != site->next) {
            break; /* what follows comes from elsewhere: in the next cycle */
        }
    }
    pipeline->hungry |= context->active && pipeline_wants(pipeline, number);
    return fetched;
}

bool fetch_stage(struct pipeline *pipeline)
{
    unsigned room = (unsigned)pipeline->parameters.core_fetch_width, candidates = 0;
    bool any = false;
    for (unsigned live = pipeline->live; live != 0; live &= live - 1) {
        const unsigned number = (unsigned)__builtin_ctz(live);
        candidates |= (unsigned)can_fetch(pipeline, &pipeline->contexts[number]) << number;
    }
    for (unsigned i = 0;
         i < pipeline->parameters.core_fetch_contexts && room > 0 && candidates != 0; i++) {
        const unsigned number = fetch_choose(pipeline, candidates);
        candidates &= ~(1u << number);
        const unsigned fetched = fetch_context(pipeline, number, room);
        any |= fetched > 0 || pipeline->contexts[number].fetch_from > pipeline->now;
        room -= fetched;
    }
    return any;
}
