/* Counts how often each backward branch's target is reached through one: an exact, slow loop profile. */
#include "machine/units/loop_profile.h"

#include "base/check.h"
#include "isa/rv64/insn.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024 /* a power of two */

/* Open addressing over addresses; doubles before it is half full. */
struct table {
    struct loop_count *slots; /* free ones have no executions */
    size_t slot_count;        /* a power of two */
    size_t used;
};

struct loop_profile {
    struct unit unit;
    struct table loops;
    struct table calls; /* addresses of instructions that go backward with a link */
    struct loop_count *sorted;
};

static struct loop_count *slot_of(const struct table *table, guest_addr address)
{
    size_t i = (address >> 1 ^ address >> 13) & (table->slot_count - 1);
    while (table->slots[i].executions != 0 && table->slots[i].head != address) {
        i = (i + 1) & (table->slot_count - 1);
    }
    return &table->slots[i];
}

static void grow(struct table *table)
{
    const struct table old = *table;
    table->slot_count = old.slot_count * 2;
    table->slots = calloc(table->slot_count, sizeof *table->slots);
    ASSERT(table->slots != NULL);
    for (size_t i = 0; i < old.slot_count; i++) {
        if (old.slots[i].executions != 0) {
            *slot_of(table, old.slots[i].head) = old.slots[i];
        }
    }
    free(old.slots);
}

static void count(struct table *table, guest_addr address, bool turn)
{
    struct loop_count *slot = slot_of(table, address);
    if (slot->executions == 0) {
        slot->head = address;
        table->used++;
    }
    slot->executions++;
    slot->turns += turn;
    if (table->used * 2 > table->slot_count) {
        grow(table);
    }
}

/* An address whose instruction was a call stays one here until it is decoded as something else. */
static void note_call(struct table *calls, guest_addr pc, bool call)
{
    struct loop_count *slot = slot_of(calls, pc);
    if (slot->executions != 0) {
        slot->turns = !call;
    } else if (call) {
        count(calls, pc, false);
    }
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct loop_profile *profile = (struct loop_profile *)(void *)unit;
    const unsigned flags = instruction->flags;
    const bool direct = (flags & WATCHED_CONDITIONAL) != 0 ||
                        (flags & (WATCHED_JUMP | WATCHED_INDIRECT)) == WATCHED_JUMP;
    if (!direct || instruction->insn->imm >= 0) {
        return (struct watch_request){.events = 0};
    }
    note_call(&profile->calls, instruction->pc, (flags & WATCHED_CALL) != 0);
    return (struct watch_request){.events = WATCH_BRANCH};
}

static void on_branch(struct unit *unit, const struct watch_event *event)
{
    struct loop_profile *profile = (struct loop_profile *)(void *)unit;
    if (event->taken) {
        const struct loop_count *call = slot_of(&profile->calls, event->instruction->pc);
        count(&profile->loops, event->address, call->executions == 0 || call->turns != 0);
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
    profile->sorted = calloc(profile->loops.used + 1, sizeof *profile->sorted);
    ASSERT(profile->sorted != NULL);
    *count = 0;
    for (size_t i = 0; i < profile->loops.slot_count; i++) {
        if (profile->loops.slots[i].executions != 0) {
            profile->sorted[(*count)++] = profile->loops.slots[i];
        }
    }
    qsort(profile->sorted, *count, sizeof *profile->sorted, by_executions);
    return profile->sorted;
}

static void destroy(struct unit *unit)
{
    struct loop_profile *profile = (struct loop_profile *)(void *)unit;
    free(profile->loops.slots);
    free(profile->calls.slots);
    free(profile->sorted);
    free(profile);
}

static const struct unit_kind kind = {
    .name = "loop_profile", .watches = watches, .branch = on_branch, .destroy = destroy};

struct loop_profile *loop_profile_create(struct unit_host host)
{
    struct loop_profile *profile = calloc(1, sizeof *profile);
    struct loop_count *loops = calloc(FIRST_SLOTS, sizeof *loops);
    struct loop_count *calls = calloc(FIRST_SLOTS, sizeof *calls);
    if (profile == NULL || loops == NULL || calls == NULL) {
        free(profile);
        free(loops);
        free(calls);
        return NULL;
    }
    profile->unit.kind = &kind;
    profile->unit.host = host;
    profile->loops = (struct table){.slots = loops, .slot_count = FIRST_SLOTS};
    profile->calls = (struct table){.slots = calls, .slot_count = FIRST_SLOTS};
    return profile;
}

struct unit *loop_profile_unit(struct loop_profile *profile)
{
    return &profile->unit;
}
