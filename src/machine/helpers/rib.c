/* The retired instruction buffer. */
#include "machine/helpers/rib.h"

#include "machine/state/hart.h"

#define TRIGGERS_TRIED 64

void rib_begin(struct rib *rib, const struct slice_retired *load, const struct slice_rules *rules)
{
    rib->recording = true;
    rib->load = load->pc;
    rib->rules = rules;
    rib->retired[0] = *load;
    rib->count = 1;
    rib->turn = 0;
    rib->statistics.recordings++;
}

/* Whether both turns of the loop went the same way. */
static bool turns_alike(const struct rib *rib)
{
    bool alike = rib->count == 2 * rib->turn + 1;
    for (unsigned i = 0; alike && i < rib->turn; i++) {
        alike = rib->retired[i].pc == rib->retired[rib->turn + i].pc;
    }
    return alike;
}

static bool is_better(const struct slice *slice, const struct slice *than)
{
    return slice->kind != than->kind ? slice->kind == SLICE_CHAINING : slice->length < than->length;
}

/* Each instruction of the loop comes as often as the load: behind some of them, what the loop carries is in registers,
 * and behind the load, in a function that saves them, it is on the stack. */
static enum slice_built build_around(const struct rib *rib, struct slice *slice)
{
    const struct slice_pcs none = {.count = 0};
    enum slice_built result = SLICE_BUILT_NO_LOAD;
    for (unsigned from = 0; from < rib->turn; from += 1 + rib->turn / TRIGGERS_TRIED) {
        struct slice_trace trace;
        struct slice other;
        if (!slice_trace_read(&trace, rib->retired + from, rib->count - from,
                              rib->rules->through_stack)) {
            return SLICE_BUILT_NO_MEMORY;
        }
        const enum slice_built built =
            slice_build(&other, &trace, rib->turn, rib->load, &none, rib->rules);
        slice_trace_free(&trace);
        if (built == SLICE_BUILT_OK && (result != SLICE_BUILT_OK || is_better(&other, slice))) {
            *slice = other;
            result = SLICE_BUILT_OK;
        }
    }
    return result;
}

static enum slice_built build(const struct rib *rib, struct slice *slice)
{
    if (rib->turn == 0) {
        return slice_build_between(slice, rib->retired, rib->count, rib->rules);
    }
    if (turns_alike(rib)) {
        return build_around(rib, slice);
    }
    return slice_build_between(slice, rib->retired + rib->turn, rib->count - rib->turn, rib->rules);
}

enum rib_answer rib_retired(struct rib *rib, const struct slice_retired *retired,
                            struct slice *slice)
{
    rib->retired[rib->count++] = *retired;
    if (retired->pc == rib->load && rib->rules->chain && rib->turn == 0 &&
        rib->count < rib->entries) {
        rib->turn = rib->count - 1;
    } else if (retired->pc == rib->load) {
        rib->recording = false;
        const bool built = build(rib, slice) == SLICE_BUILT_OK;
        rib->statistics.slices += built;
        rib->statistics.refused += !built;
        return built ? RIB_SLICE : RIB_FAILED;
    }
    if (rib->count >= rib->entries) {
        rib->recording = false;
        rib->statistics.overflows++;
        return RIB_FAILED;
    }
    return RIB_WAITS;
}

uint64_t rib_storage_bits(const struct rib *rib, bool with_addresses)
{
    const uint64_t pc = GUEST_SPACE_BITS - 1, word = 32;
    return rib->entries * (pc + word + (with_addresses ? GUEST_SPACE_BITS : 0));
}
