/* Takes the options that every command has which runs a program on the simulated processor. */
#include "base/check.h"
#include "base/number.h"
#include "cli/simulation.h"
#include "cli/words.h"
#include "machine/units/counter_table.h"
#include "machine/units/replacement.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPECTED_COUNT "expected a number of instructions, such as 5000 or 10M:"
#define EXPECTED_SOME "expected a number of instructions above 0, such as 5000 or 10M:"

extern char **environ;

void simulation_resize_environment(struct simulation *simulation, size_t count)
{
    simulation->environment =
        realloc(simulation->environment, (count + 1) * sizeof *simulation->environment);
    ASSERT(simulation->environment != NULL);
    simulation->environment[count] = NULL;
    simulation->environment_count = count;
}

/* As it is: an environment may hold a name twice, and words without a value. */
void simulation_add_variable(struct simulation *simulation, const char *assignment)
{
    simulation_resize_environment(simulation, simulation->environment_count + 1);
    simulation->environment[simulation->environment_count - 1] = (char *)(uintptr_t)assignment;
}

static void set_variable(struct simulation *simulation, const char *assignment)
{
    const size_t name = (size_t)(strchr(assignment, '=') - assignment) + 1;
    for (size_t i = 0; i < simulation->environment_count; i++) {
        if (strncmp(simulation->environment[i], assignment, name) == 0) {
            simulation->environment[i] = (char *)(uintptr_t)assignment;
            return;
        }
    }
    simulation_add_variable(simulation, assignment);
}

const char *simulation_take_stats(void *settings, const char *value)
{
    ((struct simulation *)settings)->stats_path = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

const char *simulation_take_no_progress(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->no_progress = true;
    return NULL;
}

const char *simulation_take_summary(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->summary = true;
    return NULL;
}

const char *simulation_take_sysroot(void *settings, const char *value)
{
    struct stat status;
    if (stat(value, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return "there is no such folder:";
    }
    ((struct simulation *)settings)->sysroot = value;
    return NULL;
}

const char *simulation_take_env(void *settings, const char *value)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) {
        return "expected NAME=VALUE:";
    }
    set_variable(settings, value);
    return NULL;
}

/* The variables of --env stay, wherever they stand on the command line. */
const char *simulation_take_clean_env(void *settings, const char *value)
{
    struct simulation *own = settings;
    size_t kept = 0;
    (void)value;
    for (size_t i = 0; i < own->environment_count; i++) {
        char **inherited = environ;
        while (*inherited != NULL && *inherited != own->environment[i]) {
            inherited++;
        }
        if (*inherited == NULL) {
            own->environment[kept++] = own->environment[i];
        }
    }
    simulation_resize_environment(own, kept);
    return NULL;
}

const char *simulation_take_as(void *settings, const char *value)
{
    ((struct simulation *)settings)->seen = value;
    return value[0] == '/' ? NULL : "expected an absolute path:";
}

const char *simulation_take_max_instructions(void *settings, const char *value)
{
    struct simulation *own = settings;
    return number_read(value, NUMBER_COUNT, 1, UINT64_MAX, &own->machine.max_instructions)
               ? NULL
               : EXPECTED_SOME;
}

const char *simulation_take_real_time(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->machine.real_time = true;
    return NULL;
}

const char *simulation_take_machine(void *settings, const char *value)
{
    ((struct simulation *)settings)->machine_path = (char *)(uintptr_t)value;
    return NULL;
}

const char *simulation_take_set(void *settings, const char *value)
{
    struct simulation *own = settings;
    if (own->set_count == SETS_MAX) {
        return "too many parameters are set:";
    }
    own->sets[own->set_count++] = value;
    return NULL;
}

const char *simulation_take_with(void *settings, const char *value)
{
    struct simulation *own = settings;
    const char *problem = NULL;
    char **words = words_split(value, &problem);
    if (words == NULL) {
        return problem;
    }
    if (words[0] == NULL) {
        free(words);
        return "expected a program and its arguments:";
    }
    own->with = realloc(own->with, (own->with_count + 1) * sizeof *own->with);
    ASSERT(own->with != NULL);
    own->with[own->with_count++] = words;
    return NULL;
}

const char *simulation_take_loads(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->machine.count_loads = true;
    return NULL;
}

