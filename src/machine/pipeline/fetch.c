/* Fetch: takes instructions from the contexts' streams, as far as they are predicted. */
#include "machine/pipeline/window.h"

#define PAGE_SHIFT 12

static bool can_fetch(const struct pipeline *pipeline, const struct context *context)
{
    return !context->fetch_blocked && context->fetch_from <= pipeline->now &&
           context->queue_count < pipeline->parameters.core_fetch_queue &&
           (context->stream_count > 1 || (context->stream_count == 1 && !context->active)) &&
           !next_awaits_store(pipeline, context);
}

unsigned fetch_choose(const struct pipeline *pipeline, unsigned candidates, uint64_t policy)
{
    unsigned best = (unsigned)__builtin_ctz(candidates), best_load = UINT32_MAX;
    if ((candidates & (candidates - 1)) == 0) {
        return best;
    }
    /* A main thread that spins until another one has done something must let it. */
    unsigned first = pipeline->turn;
    if (policy == FETCH_MAIN_FIRST) {
        const uint64_t every = pipeline->parameters.core_others_every;
        const bool others = pipeline->now % every == 0;
        candidates &= others ? ~1u : ~0u;
        first = others ? (unsigned)(pipeline->now / every % pipeline->context_count) : 0;
    }
    for (unsigned places = from_context(pipeline, candidates, first); places != 0;
         places &= places - 1) {
        const unsigned number = context_from(pipeline, first, (unsigned)__builtin_ctz(places));
        const struct context *context = &pipeline->contexts[number];
        const unsigned load =
            policy == FETCH_ICOUNT ? context->queue_count + context->in_queues : 0;
        if (load < best_load) {
            best = number;
            best_load = load;
        }
    }
    return best;
}

static bool is_on_line(const struct pipeline *pipeline, const struct context *context,
                       guest_addr pc)
{
    return context->fetch_line == ((pc | context->space) >> pipeline->l1i.line_shift) + 1;
}

/* Whether the instruction is in the first level now; if not, fetch waits for it. */
static bool fetch_line(struct pipeline *pipeline, struct context *context, unsigned number,
                       guest_addr pc)
{
    const uint64_t address = context_address(pipeline, number, pc);
    const guest_addr line = (address >> pipeline->l1i.line_shift) + 1;
    if (pipeline->parameters.ideal_memory) {
        return true;
    }
    const uint64_t now = pipeline->now;
    const bool again = context->fetch_translated != 0;
    if (!again) {
        const bool there = cache_translate(&pipeline->itlb, address >> PAGE_SHIFT, now);
        context->fetch_translated = there ? now : now + pipeline->parameters.tlb_miss_cycles;
    }
    const uint64_t start = context->fetch_translated > now ? context->fetch_translated : now;
    uint64_t ready = cache_hit_first(&pipeline->l1i, address, start, false);
    if (ready == CACHE_BUSY) {
        struct access access = {.line = address, .now = start, .kind = ACCESS_READ, .again = again};
        ready = cache_access(&pipeline->l1i, &access);
    }
    if (ready == CACHE_BUSY) {
        pipeline->busy = true;
        if (!(pipeline->refused & 1u << number)) {
            pipeline->refused |= 1u << number;
            context->refused_since = now;
        }
        return false;
    }
    pipeline->refused &= ~(1u << number);
    context->fetch_line = line;
    context->fetch_translated = 0;
    if (ready > now + pipeline->parameters.l1i_cycles) {
        context->fetch_from = ready;
        context->fetch_cause = CAUSE_fetch;
        return false;
    }
    return true;
}

/* Loads and stores come to lower levels at other times than lines of code, and could for ever be the ones that
 * find an MSHR free there: after so many cycles they must let a fetch go before them. */
#define FETCH_PATIENCE 4096

bool fetch_again(struct pipeline *pipeline)
{
    bool any = false;
    pipeline->fetch_first = false;
    for (unsigned refused = pipeline->refused; refused != 0; refused &= refused - 1) {
        const unsigned number = (unsigned)__builtin_ctz(refused);
        struct context *context = &pipeline->contexts[number];
        if (can_fetch(pipeline, context)) {
            const struct incoming *next = &context->incoming[context->stream_head % INCOMING];
            fetch_line(pipeline, context, number, next->record.insn->site.pc);
            any |= context->fetch_from > pipeline->now;
        }
        pipeline->fetch_first |= pipeline->refused & 1u << number &&
                                 pipeline->now - context->refused_since > FETCH_PATIENCE;
    }
    return any;
}

