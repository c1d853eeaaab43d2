/* The command `strata`: picks the sub-command. */
#include "base/beside.h"
#include "base/say.h"
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int refuse(const char *name)
{
    say(stderr, "strata: there is no command %s; see strata --help\n", name);
    return EXIT_STRATA_FAILED;
}

static void print_help(void)
{
    printf("Usage: strata COMMAND [OPTIONS] ...\n\nCommands:\n");
    for (size_t i = 0; i < command_count; i++) {
        printf("  %-10s %s\n", commands[i].name, commands[i].purpose);
    }
    printf("\nstrata help COMMAND, or strata COMMAND --help, says more about each; strata "
           "--version its\n"
           "version.");
    char *documents = beside_find("../docs", "../share/doc/strata/docs");
    if (documents != NULL) {
        printf("  The documents, docs/, are in\n");
        say(stdout, "%s.", documents);
    }
    printf("\n");
    free(documents);
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* `strata help` and `strata help COMMAND`. */
static int help(int count, char **arguments)
{
    const bool general = count < 2 || is_help(arguments[1]);
    const struct command *command = general ? NULL : find_command(arguments[1]);
    if (count > 2) {
        say(stderr, "strata: help: one command at a time: %s; see strata --help\n", arguments[2]);
        return EXIT_STRATA_FAILED;
    }
    if (!general && command == NULL) {
        return refuse(arguments[1]);
    }
    if (command != NULL) {
        command_print_help(*command->description);
    } else {
        print_help();
    }
    return 0;
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
    const char *word = arguments[1];
    if (is_help(word)) {
        return finish(help(count - 1, arguments + 1));
    }
    if (strcmp(word, "--version") == 0) {
        printf("strata %s\n", STRATA_VERSION);
        return finish(0);
    }
    const struct command *command = find_command(word);
    return command != NULL ? finish(command->run(count - 1, arguments + 1)) : refuse(word);
}
