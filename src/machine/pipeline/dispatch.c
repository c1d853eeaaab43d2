/* Dispatch: instructions get an entry, and learn what they wait for. */
#include "base/check.h"
#include "machine/pipeline/tell.h"

/* The instruction waits for `producer`, unless its result is there already. */
static void depend(struct pipeline *pipeline, uint32_t id, unsigned operand, uint32_t producer)
{
    struct entry *entry = entry_of(pipeline, id), *other;
    if (producer == NO_ENTRY || (other = entry_of(pipeline, producer))->state == ENTRY_DONE) {
        return;
    }
    entry->links[operand] = other->dependents;
    other->dependents = id * OPERANDS + operand;
    entry->waiting++;
}

/* The youngest older store that writes some of what the load reads; NO_ENTRY if there is none. */
static uint32_t find_store(const struct pipeline *pipeline, const struct context *context,
                           const struct entry *load)
{
    const guest_addr begin = load->address, end = begin + load->insn->bytes;
    if (context->store_filter[filter_place(begin)] == 0 &&
        context->store_filter[filter_place(end - 1)] == 0) {
        return NO_ENTRY;
    }
    for (unsigned i = context->store_count; i-- > 0;) {
        const struct pending_store *store =
            &context->stores[(context->store_head + i) & (pipeline->ring - 1)];
        if (store->address < end && begin < store->address + store->bytes) {
            return store->id;
        }
    }
    return NO_ENTRY;
}

static void add_memory(struct pipeline *pipeline, struct context *context, uint32_t id)
{
    struct entry *entry = entry_of(pipeline, id);
    pipeline->memory_in_flight++;
    if (entry->insn->flags & STATIC_LOAD) {
        const uint32_t store = find_store(pipeline, context, entry);
        entry->forwarded = store != NO_ENTRY;
        depend(pipeline, id, OPERAND_MEMORY, store);
    }
    if (entry->insn->flags & STATIC_STORE) {
        context->stores[(context->store_head + context->store_count) & (pipeline->ring - 1)] =
            (struct pending_store){
                .address = entry->address, .id = id, .bytes = entry->insn->bytes};
        context->store_count++;
        context->store_filter[filter_place(entry->address)]++;
        context->store_filter[filter_place(entry->address + entry->insn->bytes - 1)]++;
    }
}

static bool slice_has_room(const struct pipeline *pipeline, const struct static_insn *insn)
{
    const struct queue_use *use = &pipeline->slice_use, *limit = &pipeline->slice_limit;
    return use->entries < limit->entries && use->queue < limit->queue &&
           (!(insn->flags & STATIC_LOAD) || use->memory < limit->memory);
}

static bool has_room(const struct pipeline *pipeline, const struct context *context,
                     const struct static_insn *insn)
{
    const struct parameters *p = &pipeline->parameters;
    if (UNLIKELY(insn->flags & STATIC_HELPER) && !slice_has_room(pipeline, insn)) {
        return false;
    }
    return pipeline->in_flight < p->core_reorder_buffer && context->count < pipeline->ring &&
           pipeline->waiting < p->core_issue_queue &&
           (!(insn->flags & (STATIC_LOAD | STATIC_STORE)) ||
            pipeline->memory_in_flight < p->core_load_store_queue);
}

