/* The runs of a program that `strata slice` makes, each in a process of its own: a program changes the one that it runs in. */
#include "cli/slice_runs.h"

#include "base/say.h"
#include "machine/linux/files.h"
#include "machine/linux/process.h"
#include "machine/pipeline/loads.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void *slice_runs_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* A copy of what is still to be read from a pipe. */
static int copy_input(void)
{
    char buffer[65536];
    FILE *copy = tmpfile();
    ssize_t count = 0;
    if (copy == NULL) {
        return -1;
    }
    while ((count = read(STDIN_FILENO, buffer, sizeof buffer)) > 0 ||
           (count < 0 && errno == EINTR)) {
        if (count > 0 && fwrite(buffer, 1, (size_t)count, copy) != (size_t)count) {
            break;
        }
    }
    const int fd = count == 0 && fflush(copy) == 0 ? fcntl(fileno(copy), F_DUPFD_CLOEXEC, 3) : -1;
    fclose(copy);
    return fd;
}

bool slice_runs_begin(struct slice_runs *runs)
{
    struct stat status;
    runs->input = -1;
    runs->made = 0;
    if (fstat(STDIN_FILENO, &status) != 0 || S_ISCHR(status.st_mode)) {
        return true;
    }
    runs->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (runs->start >= 0) {
        runs->input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    } else {
        runs->start = 0;
        runs->input = copy_input();
    }
    if (runs->input < 0) {
        fprintf(stderr, "strata: slice: cannot keep standard input: %s\n", strerror(errno));
        return false;
    }
    return true;
}

void slice_runs_end(struct slice_runs *runs)
{
    if (runs->input >= 0) {
        close(runs->input);
    }
}

static void set_descriptors(const struct slice_runs *runs)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        if (runs->made > 0) {
            dup2(nowhere, STDERR_FILENO);
        }
        if (nowhere > STDERR_FILENO) {
            close(nowhere);
        }
    }
    if (runs->input >= 0) {
        lseek(runs->input, runs->start, SEEK_SET);
        dup2(runs->input, STDIN_FILENO);
        close(runs->input);
    }
}

/* What the run tells: first of all, that it came to its end. */
struct outcome {
    bool ended;
    struct load_profile profile;
};

static void keep_profile(struct process *process, struct load_profile *profile)
{
    size_t count;
    struct load_site *sites = loads_ranked(pipeline_loads(process->machine.pipeline), &count);
    for (size_t i = 0; i < count; i++) {
        const struct load_site *site = &sites[i];
        const uint64_t misses = site->levels[0].misses;
        const struct region *region = region_find(files_state(process)->regions, site->pc);
        profile->misses += misses;
        if (i >= PROFILE_LOADS || misses == 0) {
            continue;
        }
        if (region == NULL || region->name == NULL ||
            strcmp(region->name, process->executable) != 0) {
            profile->elsewhere++;
            continue;
        }
        profile->loads[profile->count++] =
            (struct profiled_load){.pc = site->pc,
                                   .offset = region->offset + (site->pc - region->start),
                                   .executions = site->executions,
                                   .misses = misses};
    }
    free(sites);
}

static void ended(struct process *process, void *context)
{
    struct outcome *outcome = context;
    if (process->machine.pipeline != NULL) {
        keep_profile(process, &outcome->profile);
    }
    outcome->ended = true;
}

/* 128+N if a signal killed the run itself. */
static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(struct slice_runs *runs, const struct simulation *settings, struct outcome *outcome)
{
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
        fprintf(stderr, "strata: slice: cannot start a run: %s\n", strerror(errno));
        return EXIT_STRATA_FAILED;
    }
    if (child == 0) {
        struct simulation simulation = *settings;
        const struct run_description description = {.path = runs->arguments[0],
                                                    .arguments = runs->arguments};
        simulation.ended = ended;
        simulation.ended_context = outcome;
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever ends the command ends the run */
        if (getppid() != parent) {
            _exit(EXIT_STRATA_FAILED);
        }
        set_descriptors(runs);
        _exit(simulation_run(&simulation, runs->arguments, &description));
    }
    const int status = wait_for(child);
    runs->made++;
    if (!outcome->ended && (status < EXIT_STRATA_FAILED || status > 128)) {
        say(stderr,
            "strata: slice: %s did not end as itself: it executed another program, or was killed\n",
            runs->arguments[0]);
        return EXIT_STRATA_FAILED;
    }
    return outcome->ended ? 0 : status;
}

static int run_with(struct slice_runs *runs, const struct simulation *settings,
                    struct load_profile *profile)
{
    struct outcome *outcome = slice_runs_share(sizeof *outcome);
    if (outcome == NULL) {
        fprintf(stderr, "strata: slice: not enough memory\n");
        return EXIT_STRATA_FAILED;
    }
    const int status = run(runs, settings, outcome);
    if (profile != NULL) {
        *profile = outcome->profile;
    }
    munmap(outcome, sizeof *outcome);
    return status;
}

int slice_runs_profile(struct slice_runs *runs, struct load_profile *profile)
{
    struct simulation settings = *runs->simulation;
    settings.machine.count_loads = true;
    settings.machine.no_slices = true;
    return run_with(runs, &settings, profile);
}

/* The same instructions retire without the pipeline, and sooner. */
int slice_runs_sample(struct slice_runs *runs, struct sampler_plan *plan)
{
    struct simulation settings = *runs->simulation;
    settings.machine_path = NULL;
    settings.machine.windows = plan;
    return run_with(runs, &settings, NULL);
}
