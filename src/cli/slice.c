/* `strata slice`: finds the precomputation slices of a program and attaches them to a copy of it, or shows them. */
#include "base/number.h"
#include "base/result_file.h"
#include "base/say.h"
#include "cli/own_files.h"
#include "cli/slice_find.h"
#include "cli/slice_show.h"
#include "slice/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_MAX 1024

/* Begins with a struct simulation, as the shared options want. */
struct slice_settings {
    struct simulation simulation;
    struct find_settings find;
    const char *output;
    bool show;
};

static struct slice_settings *of(void *settings)
{
    return settings;
}

static const char *take_output(void *settings, const char *value)
{
    of(settings)->output = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_show(void *settings, const char *value)
{
    (void)value;
    of(settings)->show = true;
    return NULL;
}

static const char *take_basic(void *settings, const char *value)
{
    (void)value;
    of(settings)->find.rules.chain = false;
    return NULL;
}

static const char *take_simple(void *settings, const char *value)
{
    (void)value;
    struct slice_rules *rules = &of(settings)->find.rules;
    rules->through_stack = rules->fold = rules->guard = false;
    return NULL;
}

static bool take_number(const char *value, unsigned low, unsigned high, unsigned *number)
{
    uint64_t parsed;
    if (!number_read(value, NUMBER_COUNT, low, high, &parsed)) {
        return false;
    }
    *number = (unsigned)parsed;
    return true;
}

static const char *take_unroll(void *settings, const char *value)
{
    return take_number(value, 1, SLICE_UNROLL_MAX, &of(settings)->find.rules.unroll)
               ? NULL
               : "expected a number from 1 to 64:";
}

static const char *take_distance(void *settings, const char *value)
{
    struct find_settings *find = &of(settings)->find;
    if (!take_number(value, 1, WINDOW_MAX, &find->distance)) {
        return "expected a number of instructions from 1 to 1024:";
    }
    find->rules.ahead = find->distance;
    return NULL;
}

static const char *take_window(void *settings, const char *value)
{
    return take_number(value, 2, WINDOW_MAX, &of(settings)->find.window)
               ? NULL
               : "expected a number of instructions from 2 to 1024:";
}

static const char *take_length(void *settings, const char *value)
{
    return take_number(value, 1, SLICE_INSTRUCTIONS_MAX, &of(settings)->find.rules.length_max)
               ? NULL
               : "expected a number of instructions from 1 to 128:";
}

static const char *take_loads(void *settings, const char *value)
{
    return take_number(value, 1, FIND_LOADS_MAX, &of(settings)->find.loads_max)
               ? NULL
               : "expected a number of loads from 1 to 16:";
}

static const char *take_share(void *settings, const char *value)
{
    unsigned percent;
    if (!take_number(value, 1, 100, &percent)) {
        return "expected a percentage from 1 to 100:";
    }
    of(settings)->find.share = percent / 100.0;
    return NULL;
}

/* clang-format off */
static const struct command_option options[] = {
    {"-o",                 "FILE",       "where the program with its slices goes", take_output},
    {"--show",             NULL,         "print the slices that the program has; it is not run", take_show},
    {"--basic",            NULL,         "no slice starts another: basic triggers only", take_basic},
    {"--simple",           NULL,         "follow registers only: no values through the stack, no constants folded, no guards", take_simple},
    {"--unroll",           "N",          "how many iterations ahead a chain begins (1)", take_unroll},
    {"--distance",         "N",          "instructions from a basic trigger to its load (128)", take_distance},
    {"--window",           "N",          "instructions in which the load must follow its trigger (256)", take_window},
    {"--length",           "N",          "instructions that a slice may have (32)", take_length},
    {"--max-loads",        "N",          "delinquent loads at the most (10)", take_loads},
    {"--share",            "PERCENT",    "of all misses that the delinquent loads have together (90)", take_share},
    {"--machine",          "PROCESSOR",  "the processor whose misses count: a name that strata config lists, or a file (sp)", simulation_take_machine},
    {"--set",              "S.NAME=VALUE", "give the parameter NAME of its section S another value; may be repeated", simulation_take_set},
    {"--sysroot",          "DIR",        "where the program's absolute paths are looked for first (" SYSROOT_DEFAULT ")", simulation_take_sysroot},
    {"--env",              "NAME=VALUE", "set a variable in the program's environment; may be repeated", simulation_take_env},
    {"--clean-env",        NULL,         "let it have no variables but those of --env, instead of the caller's", simulation_take_clean_env},
    {"--max-instructions", "N",          "stop each run after N retired instructions", simulation_take_max_instructions},
};
/* clang-format on */

static const struct command_description description = {
    .name = "slice",
    .usage = "PROGRAM -o FILE [OPTIONS] [--] [ARGUMENTS], or --show PROGRAM",
    .operand = "FILE",
    .purpose =
        "Finds the loads of a RISC-V program that miss most, and the few instructions that "
        "compute\n"
        "their addresses; writes the program with these precomputation slices attached.  It runs\n"
        "the program three times; its standard output goes nowhere.",
    .epilogue =
        "Options may stand before the program; with -o among them, all that follows the program\n"
        "is the program's.  Exits with 0, also if there are no delinquent loads, 125 if Strata\n"
        "failed, 126 if the program cannot be executed, 127 if there is none.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};
const struct command_description *const command_slice_description = &description;

static int report_status(const char *path, enum section_status status, const char *wrong)
{
    const int error = errno;
    say(stderr, "strata: %s: %s%s%s\n", path,
        status == SECTION_UNREADABLE ? strerror(error) : section_status_message(status),
        wrong != NULL ? ": " : "", wrong != NULL ? wrong : "");
    return status != SECTION_UNREADABLE          ? EXIT_NOT_EXECUTABLE
           : error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND
                                                 : EXIT_NOT_EXECUTABLE;
}

static int show(const char *path)
{
    struct slice_set set = {0};
    const char *wrong;
    const enum section_status status = slice_file_read(path, &set, &wrong);
    if (status == SECTION_NONE) {
        say(stdout, "%s: %s\n", path, section_status_message(status));
        return 0;
    }
    if (status != SECTION_OK) {
        return report_status(path, status, wrong);
    }
    slice_show(&set, path);
    slice_set_free(&set);
    return 0;
}

static int refuse_output(const char *output)
{
    say(stderr, "strata: slice: cannot write %s: %s\n", output, strerror(errno));
    return EXIT_STRATA_FAILED;
}

static int attach(const char *path, const char *output, const struct slice_set *set)
{
    struct slice_file file;
    struct stat status;
    enum section_status opened = slice_file_open(&file, path);
    if (opened != SECTION_OK || stat(path, &status) != 0) {
        return report_status(path, opened, NULL);
    }
    size_t size;
    uint8_t *bytes = slice_file_attach(&file, set, &size);
    slice_file_close(&file);
    if (bytes == NULL) {
        return report_status(path, SECTION_DAMAGED, NULL);
    }
    const bool written = result_file_write(output, bytes, size, status.st_mode);
    const int wrong = written ? 0 : refuse_output(output);
    free(bytes);
    return wrong;
}

static void print_found(const struct found *found, const char *path, const char *output)
{
    uint64_t covered = 0;
    for (unsigned i = 0; i < found->load_count; i++) {
        covered += found->loads[i].slice >= 0 ? found->loads[i].misses : 0;
    }
    /* What is told must not stand behind the program in one file. */
    FILE *file = result_file_is_open(output, STDOUT_FILENO) ? stderr : stdout;
    if (found->load_count == 0) {
        say(file, "%s has no delinquent loads%s: %s has no slices\n", path,
            found->elsewhere > 0 ? " of its own" : "", output);
        return;
    }
    say(file, "%s: %u slice%s for %u delinquent load%s, with %.1f %% of %" PRIu64 " misses\n",
        output, found->set.count, found->set.count == 1 ? "" : "s", found->load_count,
        found->load_count == 1 ? "" : "s",
        found->misses > 0 ? 100.0 * (double)covered / (double)found->misses : 0, found->misses);
    for (unsigned i = 0; i < found->load_count; i++) {
        const struct found_load *load = &found->loads[i];
        fprintf(file, "  %8" PRIx64 " %12" PRIu64 " misses in %12" PRIu64 " executions: ", load->pc,
                load->misses, load->executions);
        if (load->slice >= 0) {
            fprintf(file, "slice %d\n", load->slice + 1);
        } else {
            say(file, "none, %s\n", load->why != NULL ? load->why : "no reason is known");
        }
    }
}

static int find(struct slice_settings *settings, char **arguments)
{
    struct slice_runs runs = {.simulation = &settings->simulation, .arguments = arguments};
    struct found found = {.load_count = 0};
    struct own_files files = {.count = 0};
    own_files_write(&files, "-o", settings->output);
    own_files_read(&files, "--machine", settings->simulation.machine_path);
    if (!own_files_check(&files)) {
        return EXIT_STRATA_FAILED;
    }
    if (!result_file_possible(settings->output)) { /* before three long runs, not behind them */
        return refuse_output(settings->output);
    }
    if (!slice_runs_begin(&runs)) {
        return EXIT_STRATA_FAILED;
    }
    int status = slice_find(&found, &runs, &settings->find);
    if (status == 0) {
        status = attach(arguments[0], settings->output, &found.set);
    }
    if (status == 0) {
        print_found(&found, arguments[0], settings->output);
    }
    slice_found_free(&found);
    slice_runs_end(&runs);
    return status;
}

/* The index of the program's first word; *first that of the program itself. */
static int read_words(struct slice_settings *settings, int count, char **arguments, int *first,
                      int *status)
{
    *first = command_read_options(&description, settings, count, arguments, status);
    if (*first < 0 || *first >= count) {
        return *first;
    }
    const bool ended = strcmp(arguments[*first - 1], "--") == 0;
    if (ended || settings->output != NULL || settings->show) {
        return *first + 1;
    }
    const int more =
        command_read_options(&description, settings, count - *first, arguments + *first, status);
    return more < 0 ? more : *first + more;
}

static int run_command(struct slice_settings *settings, int count, char **arguments)
{
    int first = 0, status = 0;
    const int words = read_words(settings, count, arguments, &first, &status);
    if (words < 0) {
        return status;
    }
    if (first >= count) {
        return command_misused(&description, "there is no program", NULL);
    }
    if (settings->show) {
        return words < count
                   ? command_misused(&description, "one program at a time:", arguments[words])
               : settings->output != NULL
                   ? command_misused(&description, "--show writes no file: -o is too much", NULL)
                   : show(arguments[first]);
    }
    if (settings->output == NULL) {
        return command_misused(&description, "where does the program go? -o FILE is missing", NULL);
    }
    arguments[words - 1] = arguments[first]; /* right before its own words */
    return find(settings, arguments + words - 1);
}

int command_slice(int count, char **arguments)
{
    struct slice_settings settings = {.find = {.rules = slice_rules_optimized,
                                               .distance = CHOOSE_DISTANCE,
                                               .window = CHOOSE_WINDOW,
                                               .loads_max = 10,
                                               .share = FIND_SHARE}};
    simulation_begin(&settings.simulation);
    settings.simulation.machine_path = (char *)(uintptr_t) "sp";
    const int status = run_command(&settings, count, arguments);
    simulation_end(&settings.simulation);
    return status;
}