const char *simulation_take_perfect_loads(void *settings, const char *value)
{
    ((struct simulation *)settings)->perfect_path = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

const char *simulation_take_perfect_memory(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->perfect_memory = true;
    return NULL;
}

const char *simulation_take_pipeview(void *settings, const char *value)
{
    ((struct simulation *)settings)->machine.pipeview_path = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_phase(struct simulation *simulation, const char *value, uint64_t *count)
{
    simulation->machine.phases.interval = true;
    return number_read(value, NUMBER_COUNT, 0, UINT64_MAX, count) ? NULL : EXPECTED_COUNT;
}

const char *simulation_take_skip(void *settings, const char *value)
{
    struct simulation *own = settings;
    own->skip = value;
    return take_phase(own, value, &own->machine.phases.skip);
}

const char *simulation_take_warm(void *settings, const char *value)
{
    struct simulation *own = settings;
    own->warm = value;
    return take_phase(own, value, &own->machine.phases.warm);
}

const char *simulation_take_measure(void *settings, const char *value)
{
    struct simulation *own = settings;
    own->measure = value;
    const char *wrong = take_phase(own, value, &own->machine.phases.measure);
    return wrong == NULL && own->machine.phases.measure == 0 ? EXPECTED_SOME : wrong;
}

const char *simulation_take_sample(void *settings, const char *value)
{
    struct phase_options *phases = &((struct simulation *)settings)->machine.phases;
    ((struct simulation *)settings)->sample = value;
    uint64_t *const counts[] = {&phases->period, &phases->sample_measure, &phases->sample_warm};
    const char *at = value;
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        at = number_take(at, NUMBER_COUNT, counts[i]);
        if (at == NULL || (*at != ',' && *at != '\0') || (i < 2 && *counts[i] == 0)) {
            return "expected numbers of instructions, PERIOD[,MEASURE[,WARM]]:";
        }
        if (*at == '\0') {
            return NULL;
        }
        at++;
    }
    return "expected no more than PERIOD,MEASURE,WARM:";
}

const char *simulation_take_roi(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->machine.phases.regions = true;
    return NULL;
}

const char *simulation_take_dsp(void *settings, const char *value)
{
    struct simulation *own = settings;
    own->machine.dsp = strcmp(value, "simple") == 0      ? DSP_SIMPLE
                       : strcmp(value, "optimized") == 0 ? DSP_OPTIMIZED
                                                         : DSP_OFF;
    return own->machine.dsp == DSP_OFF ? "expected simple or optimized:" : NULL;
}

const char *simulation_take_no_slices(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->machine.no_slices = true;
    return NULL;
}

const char *simulation_take_memory_sum(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->machine.memory_sum = true;
    return NULL;
}

const char *simulation_take_strict_sc(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->machine.strict_reservations = true;
    return NULL;
}

const char *simulation_take_counter_entries(void *settings, const char *value)
{
    struct simulation *own = settings;
    own->counter_bits = 0;
    if (strcmp(value, "unlimited") == 0) {
        own->machine.counter_entries = COUNTER_UNLIMITED;
        return NULL;
    }
    return number_read(value, NUMBER_SIZE, 1, COUNTER_ENTRIES_MAX, &own->machine.counter_entries)
               ? NULL
               : "expected a number from 1 to 1048576, or unlimited:";
}

/* As many entries as the bits hold that were asked for, if they were. */
static const char *fit_counters(struct simulation *own)
{
    struct machine_options *machine = &own->machine;
    if (own->counter_bits == 0) {
        return NULL;
    }
    machine->counter_entries =
        counter_table_entries_in(own->counter_bits, machine->counter_replacement);
    return machine->counter_entries != 0 ? NULL
                                         : "there is no room for one entry in --counter-bits, with";
}

const char *simulation_take_counter_bits(void *settings, const char *value)
{
    struct simulation *own = settings;
    if (!number_read(value, NUMBER_SIZE, COUNTER_BITS_MIN, COUNTER_BITS_MAX, &own->counter_bits)) {
        return "expected a number from 512 to 268435456:";
    }
    return fit_counters(own);
}

const char *simulation_take_counter_replacement(void *settings, const char *value)
{
    struct simulation *own = settings;
    own->machine.counter_replacement = replacement_find(value);
    return own->machine.counter_replacement != NULL ? fit_counters(own) : replacement_expected;
}

const char *simulation_take_call_graph(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->call_graph = true;
    return NULL;
}

const char *simulation_take_no_profile(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->no_profile = true;
    return NULL;
}

const char *simulation_take_unit(void *settings, const char *value)
{
    struct simulation *own = settings;
    if (own->machine.unit_count == UNITS_CHOSEN_MAX) {
        return "too many units:";
    }
    own->units[own->machine.unit_count++] = value;
    own->machine.units = own->units;
    return value[0] == '\0' ? "expected the name of a unit, or FILE.so:" : NULL;
}

const char *simulation_take_trace(void *settings, const char *value)
{
    ((struct simulation *)settings)->machine.trace_path = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

const char *simulation_take_trace_range(void *settings, const char *value)
{
    struct simulation *own = settings;
    char low[24];
    own->trace_ranged = true;
    const char *dash = strchr(value, '-');
    if (dash == NULL || dash == value || (size_t)(dash - value) >= sizeof low) {
        return "expected two hexadecimal addresses, LOW-HIGH:";
    }
    memcpy(low, value, (size_t)(dash - value));
    low[dash - value] = '\0';
    if (!number_read_hex(low, &own->machine.trace_low) ||
        !number_read_hex(dash + 1, &own->machine.trace_high) ||
        own->machine.trace_low >= own->machine.trace_high) {
        return "expected two hexadecimal addresses, LOW-HIGH:";
    }
    return NULL;
}

void simulation_begin(struct simulation *simulation)
{
    *simulation = (struct simulation){.environment_fd = -1, .earlier_fd = -1};
    simulation->machine.counter_entries = COUNTER_UNLIMITED;
    simulation->machine.counter_replacement = replacement_find(NULL);
    simulation->machine.trace_high = GUEST_SPACE_BYTES;
    simulation->machine.phases = (struct phase_options){.measure = PHASE_FOREVER,
                                                        .sample_measure = SAMPLE_MEASURE_DEFAULT,
                                                        .sample_warm = SAMPLE_WARM_DEFAULT};
    if (access(SYSROOT_DEFAULT, X_OK) == 0) {
        simulation->sysroot = SYSROOT_DEFAULT;
    }
    simulation_resize_environment(simulation, 0);
    for (char **variable = environ; *variable != NULL; variable++) {
        simulation_add_variable(simulation, *variable);
    }
}

void simulation_end(struct simulation *simulation)
{
    for (size_t i = 0; simulation->environment_lines && i < simulation->environment_count; i++) {
        free(simulation->environment[i]);
    }
    for (unsigned i = 0; i < simulation->with_count; i++) {
        free(simulation->with[i]);
    }
    free(simulation->with);
    free(simulation->environment);
    free(simulation->perfect_loads);
}

const char *simulation_take_argv0(void *settings, const char *value)
{
    ((struct simulation *)settings)->argv0 = value;
    return NULL;
}

static const char *take_descriptor(const char *value, int *fd)
{
    uint64_t number;
    if (!number_read(value, NUMBER_PLAIN, 0, INT32_MAX, &number)) {
        return "expected a descriptor:";
    }
    *fd = (int)number;
    return NULL;
}

const char *simulation_take_env_fd(void *settings, const char *value)
{
    return take_descriptor(value, &((struct simulation *)settings)->environment_fd);
}

const char *simulation_take_earlier_fd(void *settings, const char *value)
{
    return take_descriptor(value, &((struct simulation *)settings)->earlier_fd);
}

static const char *check_phases(const struct phase_options *phases)
{
    if (phases->period != 0 && (phases->interval || phases->regions)) {
        return "--sample cannot be combined with --skip, --warm, --measure or --roi";
    }
    if (phases->regions && (phases->warm != 0 || phases->measure != PHASE_FOREVER)) {
        return "--roi cannot be combined with --warm or --measure: the program says what is "
               "measured";
    }
    return NULL;
}

const char *simulation_check(const struct simulation *simulation)
{
    const struct machine_options *machine = &simulation->machine;
    if (simulation->trace_ranged && machine->trace_path == NULL) {
        return "--trace-range needs --trace FILE";
    }
    if (machine->memory_sum && simulation->stats_path == NULL) {
        return "--memory-sum needs --stats FILE";
    }
    if (simulation->call_graph && simulation->stats_path == NULL && !simulation->summary) {
        return "--call-graph needs --stats FILE or --summary";
    }
    if (simulation->call_graph && simulation->no_profile) {
        return "--call-graph and --no-profile exclude each other";
    }
    if (simulation->machine_path != NULL) {
        const struct phase_options *phases = &machine->phases;
        const bool parts = phases->interval || phases->regions || phases->period != 0;
        if (simulation->with_count > 0 && machine->dsp != DSP_OFF) {
            return "--dsp cannot be combined with --with: the programs have the contexts";
        }
        return simulation->with_count > 0 && parts ? "--with runs whole programs: not with --skip, "
                                                     "--warm, --measure, --roi or --sample"
                                                   : check_phases(phases);
    }
    return simulation->with_count > 0  ? "--with needs --machine FILE"
           : simulation->set_count > 0 ? "--set needs --machine FILE"
           : machine->dsp != DSP_OFF ? "--dsp needs --machine FILE: only a processor simulated in "
                                       "cycles has contexts for slices"
           : machine->no_slices      ? "--no-slices needs --machine FILE"
           : machine->count_loads    ? "--loads needs --machine FILE"
           : simulation->perfect_path != NULL ? "--perfect-loads needs --machine FILE"
           : simulation->perfect_memory       ? "--perfect-memory needs --machine FILE"
           : machine->pipeview_path != NULL   ? "--pipeview needs --machine FILE"
           : machine->phases.interval         ? "--skip, --warm and --measure need --machine FILE"
           : machine->phases.period != 0      ? "--sample needs --machine FILE"
           : machine->phases.regions          ? "--roi needs --machine FILE"
                                              : NULL;
}
