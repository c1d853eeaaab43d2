/* Runs a program on the simulated processor, and writes the reports of its run. */
#include "cli/simulation.h"

#include "base/check.h"
#include "base/result_file.h"
#include "base/say.h"
#include "cli/addresses.h"
#include "cli/companions.h"
#include "cli/own_files.h"
#include "cli/processor.h"
#include "cli/progress_line.h"
#include "machine/linux/process.h"
#include "machine/run.h"
#include "machine/units/chosen.h"
#include "machine/units/counter_table.h"
#include "machine/units/replacement.h"
#include "report/earlier.h"
#include "report/function_table.h"
#include "report/phases_report.h"
#include "report/profile_report.h"
#include "report/translator_report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* execve hands the new program's environment over in a file, since the host's
 * own loader would read variables such as LD_PRELOAD from the real one. */
static bool read_environment(struct simulation *simulation)
{
    if (simulation->environment_fd < 0) {
        return true;
    }
    FILE *file = fdopen(simulation->environment_fd, "r");
    if (file == NULL) {
        fprintf(stderr, "strata: cannot read the environment: %s\n", strerror(errno));
        return false;
    }
    simulation_resize_environment(simulation, 0);
    simulation->environment_lines = true;
    char *line = NULL;
    size_t capacity = 0;
    while (getdelim(&line, &capacity, '\0', file) > 0) {
        simulation_add_variable(simulation, line);
        line = NULL;
        capacity = 0;
    }
    free(line);
    fclose(file);
    return true;
}

static void arm_counter(void *machine, guest_addr address)
{
    counter_table_new(((struct machine *)machine)->counters, address, 0, 0);
}

static void add_perfect_load(void *context, guest_addr address)
{
    struct simulation *simulation = context;
    const size_t count = simulation->machine.perfect_load_count;
    guest_addr *loads = realloc(simulation->perfect_loads, (count + 1) * sizeof *loads);
    ASSERT(loads != NULL);
    loads[count] = address;
    simulation->perfect_loads = loads;
    simulation->machine.perfect_loads = loads;
    simulation->machine.perfect_load_count = count + 1;
}

/* The words with which execve starts a RISC-V program again; see linux/execve.c.
 * They end with NULL, as execve wants them. */
