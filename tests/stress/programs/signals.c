/* Signals at any moment in all threads, while they compute what must not change by it. */
#include "stress.h"

#include <setjmp.h>
#include <sys/time.h>

#define THREADS 16
#define LEAST_ROUNDS 5
#define REPAIRED 8 /* pages of each thread that faults open */
#define SIGNAL_QUEUED (SIGRTMIN + 3)
#define SIGNAL_TIMER (SIGRTMIN + 4)
#define SIGNAL_JUMP SIGUSR2

struct worker {
    pthread_t thread;
    pid_t id;
    uint64_t random;
    uint8_t *pages;
    timer_t timer;
    volatile uint64_t faults;
};

static struct stress stress;
static struct worker workers[THREADS];
static pthread_barrier_t barrier;
static uint64_t wanted;
static uint64_t queued, taken; /* of SIGNAL_QUEUED, whose number must be exact */
static uint64_t others;        /* handlers of other signals that began */
static volatile bool over;

static _Thread_local struct worker *self;
static _Thread_local struct {
    sigjmp_buf place;
    volatile bool set;
} jump;

/* Integers, floating point, branches, calls through pointers; the same each time. */
static __attribute__((noinline)) uint64_t compute(unsigned amount)
{
    uint64_t random = 12345, hash = 1;
    double sum = 1;

    for (unsigned i = 0; i < amount; i++) {
        const uint64_t x = next_random(&random);
        hash = (hash ^ many[x % MANY](x)) * UINT64_C(0x100000001b3);
        sum = sum * 0.75 + (double)(x >> 40) / 3;
        hash += (uint64_t)sum;
        hash ^= __atomic_fetch_add(&(uint64_t){x}, hash, __ATOMIC_SEQ_CST);
    }
    return hash;
}

static void take_queued(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    REQUIRE(info->si_code == SI_QUEUE && info->si_pid == getpid());
    REQUIRE(info->si_value.sival_int == 4711);
    __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
}

static void take_other(int number)
{
    const int error = errno;
    uint64_t random = (uint64_t)number + 77;

    many_check(&random, 3);
    REQUIRE(getpid() > 0 && self->thread == pthread_self());
    __atomic_fetch_add(&others, 1, __ATOMIC_RELAXED);
    errno = error;
}

static void take_jump(int number)
{
    (void)number;
    __atomic_fetch_add(&others, 1, __ATOMIC_RELAXED);
    if (jump.set) {
        jump.set = false;
        siglongjmp(jump.place, 1);
    }
}

static void repair(int number, siginfo_t *info, void *context)
{
    uint8_t *page = (uint8_t *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1));

    (void)number;
    (void)context;
    REQUIRE(info->si_code == SEGV_ACCERR);
    REQUIRE(page >= self->pages && page < self->pages + REPAIRED * PAGE);
    REQUIRE(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
    self->faults++;
}

static void handle(int number, void (*handler)(int), void (*long_handler)(int, siginfo_t *, void *),
                   int flags)
{
    struct sigaction action = {.sa_flags = flags | SA_RESTART};

    if (number == SIGNAL_QUEUED) { /* none jumps out of its handler before it has counted */
        sigfillset(&action.sa_mask);
    }
    if (handler != NULL) {
        action.sa_handler = handler;
    } else {
        action.sa_sigaction = long_handler;
        action.sa_flags |= SA_SIGINFO;
    }
    REQUIRE(sigaction(number, &action, NULL) == 0);
}

static void cause_faults(struct worker *worker)
{
    const uint64_t before = worker->faults;
    uint64_t sum = 0;

    REQUIRE(mprotect(worker->pages, REPAIRED * PAGE, PROT_NONE) == 0);
    for (unsigned i = 0; i < REPAIRED; i++) {
        volatile uint64_t *word = (volatile uint64_t *)(void *)(worker->pages + i * PAGE + i * 8);
        *word = i * 3;
        sum += *word;
    }
    REQUIRE(worker->faults == before + REPAIRED && sum == 3 * REPAIRED * (REPAIRED - 1) / 2);
}

