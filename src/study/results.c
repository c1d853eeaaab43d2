/* The results of a study: one JSON document, and a table (CSV) for each experiment. */
#include "study/results.h"

#include "base/check.h"
#include "study/conclusions.h"
#include "study/listings.h"
#include "study/measured.h"
#include "study/table.h"

#include <stdlib.h>
#include <string.h>

#define RESULTS_SCHEMA "strata.study/1"

static void put(json_t *object, const char *key, json_t *value)
{
    ASSERT(json_object_set_new(object, key, value) == 0);
}

static void append(json_t *list, json_t *value)
{
    ASSERT(json_array_append_new(list, value) == 0);
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *make_list(const struct words *words)
{
    json_t *list = json_array();
    for (size_t i = 0; i < words->count; i++) {
        append(list, json_string(words->words[i]));
    }
    return list;
}

static const char *join(struct pool *pool, const char *text, const struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        text = pool_format(pool, "%s %s", text, words->words[i]);
    }
    return text;
}

static json_t *make_commands(struct pool *pool, const struct planned *planned)
{
    const struct experiment *experiment = planned->experiment;
    json_t *commands = json_object();
    for (size_t i = 0; i < experiment->run_count; i++) {
        const struct words *words = &experiment->runs[i].command;
        const char *text = join(pool, "strata", words);
        if (planned->besides != NULL && words_have(words, MACHINE_OPTION)) {
            text = join(pool, text, planned->besides);
        }
        put(commands, experiment->runs[i].name, json_string(text));
    }
    return commands;
}

/* A label that is a number is written as one, so that it can be drawn to scale. */
static json_t *make_label(const char *label)
{
    char *end;
    const double number = strtod(label, &end);
    return *end == '\0' ? expression_to_json(expression_number(number)) : json_string(label);
}

static json_t *make_axis(const struct experiment *experiment)
{
    if (experiment->axis == NULL) {
        return json_null();
    }
    json_t *labels = json_array(), *texts = json_array();
    for (size_t i = 0; i < experiment->axis_count; i++) {
        append(labels, make_label(experiment->axis_values[i].label));
        append(texts, json_string(experiment->axis_values[i].text));
    }
    return json_pack("{s:s, s:o, s:o}", "name", experiment->axis, "values", labels, "texts", texts);
}

static json_t *make_data(const struct measured *measured, size_t value)
{
    const struct planned *planned = measured->planned;
    json_t *data = json_object();
    for (size_t i = 0; i < planned->program_count; i++) {
        json_t *points = json_array();
        for (size_t j = 0; j < experiment_points(planned->experiment); j++) {
            append(points, expression_to_json(measured_value(measured, value, i, j)));
        }
        put(data, planned->programs[i]->name, points);
    }
    return data;
}

static json_t *make_values(struct pool *pool, const struct measured *measured)
{
    const struct experiment *experiment = measured->planned->experiment;
    json_t *values = json_array();
    for (size_t i = 0; i < experiment->value_count; i++) {
        const struct experiment_value *value = &experiment->values[i];
        const char *expression = value->ranked != NULL
                                     ? pool_format(pool, "rank of %s", value->ranked)
                                     : value->expression;
        append(values, json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", value->name, "label",
                                 value->label, "unit", value_unit_names[value->unit], "expression",
                                 text_or_null(expression), "data", make_data(measured, i)));
    }
    return values;
}

static json_t *make_charts(const struct experiment *experiment)
{
    json_t *charts = json_array();
    for (size_t i = 0; i < experiment->chart_count; i++) {
        const struct experiment_chart *chart = &experiment->charts[i];
        append(charts, json_pack("{s:s, s:o, s:b, s:s?, s:s?}", "kind", chart_kind_names[chart->kind],
                                 "values", make_list(&chart->values), "log", chart->log,
                                 "by", chart->by, "axis_title", chart->axis_title));
    }
    return charts;
}

