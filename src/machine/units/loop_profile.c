/* Counts how often each backward branch's target is reached through one: an exact, slow loop profile. */
#include "machine/units/loop_profile.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_PLACES 1024 /* a power of two */

/* Open addressing over addresses; doubles before it is half full. */
struct table {
    struct loop_count *places; /* free ones have no executions */
    size_t place_count;        /* a power of two */
    size_t used;
};

struct loop_profile {
    struct unit unit;
    struct table loops;
    struct table calls; /* addresses of instructions that go backward with a link */
    struct loop_count *sorted;
};

static struct loop_count *place_of(const struct table *table, guest_addr address)
{
    size_t i = (address >> 1 ^ address >> 13) & (table->place_count - 1);
    while (table->places[i].executions != 0 && table->places[i].head != address) {
        i = (i + 1) & (table->place_count - 1);
    }
    return &table->places[i];
}

static void grow(struct table *table)
{
    const struct table old = *table;
    table->place_count = old.place_count * 2;
    table->places = calloc(table->place_count, sizeof *table->places);
    ASSERT(table->places != NULL);
    for (size_t i = 0; i < old.place_count; i++) {
        if (old.places[i].executions != 0) {
            *place_of(table, old.places[i].head) = old.places[i];
        }
    }
    free(old.places);
}

static void count(struct table *table, guest_addr address, bool turn)
{
    struct loop_count *place = place_of(table, address);
    if (place->executions == 0) {
        place->head = address;
        table->used++;
    }
    place->executions++;
    place->turns += turn;
    if (table->used * 2 > table->place_count) {
        grow(table);
    }
}

/* An address whose instruction was a call stays one here until it is decoded as something else. */
static void note_call(struct table *calls, guest_addr pc, bool call)
{
    struct loop_count *place = place_of(calls, pc);
    if (place->executions != 0) {
        place->turns = !call;
    } else if (call) {
        count(calls, pc, false);
    }
}

static struct watch_request watches(struct unit *unit, guest_addr pc, const struct rv64_insn *insn)
{
    struct loop_profile *profile = (struct loop_profile *)(void *)unit;
    const uint32_t flags = rv64_row(insn->op)->flags;
    const bool direct = flags & INSN_CONDITIONAL || insn->op == RV64_jal;
    if (!direct || insn->imm >= 0) {
        return (struct watch_request){.events = 0};
    }
    note_call(&profile->calls, pc, insn->op == RV64_jal && insn->rd != 0);
    return (struct watch_request){.events = WATCH_BRANCH};
}

static void on_branch(struct unit *unit, struct hart *hart, guest_addr pc, guest_addr target,
                      bool taken)
{
    struct loop_profile *profile = (struct loop_profile *)(void *)unit;
    (void)hart;
    if (taken) {
        const struct loop_count *call = place_of(&profile->calls, pc);
        count(&profile->loops, target, call->executions == 0 || call->turns != 0);
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
    for (size_t i = 0; i < profile->loops.place_count; i++) {
        if (profile->loops.places[i].executions != 0) {
            profile->sorted[(*count)++] = profile->loops.places[i];
        }
    }
    qsort(profile->sorted, *count, sizeof *profile->sorted, by_executions);
    return profile->sorted;
}

static void destroy(struct unit *unit)
{
    struct loop_profile *profile = (struct loop_profile *)(void *)unit;
    free(profile->loops.places);
    free(profile->calls.places);
    free(profile->sorted);
    free(profile);
}

static const struct unit_kind kind = {
    .name = "loop_profile", .watches = watches, .branch = on_branch, .destroy = destroy};

struct loop_profile *loop_profile_create(struct unit_host host)
{
    struct loop_profile *profile = calloc(1, sizeof *profile);
    struct loop_count *loops = calloc(FIRST_PLACES, sizeof *loops);
    struct loop_count *calls = calloc(FIRST_PLACES, sizeof *calls);
    if (profile == NULL || loops == NULL || calls == NULL) {
        free(profile);
        free(loops);
        free(calls);
        return NULL;
    }
    profile->unit.kind = &kind;
    profile->unit.host = host;
    profile->loops = (struct table){.places = loops, .place_count = FIRST_PLACES};
    profile->calls = (struct table){.places = calls, .place_count = FIRST_PLACES};
    return profile;
}

struct unit *loop_profile_unit(struct loop_profile *profile)
{
    return &profile->unit;
}
