/* The options that `strata study` and `strata sweep` share. */
#ifndef STRATA_CLI_STUDY_OPTIONS_H
#define STRATA_CLI_STUDY_OPTIONS_H

#include "cli/command.h"
#include "study/study.h"

/* `settings` begins with a struct study_settings. */
struct study_settings {
    struct study_request request;
    struct pool pool;
};

#define OPTION(name, argument, take, help) const char *take(void *settings, const char *value);
#include "cli/study_options.def"
#undef OPTION

void study_settings_begin(struct study_settings *settings, const char *command);

#endif
