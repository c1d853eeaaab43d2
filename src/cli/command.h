/* The sub-commands, and how each reads its options. */
#ifndef STRATA_CLI_COMMAND_H
#define STRATA_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#define STRATA_VERSION "0.1.0"

/* Exit statuses of Strata itself; a program's own status passes through. */
enum { EXIT_STRATA_FAILED = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* One option.  `take` stores it and returns NULL, or says what is wrong with
 * the value. */
struct command_option {
    const char *name; /* with its dashes */
    /* What stands for the value in the help text; NULL: takes none.  Words in lower case between bars are all that
     * it may be; completion.c knows what others stand for. */
    const char *argument;
    const char *help; /* NULL: only Strata itself uses it */
    const char *(*take)(void *settings, const char *value);
};

struct command_description {
    const char *name;
    const char *usage; /* what follows the name */
    const char *purpose;
    const char *epilogue; /* printed last by --help; may be NULL */
    const char *operand;  /* what its words are, for completion; NULL: it takes none */
    const struct command_option *options;
    unsigned option_count;
};

/* A sub-command gets its own name as arguments[0]. */
#define COMMAND(name, purpose)                                                                     \
    int command_##name(int count, char **arguments);                                               \
    extern const struct command_description *const command_##name##_description;
#include "cli/commands.def"
#undef COMMAND

struct command {
    const char *name, *purpose;
    int (*run)(int count, char **arguments);
    const struct command_description *const *description;
};
extern const struct command commands[];
extern const size_t command_count;

void command_print_help(const struct command_description *description);

/* Reads options as getopt_long does, which takes abbreviations too, up to the first argument that
 * is none, or `--`.  Returns the index of what follows, or a negative number when the command is over, with
 * its exit status in *status (--help, or an error that has been printed). */
int command_read_options(const struct command_description *description, void *settings, int count,
                         char **arguments, int *status);

/* Prints "strata: NAME: <reason>", the way to more help, and returns 125. */
int command_misused(const struct command_description *description, const char *reason,
                    const char *subject);

#endif
