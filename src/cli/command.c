/* Reads options from a table with getopt_long, and prints help from the same table. */
#include "cli/command.h"

#include "base/check.h"
#include "base/say.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What getopt_long returns for an option: its place in the table, above all characters. */
#define FIRST_OPTION 256
#define HELP_LETTER 'h'
#define COLUMN_WIDTH 30

/* The table as getopt_long wants it. */
struct forms {
    struct option *longs; /* ends with zeros; malloc'ed */
    char *letters;        /* malloc'ed */
};

static void print_option(const char *name, const char *argument, const char *help)
{
    char left[80];
    snprintf(left, sizeof left, "%s%s%s", name, argument != NULL ? " " : "",
             argument != NULL ? argument : "");
    if (strlen(left) > COLUMN_WIDTH) {
        printf("  %s\n  %-*s %s\n", left, COLUMN_WIDTH, "", help);
    } else {
        printf("  %-*s %s\n", COLUMN_WIDTH, left, help);
    }
}

void command_print_help(const struct command_description *description)
{
    printf("Usage: strata %s %s\n\n%s\n\nOptions:\n", description->name, description->usage,
           description->purpose);
    for (unsigned i = 0; i < description->option_count; i++) {
        const struct command_option *option = &description->options[i];
        if (option->help != NULL) {
            print_option(option->name, option->argument, option->help);
        }
    }
    print_option("-h, --help", NULL, "show this text");
    if (description->epilogue != NULL) {
        printf("\n%s\n", description->epilogue);
    }
    for (unsigned i = 0; i < description->option_count; i++) {
        const char *help = description->options[i].help;
        if (help != NULL && strstr(help, "docs/") != NULL) {
            printf("\nstrata --help says where docs/ is.\n");
            break;
        }
    }
}

int command_misused(const struct command_description *description, const char *reason,
                    const char *subject)
{
    say(stderr, "strata: %s: %s%s%s; see strata %s --help\n", description->name, reason,
        subject != NULL ? " " : "", subject != NULL ? subject : "", description->name);
    return EXIT_STRATA_FAILED;
}

static bool is_letter(const struct command_option *option)
{
    return option->name[1] != '-';
}

/* Whether one of the words is this name, alone or before a '='. */
static bool is_named(const char *name, int count, char **arguments)
{
    const size_t length = strlen(name);
    for (int i = 1; i < count; i++) {
        if (strncmp(arguments[i], name, length) == 0 &&
            (arguments[i][length] == '\0' || arguments[i][length] == '=')) {
            return true;
        }
    }
    return false;
}

/* Options without help are Strata's own: they are known only where they are written in full, so that no
 * abbreviation of another option is taken for one of them. */
static void make_forms(struct forms *forms, const struct command_description *description,
                       int count, char **arguments)
{
    unsigned longs = 0;
    forms->longs = calloc(description->option_count + 2, sizeof *forms->longs);
    forms->letters = malloc(4 + 2 * (size_t)description->option_count);
    ASSERT(forms->longs != NULL && forms->letters != NULL);
    char *letter = forms->letters;
    *letter++ = '+'; /* the first word that is no option ends them: what follows is the program's */
    *letter++ = ':'; /* a missing value is told apart from an unknown option */
    *letter++ = HELP_LETTER;
    for (unsigned i = 0; i < description->option_count; i++) {
        const struct command_option *option = &description->options[i];
        if (is_letter(option)) {
            *letter++ = option->name[1];
            if (option->argument != NULL) {
                *letter++ = ':';
            }
        } else if (option->help != NULL || is_named(option->name, count, arguments)) {
            forms->longs[longs++] = (struct option){
                .name = option->name + 2,
                .has_arg = option->argument != NULL ? required_argument : no_argument,
                .val = FIRST_OPTION + (int)i};
        }
    }
    *letter = '\0';
    forms->longs[longs] = (struct option){.name = "help", .val = HELP_LETTER};
}

static const struct command_option *find_option(const struct command_description *description,
                                                int found)
{
    if (found >= FIRST_OPTION) {
        return &description->options[found - FIRST_OPTION];
    }
    for (unsigned i = 0; i < description->option_count; i++) {
        if (is_letter(&description->options[i]) && description->options[i].name[1] == found) {
            return &description->options[i];
        }
    }
    return NULL;
}

/* What getopt_long did not take of `word`.  It says which option it was if only the value is wrong. */
static int refuse_word(const struct command_description *description, const struct forms *forms,
                       const char *word, int found)
{
    char subject[400];
    const struct command_option *option = find_option(description, optopt);
    if (found == ':') {
        return command_misused(description, "a value is missing after", option->name);
    }
    const char *equals = strchr(word, '=');
    if (strncmp(word, "--", 2) != 0) {
        return command_misused(description, "there is no option", word);
    }
    if (optopt != 0) {
        return command_misused(
            description, "this option takes no value:", option != NULL ? option->name : "--help");
    }
    const size_t length = (equals != NULL ? (size_t)(equals - word) : strlen(word)) - 2;
    int used = snprintf(subject, sizeof subject, "%.*s:", (int)length + 2, word);
    unsigned fitting = 0;
    for (const struct option *form = forms->longs; form->name != NULL; form++) {
        if (strncmp(form->name, word + 2, length) == 0 && used < (int)sizeof subject) {
            fitting++;
            used += snprintf(subject + used, sizeof subject - (size_t)used, " --%s", form->name);
        }
    }
    return fitting > 0 ? command_misused(description, "several options begin with", subject)
                       : command_misused(description, "there is no option", word);
}

/* Takes an option that is in the table: 0, or the status after a message. */
static int take_option(const struct command_description *description, void *settings,
                       const struct command_option *option, const char *value)
{
    char subject[160];
    if (is_letter(option) && value != NULL && value[0] == '=') {
        snprintf(subject, sizeof subject, "%s%s", option->name, value);
        return command_misused(description, "a short option is written without =:", subject);
    }
    const char *wrong = option->take(settings, value);
    if (wrong == NULL) {
        return 0;
    }
    snprintf(subject, sizeof subject, "%s %s", option->name, value != NULL ? value : "");
    return command_misused(description, wrong, subject);
}

int command_read_options(const struct command_description *description, void *settings, int count,
                         char **arguments, int *status)
{
    struct forms forms;
    make_forms(&forms, description, count, arguments);
    opterr = 0;
    optind = 0; /* begin anew: several commands read several rows of words */
    *status = 0;
    int found = 0;
    bool over = false;
    while (!over && *status == 0) {
        const char *word = arguments[optind > 0 ? optind : 1]; /* that the next option stands in */
        found = getopt_long(count, arguments, forms.letters, forms.longs, NULL);
        if (found == HELP_LETTER) {
            command_print_help(description);
            over = true;
        } else if (found == '?' || found == ':') {
            *status = refuse_word(description, &forms, word, found);
        } else if (found >= 0) {
            *status = take_option(description, settings, find_option(description, found), optarg);
        } else {
            over = true;
        }
    }
    free(forms.longs);
    free(forms.letters);
    return found < 0 ? optind : -1;
}
