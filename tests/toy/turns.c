/* Threads of the program, of which one runs at a time: the others wait for their turn.
 *
 * They are threads of the host, so that each can wait in the middle of dispatch; who runs when depends on nothing
 * but the program and the length of a turn. */
#include "inside.h"

#include "translator/fragment/flush.h"

/* As begin_threads. */
static void begin_threads(struct rig *rig)
{
    struct translator *translator = rig->translator;
    struct context *master = rig_create_context(translator);

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
    struct rig_thread *thread = rig_create_thread(rig);
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
    run_copy_memory();
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
        run_compare_memory(rig);
    }
}
