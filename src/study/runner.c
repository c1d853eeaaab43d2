/* Runs what a plan has not run yet, in several processes at a time.
 *
 * Each run is this program again, with an empty environment and nothing open but its standard
 * files, and a program of the suites sees itself at a path without its folder, so that it counts
 * the same wherever and by whomever it is started.  All that it writes
 * goes to memory files of the runner, which alone writes to the study's folder: a run that is
 * killed leaves nothing there, and a full disk is noticed in one place. */
#include "study/runner.h"

#include "base/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often a terminal and the time limits are looked at. */
#define TICK_NANOSECONDS 200000000

enum { FILE_OUTPUT, FILE_ERRORS, FILE_STATISTICS, FILE_PROFILE, FILE_ADDRESSES, FILES };

struct worker {
    pid_t pid; /* 0: idle */
    struct job *job;
    int files[FILES];
    double started;
    bool timed_out;
};

struct contents {
    const char *text; /* "" if there is nothing */
    size_t bytes;
};

/* What ends a study, unless whoever started it (nohup, a shell's `&`) had it ignored: blocked, it
 * would arrive all the same. */
static sigset_t awaited_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (sigaction(ends[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&set, ends[i]);
        }
    }
    return set;
}

/* The words of the process: NULL-terminated. */
static const char **make_arguments(const struct runner *runner, const struct worker *worker)
{
    const struct job *job = worker->job;
    struct words words = {.count = 0};
#define ADD(word) (*POOL_ADD(runner->pool, words.words, words.count) = (word))
    ADD("strata");
    ADD(job->options[0]);
    ADD("--stats");
    ADD(pool_format(runner->pool, "/proc/%d/fd/%d", getpid(), worker->files[FILE_STATISTICS]));
    if (job->program->seen != NULL) {
        ADD("--as");
        ADD(job->program->seen);
    }
    if (job->profiled) {
        ADD("--profile");
        ADD(pool_format(runner->pool, "/proc/%d/fd/%d", getpid(), worker->files[FILE_PROFILE]));
    }
    for (const char **option = job->options + 1; *option != NULL; option++) {
        ADD(job->source != NULL && *option == job->addresses.word
                ? pool_format(runner->pool, "/proc/%d/fd/%d", getpid(),
                              worker->files[FILE_ADDRESSES])
                : *option);
    }
    ADD("--");
    for (size_t i = 0; i < job->program->word_count; i++) {
        ADD(job->program->words[i]);
    }
    ADD(NULL);
#undef ADD
    return words.words;
}

/* In the new process.  It dies with the study, even if that is killed. */
_Noreturn static void become(const struct runner *runner, const struct worker *worker,
                             const char **arguments, pid_t parent, const sigset_t *mask)
{
    char *const environment[] = {NULL};
    const struct program *program = worker->job->program;
    const char *step = program->folder;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    if (dup2(worker->files[FILE_ERRORS], STDERR_FILENO) >= 0 &&
        dup2(worker->files[FILE_OUTPUT], STDOUT_FILENO) >= 0 && chdir(program->folder) == 0) {
        step = program->input != NULL ? program->input : "/dev/null";
        const int input = open(step, O_RDONLY);
        if (input >= 0 && dup2(input, STDIN_FILENO) >= 0 && close_range(3, ~0U, 0) == 0) {
            step = "strata";
            sigprocmask(SIG_SETMASK, mask, NULL);
            execve(runner->strata, (char **)(uintptr_t)arguments, environment);
        }
    }
    dprintf(STDERR_FILENO, "%s: %s\n", step, strerror(errno));
    _exit(125);
}

static void close_files(struct worker *worker)
{
    for (unsigned i = 0; i < FILES; i++) {
        if (worker->files[i] >= 0) {
            close(worker->files[i]);
            worker->files[i] = -1;
        }
    }
}

static void fail(struct runner *runner, struct job *job, const char *why)
{
    job->state = JOB_FAILED;
    job->why = why;
    runner->progress->finished++;
    runner->progress->failed++;
    progress_say(runner->progress, "failed: %s: %s", job->command, why);
}

/* Writes the addresses that a finished run has found, one a line.  False if it has no such list. */
static bool write_addresses(const struct runner *runner, const struct job *job, int fd)
{
    json_t *document = store_read_run(runner->store, job->source->key);
    const json_t *list = document;
    for (const char *key = job->addresses.path; list != NULL && *key != '\0';) {
        const size_t length = strcspn(key, ".");
        list = json_object_get(list, pool_copy(runner->pool, key, length));
        key += length + (key[length] == '.');
    }
    const bool there = json_is_array(list);
    bool written = there;
    for (size_t i = 0; written && i < json_array_size(list) && i < job->addresses.count; i++) {
        json_t *element = json_array_get(list, i);
        const char *address = json_string_value(json_object_iter_value(json_object_iter(element)));
        written = address != NULL && dprintf(fd, "%s\n", address) > 0;
    }
    json_decref(document);
    return written;
}

