/* What is to be run: programs times points of the axis times runs, each once for all experiments. */
#include "study/plan.h"

#include "base/check.h"
#include "machine/pipeline/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROFILE_OPTION "--profile"
#define KEY_DIGITS 16

bool plan_begin(struct plan *plan, struct catalogue *catalogue, const char *strata,
                const char *translator)
{
    *plan = (struct plan){.pool = catalogue->pool, .catalogue = catalogue};
    if (!sha256_file(translator, plan->translator_sha256)) {
        plan->translator_sha256[0] = '\0';
    }
    return sha256_file(strata, plan->strata_sha256);
}

/* With its zero, so that two words are not the same as one. */
static void put_word(FILE *text, const char *word)
{
    fwrite(word, 1, strlen(word) + 1, text);
}

const char *plan_processor(struct pool *pool, const struct program *program, const char *name)
{
    char *found = parameters_find(name);
    const char *path = found == NULL     ? NULL
                       : found[0] == '/' ? pool_copy(pool, found, strlen(found))
                                         : pool_format(pool, "%s/%s", program->folder, found);
    free(found);
    return path;
}

/* The processor that --machine names is more than its name. */
static void put_machine(const struct plan *plan, FILE *text, const struct program *program,
                        const char *name)
{
    char digest[SHA256_TEXT_BYTES] = "";
    const char *path = plan_processor(plan->pool, program, name);
    if (path != NULL && !sha256_file(path, digest)) {
        digest[0] = '\0';
    }
    put_word(text, digest);
}

static const char *make_key(const struct plan *plan, const struct job *job)
{
    char *text = NULL;
    size_t bytes = 0;
    char digest[SHA256_TEXT_BYTES];
    const struct program *program = job->program;
    FILE *stream = open_memstream(&text, &bytes);
    ASSERT(stream != NULL);
    ASSERT(job->options[0] != NULL); /* `run` or `sim`: no experiment is read without it */
    for (const char **option = job->options; *option != NULL; option++) {
        put_word(stream, *option);
        if (strcmp(*option, MACHINE_OPTION) == 0 && option[1] != NULL) {
            put_machine(plan, stream, program, option[1]);
        }
    }
    if (job->source != NULL) {
        put_word(stream, job->source->key);
    }
    put_word(stream, job->profiled ? PROFILE_OPTION : "");
    for (size_t i = 0; i < program->word_count; i++) {
        put_word(stream, program->words[i]);
    }
    put_word(stream, program->input != NULL ? program->input : "");
    put_word(stream, program->sha256);
    put_word(stream, plan->strata_sha256);
    put_word(stream, strcmp(job->options[0], "run") == 0 ? plan->translator_sha256 : "");
    fclose(stream);
    ASSERT(text != NULL);
    sha256_bytes(text, bytes, digest);
    free(text);
    return pool_format(plan->pool, "%s-%s-%s-%.*s", program->name, plan->catalogue->size,
                       job->options[0], KEY_DIGITS, digest);
}

static const char *make_command(struct pool *pool, const struct job *job)
{
    const char *text = "strata";
    for (const char **option = job->options; *option != NULL; option++) {
        text = pool_format(pool, "%s %s", text, *option);
    }
    if (job->profiled) {
        text = pool_format(pool, "%s " PROFILE_OPTION " FILE", text);
    }
    for (size_t i = 0; i < job->program->word_count; i++) {
        text = pool_format(pool, "%s %s", text, job->program->words[i]);
    }
    return job->program->input != NULL ? pool_format(pool, "%s <%s", text, job->program->input)
                                       : text;
}

/* A word that is only {AXIS} may stand for several, or for none. */
static void add_options(struct pool *pool, const struct experiment *experiment, size_t point,
                        const char *word, struct words *options)
{
    const char *filled = experiment_fill(pool, experiment, point, word);
    if (word[0] != '{') {
        *POOL_ADD(pool, options->words, options->count) = filled;
        return;
    }
    for (const char *next = filled; *(next += strspn(next, " ")) != '\0';) {
        const size_t length = strcspn(next, " ");
        *POOL_ADD(pool, options->words, options->count) = pool_copy(pool, next, length);
        next += length;
    }
}

static struct job *find_job(const struct plan *plan, const char *key)
{
    for (size_t i = 0; i < plan->job_count; i++) {
        if (strcmp(plan->jobs[i]->key, key) == 0) {
            return plan->jobs[i];
        }
    }
    return NULL;
}

/* What a run has besides at the size of the programs. */
static void add_size_options(const struct plan *plan, const struct experiment *experiment,
                             struct words *options)
{
    const struct words *besides = experiment_size_options(experiment, plan->catalogue->size);
    if (!words_have(options, MACHINE_OPTION)) {
        return;
    }
    for (size_t i = 0; besides != NULL && i < besides->count; i++) {
        *POOL_ADD(plan->pool, options->words, options->count) = besides->words[i];
    }
}