#define REEXEC_WORDS (96 + 2 * SETS_MAX)
struct reexec {
    char *words[REEXEC_WORDS];
    unsigned count;
    char entries[32];
    char descriptor[16];
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

static void prepare_reexec(struct reexec *command, const struct simulation *simulation,
                           const char *name)
{
    *command = (struct reexec){.count = 0};
    add_word(command, "/proc/self/exe");
    add_word(command, name);
    add_option(command, "--sysroot", simulation->sysroot);
    add_option(command, "--machine", simulation->machine_path);
    for (size_t i = 0; i < simulation->set_count; i++) {
        add_option(command, "--set", simulation->sets[i]);
    }
    if (simulation->machine.real_time) {
        add_word(command, "--real-time");
    }
    if (simulation->machine.strict_reservations) {
        add_word(command, "--strict-sc");
    }
    add_option(command, "--dsp",
               simulation->machine.dsp == DSP_SIMPLE      ? "simple"
               : simulation->machine.dsp == DSP_OPTIMIZED ? "optimized"
                                                          : NULL);
    if (simulation->machine.no_slices) {
        add_word(command, "--no-slices");
    }
    if (simulation->perfect_memory) {
        add_word(command, "--perfect-memory");
    }
    snprintf(command->entries, sizeof command->entries, "%llu",
             (unsigned long long)simulation->machine.counter_entries);
    add_option(command, "--counter-entries",
               simulation->machine.counter_entries == COUNTER_UNLIMITED ? "unlimited"
                                                                        : command->entries);
    add_option(command, "--counter-replacement", simulation->machine.counter_replacement->name);
    /* Software may rest on them: they are no reports, but hardware that every process finds. */
    for (size_t i = 0; i < simulation->machine.unit_count; i++) {
        add_option(command, "--unit", simulation->units[i]);
    }
}

/* The reports are of the first process, whatever program it runs in the end;
 * those that it forks have none. */
static void add_reports(struct reexec *reports, const struct simulation *simulation)
{
    add_option(reports, "--stats", simulation->stats_path);
    add_option(reports, "--profile", simulation->profile_path);
    if (simulation->machine.memory_sum) {
        add_word(reports, "--memory-sum");
    }
    if (simulation->summary) {
        add_word(reports, "--summary");
    }
    if (simulation->no_progress) {
        add_word(reports, "--no-progress");
    }
    if (simulation->machine.count_loads) {
        add_word(reports, "--loads");
    }
    if (simulation->call_graph) {
        add_word(reports, "--call-graph");
    }
    if (simulation->no_profile) {
        add_word(reports, "--no-profile");
    }
    if (simulation->machine.oracle) {
        add_word(reports, "--oracle");
    }
    add_option(reports, "--perfect-loads", simulation->perfect_path);
    add_option(reports, "--pipeview", simulation->machine.pipeview_path);
    add_option(reports, "--skip", simulation->skip);
    add_option(reports, "--warm", simulation->warm);
    add_option(reports, "--measure", simulation->measure);
    add_option(reports, "--sample", simulation->sample);
    if (simulation->machine.phases.regions) {
        add_word(reports, "--roi");
    }
}

/* `strata run` goes on where the translator's program executes another. */
static void prepare_same(struct reexec *same, const struct simulation *simulation)
{
    prepare_reexec(same, simulation, "run");
    snprintf(same->descriptor, sizeof same->descriptor, "%d", simulation->machine.kept_descriptor);
    add_option(same, "--words-fd", same->descriptor);
    add_reports(same, simulation);
}

/* The program may change the working folder that Strata shares with it. */
char *simulation_absolute_path(const char *path)
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
static bool writable(const char *path, const char *what, bool (*possible)(const char *path))
{
    if (path == NULL || possible(path)) {
        return true;
    }
    say(stderr, "strata: cannot write the %s to %s: %s\n", what, path, strerror(errno));
    return false;
}

static int write_reports(const struct simulation *simulation, struct process *process,
                         const struct run_description *run)
{
    bool written = machine_finish(&process->machine);
    phases_report_nothing(&process->machine);
    if (simulation->ended != NULL) {
        simulation->ended(process, simulation->ended_context);
    }
    if (simulation->stats_path != NULL) {
        written &= run_report_statistics(process, run, simulation->stats_path);
    }
    if (simulation->profile_path != NULL) {
        written &= run_report_profile(process, run, simulation->profile_path);
    }
    if (simulation->summary) {
        run_report_summary(process, run);
    }
    return written ? 0 : EXIT_STRATA_FAILED;
}

/* Whether the translator ended with a status of its own, since it could not load the program: there is nothing to
 * report, and it has said why. */
static bool never_began(const struct process *process, const struct translator_report *translator)
{
    return translator != NULL && !translator_report_known(translator) &&
           process->exit_signal == 0 && process->exit_status >= EXIT_STRATA_FAILED &&
           process->exit_status <= EXIT_NOT_FOUND;
}

static struct translator_report *read_translator(const struct simulation *simulation)
{
    const int fd = simulation->machine.kept_descriptor;
    return fd != 0 ? translator_report_read(fd) : NULL;
}

/* Of what the program has executed; NULL if nobody asked for it. */
static struct profile_report *take_profile(const struct simulation *simulation,
                                           struct process *process)
{
    return simulation->functions != NULL ? profile_report_take(process, simulation->functions)
                                         : NULL;
}

/* What is told of a run, and by which options. */
struct reporter {
    const struct simulation *simulation;
    const struct run_description *run;
    struct earlier *earlier; /* programs that this one took the place of */
};

/* In a copy of the process that is about to execute another program: reports of the program so far go to the
 * files that were asked for, or to `fd` for the next Strata. */
static void report_replaced(struct process *process, const struct reporter *reporter, int fd)
{
    const struct simulation *simulation = reporter->simulation;
    struct run_description run = *reporter->run;
    struct translator_report *translator = read_translator(simulation);
    process->replaced = true;
    run.translator = translator;
    run.profile = take_profile(simulation, process);
    run.earlier = reporter->earlier;
    if (fd < 0) {
        write_reports(simulation, process, &run);
    } else {
        machine_finish(&process->machine);
        run_report_leave(process, &run, simulation->profile_path != NULL, reporter->earlier);
        earlier_write(reporter->earlier, fd);
        if (simulation->summary) {
            run_report_summary(process, &run);
        }
    }
    fflush(NULL);
}

/* A copy of the process makes the reports: making them changes what they are of, and the program goes on if its
 * execve fails.  The copy's end sends no signal, and no call of the program waits for it. */
static int before_execve(struct process *process, bool by_strata, const void *context)
{
    const struct reporter *reporter = context;
    const struct simulation *simulation = reporter->simulation;
    if (simulation->stats_path == NULL && simulation->profile_path == NULL &&
        !simulation->summary) {
        return -1;
    }
    const int fd = by_strata ? memfd_create("strata-earlier", 0) : -1;
    fflush(NULL);
    const long copy = fd >= 0 || !by_strata ? syscall(SYS_clone, 0L, NULL, NULL, NULL, NULL) : -1;
    if (copy == 0) {
        report_replaced(process, reporter, fd);
        _exit(0);
    }
    while (copy > 0 && waitpid((pid_t)copy, NULL, (int)__WCLONE) < 0 && errno == EINTR) {
    }
    return fd;
}

static int run_loaded(const struct simulation *simulation, struct process *process,
                      const struct run_description *run)
{
    if (!writable(simulation->stats_path, "statistics", result_file_possible) ||
        !writable(simulation->profile_path, "profile", result_file_possible) ||
        !writable(simulation->dump_path, "fragments", result_file_openable) ||
        (simulation->arm_path != NULL && !addresses_read(simulation->arm_path, "addresses to count",
                                                         arm_counter, &process->machine))) {
        return EXIT_STRATA_FAILED;
    }
    const struct reporter reporter = {
        .simulation = simulation, .run = run, .earlier = earlier_read(simulation->earlier_fd)};
    process->before_execve = before_execve;
    process->reporter = &reporter;
    struct progress_line progress;
    if (!simulation->no_progress && !simulation->child && simulation->with_count == 0) {
        progress_line_begin(&progress, process);
    }
    run_process(process);
    schedule_dismiss_onlooker(&process->schedule);
    if (process->schedule.together != NULL) {
        together_end(&process->schedule);
    }
    struct run_description ended = *run;
    struct translator_report *translator = read_translator(simulation);
    ended.translator = translator;
    ended.earlier = reporter.earlier;
    struct profile_report *profile = take_profile(simulation, process);
    ended.profile = profile;
    run_report_death(process, &ended);
    const int status = never_began(process, translator)
                           ? process->exit_status
                           : write_reports(simulation, process, &ended);
    translator_report_free(translator);
    profile_report_free(profile);
    earlier_free(reporter.earlier);
    if (status != 0) {
        return status;
    }
    return process->exit_signal != 0 ? 128 + process->exit_signal : process->exit_status;
}

/* Fills `process`, which is empty, with the program that arguments[0] names: 0, or after a message the status to
 * end with. */
static int load(const struct simulation *simulation, struct process *process, char **arguments)
{
    process->sysroot = simulation->sysroot;
    process->forked = simulation->child;
    static struct reexec command, reports, same;
    prepare_reexec(&command, simulation, "sim");
    add_reports(&reports, simulation);
    process->reexec = command.words;
    process->reexec_reports = reports.words;
    if (simulation->machine.kept_descriptor != 0) {
        prepare_same(&same, simulation);
        process->reexec_same = same.words;
    }
    const char *path = arguments[0];
    if (simulation->seen != NULL) {
        arguments[0] = (char *)(uintptr_t)simulation->seen;
        const char *host = realpath(path, NULL);
        if (host != NULL) {
            process->aliases[0] = (struct path_alias){simulation->seen, host};
        }
    }
    process->aliases[1] = simulation->beside;
    if (simulation->argv0 != NULL) {
        arguments[0] = (char *)(uintptr_t)simulation->argv0;
    }
    const struct program_request request = {.path = path,
                                            .seen = simulation->seen,
                                            .arguments = arguments,
                                            .environment = simulation->environment};
    return load_program(process, thread_first(process), &request);
}

/* Each program has the context of its number, and addresses of its own. */
static void join(struct process *process, struct together *together,
                 const struct simulation *simulation, const struct run_description *run)
{
    process->schedule.together = together;
    together->pipeline = process->machine.pipeline;
    together->programs[0].path = run->path;
    together->reports[0] = simulation->stats_path;
    together->reports[1] = simulation->profile_path;
    for (unsigned i = 0; i < together->count; i++) {
        pipeline_set_space(together->pipeline, i, i);
    }
}

static int run_created(const struct simulation *simulation, struct process *process,
                       char **arguments, const struct run_description *run)
{
    const int status = load(simulation, process, arguments);
    if (status != 0) {
        return status;
    }
    /* What a program executes was told when the first one started. */
    if (simulation->machine_name != NULL && simulation->environment_fd < 0) {
        parameters_tell_defaults(simulation->machine_name, &simulation->given);
    }
    return run_loaded(simulation, process, run);
}

static int run_program(struct simulation *simulation, char **arguments,
                       const struct run_description *run)
{
    static struct process process; /* large, and one is enough */
    static struct together together;
    struct profile_request profile = {.find = function_table_find, .calls = simulation->call_graph};
    int status = companions_start(simulation, &together);
    if ((simulation->summary || simulation->stats_path != NULL) && !simulation->no_profile) {
        simulation->functions = function_table_create();
        function_table_follow(simulation->functions, &process);
        profile.context = simulation->functions;
        simulation->machine.profile = &profile;
    }
    if (status == 0) {
        status = EXIT_STRATA_FAILED;
        if (process_create(&process, &simulation->machine)) {
            if (together.count > 1) {
                join(&process, &together, simulation, run);
            }
            status = run_created(simulation, &process, arguments, run);
            process_destroy(&process);
        }
    }
    companions_stop(&together);
    function_table_destroy(simulation->functions);
    simulation->functions = NULL;
    return status;
}

void simulation_run_companion(const struct simulation *simulation, char **words, struct seat *seat)
{
    static struct process process;
    struct simulation own = *simulation;
    const struct run_description run = {.path = words[0], .arguments = words};
    /* Reports are of the first program. */
    own.machine = (struct machine_options){
        .counter_entries = simulation->machine.counter_entries,
        .counter_replacement = simulation->machine.counter_replacement,
        .max_instructions = simulation->machine.max_instructions,
        .real_time = simulation->machine.real_time,
        .strict_reservations = simulation->machine.strict_reservations,
        .processor = simulation->machine.processor,
        .processor_name = simulation->machine.processor_name,
        .phases = simulation->machine.phases,
        .no_slices = simulation->machine.no_slices,
        .seat = seat,
    };
    own.stats_path = own.profile_path = own.argv0 = own.seen = NULL;
    own.beside = (struct path_alias){NULL, NULL};
    own.summary = false;
    if (!process_create(&process, &own.machine)) {
        companion_fail(seat, EXIT_STRATA_FAILED);
    }
    process.parent = seat->parent;
    const int status = load(&own, &process, words);
    if (status != 0) {
        companion_fail(seat, status);
    }
    seat_pass(seat, SEAT_LEAD);
    run_process(&process);
    run_report_death(&process, &run);
    companion_end(&process.schedule);
}

/* Reads what --machine names, whose path is malloc'ed then: the program may change the folder. */
static bool read_processor(struct simulation *simulation)
{
    const char *name = simulation->machine_path;
    simulation->machine_name = name;
    simulation->machine_path = NULL;
    if (name == NULL) {
        return true;
    }
    char *path = processor_read(name, simulation->sets, simulation->set_count,
                                &simulation->processor, &simulation->given);
    if (path == NULL) {
        return false;
    }
    const uint64_t shortest = phases_shortest_period(&simulation->machine.phases,
                                                     simulation->processor.core_reorder_buffer);
    const uint64_t period = simulation->machine.phases.period;
    const bool fits = period == 0 || (period >= shortest && period <= SAMPLE_PERIOD_MOST);
    if (!fits) {
        fprintf(stderr,
                "strata: --sample: a period of %llu instructions is out of range: from %llu, which "
                "a measurement takes with what leads to it, to %llu\n",
                (unsigned long long)period, (unsigned long long)shortest,
                (unsigned long long)SAMPLE_PERIOD_MOST);
    }
    if (simulation->perfect_memory) {
        simulation->processor.ideal_memory = 1;
    }
    simulation->machine.processor = &simulation->processor;
    simulation->machine.processor_sets = simulation->sets;
    simulation->machine.processor_set_count = simulation->set_count;
    simulation->machine_path = simulation_absolute_path(path);
    simulation->machine.processor_name = strrchr(simulation->machine_path, '/') + 1;
    free(path);
    return fits;
}

/* False after a message if a report would go into a file that this run reads. */
static bool check_files(const struct simulation *simulation, char **arguments,
                        const struct run_description *run)
{
    struct own_files files = {.count = 0};
    char *units[UNITS_CHOSEN_MAX];
    own_files_write(&files, "--stats", simulation->stats_path);
    own_files_write(&files, "--profile", simulation->profile_path);
    own_files_write(&files, "--trace", simulation->machine.trace_path);
    own_files_write(&files, "--pipeview", simulation->machine.pipeview_path);
    own_files_write(&files, "--dump-fragments", simulation->dump_path);
    own_files_read(&files, "the program", run->path);
    if (arguments[0] != run->path) {
        own_files_read(&files, "the translator", arguments[0]);
    }
    for (unsigned i = 0; i < simulation->with_count; i++) {
        own_files_read(&files, "the program of --with", simulation->with[i][0]);
    }
    own_files_read(&files, "--machine", simulation->machine_path);
    own_files_read(&files, "--arm", simulation->arm_path);
    own_files_read(&files, "--perfect-loads", simulation->perfect_path);
    for (size_t i = 0; i < simulation->machine.unit_count; i++) {
        const char *unit = simulation->units[i];
        units[i] = strndup(unit, strcspn(unit, ",")); /* without its parameters */
        own_files_read(&files, "--unit", chosen_is_file(unit) ? units[i] : NULL);
    }
    const bool apart = own_files_check(&files);
    for (size_t i = 0; i < simulation->machine.unit_count; i++) {
        free(units[i]);
    }
    return apart;
}

int simulation_run(struct simulation *simulation, char **arguments,
                   const struct run_description *run)
{
    if (!read_environment(simulation) || !read_processor(simulation) ||
        (simulation->perfect_path != NULL &&
         !addresses_read(simulation->perfect_path, "perfect loads", add_perfect_load,
                         simulation)) ||
        !companions_check(simulation) || !check_files(simulation, arguments, run)) {
        free(simulation->machine_path);
        return EXIT_STRATA_FAILED;
    }
    simulation->machine.beside_others = simulation->with_count > 0;
    char *stats_path = simulation_absolute_path(simulation->stats_path);
    char *profile_path = simulation_absolute_path(simulation->profile_path);
    char *sysroot = simulation_absolute_path(simulation->sysroot);
    char *perfect_path = simulation_absolute_path(simulation->perfect_path);
    char *pipeview_path = simulation_absolute_path(simulation->machine.pipeview_path);
    for (size_t i = 0; i < simulation->machine.unit_count; i++) {
        /* A file must be found from whatever folder the program goes to. */
        simulation->units[i] = chosen_is_file(simulation->units[i])
                                   ? simulation_absolute_path(simulation->units[i])
                                   : strdup(simulation->units[i]);
    }
    simulation->perfect_path = perfect_path;
    simulation->machine.pipeview_path = pipeview_path;
    simulation->stats_path = stats_path;
    simulation->profile_path = profile_path;
    simulation->sysroot = sysroot;
    const int status = run_program(simulation, arguments, run);
    free(stats_path);
    free(profile_path);
    free(sysroot);
    free(perfect_path);
    free(pipeview_path);
    for (size_t i = 0; i < simulation->machine.unit_count; i++) {
        free((char *)(uintptr_t)simulation->units[i]);
    }
    free(simulation->machine_path);
    return status;
}