/* To another thread: one that must arrive, or one that may be merged. */
static void send_one(struct worker *worker)
{
    const uint64_t choice = next_random(&worker->random);
    struct worker *to = &workers[choice % THREADS];

    switch (choice >> 32 & 7) {
    case 0:
    case 1:
        if (pthread_sigqueue(to->thread, SIGNAL_QUEUED, (union sigval){.sival_int = 4711}) == 0) {
            __atomic_fetch_add(&queued, 1, __ATOMIC_RELAXED);
        } else { /* too many wait */
            sched_yield();
        }
        break;
    case 2:
        if (sigqueue(getpid(), SIGNAL_QUEUED, (union sigval){.sival_int = 4711}) == 0) {
            __atomic_fetch_add(&queued, 1, __ATOMIC_RELAXED);
        }
        break;
    case 3:
        REQUIRE(pthread_kill(to->thread, SIGNAL_JUMP) == 0);
        break;
    case 4:
        REQUIRE(raise(SIGUSR1) == 0);
        break;
    default:
        REQUIRE(syscall(SYS_tgkill, getpid(), to->id, SIGUSR1) == 0);
        break;
    }
}

static void compute_and_jump(void)
{
    if (sigsetjmp(jump.place, 1) == 0) {
        jump.set = true;
        compute(50);
        jump.set = false;
    }
}

static void start_timer(struct worker *worker)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL_TIMER};
    const struct itimerspec times = {.it_interval.tv_nsec = 3000000, .it_value.tv_nsec = 1000000};

    event._sigev_un._tid = worker->id;
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &worker->timer) == 0);
    REQUIRE(timer_settime(worker->timer, 0, &times, NULL) == 0);
}

static void *work(void *argument)
{
    self = argument;
    self->id = (pid_t)syscall(SYS_gettid);
    pthread_barrier_wait(&barrier);
    start_timer(self);
    for (unsigned round = 0; stress_goes_on(&stress, round, LEAST_ROUNDS); round++) {
        REQUIRE(compute(100) == wanted);
        send_one(self);
        if (round % 8 == 0) {
            cause_faults(self);
        }
        if (round % 8 == 4) {
            compute_and_jump();
        }
    }
    REQUIRE(timer_delete(self->timer) == 0);
    pthread_barrier_wait(&barrier);
    /* Nobody sends any more; what waits for this thread comes now. */
    while (!over) {
        REQUIRE(compute(100) == wanted);
        sched_yield();
    }
    return NULL;
}

static void wait_for_queued(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    while (__atomic_load_n(&taken, __ATOMIC_RELAXED) !=
           __atomic_load_n(&queued, __ATOMIC_RELAXED)) {
        nanosleep(&moment, NULL);
    }
}

int main(int count, char **arguments)
{
    const struct itimerval often = {.it_interval.tv_usec = 2000, .it_value.tv_usec = 2000};
    sigset_t all;

    stress = stress_begin(count, arguments);
    wanted = compute(100);
    handle(SIGNAL_QUEUED, NULL, take_queued, 0);
    handle(SIGNAL_TIMER, take_other, NULL, SA_NODEFER);
    handle(SIGALRM, take_other, NULL, 0);
    handle(SIGUSR1, take_other, NULL, 0);
    handle(SIGNAL_JUMP, take_jump, NULL, 0);
    handle(SIGSEGV, NULL, repair, SA_NODEFER);
    REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].random = start_random(stress.seed, i);
        workers[i].pages =
            mmap(NULL, REPAIRED * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(workers[i].pages != MAP_FAILED);
        REQUIRE(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    sigfillset(&all); /* handlers look for a worker */
    REQUIRE(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    pthread_barrier_wait(&barrier);
    REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0);
    pthread_barrier_wait(&barrier);
    REQUIRE(setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL) == 0);
    wait_for_queued();
    over = true;
    for (unsigned i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(workers[i].thread, NULL) == 0);
    }
    REQUIRE(taken == queued && taken != 0 && others != 0);
    puts("signals: all results are right, no signal is lost");
    return 0;
}
