/* Commit: instructions retire in order, and what keeps them from it is noted. */
#include "base/check.h"
#include "machine/pipeline/tell.h"

/* Free places go to contexts in the order in which they found none: in mere turns, those whose turns meet the
 * stores that leave would keep them from others for ever. */
static bool store_has_room(const struct pipeline *pipeline, unsigned number,
                           const struct entry *entry)
{
    if (!(entry->insn->flags & STATIC_STORE)) {
        return true;
    }
    const uint64_t room = pipeline->parameters.core_store_buffer - pipeline->leaving_count;
    const bool first = pipeline->store_waiters == 0 || pipeline->store_order[0] == number;
    return room > (first ? 0 : pipeline->store_waiters);
}

static void wait_for_room(struct pipeline *pipeline, unsigned number)
{
    unsigned place = 0;
    while (place < pipeline->store_waiters && pipeline->store_order[place] != number) {
        place++;
    }
    if (place == pipeline->store_waiters) {
        pipeline->store_order[pipeline->store_waiters++] = (uint8_t)number;
    }
}

static void stop_waiting_for_room(struct pipeline *pipeline, unsigned number)
{
    unsigned left = 0;
    for (unsigned i = 0; i < pipeline->store_waiters; i++) {
        if (pipeline->store_order[i] != number) {
            pipeline->store_order[left++] = pipeline->store_order[i];
        }
    }
    pipeline->store_waiters = left;
}

static void retire_store(struct pipeline *pipeline, struct context *context, unsigned number,
                         const struct entry *entry)
{
    pipeline->leaving[(pipeline->leaving_head + pipeline->leaving_count) & pipeline->leaving_mask] =
        (struct leaving_store){.address = entry->address, .context = number};
    pipeline->leaving_count++;
    if (pipeline->store_waiters > 0) {
        stop_waiting_for_room(pipeline, number);
    }
    context->store_filter[filter_place(entry->address)]--;
    context->store_filter[filter_place(entry->address + entry->insn->bytes - 1)]--;
    context->store_head = (context->store_head + 1) & (pipeline->ring - 1);
    context->store_count--;
    context->stores_known--;
}

/* Up to now, from where one retired before it, the instruction was the oldest of its context.  Returns how long. */
static uint64_t count_cycles(const struct pipeline *pipeline, struct context *context,
                             const struct static_insn *insn)
{
    const uint64_t waited = pipeline->now - context->last_retired;

    if (insn->cycles != NULL && pipeline->measuring) {
        insn->cycles[0] += waited;
        insn->cycles[1]++;
    }
    context->last_retired = pipeline->now;
    return waited;
}

static void retire(struct pipeline *pipeline, struct context *context, unsigned number, uint32_t id)
{
    const struct entry *entry = entry_of(pipeline, id);
    const struct static_insn *insn = entry->insn;
    if (insn->destination != REGISTER_NONE && context->writers[insn->destination] == id) {
        context->writers[insn->destination] = NO_ENTRY;
    }
    if (insn->flags & STATIC_STORE) {
        retire_store(pipeline, context, number, entry);
    }
    context->statistics.mix[insn->mix]++;
    pipeline->memory_in_flight -= (insn->flags & (STATIC_LOAD | STATIC_STORE)) != 0;
    context->head = (context->head + 1) & (pipeline->ring - 1);
    context->count--;
    uint64_t waited = 0;
    if (UNLIKELY((pipeline->told & (WATCH_CYCLES | WATCH_RETIRED)) != 0) &&
        (insn->flags & STATIC_HELPER) == 0) {
        waited = count_cycles(pipeline, context, insn);
    }
    if (tell_is_wanted(pipeline, insn, WATCH_RETIRED)) {
        tell(pipeline, WATCH_RETIRED, id, &(struct watch_event){.waited = waited});
    }
    if (UNLIKELY(pipeline->helpers != NULL)) {
        pipeline->hooks->retired(pipeline->helpers, number, id);
    }
}

