/* `strata study`: runs the experiments of the paper and writes what came out beside what it states. */
#include "cli/study_options.h"

#include <sys/stat.h>

static const char *take_experiment(void *settings, const char *value)
{
    struct study_settings *own = settings;
    struct words *names = &own->request.names;
    *POOL_ADD(&own->pool, names->words, names->count) = value;
    return NULL;
}

static const char *take_experiments(void *settings, const char *value)
{
    ((struct study_settings *)settings)->request.experiments = value;
    return value[0] == '\0' ? "expected a folder:" : NULL;
}

static const char *take_suite(void *settings, const char *value)
{
    ((struct study_settings *)settings)->request.suite = value;
    return NULL;
}

static const char *take_spec(void *settings, const char *value)
{
    struct stat status;
    ((struct study_settings *)settings)->request.spec = value;
    return stat(value, &status) != 0 || !S_ISDIR(status.st_mode) ? "this folder is not there:"
                                                                 : NULL;
}

/* clang-format off */
static const struct command_option options[] = {
#define OPTION(name, argument, take, help) {name, argument, help, take},
#include "cli/study_options.def"
#undef OPTION
    {"--experiment", "NAME", "only this experiment, or those of a pattern such as 'hot-spots*'; may be repeated (all)", take_experiment},
    {"--experiments", "DIR", "where the experiments are (experiments beside strata's folder)", take_experiments},
    {"--suite", "NAME", "other programs than the experiment names: paper, helpers, kernels or real", take_suite},
    {"--spec", "DIR", "the programs of your own SPEC 2000 tree; never run by us", take_spec},
};
/* clang-format on */

static const struct command_description description = {
    .name = "study",
    .usage = "[OPTIONS] -o DIR",
    .purpose = "Runs the experiments of the paper and writes what came out, beside what the paper\n"
               "states, as a page, JSON and CSV.  What is finished is not run again.",
    .epilogue =
        "Exits with 0, 1 if a run failed, 2 if an experiment file is wrong, 125 if the study\n"
        "could not be made, 128+N if signal N interrupted it.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};
const struct command_description *const command_study_description = &description;

int command_study(int count, char **arguments)
{
    struct study_settings settings;
    int status = 0;
    study_settings_begin(&settings, description.name);
    const int first = command_read_options(&description, &settings, count, arguments, &status);
    if (first >= 0 && first < count) {
        status = command_misused(&description, "nothing more is expected:", arguments[first]);
    } else if (first >= 0 && settings.request.output == NULL) {
        status = command_misused(&description, "where do the results go? -o DIR is missing", NULL);
    } else if (first >= 0 && settings.request.suite != NULL && settings.request.spec != NULL) {
        status = command_misused(&description, "--suite and --spec exclude each other", NULL);
    } else if (first >= 0) {
        status = study_run(&settings.request);
    }
    pool_free(&settings.pool);
    return status;
}