static void put_shown(json_t *object, const char *key, const struct shown_run *shown, json_t *data)
{
    if (data != NULL) {
        put(object, key, json_pack("{s:s, s:O}", "run", shown->name, "data", data));
    }
}

static json_t *make_experiment(struct store *store, const struct measured *measured)
{
    const struct planned *planned = measured->planned;
    const struct experiment *experiment = planned->experiment;
    json_t *programs = json_array();
    for (size_t i = 0; i < planned->program_count; i++) {
        append(programs, json_string(planned->programs[i]->name));
    }
    json_t *object = json_object();
    put(object, "name", json_string(experiment->name));
    put(object, "title", json_string(experiment->title));
    put(object, "figure", text_or_null(experiment->figure));
    put(object, "source",
        json_string(experiment->source != NULL ? experiment->source : "the paper"));
    put(object, "paper", make_list(&experiment->papers));
    put(object, "commands", make_commands(store->pool, planned));
    put(object, "axis", make_axis(experiment));
    put(object, "programs", programs);
    put(object, "values", make_values(store->pool, measured));
    if (measured->loops != NULL) {
        put(object, "loops", json_incref(measured->loops));
    }
    put_shown(object, "cycles", &experiment->cycles, measured->cycles);
    put_shown(object, "slices", &experiment->slices, measured->slices);
    put(object, "charts", make_charts(experiment));
    json_t *checks = conclusions_draw(store->pool, measured);
    put(object, "learned", text_or_null(conclusions_learn(store->pool, measured, checks)));
    put(object, "checks", checks);
    put(object, "published", conclusions_compare(store->pool, measured));
    return object;
}

static int compare_jobs(const void *left, const void *right)
{
    const struct job *a = *(struct job *const *)left, *b = *(struct job *const *)right;
    return strcmp(a->key, b->key);
}

static json_t *make_failed(const struct plan *plan)
{
    struct job **jobs = pool_take(plan->pool, (plan->job_count + 1) * sizeof(struct job *));
    json_t *failed = json_array();
    if (plan->job_count > 0) {
        memcpy(jobs, plan->jobs, plan->job_count * sizeof(struct job *));
    }
    qsort(jobs, plan->job_count, sizeof(struct job *), compare_jobs);
    for (size_t i = 0; i < plan->job_count; i++) {
        if (jobs[i]->state == JOB_FAILED) {
            append(failed, json_pack("{s:s, s:s}", "run", jobs[i]->command, "why", jobs[i]->why));
        }
    }
    return failed;
}

static bool write_document(struct store *store, const json_t *document)
{
    char *text = json_dumps(document, JSON_INDENT(1));
    ASSERT(text != NULL);
    /* The line's end takes the place of the zero. */
    const size_t bytes = strlen(text);
    text[bytes] = '\n';
    const bool written = store_write(store, RESULTS_FILE, text, bytes + 1);
    free(text);
    return written;
}

json_t *results_write(struct store *store, const struct plan *plan,
                      const struct results_header *header)
{
    json_t *experiments = json_array();
    bool written = true;
    for (size_t i = 0; written && i < plan->experiment_count; i++) {
        struct measured measured;
        measured_take(&measured, store, &plan->experiments[i]);
        append(experiments, make_experiment(store, &measured));
        written = table_write(store, &measured);
        measured_free(&measured);
    }
    json_t *document = json_pack(
        "{s:s, s:s, s:s?, s:s, s:o, s:{s:s, s:s, s:s}, s:o, s:o, s:o}", "schema", RESULTS_SCHEMA,
        "title", header->title, "notice", header->notice, "size", plan->catalogue->size, "suite",
        text_or_null(header->suite), "strata", "version", header->version, "sha256",
        plan->strata_sha256, "translator_sha256", plan->translator_sha256, "experiments",
        experiments, "missing", make_list(&plan->missing), "failed", make_failed(plan));
    ASSERT(document != NULL);
    put(document, "listings", listings_make(store, plan, header->sources));
    if (!written || !write_document(store, document)) {
        json_decref(document);
        return NULL;
    }
    return document;
}