/* What keeps the context's oldest instruction from retiring in this cycle. */
static enum cause cause_of(struct pipeline *pipeline, unsigned number)
{
    const struct context *context = &pipeline->contexts[number];
    if (context->count == 0) {
        if (context->fetch_blocked || context->fetch_from > pipeline->now) {
            return (enum cause)context->fetch_cause;
        }
        if (context->queue_count > 0) {
            return CAUSE_front;
        }
        if (next_awaits_store(pipeline, context)) {
            return CAUSE_sync;
        }
        if (context->stream_count == 0 && !context->active) {
            return CAUSE_idle;
        }
        /* The cycle in which fetch goes on is the last one of what it waited for. */
        return context->fetch_from == pipeline->now ? (enum cause)context->fetch_cause
                                                    : CAUSE_fetch;
    }
    const struct entry *entry = entry_of(pipeline, entry_at(pipeline, number, 0));
    if (entry->state == ENTRY_DONE) {
        return store_has_room(pipeline, number, entry) ? CAUSE_others : CAUSE_stores;
    }
    return (enum cause)entry->cause;
}

static void account(struct pipeline *pipeline, unsigned number, uint64_t slots)
{
    struct context *context = &pipeline->contexts[number];
    const enum cause cause = cause_of(pipeline, number);
    if (cause == CAUSE_idle) { /* what is left of the cycles in the end */
        pipeline->live &= ~(1u << number);
        return;
    }
    context->statistics.slots[cause] += slots;
    if (UNLIKELY((pipeline->told & WATCH_STALLED) != 0) && context->count > 0) {
        const uint32_t id = entry_at(pipeline, number, 0);
        const struct entry *entry = entry_of(pipeline, id);
        if (entry->state != ENTRY_DONE && tell_is_wanted(pipeline, entry->insn, WATCH_STALLED)) {
            tell(pipeline, WATCH_STALLED, id, &(struct watch_event){.slots = slots});
        }
    }
}

/* Nothing retires for `cycles` cycles. */
void commit_account(struct pipeline *pipeline, uint64_t cycles)
{
    const uint64_t width = pipeline->parameters.core_commit_width;
    for (unsigned live = pipeline->live; live != 0; live &= live - 1) {
        account(pipeline, (unsigned)__builtin_ctz(live), cycles * width);
    }
}

/* The cycle in which nothing retired, and for which causes are still what they were, does not count. */
void commit_take_back(struct pipeline *pipeline)
{
    const uint64_t width = pipeline->parameters.core_commit_width;
    for (unsigned live = pipeline->live; live != 0; live &= live - 1) {
        const unsigned number = (unsigned)__builtin_ctz(live);
        pipeline->contexts[number].statistics.slots[cause_of(pipeline, number)] -= width;
    }
}

/* As many as have a result and room; how many those were. */
static unsigned commit_context(struct pipeline *pipeline, unsigned number, unsigned room)
{
    const unsigned width = (unsigned)pipeline->parameters.core_commit_width;
    struct context *context = &pipeline->contexts[number];
    unsigned retired = 0;
    const uint64_t of_slices = context->statistics.helper_instructions;
    while (retired < room && context->count > 0) {
        const uint32_t id = entry_at(pipeline, number, 0);
        const struct entry *entry = entry_of(pipeline, id);
        if (entry->state != ENTRY_DONE) {
            break;
        }
        if (!store_has_room(pipeline, number, entry)) {
            wait_for_room(pipeline, number);
            break;
        }
        retire(pipeline, context, number, id);
        retired++;
    }
    pipeline->in_flight -= retired;
    context->unissued -= context->unissued < retired ? context->unissued : retired;
    context->statistics.instructions +=
        retired - (context->statistics.helper_instructions - of_slices);
    context->retired += retired;
    context->statistics.slots[CAUSE_base] += retired;
    if (retired < width) {
        account(pipeline, number, width - retired);
    }
    return retired;
}

bool commit_stage(struct pipeline *pipeline)
{
    const unsigned width = (unsigned)pipeline->parameters.core_commit_width;
    if (one_lives(pipeline)) {
        return commit_context(pipeline, (unsigned)__builtin_ctz(pipeline->live), width) > 0;
    }
    unsigned room = width;
    for (unsigned live = live_in_turn(pipeline); live != 0; live &= live - 1) {
        room -= commit_context(pipeline, context_in_turn(pipeline, (unsigned)__builtin_ctz(live)),
                               room);
    }
    return room < width;
}
