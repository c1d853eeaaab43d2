/* `strata sim`: runs a RISC-V program on the simulated processor. */
#include "base/check.h"
#include "cli/command.h"
#include "machine/linux/process.h"
#include "machine/units/counter_table.h"
#include "report/run_report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

#define SYSROOT_DEFAULT "/usr/riscv64-linux-gnu"

struct settings {
    struct machine_options machine;
    const char *stats_path;
    const char *profile_path;
    const char *arm_path;
    const char *sysroot;
    const char *argv0;
    int environment_fd;
    bool summary;
    bool child; /* started by execve in a process that the program forked */
    bool trace_ranged;  /* --trace-range was given */
    char **environment; /* NULL-terminated, malloc'ed */
    size_t environment_count;
    bool environment_lines; /* its strings are malloc'ed too */
};

static const char *take_stats(void *settings, const char *value)
{
    ((struct settings *)settings)->stats_path = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_summary(void *settings, const char *value)
{
    (void)value;
    ((struct settings *)settings)->summary = true;
    return NULL;
}

static const char *take_sysroot(void *settings, const char *value)
{
    struct stat status;
    if (stat(value, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return "there is no such folder:";
    }
    ((struct settings *)settings)->sysroot = value;
    return NULL;
}

static void resize_environment(struct settings *settings, size_t count)
{
    settings->environment =
        realloc(settings->environment, (count + 1) * sizeof *settings->environment);
    ASSERT(settings->environment != NULL);
    settings->environment[count] = NULL;
    settings->environment_count = count;
}

/* As it is: an environment may hold a name twice, and words without a value. */
static void add_variable(struct settings *settings, const char *assignment)
{
    resize_environment(settings, settings->environment_count + 1);
    settings->environment[settings->environment_count - 1] = (char *)(uintptr_t)assignment;
}

static void set_variable(struct settings *settings, const char *assignment)
{
    const size_t name = (size_t)(strchr(assignment, '=') - assignment) + 1;
    for (size_t i = 0; i < settings->environment_count; i++) {
        if (strncmp(settings->environment[i], assignment, name) == 0) {
            settings->environment[i] = (char *)(uintptr_t)assignment;
            return;
        }
    }
    add_variable(settings, assignment);
}

static const char *take_env(void *settings, const char *value)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) {
        return "expected NAME=VALUE:";
    }
    set_variable(settings, value);
    return NULL;
}

static const char *take_max_instructions(void *settings, const char *value)
{
    struct settings *own = settings;
    if (!command_parse_number(value, &own->machine.max_instructions) ||
        own->machine.max_instructions == 0) {
        return "expected a number of instructions above 0:";
    }
    return NULL;
}

static const char *take_real_time(void *settings, const char *value)
{
    (void)value;
    ((struct settings *)settings)->machine.real_time = true;
    return NULL;
}

static const char *take_counter_entries(void *settings, const char *value)
{
    struct settings *own = settings;
    if (strcmp(value, "unlimited") == 0) {
        own->machine.counter_entries = COUNTER_UNLIMITED;
        return NULL;
    }
    if (!command_parse_number(value, &own->machine.counter_entries) ||
        own->machine.counter_entries == 0 || own->machine.counter_entries > COUNTER_ENTRIES_MAX) {
        return "expected a number from 1 to 1048576, or unlimited:";
    }
    return NULL;
}

static const char *take_trace(void *settings, const char *value)
{
    ((struct settings *)settings)->machine.trace_path = value;
    return NULL;
}

static const char *take_trace_range(void *settings, const char *value)
{
    struct settings *own = settings;
    char low[24];
    own->trace_ranged = true;
    const char *dash = strchr(value, '-');
    if (dash == NULL || dash == value || (size_t)(dash - value) >= sizeof low) {
        return "expected two hexadecimal addresses, LOW-HIGH:";
    }
    memcpy(low, value, (size_t)(dash - value));
    low[dash - value] = '\0';
    if (!command_parse_hex(low, &own->machine.trace_low) ||
        !command_parse_hex(dash + 1, &own->machine.trace_high) ||
        own->machine.trace_low >= own->machine.trace_high) {
        return "expected two hexadecimal addresses, LOW-HIGH:";
    }
    return NULL;
}

