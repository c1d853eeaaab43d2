/* Runs a thread of the program in the cache, and beside it the same program alone.
 *
 * Wherever the program in the cache is between two instructions, the other is brought to the same place, where
 * all registers must agree. */
#include "inside.h"

#include "translator/fragment/dispatch.h"
#include "translator/fragment/protect.h"

#include <stdio.h>

/* What code in the cache must not take for the program's: it finds that in the context. */
#define POISON UINT64_C(0xdeadbeefdeadbeef)
#define POISON_FLAGS 7
/* The program alone does in no more instructions what a fragment does in none. */
#define LAG_MAX (2 * PLAN_INSTRUCTIONS)

void run_system_call(struct rig_thread *thread, struct target_registers *registers, bool alone)
{
    struct rig *rig = thread->rig;

    if (registers->r[R0] == CALL_TELL) {
        thread->told[alone] = thread->told[alone] * 31 + registers->r[R1];
    } else if (registers->r[R0] == CALL_YIELD && !alone) {
        rig_yield(rig);
    } else if (registers->r[R0] >= CALL_OTHERS && rig->system_call != NULL) {
        rig->system_call(thread, registers, alone);
    }
    registers->r[R0] = 0;
}

static enum toy_stop step_alone(struct rig_thread *thread)
{
    const enum toy_stop stop = toy_step(&thread->alone);

    if (stop != TOY_CALLED) {
        return stop;
    }
    run_system_call(thread, &thread->alone.registers, true);
    return TOY_GOES_ON;
}

static bool agrees(const struct rig_thread *thread, guest_addr pc,
                   const struct target_registers *registers)
{
    return thread->alone.pc == pc &&
           memcmp(&thread->alone.registers, registers, sizeof *registers) == 0;
}

static _Noreturn void disagree(const struct rig_thread *thread, guest_addr pc,
                               const struct target_registers *registers)
{
    const struct toy_machine *alone = &thread->alone;

    fprintf(stderr, "in the cache at %llx the program is at %llx, alone at %llx\n",
            (unsigned long long)thread->machine.pc, (unsigned long long)pc,
            (unsigned long long)alone->pc);
    for (unsigned i = 0; i < TOY_REGISTERS; i++) {
        fprintf(stderr, "R%u %16llx %16llx\n", i, (unsigned long long)registers->r[i],
                (unsigned long long)alone->registers.r[i]);
    }
    rig_fail("flags %llx %llx", (unsigned long long)registers->flags,
             (unsigned long long)alone->registers.flags);
}

/* Lets the program alone come to where the other is. */
static void follow(struct rig_thread *thread, guest_addr pc,
                   const struct target_registers *registers)
{
    struct toy_machine before = thread->alone;

    for (unsigned i = 0; !agrees(thread, pc, registers); i++) {
        if (i == LAG_MAX || step_alone(thread) != TOY_GOES_ON) {
            thread->alone = before;
            step_alone(thread);
            disagree(thread, pc, registers);
        }
    }
}

/* Whether the code is a copy of the head of `fragment` that records, and counts by that. */
static bool is_recorded(const struct rig *rig, const struct fragment *fragment, const uint8_t *code)
{
    const struct optimizer *optimizer = rig->translator->optimizer;
    const struct fragment *copy =
        optimizer != NULL ? index_find(&optimizer->recorded, fragment->start) : NULL;

    return copy != NULL && copy->entry == code;
}

/* Whether a trace passes the head of the loop there, and counts it. */
static bool passes(const struct rig *rig, const struct loop *loop, const uint8_t *code)
{
    const struct passage *at = loop != NULL ? loop->passages : NULL;

    while (at != NULL && at->tag != code) {
        at = at->next;
    }
    return at != NULL && toy_counter_find(&rig->counters, code) != rig->counters.entries;
}

