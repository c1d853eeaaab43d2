/* The unit that counts the program's instructions: what it asks the engine for, and what it is told.
 *
 * profile_places.c has the program's addresses, profile_runs.c what is counted together, profile_counts.c what was counted. */
#include "machine/units/profile.h"

#include "isa/rv64/insn.h"
#include "machine/units/cache_code.h"
#include "machine/units/call_graph.h"
#include "machine/units/profile_state.h"

#include <stdlib.h>

/* The run that the engine counts as `watched`. */
static const struct run *run_of_watched(const struct watch_run *watched)
{
    return (const struct run *)(const void *)((const char *)watched -
                                              offsetof(struct run, watched));
}

/* Of the instructions that are executed here, not before it: the one that calls or returns. */
static struct place *find_control(struct profile *profile, const struct executed *executed)
{
    struct place *found = NULL;
    for (unsigned i = executed->without; profile->calls != NULL && i < executed->count; i++) {
        struct place *place = profile_place_at(profile, executed->pcs[i]);
        found = place->control != CONTROL_NONE ? place : found;
    }
    return found;
}

/* Instructions that do not retire are not the program's either. */
static bool retires(const struct rv64_insn *insn)
{
    return insn->op != RV64_illegal && insn->op != RV64_ebreak;
}

/* What the pipeline records is asked about twice. */
static void begin_part(struct profile *profile, const struct watch_instruction *instruction)
{
    if (profile->part.next != 0 && profile->part.next == instruction->pc + instruction->bytes) {
        profile->part = profile->part_before;
        profile->asked.next = 0;
    }
    profile->part_before = profile->part;
}

static void continue_part(struct profile *profile, const struct watch_instruction *instruction,
                          uint32_t function, bool ends)
{
    struct part *part = &profile->part;
    const bool same = part->next == instruction->pc && !part->ends && part->function == function;
    *part = (struct part){.next = instruction->pc + instruction->bytes,
                          .number = part->number + !same,
                          .function = function,
                          .ends = ends};
}

/* Code in the cache that is no part of a fragment is counted for itself: it is of no function. */
#define NO_FUNCTION UINT32_MAX

/* Where the cycles of the instruction at `pc` are added up, which are `whose` in the end. */
static uint64_t *cycles_at(const struct profile *profile, guest_addr pc, uint64_t *whose)
{
    return profile->timed && profile->code != NULL && origins_in_cache(profile->origins, pc)
               ? cache_code_cycles(profile->code, pc, whose)
               : whose;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct profile *profile = profile_of(unit);
    struct watch_request request = {.events = profile->timed ? WATCH_CYCLES : 0,
                                    .total =
                                        cycles_at(profile, instruction->pc, profile->other_cycles)};
    struct executed executed;
    begin_part(profile, instruction);
    if (profile->part.next != instruction->pc) {
        profile->function = (struct profile_function){.number = 0}; /* it may be another by now */
    }
    origins_executed(profile->origins, &profile->asked, instruction->pc, instruction->bytes,
                     &executed);
    if (!executed.known && profile->code != NULL && retires(instruction->insn) &&
        origins_in_cache(profile->origins, instruction->pc)) {
        continue_part(profile, instruction, NO_FUNCTION, false);
        request.events |= WATCH_RUN;
        request.part = profile->part.number;
        return request;
    }
    if (!executed.known || !retires(instruction->insn)) {
        profile->part.next = 0;
        return request;
    }
    struct place *control = find_control(profile, &executed);
    /* A callback that comes before the instruction comes before those that take none, too: they are counted behind it. */
    profile->part.ends = profile->part.ends || executed.without > 0;
    continue_part(profile, instruction, profile_function_at(profile, executed.near),
                  control != NULL);
    request.events |= WATCH_RUN;
    request.part = profile->part.number;
    request.total =
        cycles_at(profile, instruction->pc, profile_place_at(profile, executed.near)->cycles);
    if (control != NULL) {
        request.events |= WATCH_BEFORE;
        request.own = control;
    }
    bool turned;
    if (profile_is_backward_branch(profile, instruction->insn, &executed, &turned)) {
        struct place *branch = profile_place_at(profile, executed.near);
        request.events |= WATCH_FALLS;
        request.falls = turned ? &branch->turned_falls : &branch->falls;
    }
    return request;
}

static void tell_control(struct call_graph *calls, const struct place *place, guest_addr target)
{
    if (place->control == CONTROL_CALL) {
        call_graph_call(calls, place->item.pc, place->item.pc + place->bytes);
    } else {
        call_graph_return(calls, target);
    }
}

