/* Preloaded into Strata by tools/profile: notes where the program is, hundreds of times in a second of its
 * time, and writes the addresses to the file that SAMPLES names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

#define SAMPLES_MAX (1u << 20)
#define PERIOD_MICROSECONDS 1000

static unsigned long samples[SAMPLES_MAX];
static unsigned used;

static int (*real_sigaction(void))(int, const struct sigaction *, struct sigaction *)
{
    return (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT,
                                                                             "sigaction");
}

/* Strata catches all signals for the program that it runs: this one is not the program's. */
int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    return number == SIGPROF ? 0 : real_sigaction()(number, action, old);
}

static void note(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (used < SAMPLES_MAX) {
        samples[used++] = (unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    }
}

__attribute__((constructor)) static void begin(void)
{
    const struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
    const struct itimerval period = {{0, PERIOD_MICROSECONDS}, {0, PERIOD_MICROSECONDS}};
    real_sigaction()(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &period, NULL);
}

__attribute__((destructor)) static void end(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &never, NULL);
    FILE *file = fopen(getenv("SAMPLES"), "w");
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long base = 0;
    if (file == NULL || maps == NULL || fscanf(maps, "%lx", &base) != 1) {
        return;
    }
    for (unsigned i = 0; i < used; i++) {
        fprintf(file, "%lx\n", samples[i] - base);
    }
    fclose(file);
    fclose(maps);
}