/* A fragment that has a counter is about to be executed. */
static void count_head(struct rig *rig, guest_addr pc, const uint8_t *code)
{
    const struct fragment *fragment = rig_find(rig, pc);

    if (fragment == NULL || (fragment->loop != NULL && fragment->loop->hidden)) {
        return;
    }
    const uint8_t *entry = fragment->trace != NULL ? fragment->trace->entry : fragment->entry;
    const bool software = fragment->landing != entry;
    const bool hardware = rig->counters.entries > 0 &&
                          toy_counter_find(&rig->counters, code) != rig->counters.entries;
    /* A thread may be between its counter and the fragment when that gets a trace. */
    const bool counts = ((entry == code || fragment->entry == code) && (software || hardware)) ||
                        passes(rig, fragment->loop, code);

    if (!counts && !(fragment->loop != NULL && is_recorded(rig, fragment, code))) {
        return;
    }
    unsigned i = 0;
    while (i < rig->head_count && rig->heads[i].head != pc) {
        i++;
    }
    if (i == RIG_HEADS) {
        rig_fail("too many heads");
    }
    rig->heads[i].head = pc;
    rig->heads[i].executions++;
    rig->head_count += i == rig->head_count;
}

/* It was not executed: its counter called back, and the program left the cache. */
static void uncount_head(struct rig *rig, guest_addr head)
{
    for (unsigned i = 0; i < rig->head_count; i++) {
        rig->heads[i].executions -= rig->heads[i].head == head;
    }
}

static void look(struct rig_thread *thread)
{
    struct rig *rig = thread->rig;
    const uint8_t *code = (const uint8_t *)(uintptr_t)thread->machine.pc;
    struct target_registers registers;
    guest_addr pc;

    if (rig->before_step != NULL) {
        rig->before_step(thread);
    }
    if (!state_take(thread->context, code, &thread->machine.registers, &registers, &pc)) {
        return;
    }
    count_head(rig, pc, code);
    if (rig->compares) {
        follow(thread, pc, &registers);
    }
}

static void enter(struct rig_thread *thread, const uint8_t *entry)
{
    struct toy_machine *machine = &thread->machine;

    machine->pc = (uintptr_t)entry;
    machine->registers = thread->context->registers;
    machine->registers.r[R0] = machine->registers.r[R1] = POISON;
    machine->registers.flags = POISON_FLAGS;
}

static enum toy_stop run_in_cache(struct rig_thread *thread)
{
    struct rig *rig = thread->rig;
    enum toy_stop stop;

    do {
        look(thread);
        stop = toy_step(&thread->machine);
        if (stop == TOY_LEFT && thread->machine.called_back) {
            uncount_head(rig, thread->context->hot->target);
        }
        if (rig->budget-- == 0) {
            rig_fail("the program does not end");
        }
        if (rig->slice != 0 && thread->machine.instructions % rig->slice == 0) {
            rig_yield(rig);
        }
    } while (stop == TOY_GOES_ON);
    return stop;
}

static void end(struct rig_thread *thread, enum toy_stop stop)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)thread->machine.pc;

    thread->stop = stop;
    if (stop == TOY_ESCAPED) {
        rig_fail("the program has left the cache, to %p", (const void *)code);
    }
    if (!state_take(thread->context, code, &thread->machine.registers, &thread->registers,
                    &thread->pc)) {
        rig_fail("the program ended between two instructions");
    }
    if (thread->rig->compares &&
        (step_alone(thread) != stop || thread->told[false] != thread->told[true])) {
        rig_fail("alone it ends otherwise");
    }
}

/* A store to a page that the core protects: it is done by dispatch.  False if the fault is the program's. */
static bool leave_for_store(struct rig_thread *thread, struct exit *exit)
{
    struct context *context = thread->context;
    const struct toy_machine *machine = &thread->machine;

    if (!machine->fault_writes || !protect_owns(context->translator, machine->fault)) {
        return false;
    }
    struct target_registers registers;
    if (!state_take(context, (const uint8_t *)(uintptr_t)machine->pc, &machine->registers,
                    &registers, &context->target)) {
        rig_fail("a store faults between two instructions");
    }
    context->registers = registers; /* where some of them may have been saved */
    *exit = (struct exit){.kind = EXIT_STORE, .target = machine->fault};
    return true;
}

