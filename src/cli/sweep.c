/* `strata sweep`: runs a matrix of programs and options of the reader's own, as an experiment file says. */
#include "cli/study_options.h"

/* clang-format off */
static const struct command_option options[] = {
#define OPTION(name, argument, take, help) {name, argument, help, take},
#include "cli/study_options.def"
#undef OPTION
};
/* clang-format on */

static const struct command_description description = {
    .name = "sweep",
    .usage = "[OPTIONS] -o DIR [--] FILE",
    .operand = "FILE",
    .purpose =
        "Runs the programs of an experiment file with all the options that it asks for, and\n"
        "writes what came out as a page, JSON and CSV.  What is finished is not run again.",
    .epilogue =
        "Exits with 0, 1 if a run failed, 2 if the file is wrong, 125 if the sweep could not be\n"
        "made, 128+N if signal N interrupted it.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};
const struct command_description *const command_sweep_description = &description;

/* Options may stand on both sides of the file. */
static int read_words(struct study_settings *settings, int count, char **arguments, int *status)
{
    int first = command_read_options(&description, settings, count, arguments, status);
    if (first < 0 || first == count) {
        return first;
    }
    settings->request.file = arguments[first];
    const int next =
        command_read_options(&description, settings, count - first, arguments + first, status);
    return next < 0 ? next : first + next;
}

int command_sweep(int count, char **arguments)
{
    struct study_settings settings;
    int status = 0;
    study_settings_begin(&settings, description.name);
    const int end = read_words(&settings, count, arguments, &status);
    if (end >= 0 && settings.request.file == NULL) {
        status = command_misused(&description, "there is no experiment file to run", NULL);
    } else if (end >= 0 && end < count) {
        status = command_misused(&description, "one file at a time:", arguments[end]);
    } else if (end >= 0 && settings.request.output == NULL) {
        status = command_misused(&description, "where do the results go? -o DIR is missing", NULL);
    } else if (end >= 0) {
        status = study_run(&settings.request);
    }
    pool_free(&settings.pool);
    return status;
}
