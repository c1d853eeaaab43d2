/* Makes a process of the toy, and runs it in the cache. */
#include "rig.h"

#include "translator/fragment/build.h"
#include "translator/fragment/dispatch.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/protect.h"

#include "outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define STACK_BYTES (2 * PAGE) /* of each thread */
/* What glue must not take for the program's. */
#define POISON UINT64_C(0xdeadbeefdeadbeef)
#define POISON_FLAGS 7
/* The program alone does in no more instructions what a fragment does in none. */
#define LAG_MAX (2 * PLAN_INSTRUCTIONS)

struct options rig_options(void)
{
    return (struct options){.cache_bytes = 256 * 1024,
                            .cache_fixed = true,
                            .link = true,
                            .follow = true,
                            .indirect = INDIRECT_SIEVE,
                            .returns = RETURNS_CACHE,
                            .lookup_bits = 6,
                            .code_changes = CHANGES_TOLD,
                            .counters = COUNTERS_OFF,
                            .placement = PLACEMENT_BACKWARD,
                            .threshold = 100,
                            .stats_fd = -1};
}

static void set_pages(struct toy_memory *memory, guest_addr start, uint64_t bytes, unsigned pages)
{
    memset(&memory->pages[(start - memory->start) / PAGE], (int)pages, bytes / PAGE);
}

static void map_program(guest_addr shift)
{
    void *wanted = (void *)(uintptr_t)(CODE + shift);

    if (mmap(wanted, MEMORY_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != wanted) {
        rig_fail("the program's memory is not free");
    }
}

static struct translator *create_translator(const struct options *options, bool has_hardware)
{
    struct translator *translator = host_map(sizeof *translator, false);

    if (translator == NULL || !space_create(translator, options->cache_bytes)) {
        rig_fail("no memory");
    }
    translator->options = *options;
    translator->has_hardware = has_hardware;
    translator->lookup_bits = options->lookup_bits;
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        translator->missed[kind].kind = EXIT_INDIRECT;
        translator->missed[kind].lookup = (uint8_t)kind;
    }
    return translator;
}

/* As thread_create. */
static struct context *create_context(struct translator *translator)
{
    const size_t bytes =
        (sizeof(struct context) + TARGET_LOOKUP_BYTES_BEHIND(LOOKUP_BITS_MAX) + PAGE - 1) &
        ~(size_t)(PAGE - 1);
    struct context *context = host_map(bytes, false);

    if (context == NULL) {
        rig_fail("no memory");
    }
    context->translator = translator;
    context->block = context;
    context->block_bytes = bytes;
    target_lookup_clear(context);
    return context;
}

static struct rig_thread *create_thread(struct rig *rig)
{
    struct rig_thread *thread = &rig->threads[rig->thread_count];
    struct translator *translator = rig->translator;

    thread->rig = rig;
    thread->context = create_context(translator);
    thread->context->next = translator->threads;
    translator->threads = thread->context;
    thread->context->registers.r[SP] = STACK - rig->thread_count * STACK_BYTES;
    thread->machine =
        (struct toy_machine){.memory = &rig->memory,
                             .context = thread->context,
                             .counters = rig->counters.entries > 0 ? &rig->counters : NULL};
    thread->alone = (struct toy_machine){.memory = &rig->made, .shift = ALONE_SHIFT};
    rig->thread_count++;
    return thread;
}

void rig_create_with_counters(struct rig *rig, const struct options *options, unsigned entries)
{
    memset(rig, 0, sizeof *rig);
    rig->maps_left = UINT32_MAX;
    rig->maps_readable = true;
    rig->compares = true;
    rig->budget = 100 * 1000 * 1000;
    rig->code.at = CODE;
    rig->counters.entries = entries;
    outside_use(rig);
    map_program(0);
    map_program(ALONE_SHIFT);
    rig->memory.start = CODE;
    set_pages(&rig->memory, CODE, CODE_BYTES, HOST_READ | HOST_WRITE | HOST_EXECUTE);
    set_pages(&rig->memory, DATA, DATA_BYTES, HOST_READ | HOST_WRITE);
    rig->made = rig->memory;
    rig->translator = create_translator(options, entries > 0);
    const struct rig_thread *first = create_thread(rig);
    rig->translator->context = rig->translator->master = first->context;
    target_announce(rig->translator);
    hw_counter_use(entries > 0 ? &rig->counters : NULL);
    count_start(rig->translator);
    changes_start(rig->translator);
}

