/* `strata sim`: runs a RISC-V program on the simulated processor. */
#include "cli/simulation.h"

static const char *take_arm(void *settings, const char *value)
{
    ((struct simulation *)settings)->arm_path = value;
    return NULL;
}

static const char *take_profile(void *settings, const char *value)
{
    struct simulation *own = settings;
    own->profile_path = value;
    own->machine.profile_loops = true;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_child(void *settings, const char *value)
{
    (void)value;
    ((struct simulation *)settings)->child = true;
    return NULL;
}

/* clang-format off */
static const struct command_option options[] = {
#define OPTION(name, argument, take, help) {name, argument, help, take},
#include "cli/simulation_options.def"
#undef OPTION
    {"--arm",              "FILE",        "count executions of each hexadecimal address in FILE", take_arm},
    {"--profile",          "FILE",        "write how often each loop head was branched back to, as JSON", take_profile},
    {"--env-fd",           "N",           NULL, simulation_take_env_fd},
    {"--earlier-fd",       "N",           NULL, simulation_take_earlier_fd},
    {"--child",            NULL,          NULL, take_child},
};
/* clang-format on */

static const struct command_description description = {
    .name = "sim",
    .usage = "[OPTIONS] [--] PROGRAM [ARGUMENTS]",
    .operand = "PROGRAM",
    .purpose = "Runs a RISC-V (rv64gc) Linux program on the simulated processor.",
    .epilogue =
        "Exits with the program's status, 128+N if signal N killed it, 124 if --max-instructions\n"
        "stopped it, 125 if Strata failed, 126 if the program cannot be executed, 127 if there\n"
        "is none.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};
const struct command_description *const command_sim_description = &description;

int command_sim(int count, char **arguments)
{
    struct simulation simulation;
    simulation_begin(&simulation);
    int status = 0;
    const int first = command_read_options(&description, &simulation, count, arguments, &status);
    const char *wrong =
        first == count ? "there is no program to run" : simulation_check(&simulation);
    if (first >= 0 && wrong != NULL) {
        status = command_misused(&description, wrong, NULL);
    } else if (first >= 0) {
        const char *path = arguments[first];
        const struct run_description run = {.path = path, .arguments = arguments + first};
        status = simulation_run(&simulation, arguments + first, &run);
    }
    simulation_end(&simulation);
    return status;
}
