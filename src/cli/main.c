/* The command `strata`: picks the sub-command. */
#include "base/say.h"
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *purpose;
} commands[] = {
    {"run", command_run, "run a program under the translator, on the simulated processor"},
    {"sim", command_sim, "run a RISC-V program on the simulated processor"},
    {"slice", command_slice, "attach to a program what fetches its data ahead, or show that"},
    {"study", command_study, "run the experiments of the paper, and say what holds"},
    {"sweep", command_sweep, "run programs of your own with many options, as a file says"},
    {"disasm", command_disasm, "disassemble a RISC-V program"},
    {"report", command_report, "show one or two runs, or a study, as a page"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void print_help(void)
{
    printf("Usage: strata COMMAND [OPTIONS] ...\n\nCommands:\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("  %-10s %s\n", commands[i].name, commands[i].purpose);
    }
    printf("\nstrata COMMAND --help says more about each; strata --version its version.\n");
}

/* A full disk must not look like success. */
static int finish(int status)
{
    const bool failed = ferror(stdout) != 0;
    if ((fflush(stdout) != 0 || failed) && status == 0) {
        fprintf(stderr, "strata: cannot write to standard output: %s\n", strerror(errno));
        return EXIT_STRATA_FAILED;
    }
    return status;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "strata: which command? see strata --help\n");
        return EXIT_STRATA_FAILED;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "help") == 0) {
        print_help();
        return finish(0);
    }
    if (strcmp(arguments[1], "--version") == 0) {
        printf("strata %s\n", STRATA_VERSION);
        return finish(0);
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(arguments[1], commands[i].name) == 0) {
            return finish(commands[i].run(count - 1, arguments + 1));
        }
    }
    say(stderr, "strata: there is no command %s; see strata --help\n", arguments[1]);
    return EXIT_STRATA_FAILED;
}
