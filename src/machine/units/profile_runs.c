/* Makes the runs of the profile: which of the program's instructions are counted together when code is decoded. */
#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/insn.h"
#include "machine/units/cache_code.h"
#include "machine/units/call_graph.h"
#include "machine/units/profile_state.h"

#include <stdlib.h>
#include <string.h>

/* All that is executed with the instructions in `bytes` from `pc` on. */
struct members {
    struct member *items;
    unsigned count, capacity;
};

/* Whether it is a backward branch that is not taken if `next` is executed behind it. */
static bool goes_on(const struct place *place, guest_addr next)
{
    struct rv64_insn insn;
    rv64_decode(place->word, &insn);
    return profile_is_conditional(&insn) && insn.imm < 0 && next == place->item.pc + insn.length;
}

static void add_members(struct profile *profile, const struct executed *executed, int32_t offset,
                        struct members *members)
{
    if (members->count + executed->count > members->capacity) {
        members->capacity = 2 * (members->count + executed->count);
        members->items = realloc(members->items, members->capacity * sizeof members->items[0]);
        ASSERT(members->items != NULL);
    }
    for (unsigned i = 0; i < executed->count; i++) {
        struct member *member = &members->items[members->count++];
        memset(member, 0, sizeof *member); /* they are compared by bytes */
        member->place = profile_place_at(profile, executed->pcs[i]);
        member->without = i < executed->without;
        member->offset = member->without ? offset - 1 : offset;
        if (member->without) {
            member->next = i + 1 < executed->count ? executed->pcs[i + 1] : executed->piece;
            member->turned = goes_on(member->place, member->next);
        }
    }
}

/* What was added last is a branch, of which `copy` is the translator's. */
static void note_turned(struct profile *profile, const struct rv64_insn *copy,
                        const struct executed *executed, const struct members *members)
{
    bool turned;
    if (members->count > 0 && executed->known &&
        members->items[members->count - 1].place->item.pc == executed->near &&
        profile_is_backward_branch(profile, copy, executed, &turned)) {
        members->items[members->count - 1].turned = turned;
    }
}

static struct members read_members(struct profile *profile, guest_addr pc, unsigned bytes)
{
    struct members members = {.items = NULL};
    for (unsigned offset = 0; offset < bytes;) {
        struct rv64_insn insn;
        struct executed executed;
        ASSERT(origins_read(profile->origins, pc + offset, &insn));
        origins_executed(profile->origins, &profile->built, pc + offset, insn.length, &executed);
        add_members(profile, &executed, (int32_t)offset, &members);
        note_turned(profile, &insn, &executed, &members);
        offset += insn.length;
    }
    return members;
}

static bool is_run_of(const struct run *run, guest_addr pc, unsigned bytes,
                      const struct member *members, unsigned count)
{
    return run->item.pc == pc && run->bytes == bytes && run->count == count &&
           run->control == NULL &&
           (count == 0 || memcmp(run->members, members, count * sizeof *members) == 0);
}

static struct run *find_run(struct profile *profile, guest_addr pc, unsigned bytes,
                            const struct member *members, unsigned count)
{
    for (struct run *run = run_of(pc_table_first(&profile->runs, pc)); run != NULL;
         run = run_of(run->item.next)) {
        if (is_run_of(run, pc, bytes, members, count)) {
            return run;
        }
    }
    struct run *run = calloc(1, sizeof *run + count * sizeof *members);
    ASSERT(run != NULL);
    run->watched = (struct watch_run){.unit = &profile->unit, .instructions = count};
    run->item.pc = pc;
    run->bytes = bytes;
    run->count = count;
    if (count > 0) {
        const struct place *first = members[0].place;
        profile_function_at(profile, first->item.pc);
        run->watched.course = profile->calls != NULL ? call_graph_course(profile->calls) : NULL;
        run->watched.function = first->function;
        run->at_start = first->item.pc == profile->function.start;
        memcpy(run->members, members, count * sizeof *members);
    }
    pc_table_add(&profile->runs, &run->item);
    return run;
}

/* No function's number. */
#define CONTROL_FUNCTION (UINT32_MAX - 1)

/* A call or return that takes no instruction: the engine finds that its function is not the one that runs, and says so
 * (on_entered). */
static struct run *find_control_run(struct profile *profile, guest_addr pc,
                                    const struct member *member)
{
    struct run *run = run_of(pc_table_first(&profile->runs, pc));
    while (run != NULL &&
           (run->item.pc != pc || run->control != member->place || run->target != member->next)) {
        run = run_of(run->item.next);
    }
    if (run == NULL) {
        run = calloc(1, sizeof *run);
        ASSERT(run != NULL);
        run->watched = (struct watch_run){.unit = &profile->unit,
                                          .course = call_graph_course(profile->calls),
                                          .function = CONTROL_FUNCTION};
        run->item.pc = pc;
        run->control = member->place;
        run->target = member->next;
        pc_table_add(&profile->runs, &run->item);
    }
    return run;
}

static bool is_told_between(const struct member *member)
{
    return member->without && member->place->control != CONTROL_NONE;
}

/* Which members go into one run, from items[begin] on: returns the end. */
static unsigned end_of_run(const struct members *members, unsigned begin)
{
    const uint32_t function = members->items[begin].place->function;
    unsigned end = begin;

    do {
        end++;
    } while (end < members->count && members->items[end].place->function == function &&
             !is_told_between(&members->items[end - 1]));
    return end;
}

static struct watch_run **add_watched(struct watch_run **link, struct run *run)
{
    run->watched.then = NULL;
    *link = &run->watched;
    return &run->watched.then;
}

/* A jump that needs no instruction may lead from one function to another: then there are two runs.  Code in the cache
 * that is no instruction of the program has a run without any. */
struct watch_run *profile_on_run(struct unit *unit, uint64_t pc, unsigned bytes)
{
    struct profile *profile = profile_of(unit);
    const struct members members = read_members(profile, pc, bytes);
    struct watch_run *first = NULL, **link = &first;
    if (members.count == 0 && profile->code != NULL) {
        first = &find_run(profile, pc, bytes, NULL, 0)->watched;
        first->then = NULL;
    }
    for (unsigned begin = 0, end; begin < members.count; begin = end) {
        end = end_of_run(&members, begin);
        struct run *run = find_run(profile, pc, bytes, members.items + begin, end - begin);
        link = add_watched(link, run);
        if (is_told_between(&members.items[end - 1])) {
            link = add_watched(link, find_control_run(profile, pc, &members.items[end - 1]));
        }
    }
    free(members.items);
    if (first != NULL && profile->code != NULL) {
        cache_code_add_run(profile->code, pc, bytes, &first->executions);
    }
    return first;
}
