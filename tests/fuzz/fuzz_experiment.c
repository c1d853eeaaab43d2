/* Fuzzes the reader of experiment files: it stays in bounds, says what is wrong, and what it takes is whole. */
#include <string.h>

#include "base/check.h"
#include "fuzz.h"
#include "study/experiment.h"

static void check_experiment(struct pool *pool, const struct experiment *experiment)
{
    ASSERT(experiment->title != NULL);
    ASSERT(experiment->run_count > 0 && experiment->value_count > 0);
    for (size_t i = 0; i < experiment->run_count; i++) {
        const struct words *command = &experiment->runs[i].command;
        ASSERT(command->count > 0 && command->line > 0);
        ASSERT(experiment_find_run(experiment, experiment->runs[i].name) == i);
        for (size_t point = 0; point < experiment_points(experiment); point++) {
            for (size_t j = 0; j < command->count; j++) {
                ASSERT(experiment_fill(pool, experiment, point, command->words[j]) != NULL);
            }
        }
    }
    for (size_t i = 0; i < experiment->value_count; i++) {
        ASSERT(experiment_find_value(experiment, experiment->values[i].name) == i);
        ASSERT(experiment->values[i].label != NULL);
    }
    for (size_t i = 0; i < experiment->chart_count; i++) {
        ASSERT(experiment->charts[i].values.count > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char path[] = "fuzzed.exp:";
    struct pool pool = {.pieces = NULL};
    struct script script;
    if (script_begin(&script, &pool, "fuzzed.exp", (const char *)data, size)) {
        const struct experiment *experiment = experiment_read(&script);
        ASSERT((experiment == NULL) == (script.problem[0] != '\0'));
        if (experiment != NULL) {
            check_experiment(&pool, experiment);
        }
    }
    ASSERT(script.problem[0] == '\0' || strncmp(script.problem, path, strlen(path)) == 0);
    ASSERT(strchr(script.problem, '\n') == NULL);
    pool_free(&pool);
    return 0;
}