void rig_create(struct rig *rig, const struct options *options)
{
    rig_create_with_counters(rig, options, 0);
}

void rig_destroy(struct rig *rig)
{
    free(rig->translator->process.visible);
    for (unsigned i = 0; i < RIG_MAPS; i++) {
        if (rig->maps[i].start != NULL) {
            munmap(rig->maps[i].start, rig->maps[i].bytes);
        }
    }
    munmap((void *)(uintptr_t)CODE, MEMORY_BYTES);
    munmap((void *)(uintptr_t)(CODE + ALONE_SHIFT), MEMORY_BYTES);
    outside_use(NULL);
    rig->translator = NULL;
}

/* ---- The program alone ---- */

void rig_system_call(struct rig_thread *thread, struct target_registers *registers, bool alone)
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
    rig_system_call(thread, &thread->alone.registers, true);
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

/* ---- In the cache ---- */

/* A fragment that has a counter is about to be executed. */
static void count_head(struct rig *rig, guest_addr pc, const uint8_t *code)
{
    const struct fragment *fragment = rig_find(rig, pc);
    const bool software = fragment != NULL && fragment->landing != fragment->entry;
    const bool hardware = fragment != NULL && rig->counters.entries > 0 &&
                          toy_counter_find(&rig->counters, code) != rig->counters.entries;

    if (fragment == NULL || fragment->entry != code || (!software && !hardware)) {
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

static void run_thread(struct rig_thread *thread)
{
    struct rig *rig = thread->rig;
    struct exit own = {.kind = EXIT_RESUME};
    struct exit *exit = &own;
    enum toy_stop stop;

    thread->runs = true;
    thread->alone.registers = thread->context->registers;
    thread->alone.pc = thread->context->target = thread->start;
    do {
        if (rig->before_dispatch != NULL) {
            rig->before_dispatch(thread, exit);
        }
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

/* The program alone begins with the same memory. */
static void copy_memory(void)
{
    memcpy((void *)(uintptr_t)(CODE + ALONE_SHIFT), (void *)(uintptr_t)CODE, MEMORY_BYTES);
}

/* Fast returns leave other addresses on the stack. */
static void compare_memory(const struct rig *rig)
{
    const bool stack = rig->translator->options.returns != RETURNS_FAST;

    if (memcmp((void *)(uintptr_t)(CODE + ALONE_SHIFT), (void *)(uintptr_t)CODE,
               MEMORY_BYTES - (stack ? 0 : STACK_BYTES)) != 0) {
        rig_fail("memory differs");
    }
}

enum toy_stop rig_run(struct rig *rig, guest_addr start)
{
    rig->threads[0].start = start;
    if (rig->compares) {
        copy_memory();
    }
    rig->turn = 0;
    run_thread(&rig->threads[0]);
    if (rig->compares) {
        compare_memory(rig);
    }
    return rig->threads[0].stop;
}

/* ---- Threads ---- */

/* As begin_threads. */
static void begin_threads(struct rig *rig)
{
    struct translator *translator = rig->translator;
    struct context *master = create_context(translator);

    flush_all(translator);
    translator->master = master;
    translator->threaded = true;
    translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
}

struct rig_thread *rig_add_thread(struct rig *rig, guest_addr start)
{
    if (!rig->translator->threaded) {
        begin_threads(rig);
    }
    struct rig_thread *thread = create_thread(rig);
    const struct context *parent = rig->threads[0].context;
    thread->context->slots = parent->slots;
    thread->context->threshold = parent->threshold;
    thread->start = start;
    return thread;
}

struct rig_thread *rig_current(struct rig *rig)
{
    return &rig->threads[rig->turn];
}

/* Hands the turn on: only who has it runs. */
static void pass_turn(struct rig *rig)
{
    do {
        rig->turn = (rig->turn + 1) % rig->thread_count;
    } while (!rig->threads[rig->turn].runs);
    pthread_cond_broadcast(&rig->turned);
}

static void wait_for_turn(struct rig *rig, unsigned number)
{
    while (rig->turn != number) {
        pthread_cond_wait(&rig->turned, &rig->mutex);
    }
}

void rig_yield(struct rig *rig)
{
    const unsigned number = rig->turn;

    if (rig->threads[number].handle != 0) {
        pass_turn(rig);
        wait_for_turn(rig, number);
    }
}

static bool any_runs(const struct rig *rig)
{
    bool any = false;

    for (unsigned i = 0; i < rig->thread_count; i++) {
        any |= rig->threads[i].runs;
    }
    return any;
}

static void *begin_thread(void *argument)
{
    struct rig_thread *thread = argument;
    struct rig *rig = thread->rig;

    pthread_mutex_lock(&rig->mutex);
    wait_for_turn(rig, (unsigned)(thread - rig->threads));
    run_thread(thread);
    if (any_runs(rig)) {
        pass_turn(rig);
    }
    pthread_mutex_unlock(&rig->mutex);
    return NULL;
}

void rig_run_threads(struct rig *rig)
{
    pthread_mutex_init(&rig->mutex, NULL);
    pthread_cond_init(&rig->turned, NULL);
    copy_memory();
    pthread_mutex_lock(&rig->mutex);
    for (unsigned i = 0; i < rig->thread_count; i++) {
        rig->threads[i].runs = true;
        if (pthread_create(&rig->threads[i].handle, NULL, begin_thread, &rig->threads[i]) != 0) {
            rig_fail("no thread");
        }
    }
    rig->turn = 0;
    pthread_mutex_unlock(&rig->mutex);
    for (unsigned i = 0; i < rig->thread_count; i++) {
        pthread_join(rig->threads[i].handle, NULL);
        rig->threads[i].handle = 0;
    }
    pthread_mutex_destroy(&rig->mutex);
    pthread_cond_destroy(&rig->turned);
    if (rig->compares) {
        compare_memory(rig);
    }
}

/* ---- For tests that execute nothing ---- */

const uint8_t *rig_dispatch_to(struct rig *rig, guest_addr pc)
{
    struct exit resume = {.kind = EXIT_RESUME};

    rig->threads[0].context->target = pc;
    return dispatch(rig->threads[0].context, &resume);
}

struct fragment *rig_find(struct rig *rig, guest_addr start)
{
    return index_find(&rig->translator->index, start);
}

struct fragment *rig_build(struct rig *rig, guest_addr start)
{
    return build_fragment(rig->threads[0].context, start, LOOKUP_INLINE);
}

struct search {
    guest_addr head;
    struct loop_counts found;
};

static void visit_loop(void *argument, const struct loop_counts *counts)
{
    struct search *search = argument;

    if (counts->head == search->head) {
        search->found = *counts;
    }
}

struct loop_counts rig_loop(struct rig *rig, guest_addr head)
{
    struct search search = {.head = head, .found = {.head = 0}};

    count_each(rig->translator, visit_loop, &search);
    return search.found;
}

uint64_t rig_executions(struct rig *rig, guest_addr head)
{
    return rig_loop(rig, head).executions;
}

uint64_t rig_counted(const struct rig *rig, guest_addr head)
{
    for (unsigned i = 0; i < rig->head_count; i++) {
        if (rig->heads[i].head == head) {
            return rig->heads[i].executions;
        }
    }
    return 0;
}

void rig_set_permissions(struct rig *rig, guest_addr start, uint64_t bytes, unsigned permissions)
{
    struct translator *translator = rig->translator;

    changes_before_mapping(translator, start, bytes);
    set_pages(&rig->memory, start, bytes, permissions);
    set_pages(&rig->made, start, bytes, permissions);
    fetch_remove(&translator->fetchable, start, bytes);
    fetch_remove(&translator->fixed, start, bytes);
    fetch_remove(&translator->closed, start, bytes);
    fetch_forget_window(translator);
    changes_unmap(translator, start, bytes);
}

void rig_sync(struct rig *rig)
{
    changes_apply(rig->threads[0].context);
}

_Noreturn void rig_fail(const char *format, ...)
{
    char message[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    outside_stop(message);
}
