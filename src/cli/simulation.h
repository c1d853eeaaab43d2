/* One run of a program on the simulated processor: what was asked for, and what `strata sim` and `run` share. */
#ifndef STRATA_CLI_SIMULATION_H
#define STRATA_CLI_SIMULATION_H

#include "cli/command.h"
#include "machine/linux/process.h"
#include "machine/processor/machine.h"
#include "machine/pipeline/parameters.h"
#include "report/run_report.h"

#include <stddef.h>

struct function_table;

#define SYSROOT_DEFAULT "/usr/riscv64-linux-gnu"

/* Parameters that --set may give. */
#define SETS_MAX 32
#define UNITS_CHOSEN_MAX 16

struct simulation {
    struct machine_options machine;
    struct parameters processor;         /* of --machine */
    struct parameters_given given;       /* of these, what its file and --set give */
    const char *machine_name;            /* as --machine has it, when it was read */
    char *machine_path;                  /* what --machine names; malloc'ed when it was read */
    const char *sets[SETS_MAX];          /* SECTION.NAME=VALUE, as given */
    const char *units[UNITS_CHOSEN_MAX]; /* NAME[,PARAMETER=VALUE...], as given */
    uint64_t counter_bits;               /* that the counter table may have; 0: nobody says */
    size_t set_count;
    const char *stats_path;
    const char *profile_path;
    const char *dump_path; /* of --dump-fragments, which the translator writes */
    const char *arm_path;
    const char *perfect_path;
    const char *skip, *warm, *measure, *sample; /* as given, for programs that it executes */
    guest_addr *perfect_loads;                  /* what that names; malloc'ed */
    const char *sysroot;
    const char *argv0;
    const char *seen; /* the path at which the program that is loaded sees itself; NULL: its own */
    struct path_alias beside; /* another file that it sees elsewhere */
    int environment_fd;
    int earlier_fd; /* what is told of programs before this one, in the same process; -1: nothing */
    char ***with;   /* the words of each program that runs beside this one; malloc'ed */
    unsigned with_count;
    bool summary;
    bool no_progress;
    bool call_graph;
    struct function_table *functions; /* of the profile; NULL: none is asked for */
    bool no_profile;
    bool perfect_memory;
    bool child;         /* started by execve in a process that the program forked */
    bool trace_ranged;  /* --trace-range was given */
    char **environment; /* NULL-terminated, malloc'ed */
    size_t environment_count;
    void (*ended)(struct process *process, void *context); /* looks at what has run; NULL: nobody */
    void *ended_context;
    bool environment_lines; /* its strings are malloc'ed too */
};

/* The functions behind simulation_options.def: `settings` begins with a struct simulation. */
#define OPTION(name, argument, take, help) const char *take(void *settings, const char *value);
#include "cli/simulation_options.def"
#undef OPTION

/* An option of Strata itself, for programs that a program executes. */
const char *simulation_take_env_fd(void *settings, const char *value);
const char *simulation_take_earlier_fd(void *settings, const char *value);

/* What is asked for if no option says otherwise; with the caller's environment. */
void simulation_begin(struct simulation *simulation);
void simulation_end(struct simulation *simulation);

/* The environment for the program; `assignment` is kept. */
void simulation_resize_environment(struct simulation *simulation, size_t count);
void simulation_add_variable(struct simulation *simulation, const char *assignment);

/* What is wrong with the options together, NULL if nothing is. */
const char *simulation_check(const struct simulation *simulation);

/* The absolute form of `path`, malloc'ed; NULL stays NULL. */
char *simulation_absolute_path(const char *path);

struct seat;
/* Runs words[0] in a process of its own beside another program, which simulates the processor. */
_Noreturn void simulation_run_companion(const struct simulation *simulation, char **words,
                                        struct seat *seat);

/* Runs arguments[0], a RISC-V program, to its end and writes the reports, which
 * are of `run`.  Returns the exit status of the command. */
int simulation_run(struct simulation *simulation, char **arguments,
                   const struct run_description *run);

#endif
