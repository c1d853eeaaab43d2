/* `strata config`: lists the processors of configs/, or prints every parameter of one as a file that can be read back. */
#include "base/say.h"
#include "cli/command.h"
#include "cli/processor.h"

#include <stdlib.h>

#define SETS_MAX 256

struct config {
    const char *sets[SETS_MAX];
    size_t set_count;
};

static const char *take_set(void *settings, const char *value)
{
    struct config *config = settings;
    if (config->set_count == SETS_MAX) {
        return "too many parameters are set:";
    }
    config->sets[config->set_count++] = value;
    return NULL;
}

/* clang-format off */
static const struct command_option options[] = {
    {"--set", "S.NAME=VALUE", "give the parameter NAME of its section S another value; may be repeated", take_set},
};
/* clang-format on */

static const struct command_description description = {
    .name = "config",
    .usage = "[OPTIONS] [NAME|FILE]",
    .operand = "PROCESSOR",
    .purpose =
        "Without a word, lists the processors that --machine knows by name.  With a name or a "
        "file,\n"
        "prints every parameter that is in effect, as a file that --machine takes: those that the\n"
        "file does not give are marked as defaults.",
    .epilogue = "Exit status: 0; 125 if there is no such processor, or something is wrong with it.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};
const struct command_description *const command_config_description = &description;

static int list(void)
{
    size_t count;
    char **names = processor_names(&count);
    for (size_t i = 0; i < count; i++) {
        char sentence[DESCRIPTION_BYTES];
        processor_describe(names[i], sentence);
        say(stdout, "%-14s %s\n", names[i], sentence);
    }
    if (count == 0) {
        fprintf(stderr, "strata: config: there is no folder of processors beside strata\n");
    }
    processor_names_free(names, count);
    return count > 0 ? 0 : EXIT_STRATA_FAILED;
}

static int print(const struct config *config, const char *name)
{
    struct parameters parameters;
    struct parameters_given given;
    char *path = processor_read(name, config->sets, config->set_count, &parameters, &given);
    if (path == NULL) {
        return EXIT_STRATA_FAILED;
    }
    char sentence[DESCRIPTION_BYTES];
    processor_describe(name, sentence);
    say(stdout, "# %s%s%s\n\n", sentence, sentence[0] != '\0' ? ".  From: " : "From: ", name);
    processor_print(stdout, &parameters, &given);
    free(path);
    return 0;
}

int command_config(int count, char **arguments)
{
    struct config config = {.set_count = 0};
    int status = 0;
    const int first = command_read_options(&description, &config, count, arguments, &status);
    if (first < 0) {
        return status;
    }
    /* Options may stand behind the name, too. */
    const char *name = first < count ? arguments[first] : NULL;
    const int more = name == NULL ? 0
                                  : command_read_options(&description, &config, count - first,
                                                         arguments + first, &status);
    if (more < 0) {
        return status;
    }
    if (name != NULL && first + more < count) {
        return command_misused(&description, "one processor at a time:", arguments[first + more]);
    }
    if (name == NULL && config.set_count > 0) {
        return command_misused(&description, "--set needs a processor", NULL);
    }
    return name == NULL ? list() : print(&config, name);
}