static void start(struct runner *runner, struct worker *worker, struct job *job,
                  const sigset_t *mask)
{
    bool opened = true;
    *worker = (struct worker){.job = job, .started = progress_now()};
    for (unsigned i = 0; i < FILES; i++) {
        worker->files[i] = memfd_create("strata-study", MFD_CLOEXEC);
        opened = opened && worker->files[i] >= 0;
    }
    if (opened && job->source != NULL &&
        !write_addresses(runner, job, worker->files[FILE_ADDRESSES])) {
        fail(runner, job,
             pool_format(runner->pool, "%s has no addresses in %s", job->source->key,
                         job->addresses.path));
        close_files(worker);
        return;
    }
    const char **arguments = make_arguments(runner, worker);
    const pid_t self = getpid();
    const pid_t pid = opened ? fork() : -1;
    if (pid == 0) {
        become(runner, worker, arguments, self, mask);
    }
    if (pid < 0) {
        fail(runner, job, pool_format(runner->pool, "cannot start it: %s", strerror(errno)));
        close_files(worker);
        return;
    }
    setpgid(pid, pid); /* both do: whoever comes second finds it done */
    worker->pid = pid;
    job->state = JOB_RUNNING;
}

static struct contents map_file(int fd)
{
    struct stat status;
    struct contents contents = {.text = ""};
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (memory != MAP_FAILED) {
            contents.text = memory;
            contents.bytes = (size_t)status.st_size;
        }
    }
    return contents;
}

static void unmap_file(struct contents *contents)
{
    if (contents->bytes > 0) {
        munmap((void *)(uintptr_t)contents->text, contents->bytes);
    }
}

