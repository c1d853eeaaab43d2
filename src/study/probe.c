/* Asks Strata whether it takes the options of an experiment's runs, before hours are spent on them.
 *
 * It is given a program that does not exist: all options are read before that is noticed, those of
 * the translator by the translator itself. */
#include "study/probe.h"

#include "machine/pipeline/parameters.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_PROGRAM "/nonexistent/program"
#define STATUS_NO_PROGRAM 127

static int run_without_program(struct pool *pool, const struct job *job, const char *strata,
                               int errors)
{
    char *const environment[] = {NULL};
    struct words words = {.count = 0};
    int status = 0;
    *POOL_ADD(pool, words.words, words.count) = "strata";
    for (const char **option = job->options; *option != NULL; option++) {
        /* Of addresses that are not known yet there are none. */
        *POOL_ADD(pool, words.words, words.count) =
            experiment_is_addresses(*option) ? "/dev/null" : *option;
    }
    *POOL_ADD(pool, words.words, words.count) = "--";
    *POOL_ADD(pool, words.words, words.count) = NO_PROGRAM;
    *POOL_ADD(pool, words.words, words.count) = NULL;
    const pid_t pid = fork();
    if (pid == 0) {
        const int nothing = open("/dev/null", O_RDWR);
        if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 &&
            dup2(errors, STDERR_FILENO) >= 0 && chdir(job->program->folder) == 0) {
            execve(strata, (char **)(uintptr_t)words.words, environment);
        }
        _exit(125);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                           : 125;
}

/* The message without what only a person at the command line needs. */
static void report(struct script *script, const char *run, int errors)
{
    char text[300] = "";
    const ssize_t got = pread(errors, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    char *hint = strstr(text, "; see strata");
    if (hint != NULL) {
        *hint = '\0';
    }
    const char *message = text;
    if (strncmp(message, "strata: ", 8) == 0) {
        message += 8;
    }
    if (strncmp(message, "run: ", 5) == 0 || strncmp(message, "sim: ", 5) == 0) {
        message += 5;
    }
    script_wrong(script, "run %s: %s", run, *message != '\0' ? message : "strata does not take it");
}

/* The assignments among the options, each SECTION.NAME=VALUE. */
static struct words find_sets(struct pool *pool, const char **options)
{
    static const char name[] = "--set";
    struct words sets = {.count = 0};
    for (const char **option = options; *option != NULL; option++) {
        if (strcmp(*option, name) == 0 && option[1] != NULL) {
            *POOL_ADD(pool, sets.words, sets.count) = *++option;
        } else if (strncmp(*option, "--set=", sizeof name) == 0) {
            *POOL_ADD(pool, sets.words, sets.count) = *option + sizeof name;
        }
    }
    return sets;
}

/* Strata has taken the options: the file is there, and right. */
static void tell_job(struct pool *pool, const struct job *job, struct words *told)
{
    for (const char **option = job->options; *option != NULL; option++) {
        if (strcmp(*option, MACHINE_OPTION) != 0 || option[1] == NULL) {
            continue;
        }
        struct parameters parameters;
        struct parameters_given given;
        char problem[PARAMETERS_PROBLEM_BYTES];
        const char *path = plan_processor(pool, job->program, option[1]);
        const struct words sets = find_sets(pool, job->options);
        if (path != NULL && !words_have(told, path) &&
            parameters_read(&parameters, &given, path, problem) &&
            parameters_assign(&parameters, &given, sets.words, sets.count, problem)) {
            parameters_tell_defaults(path, &given);
            *POOL_ADD(pool, told->words, told->count) = path;
        }
    }
}

void probe_tell_defaults(const struct plan *plan)
{
    struct words told = {.count = 0};
    for (size_t i = 0; i < plan->job_count; i++) {
        tell_job(plan->pool, plan->jobs[i], &told);
    }
}

bool probe_options(struct script *script, const struct planned *planned, const char *strata)
{
    const struct experiment *experiment = planned->experiment;
    bool taken = true;
    script->path = experiment->path;
    for (size_t run = 0; taken && planned->program_count > 0 && run < experiment->run_count;
         run++) {
        for (size_t point = 0; taken && point < experiment_points(experiment); point++) {
            const struct job *job = plan_job(planned, 0, point, run);
            const int errors = memfd_create("strata-probe", MFD_CLOEXEC);
            if (run_without_program(script->pool, job, strata, errors) != STATUS_NO_PROGRAM) {
                script->line = experiment->runs[run].command.line;
                report(script, experiment->runs[run].name, errors);
                taken = false;
            }
            close(errors);
        }
    }
    return taken;
}
