/* Runs what a translator may still say when its program was ended from outside.
 *
 * The program's threads stand still for ever, wherever they were: the code that runs here has a hart and an
 * engine of its own, and units that watch see nothing of it. */
#include "machine/linux/last_words.h"

#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"
#include "machine/processor/core_insn.h"

/* Instructions: a few seconds of the host, and more than a dump of the largest cache takes. */
#define LAST_WORDS_MOST UINT64_C(2000000000)

/* As in the generic ABI of Linux. */
enum { CALL_EXIT = 93, CALL_EXIT_GROUP = 94 };

/* False if that was the end: nobody would wake a thread that waits. */
static bool make_call(struct thread *thread)
{
    const uint64_t number = thread->hart.x[REGISTER_A7];

    if (number == CALL_EXIT || number == CALL_EXIT_GROUP) {
        return false;
    }
    syscall_dispatch(thread);
    return thread->task.state != TASK_WAITING;
}

static void speak(struct thread *thread, struct engine *engine)
{
    struct hart *hart = &thread->hart;
    bool more = true;

    while (more) {
        switch (engine_run(engine, hart, LAST_WORDS_MOST - hart->instructions)) {
        case ENGINE_ECALL:
            more = make_call(thread);
            break;
        case ENGINE_SYSTEM:
            more = core_insn_execute(&thread->process->machine, hart);
            break;
        default: /* its end, a fault or its limit */
            more = false;
            break;
        }
    }
}

static void begin(struct thread *thread, const struct xstrata_last_words *words)
{
    thread->hart.pc = words->entry;
    thread->hart.x[REGISTER_SP] = words->stack;
    thread->hart.x[REGISTER_A0] = words->argument;
}

void last_words_run(struct process *process)
{
    struct machine *machine = &process->machine;
    struct unit_set none = {.count = 0};
    struct xstrata_last_words words;

    if ((process->exit_signal == 0 && !process->limit_reached) || machine->last_words == 0 ||
        !memory_read(&machine->memory, &words, machine->last_words, sizeof words)) {
        return;
    }
    const uint64_t calls = process->syscalls, peak = machine->memory.peak_bytes;
    struct thread *thread = thread_create(process, process->pid);
    struct engine *engine = engine_create(&machine->memory, &none);
    if (thread != NULL && engine != NULL) {
        begin(thread, &words);
        speak(thread, engine);
    }
    if (engine != NULL) {
        engine_destroy(engine);
    }
    if (thread != NULL) {
        thread_destroy(thread);
    }
    process->syscalls = calls;
    machine->memory.peak_bytes = peak;
}