/* Made fit for a message and for JSON: at most `most` bytes of ASCII. */
static const char *clean_line(struct pool *pool, const char *line, size_t length, size_t most)
{
    char *copy = pool_copy(pool, line, length < most ? length : most);
    for (char *at = copy; *at != '\0'; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
    return copy;
}

static const char *first_line(struct pool *pool, const struct contents *contents)
{
    const char *newline = memchr(contents->text, '\n', contents->bytes);
    const size_t length = newline != NULL ? (size_t)(newline - contents->text) : contents->bytes;
    return length == 0 ? "no message" : clean_line(pool, contents->text, length, 200);
}

static const char *last_line(struct pool *pool, const struct contents *contents)
{
    size_t end = contents->bytes;
    if (end > 0 && contents->text[end - 1] == '\n') {
        end--;
    }
    const char *newline = memrchr(contents->text, '\n', end);
    const size_t start = newline != NULL ? (size_t)(newline - contents->text) + 1 : 0;
    return end == start ? "" : clean_line(pool, contents->text + start, end - start, 200);
}

/* NULL if the run did what it should. */
static const char *judge(const struct runner *runner, const struct worker *worker, int status,
                         const struct contents *contents)
{
    const char *wanted = worker->job->program->last_line;
    const char *last = last_line(runner->pool, &contents[FILE_OUTPUT]);
    if (worker->timed_out) {
        return pool_format(runner->pool, "was not over after %u seconds", runner->timeout_seconds);
    }
    if (WIFSIGNALED(status)) {
        return pool_format(runner->pool, "strata was killed by signal %d", WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != 0) {
        return pool_format(runner->pool, "status %d: %s", WEXITSTATUS(status),
                           first_line(runner->pool, &contents[FILE_ERRORS]));
    }
    if (wanted != NULL && strcmp(last, wanted) != 0) {
        return pool_format(runner->pool, "wrong result: '%s' instead of '%s'", last, wanted);
    }
    if (contents[FILE_STATISTICS].bytes == 0 ||
        (worker->job->profiled && contents[FILE_PROFILE].bytes == 0)) {
        return "it wrote no statistics";
    }
    return NULL;
}

static bool keep(const struct runner *runner, const struct worker *worker,
                 const struct contents *contents)
{
    char output[SHA256_TEXT_BYTES];
    sha256_bytes(contents[FILE_OUTPUT].text, contents[FILE_OUTPUT].bytes, output);
    const struct store_run run = {.command = worker->job->command,
                                  .output = output,
                                  .last_line = last_line(runner->pool, &contents[FILE_OUTPUT]),
                                  .statistics = contents[FILE_STATISTICS].text,
                                  .statistics_bytes = contents[FILE_STATISTICS].bytes,
                                  .profile =
                                      worker->job->profiled ? contents[FILE_PROFILE].text : NULL,
                                  .profile_bytes = contents[FILE_PROFILE].bytes};
    return store_write_run(runner->store, worker->job->key, &run);
}

/* False if the folder cannot be written. */
static bool finish(struct runner *runner, struct worker *worker, int status)
{
    struct contents contents[FILES];
    bool written = true;
    for (unsigned i = 0; i < FILES; i++) {
        contents[i] = map_file(worker->files[i]);
    }
    const char *why = judge(runner, worker, status, contents);
    if (why != NULL) {
        fail(runner, worker->job, why);
    } else {
        written = keep(runner, worker, contents);
        worker->job->state = written ? JOB_DONE : JOB_WAITING;
        runner->progress->finished++;
        runner->refused |= written && !runner->finished(runner->finished_context, worker->job);
    }
    for (unsigned i = 0; i < FILES; i++) {
        unmap_file(&contents[i]);
    }
    close_files(worker);
    worker->pid = 0;
    return written;
}

static void stop(struct worker *workers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (workers[i].pid != 0) {
            kill(-workers[i].pid, SIGKILL);
            waitpid(workers[i].pid, NULL, 0);
            close_files(&workers[i]);
            workers[i].pid = 0;
        }
    }
}

/* Takes in all processes that have ended. */
static bool reap(struct runner *runner, struct worker *workers)
{
    bool written = true;
    for (unsigned i = 0; i < runner->workers; i++) {
        const pid_t pid = workers[i].pid;
        siginfo_t info = {.si_pid = 0};
        int status;
        if (pid == 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid != pid) {
            continue;
        }
        kill(-pid, SIGKILL); /* what the program may have left behind, while the number is ours */
        if (waitpid(pid, &status, 0) == pid) {
            written = finish(runner, &workers[i], status) && written;
        }
    }
    return written;
}

/* The first job that can start; NULL if none can now.  Those that need what another found wait for it,
 * and fail with it. */
static struct job *find_next(struct runner *runner, struct plan *plan)
{
    for (size_t i = 0; i < plan->job_count; i++) {
        struct job *job = plan->jobs[i];
        if (job->state == JOB_WAITING && job->source != NULL && job->source->state == JOB_FAILED) {
            fail(runner, job, pool_format(runner->pool, "it needs %s", job->source->command));
        }
        if (job->state == JOB_WAITING && (job->source == NULL || job->source->state == JOB_DONE)) {
            return job;
        }
    }
    return NULL;
}

/* Starts jobs while somebody is idle; returns how many work. */
static unsigned fill(struct runner *runner, struct worker *workers, struct plan *plan,
                     const sigset_t *mask)
{
    unsigned busy = 0;
    for (unsigned i = 0; i < runner->workers; i++) {
        struct job *job;
        while (workers[i].pid == 0 && (job = find_next(runner, plan)) != NULL) {
            start(runner, &workers[i], job, mask);
        }
        busy += workers[i].pid != 0;
    }
    return busy;
}

static void enforce_timeout(const struct runner *runner, struct worker *workers)
{
    const double now = progress_now();
    for (unsigned i = 0; runner->timeout_seconds > 0 && i < runner->workers; i++) {
        if (workers[i].pid != 0 && now - workers[i].started > runner->timeout_seconds) {
            workers[i].timed_out = true;
            kill(-workers[i].pid, SIGKILL);
        }
    }
}

static const char *running_name(const struct runner *runner, const struct worker *workers)
{
    for (unsigned i = 0; i < runner->workers; i++) {
        if (workers[i].pid != 0) {
            return workers[i].job->key;
        }
    }
    return "";
}

static enum runner_end run_all(struct runner *runner, struct worker *workers, struct plan *plan,
                               const sigset_t *mask, int *signal)
{
    const sigset_t awaited = awaited_signals();
    const struct timespec tick = {.tv_nsec = TICK_NANOSECONDS};
    while (fill(runner, workers, plan, mask) > 0) {
        progress_show(runner->progress, running_name(runner, workers));
        const int arrived = sigtimedwait(&awaited, NULL, &tick);
        if (arrived > 0 && arrived != SIGCHLD) {
            *signal = arrived;
            return RUNNER_INTERRUPTED;
        }
        enforce_timeout(runner, workers);
        if (!reap(runner, workers)) {
            return RUNNER_CANNOT_WRITE;
        }
        if (runner->refused) {
            return RUNNER_REFUSED;
        }
    }
    return RUNNER_DONE;
}

enum runner_end runner_run(struct runner *runner, struct plan *plan, int *signal_number)
{
    const sigset_t awaited = awaited_signals();
    sigset_t before;
    struct worker *workers = pool_take(runner->pool, runner->workers * sizeof *workers);
    signal(SIGCHLD, SIG_DFL); /* ignored, the processes would be gone before they are waited for */
    sigprocmask(SIG_BLOCK, &awaited, &before);
    const enum runner_end end = run_all(runner, workers, plan, &before, signal_number);
    stop(workers, runner->workers);
    if (end == RUNNER_DONE) {
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    progress_end(runner->progress);
    return end;
}
