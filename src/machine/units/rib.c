/* The retired instruction buffer. */
#include "machine/units/rib.h"

#include "machine/hart.h"

void rib_begin(struct rib *rib, const struct slice_retired *load, const struct slice_rules *rules)
{
    rib->recording = true;
    rib->load = load->pc;
    rib->rules = rules;
    rib->retired[0] = *load;
    rib->count = 1;
    rib->statistics.recordings++;
}

enum rib_answer rib_retired(struct rib *rib, const struct slice_retired *retired,
                            struct slice *slice)
{
    rib->retired[rib->count++] = *retired;
    if (retired->pc == rib->load) {
        rib->recording = false;
        const bool built =
            slice_build_between(slice, rib->retired, rib->count, rib->rules) == SLICE_BUILT_OK;
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