/* `before`: the jobs of the same program and point for the runs before it. */
static struct job *add_job(struct plan *plan, const struct program *program,
                           const struct experiment *experiment, size_t point, size_t run,
                           struct job *const *before)
{
    struct job *job = pool_take(plan->pool, sizeof *job);
    struct words options = {.count = 0};
    const struct words *command = &experiment->runs[run].command;
    for (size_t i = 0; i < command->count; i++) {
        if (strcmp(command->words[i], PROFILE_OPTION) == 0) {
            job->profiled = true;
        } else {
            add_options(plan->pool, experiment, point, command->words[i], &options);
        }
    }
    add_size_options(plan, experiment, &options);
    for (size_t i = 0; i < options.count; i++) {
        if (experiment_read_addresses(plan->pool, experiment, options.words[i], &job->addresses)) {
            job->source = before[job->addresses.run];
            options.words[i] = job->addresses.word;
        }
    }
    *POOL_ADD(plan->pool, options.words, options.count) = NULL;
    job->options = options.words;
    job->program = program;
    job->key = make_key(plan, job);
    struct job *same = find_job(plan, job->key);
    if (same != NULL) {
        return same;
    }
    job->command = make_command(plan->pool, job);
    *POOL_ADD(plan->pool, plan->jobs, plan->job_count) = job;
    return job;
}

/* The names of the programs that the experiment is about. */
static bool choose_programs(struct plan *plan, struct script *script, struct planned *planned,
                            const char *suite_name)
{
    const struct experiment *experiment = planned->experiment;
    const char *wanted =
        experiment->suite != NULL && suite_name != NULL ? suite_name : experiment->suite;
    if (wanted != NULL) {
        const struct suite *suite = catalogue_find_suite(plan->catalogue, wanted);
        script->line = experiment->suite_line;
        if (suite == NULL) {
            return script_wrong(script, "there is no suite %.60s", wanted);
        }
        planned->names = suite->programs;
    } else {
        for (size_t i = 0; i < experiment->programs.count; i++) {
            *POOL_ADD(plan->pool, planned->names.words, planned->names.count) =
                experiment->programs.words[i];
        }
    }
    /* Programs of its own are there to be run; beside a list of names they only explain it. */
    for (size_t i = 0; experiment->programs.count == 0 && i < experiment->own_program_count; i++) {
        *POOL_ADD(plan->pool, planned->names.words, planned->names.count) =
            experiment->own_programs[i].name;
    }
    return true;
}

static const struct own_program *find_own(const struct experiment *experiment, const char *name)
{
    for (size_t i = 0; i < experiment->own_program_count; i++) {
        if (strcmp(experiment->own_programs[i].name, name) == 0) {
            return &experiment->own_programs[i];
        }
    }
    return NULL;
}

static bool find_programs(struct plan *plan, struct script *script, struct planned *planned)
{
    for (size_t i = 0; i < planned->names.count; i++) {
        const char *name = planned->names.words[i];
        const struct program *program =
            catalogue_find_program(plan->catalogue, name, planned->experiment);
        const struct own_program *own = find_own(planned->experiment, name);
        script->line = own != NULL                          ? own->command.line
                       : planned->experiment->suite == NULL ? planned->experiment->programs.line
                                                            : planned->experiment->suite_line;
        if (program == NULL) {
            return script_wrong(script, "there is no program %.60s", name);
        }
        if (own != NULL && !program->built) {
            return script_wrong(script, "cannot run %.60s: %s/%s%s%s is not there", name,
                                program->folder, program->words[0],
                                program->input != NULL ? " or its input " : "",
                                program->input != NULL ? program->input : "");
        }
        if (program->built) {
            *POOL_ADD(plan->pool, planned->programs, planned->program_count) = program;
        } else if (!words_have(&plan->missing, name)) {
            *POOL_ADD(plan->pool, plan->missing.words, plan->missing.count) = name;
        }
    }
    return true;
}

bool plan_add(struct plan *plan, struct script *script, const struct experiment *experiment,
              const char *suite)
{
    struct planned planned = {.experiment = experiment,
                              .besides =
                                  experiment_size_options(experiment, plan->catalogue->size)};
    script->path = experiment->path;
    if (!choose_programs(plan, script, &planned, suite) || !find_programs(plan, script, &planned)) {
        return false;
    }
    const size_t points = experiment_points(experiment), runs = experiment->run_count;
    planned.jobs =
        pool_take(plan->pool, (planned.program_count * points * runs + 1) * sizeof(struct job *));
    for (size_t i = 0; i < planned.program_count; i++) {
        for (size_t j = 0; j < points; j++) {
            for (size_t k = 0; k < runs; k++) {
                struct job **row = &planned.jobs[(i * points + j) * runs];
                row[k] = add_job(plan, planned.programs[i], experiment, j, k, row);
            }
        }
    }
    *POOL_ADD(plan->pool, plan->experiments, plan->experiment_count) = planned;
    return true;
}

struct job *plan_job(const struct planned *planned, size_t program, size_t point, size_t run)
{
    const size_t points = experiment_points(planned->experiment);
    return planned->jobs[(program * points + point) * planned->experiment->run_count + run];
}
