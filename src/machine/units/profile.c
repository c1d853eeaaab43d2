/* Counts runs of instructions in decoded blocks, and maps them to addresses of the program. */
#include "machine/units/profile.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/insn.h"
#include "machine/units/cache_code.h"
#include "machine/units/call_graph.h"
#include "machine/units/pc_table.h"

#include <stdlib.h>
#include <string.h>

/* What the program's instruction does to its calls. */
enum control { CONTROL_NONE, CONTROL_CALL, CONTROL_RETURN };

/* An address of the program. */
struct place {
    struct pc_item item; /* its address in the program */
    int64_t more;        /* executions beyond those of its runs; mostly none, or less than none */
    /* Its cycles, and how often it retired in them; under a translator, of code that is no longer in the cache. */
    uint64_t cycles[2];
    /* Of a backward branch: how often it went on behind itself; and how often it did in copies that branch where
     * it does not, which is how often it was taken there. */
    struct watch_run falls, turned_falls;
    uint32_t function;
    uint32_t
        word; /* the instruction, which may be gone when it is asked for; 0 if it is not known */
    uint8_t control; /* enum control */
    uint8_t bytes;
    uint8_t rs1; /* of a return: where it goes */
    int32_t imm;
};

/* One of the program's instructions in a run: it is executed with the machine's at `offset`, or before that and
 * behind the one before it, if `offset` is odd. */
struct member {
    struct place *place;
    guest_addr
        next; /* what the program executes behind it, if it takes no instruction of its own */
    int32_t offset;
    bool
        turned; /* a branch whose copy branches where it does not, or that goes on and has no copy */
    bool without; /* it takes no instruction of its own */
};

/* What is counted together.  The same code is decoded again and again, and counted in the same run. */
struct run {
    struct pc_item item; /* where it begins, in the machine's code */
    struct watch_run watched;
    unsigned bytes;
    bool at_start; /* it begins where its function does */
    /* If it is not NULL there are no members: a call, or a return to `target`, that takes no instruction, and is told
     * between the runs before and behind it. */
    struct place *control;
    guest_addr target;
    unsigned count;
    struct member members[];
};

/* Instructions of one function that no call or return parts: they go into one run. */
struct part {
    guest_addr next; /* behind its last instruction; 0 if there is none */
    unsigned number;
    uint32_t function;
    bool ends; /* what follows is another part */
};

struct profile {
    struct unit unit;
    const struct origins *origins;
    struct profile_request request;
    struct call_graph *calls; /* NULL: not asked for */
    struct pc_table places, runs;
    struct profile_function function; /* the one that was found last */
    struct origin_place asked, built; /* what was decoded last, for units and for runs */
    struct part part, part_before;    /* of what was asked for last, and of what was before it */
    bool timed;                       /* instructions have cycles */
    uint64_t other_cycles[2];         /* of what is not the program's, as those of a place */
    struct cache_code *code; /* what is counted of a translator's cache; NULL: there is none */
};

static struct profile *profile_of(struct unit *unit)
{
    return (struct profile *)(void *)unit;
}

static struct place *place_of(struct pc_item *item)
{
    return (struct place *)(void *)item;
}

static struct run *run_of(struct pc_item *item)
{
    return (struct run *)(void *)item;
}

/* The run that the engine counts as `watched`. */
static const struct run *run_of_watched(const struct watch_run *watched)
{
    return (const struct run *)(const void *)((const char *)watched -
                                              offsetof(struct run, watched));
}

static uint32_t find_function(struct profile *profile, guest_addr pc)
{
    if (pc < profile->function.start || pc >= profile->function.end) {
        profile->function = profile->request.find(profile->request.context, pc);
    }
    return profile->function.number;
}

static bool holds_return(unsigned reg)
{
    return reg == 1 || reg == 5;
}

static void note_control(struct place *place, const struct rv64_insn *insn)
{
    const bool jump = insn->op == RV64_jal || insn->op == RV64_jalr;
    place->control = jump && holds_return(insn->rd) ? CONTROL_CALL
                     : insn->op == RV64_jalr && insn->rd == 0 && holds_return(insn->rs1)
                         ? CONTROL_RETURN
                         : CONTROL_NONE;
    place->bytes = insn->length;
    place->rs1 = insn->rs1;
    place->imm = (int32_t)insn->imm;
}

