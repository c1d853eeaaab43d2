/* Counts how often each backward branch's target is reached through one: an exact, slow loop profile. */
#include "machine/units/loop_profile.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

/* Open addressing over head addresses; doubles before it is half full. */
struct loop_profile {
    struct unit unit;
    struct loop_count *slots;
    size_t slot_count; /* a power of two */
    size_t used;
    struct loop_count *sorted;
};

static struct loop_count *slot_of(struct loop_count *slots, size_t slot_count, guest_addr head)
{
    size_t i = (head >> 1 ^ head >> 13) & (slot_count - 1);
    while (slots[i].executions != 0 && slots[i].head != head) {
        i = (i + 1) & (slot_count - 1);
    }
    return &slots[i];
}

static void grow(struct loop_profile *profile)
{
    const size_t slot_count = profile->slot_count * 2;
    struct loop_count *slots = calloc(slot_count, sizeof *slots);
    ASSERT(slots != NULL);
    for (size_t i = 0; i < profile->slot_count; i++) {
        if (profile->slots[i].executions != 0) {
            *slot_of(slots, slot_count, profile->slots[i].head) = profile->slots[i];
        }
    }
    free(profile->slots);
    profile->slots = slots;
    profile->slot_count = slot_count;
}

static struct watch_request watches(struct unit *unit, guest_addr pc, const struct rv64_insn *insn)
{
    (void)unit;
    (void)pc;
    const uint32_t flags = rv64_row(insn->op)->flags;
    const bool direct = flags & INSN_CONDITIONAL || insn->op == RV64_jal;
    return (struct watch_request){.events = direct && insn->imm < 0 ? WATCH_BRANCH : 0u};
}

static void on_branch(struct unit *unit, struct hart *hart, guest_addr pc, guest_addr target,
                      bool taken)
{
    (void)hart;
    (void)pc;
    struct loop_profile *profile = (struct loop_profile *)(void *)unit;
    if (!taken) {
        return;
    }
    struct loop_count *slot = slot_of(profile->slots, profile->slot_count, target);
    if (slot->executions == 0) {
        slot->head = target;
        profile->used++;
    }
    slot->executions++;
    if (profile->used * 2 > profile->slot_count) {
        grow(profile);
    }
}

static int by_executions(const void *a, const void *b)
{
    const struct loop_count *left = a, *right = b;
    if (left->executions != right->executions) {
        return left->executions < right->executions ? 1 : -1;
    }
    return left->head < right->head ? -1 : left->head > right->head;
}

const struct loop_count *loop_profile_loops(struct loop_profile *profile, size_t *count)
{
    free(profile->sorted);
    profile->sorted = calloc(profile->used + 1, sizeof *profile->sorted);
    ASSERT(profile->sorted != NULL);
    *count = 0;
    for (size_t i = 0; i < profile->slot_count; i++) {
        if (profile->slots[i].executions != 0) {
            profile->sorted[(*count)++] = profile->slots[i];
        }
    }
    qsort(profile->sorted, *count, sizeof *profile->sorted, by_executions);
    return profile->sorted;
}

static void destroy(struct unit *unit)
{
    struct loop_profile *profile = (struct loop_profile *)(void *)unit;
    free(profile->slots);
    free(profile->sorted);
    free(profile);
}

static const struct unit_kind kind = {
    .name = "loop_profile", .watches = watches, .branch = on_branch, .destroy = destroy};

struct loop_profile *loop_profile_create(struct unit_host host)
{
    struct loop_profile *profile = calloc(1, sizeof *profile);
    struct loop_count *slots = calloc(1024, sizeof *slots);
    if (profile == NULL || slots == NULL) {
        free(profile);
        free(slots);
        return NULL;
    }
    profile->unit.kind = &kind;
    profile->unit.host = host;
    profile->slots = slots;
    profile->slot_count = 1024;
    return profile;
}

struct unit *loop_profile_unit(struct loop_profile *profile)
{
    return &profile->unit;
}
