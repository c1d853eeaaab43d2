/* Takes the options that `strata study` and `strata sweep` share. */
#include "cli/study_options.h"

#include "base/number.h"

#include <string.h>

const char *study_take_output(void *settings, const char *value)
{
    ((struct study_settings *)settings)->request.output = value;
    return value[0] == '\0' ? "expected a folder:" : NULL;
}

static const char *take_number(const char *value, unsigned *number)
{
    uint64_t parsed;
    if (!number_read(value, NUMBER_COUNT, 1, 100000, &parsed)) {
        return "expected a number from 1 to 100000:";
    }
    *number = (unsigned)parsed;
    return NULL;
}

const char *study_take_workers(void *settings, const char *value)
{
    return take_number(value, &((struct study_settings *)settings)->request.workers);
}

const char *study_take_timeout(void *settings, const char *value)
{
    return take_number(value, &((struct study_settings *)settings)->request.timeout_seconds);
}

const char *study_take_size(void *settings, const char *value)
{
    static const char *const sizes[] = {"test", "small", "full"};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strcmp(sizes[i], value) == 0) {
            ((struct study_settings *)settings)->request.size = sizes[i];
            return NULL;
        }
    }
    return "expected test, small or full:";
}

const char *study_take_programs(void *settings, const char *value)
{
    ((struct study_settings *)settings)->request.programs = value;
    return value[0] == '\0' ? "expected a folder:" : NULL;
}

const char *study_take_source_dir(void *settings, const char *value)
{
    return source_rules_add(&((struct study_settings *)settings)->request.sources, value);
}

void study_settings_begin(struct study_settings *settings, const char *command)
{
    *settings = (struct study_settings){
        .request = {.command = command, .version = STRATA_VERSION, .size = "small"}};
}