static void start(struct pipeline *pipeline, unsigned number, const struct incoming *fetched)
{
    struct context *context = &pipeline->contexts[number];
    struct static_insn *insn = fetched->record.insn;
    const uint32_t id = entry_at(pipeline, number, context->count++);
    struct entry *entry = entry_of(pipeline, id);
    entry->insn = insn;
    entry->address = fetched->record.address;
    entry->translated = 0;
    entry->dependents = NO_ENTRY;
    entry->waiting = 0;
    entry->state = ENTRY_WAITS;
    entry->cause = CAUSE_execute;
    entry->mispredicted = fetched->outcome == FETCH_MISPREDICTED;
    if (UNLIKELY(fetched->outcome == FETCH_MISFETCHED)) {
        fetch_redirect(pipeline, context);
    }
    entry->forwarded = false;
    entry->address_known = false;
    if (tell_needs_times(pipeline)) {
        pipeline->times[id].fetched = fetched->cycle;
        pipeline->times[id].dispatched = pipeline->now;
    }
    pipeline->in_flight++;
    bool address_waits = false;
    for (unsigned i = 0; i < 3; i++) {
        if (insn->sources[i] != REGISTER_NONE) {
            depend(pipeline, id, i, context->writers[insn->sources[i]]);
            address_waits |= i == OPERAND_ADDRESS && entry->waiting > 0;
        }
    }
    if (insn->flags & (STATIC_LOAD | STATIC_STORE)) {
        add_memory(pipeline, context, id);
        if (insn->flags & STATIC_STORE && !address_waits) {
            issue_store_known(pipeline, id);
        }
    }
    if (insn->destination != REGISTER_NONE) {
        context->writers[insn->destination] = id;
    }
    if (tell_is_wanted(pipeline, insn, WATCH_DISPATCHED)) {
        tell(pipeline, WATCH_DISPATCHED, id, &(struct watch_event){0});
    }
    if (insn->flags & STATIC_ALONE) {
        context->alone_until = pipeline->now + insn->latency;
        entry->cause = CAUSE_system;
        complete_at(pipeline, id, context->alone_until);
        pipeline->times[id].issued = pipeline->now;
        return;
    }
    context->in_queues++;
    pipeline->waiting++;
    if (entry->waiting == 0) {
        issue_make_ready(pipeline, id);
    }
    if (UNLIKELY(insn->flags & STATIC_HELPER)) {
        pipeline->slice_use.entries++;
        pipeline->slice_use.queue++;
        pipeline->slice_use.memory += (insn->flags & STATIC_LOAD) != 0;
    }
    if (UNLIKELY(insn->flags & STATIC_TRIGGER) && pipeline->helpers != NULL) {
        pipeline->hooks->dispatched(pipeline->helpers, number, id,
                                    context->given - context->stream_count - context->queue_count);
    }
}

static unsigned dispatch_context(struct pipeline *pipeline, unsigned number, unsigned room)
{
    struct context *context = &pipeline->contexts[number];
    unsigned dispatched = 0;
    while (dispatched < room && context->queue_count > 0 && context->alone_until <= pipeline->now) {
        const struct incoming *fetched = first_in_queue(context);
        const struct static_insn *insn = fetched->record.insn;
        if (fetched->cycle + pipeline->parameters.core_front_cycles > pipeline->now ||
            !has_room(pipeline, context, insn) ||
            (insn->flags & STATIC_ALONE && context->count > 0)) {
            break;
        }
        start(pipeline, number, fetched);
        context->queue_count--;
        dispatched++;
    }
    pipeline->queued -= dispatched;
    return dispatched;
}

/* Whether the context has nothing in flight, and its next instruction has been there for long: others take
 * all the room as soon as there is any. */
#define DISPATCH_PATIENCE 4096

static bool starves(const struct pipeline *pipeline, const struct context *context)
{
    return context->count == 0 && context->alone_until <= pipeline->now &&
           first_in_queue(context)->cycle + pipeline->parameters.core_front_cycles +
                   DISPATCH_PATIENCE <
               pipeline->now;
}

/* Room in the queues goes to those that have the least of it, or by the main thread's precedence: in mere
 * turns, contexts that free it in step with their turns would keep it from others for ever.  One that the
 * policy starves comes before all others. */
bool dispatch_stage(struct pipeline *pipeline)
{
    const unsigned room = (unsigned)pipeline->parameters.core_dispatch_width;
    const uint64_t policy = pipeline->parameters.core_fetch_policy == FETCH_MAIN_FIRST
                                ? FETCH_MAIN_FIRST
                                : FETCH_ICOUNT;
    unsigned dispatched = 0, candidates = 0;
    if (one_lives(pipeline)) {
        return dispatch_context(pipeline, (unsigned)__builtin_ctz(pipeline->live), room) > 0;
    }
    for (unsigned live = pipeline->live; live != 0; live &= live - 1) {
        const unsigned number = (unsigned)__builtin_ctz(live);
        const struct context *context = &pipeline->contexts[number];
        if (context->queue_count == 0) {
            continue;
        }
        if (UNLIKELY(starves(pipeline, context))) {
            return dispatch_context(pipeline, number, room) > 0;
        }
        candidates |= 1u << number;
    }
    while (candidates != 0 && dispatched < room) {
        const unsigned number = fetch_choose(
            pipeline, with_precedence(pipeline, candidates, SLICES_AFTER_THREADS), policy);
        candidates &= ~(1u << number);
        dispatched += dispatch_context(pipeline, number, room - dispatched);
    }
    return dispatched > 0;
}