/* What is at `pc` now: where a library goes, another may come. */
static struct place *find_place(struct profile *profile, guest_addr pc)
{
    const uint32_t function = find_function(profile, pc);
    struct rv64_insn insn;
    struct place *place = place_of(pc_table_first(&profile->places, pc));
    while (place != NULL && (place->item.pc != pc || place->function != function)) {
        place = place_of(place->item.next);
    }
    if (place == NULL) {
        place = calloc(1, sizeof *place);
        ASSERT(place != NULL);
        place->item.pc = pc;
        place->function = function;
        place->falls.unit = place->turned_falls.unit = &profile->unit;
        pc_table_add(&profile->places, &place->item);
    }
    if (origins_read(profile->origins, pc, &insn)) {
        place->word = insn.word;
        if (profile->calls != NULL) {
            note_control(place, &insn);
        }
    }
    return place;
}

/* Of the instructions that are executed here, not before it: the one that calls or returns. */
static struct place *find_control(struct profile *profile, const struct executed *executed)
{
    struct place *found = NULL;
    for (unsigned i = executed->without; profile->calls != NULL && i < executed->count; i++) {
        struct place *place = find_place(profile, executed->pcs[i]);
        found = place->control != CONTROL_NONE ? place : found;
    }
    return found;
}

static bool is_conditional(const struct rv64_insn *insn)
{
    return (rv64_row(insn->op)->flags & INSN_CONDITIONAL) != 0;
}

/* Whether the branch that is executed with `copy` goes backward, and whether the copy branches where it does not. */
static bool is_backward_branch(const struct profile *profile, const struct rv64_insn *copy,
                               const struct executed *executed, bool *turned)
{
    struct rv64_insn insn;
    if (!is_conditional(copy) || !executed->own ||
        !origins_read(profile->origins, executed->near, &insn) || !is_conditional(&insn) ||
        insn.imm >= 0) {
        return false;
    }
    *turned = insn.op != copy->op;
    return true;
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
    continue_part(profile, instruction, find_function(profile, executed.near), control != NULL);
    request.events |= WATCH_RUN;
    request.part = profile->part.number;
    request.total = cycles_at(profile, instruction->pc, find_place(profile, executed.near)->cycles);
    if (control != NULL) {
        request.events |= WATCH_BEFORE;
        request.own = control;
    }
    bool turned;
    if (is_backward_branch(profile, instruction->insn, &executed, &turned)) {
        struct place *branch = find_place(profile, executed.near);
        request.events |= WATCH_FALLS;
        request.falls = turned ? &branch->turned_falls : &branch->falls;
    }
    return request;
}

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
    return is_conditional(&insn) && insn.imm < 0 && next == place->item.pc + insn.length;
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
        member->place = find_place(profile, executed->pcs[i]);
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
        is_backward_branch(profile, copy, executed, &turned)) {
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
        find_function(profile, first->item.pc);
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
static struct watch_run *on_run(struct unit *unit, uint64_t pc, unsigned bytes)
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
        find_place(profile, executed.pcs[i])->more--;
        if (profile->calls != NULL) {
            call_graph_take_back(profile->calls, 1);
        }
    }
}

/* The words that are put back: executions of runs; of places what they have more, and the ways past them. */
struct kept_word {
    uint64_t *at;
    uint64_t value;
};
struct profile_kept {
    struct call_graph_kept *calls;
    size_t count;
    struct kept_word words[];
};

static void keep_word(struct profile_kept *kept, uint64_t *at)
{
    kept->words[kept->count++] = (struct kept_word){at, *at};
}

static void keep_run(struct pc_item *item, void *kept)
{
    keep_word(kept, &run_of(item)->watched.executions);
}

static void keep_place(struct pc_item *item, void *kept)
{
    struct place *place = place_of(item);
    keep_word(kept, (uint64_t *)&place->more);
    keep_word(kept, &place->falls.executions);
    keep_word(kept, &place->turned_falls.executions);
}

struct profile_kept *profile_keep(const struct profile *profile)
{
    const size_t count = profile->runs.count + 3 * profile->places.count;
    struct profile_kept *kept = malloc(sizeof *kept + count * sizeof kept->words[0]);
    ASSERT(kept != NULL);
    kept->count = 0;
    kept->calls = profile->calls != NULL ? call_graph_keep(profile->calls) : NULL;
    pc_table_each(&profile->runs, keep_run, kept);
    pc_table_each(&profile->places, keep_place, kept);
    return kept;
}