/* Code that cannot be executed: the program alone faults when it fetches it. */
static void end_unreadable(struct rig_thread *thread)
{
    thread->stop = TOY_FAULTED;
    thread->pc = thread->context->target;
    thread->registers = thread->context->registers;
    if (thread->rig->compares) {
        follow(thread, thread->pc, &thread->registers);
        if (step_alone(thread) != TOY_FAULTED || thread->alone.fault != thread->pc) {
            rig_fail("alone it does not fault");
        }
    }
}

void run_thread(struct rig_thread *thread)
{
    struct exit own = {.kind = EXIT_RESUME};
    struct exit *exit = &own;
    enum toy_stop stop;

    thread->runs = true;
    thread->alone.registers = thread->context->registers;
    thread->alone.pc = thread->context->target = thread->start;
    do {
        const uint8_t *entry = dispatch(thread->context, exit);
        if (entry == outside_fault_place) {
            end_unreadable(thread);
            break;
        }
        enter(thread, entry);
        stop = run_in_cache(thread);
        exit = thread->machine.exit;
        if (stop == TOY_FAULTED && leave_for_store(thread, &own)) {
            exit = &own;
            stop = TOY_LEFT;
        } else if (stop != TOY_LEFT) {
            end(thread, stop);
        }
    } while (stop == TOY_LEFT);
    thread->context->inside = 0;
    thread->runs = false;
}

void run_copy_memory(void)
{
    memcpy((void *)(uintptr_t)(CODE + ALONE_SHIFT), (void *)(uintptr_t)CODE, MEMORY_BYTES);
}

/* Fast returns leave other addresses on the stack. */
void run_compare_memory(const struct rig *rig)
{
    const bool stack = rig->translator->options.returns != RETURNS_FAST;

    if (memcmp((void *)(uintptr_t)(CODE + ALONE_SHIFT), (void *)(uintptr_t)CODE,
               MEMORY_BYTES - (stack ? 0 : RIG_STACK_BYTES)) != 0) {
        rig_fail("memory differs");
    }
}

enum toy_stop rig_run(struct rig *rig, guest_addr start)
{
    rig->threads[0].start = start;
    if (rig->compares) {
        run_copy_memory();
    }
    rig->turn = 0;
    run_thread(&rig->threads[0]);
    if (rig->compares) {
        run_compare_memory(rig);
    }
    return rig->threads[0].stop;
}

unsigned target_length(const uint8_t *from, const uint8_t *to)
{
    return (unsigned)(to - from);
}

/* Not known: the toy keeps no ledger. */
unsigned target_way_length(const struct fragment *fragment, guest_addr next,
                           const struct fragment *to)
{
    (void)to;
    (void)fragment;
    (void)next;
    return 0;
}

unsigned target_miss_length(const struct translator *translator, const struct fragment *fragment)
{
    (void)translator;
    (void)fragment;
    return 0;
}

unsigned target_exit_length(const struct exit *exit)
{
    (void)exit;
    return 0;
}

const uint8_t *target_exit_begin(const struct exit *exit)
{
    return exit->site.displacement;
}

/* Passes leave the toy's traces alone. */
bool target_open(const struct plan *plan, struct ops *ops)
{
    (void)plan;
    (void)ops;
    return false;
}

unsigned target_placed_bytes(const struct plan *plan, const struct ops *ops,
                             const struct arranged *placed)
{
    (void)plan;
    (void)ops;
    (void)placed;
    return 0;
}

const uint8_t *target_last_way(const struct fragment *trace, bool leaves)
{
    (void)leaves;
    return trace->end;
}

uint64_t target_register(const struct context *context, unsigned reg)
{
    (void)context;
    (void)reg;
    return 0;
}

uint64_t target_clock(const struct translator *translator)
{
    return translator->statistics.dispatches;
}

/* The toy has no pipeline. */
uint64_t target_cycles(const struct translator *translator)
{
    (void)translator;
    return 0;
}

void target_take_scratch(struct translator *translator)
{
    (void)translator; /* the toy's interpreter needs none */
}