static void on_entered(struct unit *unit, const struct watch_run *watched)
{
    const struct run *run = run_of_watched(watched);
    struct call_graph *calls = profile_of(unit)->calls;
    if (run->control != NULL) {
        tell_control(calls, run->control, run->target);
    } else {
        call_graph_enter(calls, watched->function, run->at_start);
    }
}

static void on_before(struct unit *unit, const struct watch_event *event)
{
    const struct place *place = event->own;
    const struct watch_instruction *instruction = event->instruction;
    /* A trace compares the target, which may be in another register than in the program. */
    const bool compares = (instruction->flags & WATCHED_CONDITIONAL) != 0;
    const unsigned reg = compares ? instruction->insn->rs1 : place->rs1;
    tell_control(profile_of(unit)->calls, place,
                 (event->hart->x[reg] + (uint64_t)place->imm) & ~UINT64_C(1));
}

static void on_cut(struct unit *unit, const struct watch_run *watched, uint64_t pc)
{
    struct profile *profile = profile_of(unit);
    const struct run *run = run_of_watched(watched);
    if (pc < run->item.pc || pc >= run->item.pc + run->bytes) {
        return; /* it was complete */
    }
    if (profile->code != NULL && (run->count == 0 || run->members[0].offset <= 0)) {
        cache_code_take_back(profile->code, pc, run->item.pc + run->bytes - pc);
    }
    for (unsigned i = 0; i < run->count; i++) {
        if (run->members[i].offset >= (int32_t)(pc - run->item.pc)) {
            run->members[i].place->more--;
            run->members[i].place->turned_falls.executions += run->members[i].turned;
            if (profile->calls != NULL) {
                call_graph_take_back(profile->calls, 1);
            }
        }
    }
}

void profile_resume(struct profile *profile, struct hart *hart)
{
    if (profile->calls != NULL) {
        call_graph_resume(profile->calls, hart);
    }
}

void profile_forget(struct profile *profile, const struct hart *hart)
{
    if (profile->calls != NULL) {
        call_graph_forget(profile->calls, hart);
    }
}

void profile_take_back(struct profile *profile, guest_addr pc)
{
    struct origin_place place = {.next = 0};
    struct executed executed;
    struct rv64_insn insn;
    if (!origins_read(profile->origins, pc, &insn)) {
        return;
    }
    origins_executed(profile->origins, &place, pc, insn.length, &executed);
    if (profile->code != NULL) {
        cache_code_take_back(profile->code, pc, insn.length);
    }
    for (unsigned i = 0; i < executed.count; i++) {
        profile_place_at(profile, executed.pcs[i])->more--;
        if (profile->calls != NULL) {
            call_graph_take_back(profile->calls, 1);
        }
    }
}

struct call_graph *profile_calls(struct profile *profile)
{
    return profile->calls;
}

void profile_cache_emptied(struct profile *profile)
{
    if (profile->code != NULL) {
        cache_code_empty(profile->code);
    }
}

struct code_counts *profile_code(const struct profile *profile)
{
    return profile->code != NULL ? cache_code_read(profile->code) : NULL;
}

static void destroy(struct unit *unit)
{
    struct profile *profile = profile_of(unit);
    pc_table_destroy(&profile->places);
    pc_table_destroy(&profile->runs);
    call_graph_destroy(profile->calls);
    cache_code_destroy(profile->code);
    free(profile);
}

static const struct unit_kind kind = {.name = "profile",
                                      .timed = WATCH_CYCLES,
                                      .watches = watches,
                                      .before = on_before,
                                      .run = profile_on_run,
                                      .entered = on_entered,
                                      .cut = on_cut,
                                      .destroy = destroy};

struct profile *profile_create(struct unit_host host, const struct origins *origins,
                               const struct profile_request *request, bool timed)
{
    struct profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL) {
        return NULL;
    }
    profile->unit = (struct unit){.kind = &kind, .host = host};
    profile->origins = origins;
    profile->request = *request;
    profile->timed = timed;
    profile->calls = request->calls ? call_graph_create() : NULL;
    profile->code = origins->classes != NULL ? cache_code_create() : NULL;
    if ((origins->classes != NULL && profile->code == NULL) || !pc_table_create(&profile->places) ||
        !pc_table_create(&profile->runs) || (request->calls && profile->calls == NULL)) {
        destroy(&profile->unit);
        return NULL;
    }
    return profile;
}

struct unit *profile_unit(struct profile *profile)
{
    return &profile->unit;
}
