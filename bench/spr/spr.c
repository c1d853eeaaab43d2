/* The worker and its helper: two numbers of phases, each written by one of them, and who waits for which. */
#define _GNU_SOURCE
#include "spr.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINE 64
#define ALL_PHASES UINT32_MAX

/* A dynamic distance is looked at after so many phases: reading the time empties the pipeline. */
#define DISTANCE_PHASES 16
#define DISTANCE_MAX 64

/* A number that only grows, on a line of its own. */
struct progress {
    _Alignas(LINE) _Atomic uint32_t phases;
    _Atomic uint32_t sleepers;
};

struct spr {
    struct progress worker; /* phases that it has come to */
    struct progress helper; /* phases that it has read, or been overtaken in */
    _Alignas(LINE) _Atomic(const void *) live_in;
    _Atomic size_t distance;

    _Alignas(LINE) struct spr_plan plan;
    size_t phase_count;
    spr_help *help;
    void *data;
    pthread_t thread;
    bool helped;

    /* The worker's alone. */
    size_t worker_waits;
    uint64_t group_start, group_best;
    bool nearer; /* the direction in which the distance was changed last */

    /* The helper's alone. */
    _Alignas(LINE) size_t helper_waits;
    size_t restarts;
};

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void advance(struct progress *progress, uint32_t phases)
{
    atomic_store(&progress->phases, phases);
    if (atomic_load(&progress->sleepers) != 0) {
        futex(&progress->phases, FUTEX_WAKE, INT_MAX);
    }
}

static uint64_t read_time(void)
{
#if defined(__riscv)
    uint64_t time;
    __asm__ volatile("rdtime %0" : "=r"(time));
    return time;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

static void relax(enum spr_wait wait)
{
    if (wait == SPR_SPIN) {
        return;
    }
#if defined(__riscv)
    if (wait == SPR_DELAY) {
        read_time();
    } else {
        __asm__ volatile(".4byte 0x0100000f"); /* pause */
    }
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Until `progress` is at least at `phases`.  Returns whether there was anything to wait for. */
static bool await(struct progress *progress, uint32_t phases, const struct spr_plan *plan)
{
    uint32_t now = atomic_load_explicit(&progress->phases, memory_order_acquire);
    if (now >= phases) {
        return false;
    }
    for (unsigned spins = 0; now < phases; spins++) {
        const bool sleeps =
            plan->wait == SPR_SLEEP || (plan->wait == SPR_MIXED && spins >= plan->spins);
        if (sleeps) {
            /* Said before the word is looked at again, or the one that advances it could miss it. */
            atomic_fetch_add(&progress->sleepers, 1);
            now = atomic_load(&progress->phases);
            if (now < phases) {
                futex(&progress->phases, FUTEX_WAIT, now);
            }
            atomic_fetch_sub(&progress->sleepers, 1);
        } else {
            relax(plan->wait);
        }
        now = atomic_load_explicit(&progress->phases, memory_order_acquire);
    }
    return true;
}

static void run_on(int processor)
{
    cpu_set_t set;
    if (processor >= 0) {
        CPU_ZERO(&set);
        CPU_SET((size_t)processor, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
}

size_t spr_phases(const struct spr_plan *plan)
{
    return plan->items / plan->phase + (plan->items % plan->phase != 0);
}

/* Items of a phase, as far as there are so many. */
static size_t first_item(const struct spr *spr, size_t phase)
{
    return phase < spr->phase_count ? phase * spr->plan.phase : spr->plan.items;
}

/* A worker that comes to phase k has advanced to k + 1: so `phases` that it needs for phase p to be within
 * the distance are p - distance + 1. */
static void *helper_run(void *argument)
{
    struct spr *spr = argument;
    bool restart = false;
    run_on(spr->plan.helper);
    for (size_t phase = 1; phase < spr->phase_count; phase++) {
        const size_t distance = atomic_load_explicit(&spr->distance, memory_order_relaxed);
        const size_t needed = phase >= distance ? phase - distance + 1 : 1;
        spr->helper_waits += await(&spr->worker, (uint32_t)needed, &spr->plan);
        const size_t come_to = atomic_load_explicit(&spr->worker.phases, memory_order_acquire);
        if (come_to > spr->phase_count) { /* the worker has stopped */
            break;
        }
        if (come_to > phase) {
            spr->restarts++;
            restart = true;
            phase = come_to;
            if (phase >= spr->phase_count) {
                break;
            }
        }
        const struct spr_ahead ahead = {
            .begin = first_item(spr, phase),
            .end = first_item(spr, phase + 1),
            .restart = restart,
            .at = first_item(spr, come_to > 0 ? come_to - 1 : 0),
            .live_in = atomic_load_explicit(&spr->live_in, memory_order_relaxed)};
        spr->help(spr->data, &ahead);
        restart = false;
        advance(&spr->helper, (uint32_t)phase + 1);
    }
    advance(&spr->helper, ALL_PHASES);
    return NULL;
}

struct spr *spr_start(const struct spr_plan *plan, spr_help *help, void *data)
{
    struct spr *spr = aligned_alloc(LINE, sizeof *spr);
    if (spr == NULL) {
        return NULL;
    }
    *spr = (struct spr){.plan = *plan,
                        .phase_count = spr_phases(plan),
                        .help = help,
                        .data = data,
                        .group_best = UINT64_MAX,
                        .nearer = true};
    atomic_init(&spr->distance, plan->distance);
    atomic_init(&spr->helper.phases, 1); /* nobody reads the first one ahead */
    run_on(plan->worker);
    spr->helped = spr->phase_count > 1 && spr->phase_count < ALL_PHASES - 1 &&
                  pthread_create(&spr->thread, NULL, helper_run, spr) == 0;
    return spr;
}

/* Goes on in a direction as long as phases become shorter, and turns around when they do not. */
static void adapt_distance(struct spr *spr)
{
    const uint64_t now = read_time();
    const uint64_t taken = now - spr->group_start;
    size_t distance = atomic_load_explicit(&spr->distance, memory_order_relaxed);
    if (spr->group_start != 0) {
        if (taken > spr->group_best) {
            spr->nearer = !spr->nearer;
        }
        spr->group_best = taken;
        distance = spr->nearer ? distance / 2 : distance * 2;
        distance = distance < 1 ? 1 : distance > DISTANCE_MAX ? DISTANCE_MAX : distance;
        atomic_store_explicit(&spr->distance, distance, memory_order_relaxed);
    }
    spr->group_start = now;
}

void spr_enter(struct spr *spr, size_t phase, const void *live_in)
{
    if (!spr->helped) {
        return;
    }
    if (spr->plan.dynamic && phase % DISTANCE_PHASES == 0) {
        adapt_distance(spr);
    }
    atomic_store_explicit(&spr->live_in, live_in, memory_order_relaxed);
    if (spr->plan.scheme == SPR_BARRIER) {
        spr->worker_waits += await(&spr->helper, (uint32_t)phase + 1, &spr->plan);
    }
    advance(&spr->worker, (uint32_t)phase + 1);
}

void spr_stop(struct spr *spr, struct spr_report *report)
{
    if (spr->helped) {
        advance(&spr->worker, ALL_PHASES);
        pthread_join(spr->thread, NULL);
    }
    *report = (struct spr_report){.helped = spr->helped,
                                  .worker_waits = spr->worker_waits,
                                  .helper_waits = spr->helper_waits,
                                  .restarts = spr->restarts,
                                  .distance = atomic_load(&spr->distance)};
    free(spr);
}
