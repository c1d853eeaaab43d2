/* Whether the statistics of runs have the keys that an experiment's values name.
 *
 * What statistics there are is known from the runs alone: units of the user's own have keys of their own.  A key whose
 * value is not known is there all the same, as null (docs/stats.md), so an object without it shows that no run with
 * the same options has it; only whole parts, at the top, may also depend on the program. */
#include "study/keys.h"

#include "study/expression.h"

#include <string.h>

/* One value of an experiment, evaluated with the statistics of one run. */
struct look {
    struct keys *keys;
    const struct experiment *experiment;
    const struct experiment_value *value;
    size_t run;
    const json_t *statistics;
    bool fixed; /* the run has the same options at all points */
    struct key_use
        lost; /* what no run with these options has; its text is NULL if there is nothing */
};

static const char *find_name(void *context, const struct expression_name *name,
                             struct expression_value *value)
{
    const struct look *look = context;
    const bool own = experiment_find_run(look->experiment, name->name) == look->run;
    *value = expression_of_json(own ? look->statistics : NULL);
    return NULL;
}

static struct key_use *find_use(const struct look *look, const char *text, size_t length)
{
    struct keys *keys = look->keys;
    for (size_t i = 0; i < keys->use_count; i++) {
        struct key_use *use = &keys->uses[i];
        if (use->experiment == look->experiment && use->line == look->value->line &&
            strlen(use->text) == length && strncmp(use->text, text, length) == 0) {
            return use;
        }
    }
    struct key_use *use = POOL_ADD(keys->pool, keys->uses, keys->use_count);
    *use = (struct key_use){.experiment = look->experiment,
                            .text = pool_copy(keys->pool, text, length),
                            .line = look->value->line};
    return use;
}

static void follow(void *context, const char *text, size_t length, enum expression_path path)
{
    struct look *look = context;
    struct key_use *use = find_use(look, text, length);
    use->present = use->present || path == PATH_WHOLE;
    use->missing = use->missing || path == PATH_LACKS_PART || path == PATH_LACKS_KEY;
    if (path == PATH_LACKS_KEY && look->fixed && look->lost.text == NULL) {
        look->lost = *use;
    }
}

static bool is_fixed(const struct words *command)
{
    for (size_t i = 0; i < command->count; i++) {
        if (strchr(command->words[i], '{') != NULL) {
            return false;
        }
    }
    return true;
}

static bool refuse(struct script *script, const struct key_use *use)
{
    script->path = use->experiment->path;
    script->line = use->line;
    return script_wrong(script, "there is no %.100s in the statistics", use->text);
}

static bool look_at_values(struct look *look, struct script *script, size_t point)
{
    const struct experiment *experiment = look->experiment;
    const struct expression_scope scope = {.context = look, .find = find_name, .follow = follow};
    char problem[EXPRESSION_PROBLEM_BYTES];
    struct expression_value result;
    look->fixed = is_fixed(&experiment->runs[look->run].command);
    for (size_t i = 0; i < experiment->value_count && look->lost.text == NULL; i++) {
        look->value = &experiment->values[i];
        /* It could be read before the runs, with nothing known: what is wrong now is what a key leads to. */
        if (look->value->expression != NULL &&
            !expression_evaluate(
                experiment_fill(look->keys->pool, experiment, point, look->value->expression),
                &scope, &result, problem) &&
            look->lost.text == NULL) {
            script->path = experiment->path;
            script->line = look->value->line;
            return script_wrong(script, "%s", problem);
        }
    }
    return look->lost.text == NULL || refuse(script, &look->lost);
}

/* Whether the job is a run of the experiment at this point, whatever the program. */
static bool has_job(const struct planned *planned, size_t point, size_t run, const struct job *job)
{
    for (size_t program = 0; program < planned->program_count; program++) {
        if (plan_job(planned, program, point, run) == job) {
            return true;
        }
    }
    return false;
}

bool keys_look(struct keys *keys, struct script *script, const struct job *job,
               const json_t *statistics)
{
    for (size_t i = 0; i < keys->plan->experiment_count; i++) {
        const struct planned *planned = &keys->plan->experiments[i];
        const struct experiment *experiment = planned->experiment;
        for (size_t run = 0; run < experiment->run_count; run++) {
            for (size_t point = 0; point < experiment_points(experiment); point++) {
                struct look look = {
                    .keys = keys, .experiment = experiment, .run = run, .statistics = statistics};
                if (has_job(planned, point, run, job) && !look_at_values(&look, script, point)) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool keys_conclude(const struct keys *keys, struct script *script)
{
    for (size_t i = 0; i < keys->use_count; i++) {
        if (keys->uses[i].missing && !keys->uses[i].present) {
            return refuse(script, &keys->uses[i]);
        }
    }
    return true;
}
