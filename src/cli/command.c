/* Reads options from a table, and prints help from the same table. */
#include "cli/command.h"

#include "base/say.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(const struct command_description *description)
{
    printf("Usage: strata %s %s\n\n%s\n\nOptions:\n", description->name, description->usage,
           description->purpose);
    for (unsigned i = 0; i < description->option_count; i++) {
        const struct command_option *option = &description->options[i];
        char left[64];
        if (option->help == NULL) {
            continue;
        }
        snprintf(left, sizeof left, "%s%s%s", option->name, option->argument != NULL ? " " : "",
                 option->argument != NULL ? option->argument : "");
        printf("  %-30s %s\n", left, option->help);
    }
    printf("  %-30s %s\n", "--help", "show this text");
    if (description->epilogue != NULL) {
        printf("\n%s\n", description->epilogue);
    }
}

int command_misused(const struct command_description *description, const char *reason,
                    const char *subject)
{
    say(stderr, "strata: %s: %s%s%s; see strata %s --help\n", description->name, reason,
        subject != NULL ? " " : "", subject != NULL ? subject : "", description->name);
    return EXIT_STRATA_FAILED;
}

static const struct command_option *find_option(const struct command_description *description,
                                                const char *argument, size_t length)
{
    for (unsigned i = 0; i < description->option_count; i++) {
        const char *name = description->options[i].name;
        if (strlen(name) == length && strncmp(name, argument, length) == 0) {
            return &description->options[i];
        }
    }
    return NULL;
}

int command_read_options(const struct command_description *description, void *settings, int count,
                         char **arguments, int *status)
{
    for (int i = 1; i < count; i++) {
        const char *argument = arguments[i];
        if (argument[0] != '-' || argument[1] == '\0') {
            return i;
        }
        if (strcmp(argument, "--") == 0) {
            return i + 1;
        }
        if (strcmp(argument, "--help") == 0) {
            print_help(description);
            *status = 0;
            return -1;
        }
        const char *equals = strchr(argument, '=');
        const size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
        const struct command_option *option = find_option(description, argument, length);
        if (option == NULL) {
            *status = command_misused(description, "there is no option", argument);
            return -1;
        }
        const char *value = equals != NULL ? equals + 1 : NULL;
        if (option->argument == NULL && value != NULL) {
            *status = command_misused(description, "this option takes no value:", option->name);
            return -1;
        }
        if (option->argument != NULL && value == NULL) {
            if (i + 1 == count) {
                *status = command_misused(description, "a value is missing after", option->name);
                return -1;
            }
            value = arguments[++i];
        }
        const char *wrong = option->take(settings, value);
        if (wrong != NULL) {
            char subject[160];
            snprintf(subject, sizeof subject, "%s %s", option->name, value != NULL ? value : "");
            *status = command_misused(description, wrong, subject);
            return -1;
        }
    }
    return count;
}

static bool parse(const char *text, int base, uint64_t *value)
{
    if (!isxdigit((unsigned char)text[0])) { /* strtoull skips spaces and takes signs */
        return false;
    }
    char *end;
    errno = 0;
    *value = strtoull(text, &end, base);
    return errno == 0 && *end == '\0';
}

bool command_parse_number(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    return parse(text, hex ? 16 : 10, value);
}

bool command_parse_hex(const char *text, uint64_t *value)
{
    return parse(text, 16, value);
}