static void clear_run(struct pc_item *item, void *context)
{
    (void)context;
    run_of(item)->watched.executions = 0;
}

static void clear_place(struct pc_item *item, void *context)
{
    struct place *place = place_of(item);
    (void)context;
    place->more = 0;
    place->falls.executions = place->turned_falls.executions = 0;
}

void profile_put_back(struct profile *profile, struct profile_kept *kept)
{
    pc_table_each(&profile->runs, clear_run, NULL);
    pc_table_each(&profile->places, clear_place, NULL);
    for (size_t i = 0; i < kept->count; i++) {
        *kept->words[i].at = kept->words[i].value;
    }
    if (kept->calls != NULL) {
        call_graph_put_back(profile->calls, kept->calls);
    }
    free(kept);
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

/* Cycles of code that is in the cache, whose place is known by where they go in the end. */
struct cycles_sum {
    const uint64_t *settled;
    uint64_t cycles;
};

static void add_cycles(const uint64_t *settled, uint64_t cycles, void *context)
{
    struct cycles_sum *sum = context;
    sum->cycles += settled == sum->settled ? cycles : 0;
}

uint64_t profile_other_cycles(const struct profile *profile)
{
    struct cycles_sum sum = {.settled = profile->other_cycles, .cycles = profile->other_cycles[0]};
    if (profile->code != NULL) {
        cache_code_each(profile->code, add_cycles, &sum);
    }
    return sum.cycles;
}

struct counting {
    struct profile_count *counts;
    size_t count;
    const uint64_t *others; /* what has the cycles of no place */
};

static void add_count(struct pc_item *item, void *context)
{
    const struct place *place = place_of(item);
    struct counting *counting = context;
    counting->counts[counting->count++] =
        (struct profile_count){.pc = place->item.pc,
                               .function = place->function,
                               .word = place->word,
                               .executions = (uint64_t)place->more,
                               .falls = place->falls.executions - place->turned_falls.executions,
                               .cycles = place->cycles[0]};
}

static int by_address(const void *a, const void *b)
{
    const struct profile_count *left = a, *right = b;
    if (left->pc != right->pc) {
        return left->pc < right->pc ? -1 : 1;
    }
    return left->function < right->function ? -1 : left->function > right->function;
}

static void add_run(struct pc_item *item, void *context)
{
    const struct run *run = run_of(item);
    const struct counting *counting = context;
    for (unsigned i = 0; i < run->count; i++) {
        const struct profile_count key = {.pc = run->members[i].place->item.pc,
                                          .function = run->members[i].place->function};
        struct profile_count *count =
            bsearch(&key, counting->counts, counting->count, sizeof key, by_address);
        count->executions += run->watched.executions;
        count->falls += run->members[i].turned ? run->watched.executions : 0;
    }
}

/* Of code that is in the cache. */
static void add_cached(const uint64_t *settled, uint64_t cycles, void *context)
{
    const struct counting *counting = context;
    if (settled == counting->others) {
        return;
    }
    const struct place *place =
        (const void *)((const char *)settled - offsetof(struct place, cycles));
    const struct profile_count key = {.pc = place->item.pc, .function = place->function};
    struct profile_count *count =
        bsearch(&key, counting->counts, counting->count, sizeof key, by_address);
    count->cycles += cycles;
}

struct profile_count *profile_counts(const struct profile *profile, size_t *count)
{
    struct counting counting = {.counts =
                                    calloc(profile->places.count + 1, sizeof *counting.counts),
                                .others = profile->other_cycles};
    ASSERT(counting.counts != NULL);
    pc_table_each(&profile->places, add_count, &counting);
    qsort(counting.counts, counting.count, sizeof *counting.counts, by_address);
    pc_table_each(&profile->runs, add_run, &counting);
    if (profile->code != NULL) {
        cache_code_each(profile->code, add_cached, &counting);
    }
    *count = 0;
    for (size_t i = 0; i < counting.count; i++) {
        if (counting.counts[i].executions != 0 || counting.counts[i].cycles != 0) {
            counting.counts[(*count)++] = counting.counts[i];
        }
    }
    return counting.counts;
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
                                      .run = on_run,
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