static const char *take_profile(void *settings, const char *value)
{
    struct settings *own = settings;
    own->profile_path = value;
    own->machine.profile_loops = true;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_arm(void *settings, const char *value)
{
    ((struct settings *)settings)->arm_path = value;
    return NULL;
}

static const char *take_argv0(void *settings, const char *value)
{
    ((struct settings *)settings)->argv0 = value;
    return NULL;
}

static const char *take_env_fd(void *settings, const char *value)
{
    uint64_t number;
    if (!command_parse_number(value, &number) || number > INT32_MAX) {
        return "expected a descriptor:";
    }
    ((struct settings *)settings)->environment_fd = (int)number;
    return NULL;
}

static const char *take_child(void *settings, const char *value)
{
    (void)value;
    ((struct settings *)settings)->child = true;
    return NULL;
}

/* clang-format off */
static const struct command_option options[] = {
    {"--stats",            "FILE",        "write statistics as JSON (docs/stats.md)", take_stats},
    {"--summary",          NULL,          "print a short table to standard error at the end", take_summary},
    {"--sysroot",          "DIR",         "where the program's absolute paths are looked for first (" SYSROOT_DEFAULT ")", take_sysroot},
    {"--env",              "NAME=VALUE",  "set a variable in the program's environment; may be repeated", take_env},
    {"--argv0",            "NAME",        "what the program sees as its own name", take_argv0},
    {"--max-instructions", "N",           "stop after N retired instructions", take_max_instructions},
    {"--real-time",        NULL,          "the host's clock instead of retired instructions", take_real_time},
    {"--counter-entries",  "N|unlimited", "size of the counter table (64)", take_counter_entries},
    {"--arm",              "FILE",        "count executions of each hexadecimal address in FILE", take_arm},
    {"--profile",          "FILE",        "write how often each loop head was branched back to, as JSON", take_profile},
    {"--trace",            "FILE",        "write each executed instruction, disassembled", take_trace},
    {"--trace-range",      "LOW-HIGH",    "only instructions at these hexadecimal addresses, HIGH excluded", take_trace_range},
    {"--env-fd",           "N",           NULL, take_env_fd},
    {"--child",            NULL,          NULL, take_child},
};
/* clang-format on */

static const struct command_description description = {
    .name = "sim",
    .usage = "[OPTIONS] [--] PROGRAM [ARGUMENTS]",
    .purpose = "Runs a RISC-V (rv64gc) Linux program on the simulated processor.",
    .epilogue =
        "Exits with the program's status, 128+N if signal N killed it, 124 if --max-instructions\n"
        "stopped it, 125 if Strata failed, 126 if the program cannot be executed, 127 if there\n"
        "is none.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

/* execve hands the new program's environment over in a file, since the host's
 * own loader would read variables such as LD_PRELOAD from the real one. */
static bool read_environment(struct settings *settings)
{
    if (settings->environment_fd < 0) {
        return true;
    }
    FILE *file = fdopen(settings->environment_fd, "r");
    if (file == NULL) {
        fprintf(stderr, "strata: cannot read the environment: %s\n", strerror(errno));
        return false;
    }
    resize_environment(settings, 0);
    settings->environment_lines = true;
    char *line = NULL;
    size_t capacity = 0;
    while (getdelim(&line, &capacity, '\0', file) > 0) {
        add_variable(settings, line);
        line = NULL;
        capacity = 0;
    }
    free(line);
    fclose(file);
    return true;
}

static void free_environment(struct settings *settings)
{
    for (size_t i = 0; settings->environment_lines && i < settings->environment_count; i++) {
        free(settings->environment[i]);
    }
    free(settings->environment);
}

/* One address, or nothing; false if it is anything else. */
static bool arm_line(struct machine *machine, char *line, size_t length)
{
    uint64_t address;
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
        line[--length] = '\0';
    }
    if (length == 0) {
        return true;
    }
    if (strlen(line) != length || !command_parse_hex(line, &address) || address % 2 != 0 ||
        address >= GUEST_SPACE_BYTES) {
        return false;
    }
    counter_table_new(machine->counters, address, 0, 0);
    return true;
}

static bool arm_counters(struct machine *machine, const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        fprintf(stderr, "strata: cannot read the addresses to count in %s: %s\n", path,
                strerror(errno));
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    unsigned number = 0;
    bool valid = true;
    ssize_t length;
    while (valid && (length = getline(&line, &capacity, file)) > 0) {
        number++;
        valid = arm_line(machine, line, (size_t)length);
    }
    if (!valid) {
        fprintf(stderr, "strata: %s:%u: expected the hexadecimal address of an instruction\n", path,
                number);
    } else if (ferror(file)) {
        fprintf(stderr, "strata: cannot read the addresses to count in %s: %s\n", path,
                strerror(errno));
        valid = false;
    }
    free(line);
    fclose(file);
    return valid;
}

/* The words with which execve starts a RISC-V program again; see linux/exec.c.
 * They end with NULL, as execve wants them. */
#define REEXEC_WORDS 16
struct reexec {
    char *words[REEXEC_WORDS];
    unsigned count;
    char entries[32];
};

static void add_word(struct reexec *reexec, const char *word)
{
    ASSERT(reexec->count + 1 < REEXEC_WORDS);
    reexec->words[reexec->count++] = (char *)(uintptr_t)word;
}

static void add_option(struct reexec *reexec, const char *name, const char *value)
{
    if (value != NULL) {
        add_word(reexec, name);
        add_word(reexec, value);
    }
}

static void prepare_reexec(struct reexec *command, const struct settings *settings)
{
    *command = (struct reexec){.count = 0};
    add_word(command, "/proc/self/exe");
    add_word(command, "sim");
    add_option(command, "--sysroot", settings->sysroot);
    if (settings->machine.real_time) {
        add_word(command, "--real-time");
    }
    snprintf(command->entries, sizeof command->entries, "%llu",
             (unsigned long long)settings->machine.counter_entries);
    add_option(command, "--counter-entries",
               settings->machine.counter_entries == COUNTER_UNLIMITED ? "unlimited"
                                                                      : command->entries);
}

/* The reports are of the first process, whatever program it runs in the end;
 * those that it forks have none. */
static void prepare_reports(struct reexec *reports, const struct settings *settings)
{
    *reports = (struct reexec){.count = 0};
    add_option(reports, "--stats", settings->stats_path);
    add_option(reports, "--profile", settings->profile_path);
    if (settings->summary) {
        add_word(reports, "--summary");
    }
}

/* The program may change the working folder that Strata shares with it. */
static char *absolute_path(const char *path)
{
    char folder[PATH_MAX];
    char *absolute = NULL;
    if (path == NULL || path[0] == '/' || getcwd(folder, sizeof folder) == NULL) {
        return path == NULL ? NULL : strdup(path);
    }
    if (asprintf(&absolute, "%s/%s", folder, path) < 0) {
        absolute = NULL;
    }
    ASSERT(absolute != NULL);
    return absolute;
}

/* Says so before a long run, not after it, if a report cannot be written.  Asks
 * without opening: the reader of a pipe would take that for the end. */
static bool writable(const char *path, const char *what)
{
    if (path == NULL || access(path, W_OK) == 0) {
        return true;
    }
    char *folder = strdup(path);
    ASSERT(folder != NULL);
    if (errno == ENOENT) {
        *strrchr(folder, '/') = '\0';
        if (access(folder[0] != '\0' ? folder : "/", W_OK) == 0) {
            free(folder);
            return true;
        }
    }
    const int error = errno;
    free(folder);
    fprintf(stderr, "strata: cannot write the %s to %s: %s\n", what, path, strerror(error));
    return false;
}

static int write_reports(const struct settings *settings, struct process *process,
                         const struct run_description *run)
{
    bool written = machine_finish(&process->machine);
    if (settings->stats_path != NULL) {
        written &= run_report_statistics(process, run, settings->stats_path);
    }
    if (settings->profile_path != NULL) {
        written &= run_report_profile(process, settings->profile_path);
    }
    if (settings->summary) {
        run_report_summary(process, run);
    }
    return written ? 0 : EXIT_STRATA_FAILED;
}

static int run_loaded(const struct settings *settings, struct process *process,
                      const struct run_description *run)
{
    if (!writable(settings->stats_path, "statistics") ||
        !writable(settings->profile_path, "profile") ||
        (settings->arm_path != NULL && !arm_counters(&process->machine, settings->arm_path))) {
        return EXIT_STRATA_FAILED;
    }
    schedule_run(process);
    run_report_death(process, run);
    const int status = write_reports(settings, process, run);
    if (status != 0) {
        return status;
    }
    return process->exit_signal != 0 ? 128 + process->exit_signal : process->exit_status;
}

static int run_program(const struct settings *settings, char **arguments)
{
    static struct process process; /* large, and one is enough */
    if (!process_create(&process, &settings->machine)) {
        return EXIT_STRATA_FAILED;
    }
    process.sysroot = settings->sysroot;
    process.forked = settings->child;
    static struct reexec command, reports;
    prepare_reexec(&command, settings);
    prepare_reports(&reports, settings);
    process.reexec = command.words;
    process.reexec_reports = reports.words;
    const char *path = arguments[0];
    if (settings->argv0 != NULL) {
        arguments[0] = (char *)(uintptr_t)settings->argv0;
    }
    const struct program_request request = {
        .path = path, .arguments = arguments, .environment = settings->environment};
    const struct run_description run = {.path = path, .arguments = arguments};
    int status = load_program(&process, process.threads, &request);
    if (status == 0) {
        status = run_loaded(settings, &process, &run);
    }
    process_destroy(&process);
    return status;
}

/* What follows the options. */
static int run_with_settings(struct settings *settings, char **arguments)
{
    if (!read_environment(settings)) {
        return EXIT_STRATA_FAILED;
    }
    char *stats_path = absolute_path(settings->stats_path);
    char *profile_path = absolute_path(settings->profile_path);
    char *sysroot = absolute_path(settings->sysroot);
    settings->stats_path = stats_path;
    settings->profile_path = profile_path;
    settings->sysroot = sysroot;
    const int status = run_program(settings, arguments);
    free(stats_path);
    free(profile_path);
    free(sysroot);
    return status;
}

int command_sim(int count, char **arguments)
{
    struct settings settings = {.environment_fd = -1};
    settings.machine.counter_entries = COUNTER_ENTRIES_DEFAULT;
    settings.machine.trace_high = GUEST_SPACE_BYTES;
    if (access(SYSROOT_DEFAULT, X_OK) == 0) {
        settings.sysroot = SYSROOT_DEFAULT;
    }
    resize_environment(&settings, 0);
    for (char **variable = environ; *variable != NULL; variable++) {
        add_variable(&settings, *variable);
    }
    int status = 0;
    const int first = command_read_options(&description, &settings, count, arguments, &status);
    if (first == count) {
        status = command_misused(&description, "which program?", NULL);
    } else if (first >= 0 && settings.trace_ranged && settings.machine.trace_path == NULL) {
        status = command_misused(&description, "--trace-range needs --trace FILE", NULL);
    } else if (first >= 0) {
        status = run_with_settings(&settings, arguments + first);
    }
    free_environment(&settings);
    return status;
}