void fetch_redirect(struct pipeline *pipeline, struct context *context)
{
    context->fetch_blocked = false;
    context->fetch_from = pipeline->now + pipeline->parameters.branch_redirect_cycles;
    context->fetch_cause = CAUSE_branch;
}

/* Where a thread whose last instruction this is would go on, as far as can be said. */
static guest_addr go_on_behind(const struct branch_site *site)
{
    return site->target != 0 && site->kind != BRANCH_CONDITIONAL ? site->target : site->next;
}

/* Of a context that can fetch. */
static unsigned fetch_context(struct pipeline *pipeline, unsigned number, unsigned room)
{
    struct context *context = &pipeline->contexts[number];
    const unsigned space = (unsigned)pipeline->parameters.core_fetch_queue - context->queue_count;
    const unsigned there = context->stream_count - context->active;
    const unsigned most = room < space ? room : space, limit = most < there ? most : there;
    struct incoming *incoming = &context->incoming[context->stream_head % INCOMING];
    unsigned fetched = 0;
    bool goes_on = true;
    while (goes_on && fetched < limit) {
        const struct branch_site *site = &incoming->record.insn->site;
        const bool of_slice =
            incoming->record.insn->flags & STATIC_HELPER; /* from a cache of its own */
        if (awaits_store(pipeline, incoming) ||
            (!of_slice && !is_on_line(pipeline, context, site->pc) &&
             !fetch_line(pipeline, context, number, site->pc))) {
            break;
        }
        fetched++;
        struct incoming *following =
            &context->incoming[(context->stream_head + fetched) % INCOMING];
        const guest_addr next =
            fetched < context->stream_count ? following->record.insn->site.pc : go_on_behind(site);
        const enum fetch_outcome outcome =
            site->kind != BRANCH_NONE || next != site->next
                ? branch_fetch(&pipeline->predictor, number, site, next)
                : FETCH_PREDICTED;
        incoming->cycle = pipeline->now;
        incoming->outcome = (uint8_t)outcome;
        if (outcome != FETCH_PREDICTED) {
            context->fetch_blocked = true;
            context->fetch_cause = CAUSE_branch;
        }
        /* What comes from elsewhere is fetched in the next cycle. */
        goes_on = outcome == FETCH_PREDICTED && next == site->next;
        incoming = following;
    }
    context->stream_head += fetched;
    context->stream_count -= fetched;
    context->queue_count += fetched;
    pipeline->queued += fetched;
    pipeline->hungry |= context->active && pipeline_wants(pipeline, number);
    return fetched;
}

bool fetch_stage(struct pipeline *pipeline)
{
    unsigned room = (unsigned)pipeline->parameters.core_fetch_width, candidates = 0;
    bool any = false;
    if (one_lives(pipeline)) {
        const unsigned number = (unsigned)__builtin_ctz(pipeline->live);
        const struct context *context = &pipeline->contexts[number];
        return can_fetch(pipeline, context) &&
               (fetch_context(pipeline, number, room) > 0 || context->fetch_from > pipeline->now);
    }
    for (unsigned live = pipeline->live; live != 0; live &= live - 1) {
        const unsigned number = (unsigned)__builtin_ctz(live);
        candidates |= (unsigned)can_fetch(pipeline, &pipeline->contexts[number]) << number;
    }
    for (unsigned i = 0;
         i < pipeline->parameters.core_fetch_contexts && room > 0 && candidates != 0; i++) {
        const unsigned number =
            fetch_choose(pipeline, with_precedence(pipeline, candidates, SLICES_AFTER_THREADS),
                         pipeline->parameters.core_fetch_policy);
        candidates &= ~(1u << number);
        const unsigned fetched = fetch_context(pipeline, number, room);
        any |= fetched > 0 || pipeline->contexts[number].fetch_from > pipeline->now;
        room -= fetched;
    }
    return any;
}
