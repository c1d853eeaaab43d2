/* The sub-commands, and how each reads its options. */
#ifndef STRATA_CLI_COMMAND_H
#define STRATA_CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#define STRATA_VERSION "0.1.0"

/* Exit statuses of Strata itself; a program's own status passes through. */
enum { EXIT_STRATA_FAILED = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* A sub-command gets its own name as arguments[0]. */
int command_run(int count, char **arguments);
int command_sim(int count, char **arguments);
int command_slice(int count, char **arguments);
int command_study(int count, char **arguments);
int command_sweep(int count, char **arguments);
int command_disasm(int count, char **arguments);
int command_report(int count, char **arguments);

/* One option.  `take` stores it and returns NULL, or says what is wrong with
 * the value. */
struct command_option {
    const char *name;     /* with its dashes */
    const char *argument; /* what stands for the value in the help text; NULL: takes none */
    const char *help;     /* NULL: only Strata itself uses it */
    const char *(*take)(void *settings, const char *value);
};

struct command_description {
    const char *name;
    const char *usage; /* what follows the name */
    const char *purpose;
    const char *epilogue; /* printed last by --help; may be NULL */
    const struct command_option *options;
    unsigned option_count;
};

/* Reads options up to the first argument that is none, or `--`.  Returns the
 * index of what follows, or a negative number when the command is over, with
 * its exit status in *status (--help, or an error that has been printed). */
int command_read_options(const struct command_description *description, void *settings, int count,
                         char **arguments, int *status);

/* Prints "strata: NAME: <reason>", the way to more help, and returns 125. */
int command_misused(const struct command_description *description, const char *reason,
                    const char *subject);

/* Whole decimal or 0x numbers; false if `text` is anything else. */
bool command_parse_number(const char *text, uint64_t *value);
bool command_parse_hex(const char *text, uint64_t *value);

#endif
