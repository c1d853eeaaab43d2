/* The values of an experiment, computed from the statistics of its runs. */
#include "study/measured.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

/* Of the loads of a program, those that the results have. */
#define LOADS_KEPT 10

/* One program at one point of the axis. */
struct place {
    struct measured *measured;
    size_t program, point;
    size_t values_before;
    json_t **documents; /* by run; NULL if it failed */
};

static size_t index_of(const struct planned *planned, size_t value, size_t program, size_t point)
{
    return (value * planned->program_count + program) * experiment_points(planned->experiment) +
           point;
}

struct expression_value measured_value(const struct measured *measured, size_t value,
                                       size_t program, size_t point)
{
    return measured->values[index_of(measured->planned, value, program, point)];
}

static const char *find_name(void *context, const struct expression_name *name,
                             struct expression_value *value)
{
    const struct place *place = context;
    const struct experiment *experiment = place->measured->planned->experiment;
    const size_t run = experiment_find_run(experiment, name->name);
    const size_t earlier = experiment_find_value(experiment, name->name);
    if (run < experiment->run_count) {
        *value = expression_of_json(place->documents[run]);
    } else if (earlier < place->values_before) {
        *value = measured_value(place->measured, earlier, place->program, place->point);
    } else {
        return "there is no run and no value";
    }
    return NULL;
}

static struct expression_value given_value(const struct experiment_value *value,
                                           const char *program)
{
    for (size_t i = 0; i < value->given_count; i++) {
        if (strcmp(value->given[i].program, program) == 0) {
            return expression_number(value->given[i].number);
        }
    }
    return (struct expression_value){.kind = EXPRESSION_UNKNOWN};
}

static void take_values(struct pool *pool, struct place *place)
{
    struct measured *measured = place->measured;
    const struct experiment *experiment = measured->planned->experiment;
    const struct expression_scope scope = {.context = place, .find = find_name};
    char problem[EXPRESSION_PROBLEM_BYTES];
    for (size_t i = 0; i < experiment->value_count; i++) {
        struct expression_value *value =
            &measured->values[index_of(measured->planned, i, place->program, place->point)];
        place->values_before = i;
        if (experiment->values[i].expression == NULL) {
            *value = given_value(&experiment->values[i],
                                 measured->planned->programs[place->program]->name);
            continue;
        }
        const char *text =
            experiment_fill(pool, experiment, place->point, experiment->values[i].expression);
        /* It was read before, with nothing known: what can be wrong now is what a function got. */
        if (!expression_evaluate(text, &scope, value, problem)) {
            *value = (struct expression_value){.kind = EXPRESSION_UNKNOWN};
        }
    }
}

static const char *find_in_loop(void *context, const struct expression_name *name,
                                struct expression_value *value)
{
    *value = expression_of_json(json_object_get(context, name->name));
    return NULL;
}

static json_t *make_row(const struct experiment *experiment, json_t *loop)
{
    const struct expression_scope scope = {.context = loop, .find = find_in_loop};
    char problem[EXPRESSION_PROBLEM_BYTES];
    json_t *row = json_object();
    for (size_t i = 0; i < experiment->column_count; i++) {
        const struct experiment_column *column = &experiment->columns[i];
        struct expression_value value;
        json_t *cell;
        if (column->expression == NULL) {
            cell = json_incref(json_object_get(loop, column->name));
            cell = cell != NULL ? cell : json_null();
        } else {
            expression_evaluate(column->expression, &scope, &value, problem);
            cell = expression_to_json(value);
        }
        ASSERT(json_object_set_new(row, column->name, cell) == 0);
    }
    return row;
}

static json_t *make_loops(const struct experiment *experiment, const json_t *document)
{
    json_t *rows = json_array();
    const json_t *loops = json_object_get(json_object_get(document, "hotspots"), "loops");
    for (size_t i = 0; i < json_array_size(loops); i++) {
        ASSERT(json_array_append_new(rows, make_row(experiment, json_array_get(loops, i))) == 0);
    }
    return rows;
}

/* What the page shows of a run in cycles; null if it failed, or has none. */
static json_t *make_cycles(const json_t *document)
{
    static const char *const kept[] = {"cycles", "instructions", "contexts", "loads_top"};
    const json_t *pipeline = json_object_get(document, "pipeline");
    const json_t *loads = json_object_get(pipeline, "loads");
    if (pipeline == NULL) {
        return json_null();
    }
    json_t *cycles = json_object();
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        json_t *part = json_object_get(pipeline, kept[i]);
        ASSERT(part == NULL || json_object_set(cycles, kept[i], part) == 0);
    }
    if (loads != NULL) {
        json_t *first = json_array();
        for (size_t i = 0; i < json_array_size(loads) && i < LOADS_KEPT; i++) {
            ASSERT(json_array_append(first, json_array_get(loads, i)) == 0);
        }
        ASSERT(json_object_set_new(cycles, "loads", first) == 0);
    }
    return cycles;
}

/* Null if the run failed, or had none to run. */
static json_t *make_slices(const json_t *document)
{
    json_t *slices = json_object_get(document, "slices");
    return slices != NULL ? json_incref(slices) : json_null();
}

static const json_t *find_document(const struct place *place, const struct shown_run *shown)
{
    return place->documents[experiment_find_run(place->measured->planned->experiment, shown->name)];
}

/* Adds what is shown of a program at this point to `all`. */
static void take_shown(const struct place *place, json_t *all, json_t *part)
{
    const char *program = place->measured->planned->programs[place->program]->name;
    if (place->point == 0) {
        ASSERT(json_object_set_new(all, program, json_array()) == 0);
    }
    ASSERT(json_array_append_new(json_object_get(all, program), part) == 0);
}

static void take_place(struct store *store, struct place *place)
{
    struct measured *measured = place->measured;
    const struct planned *planned = measured->planned;
    const struct experiment *experiment = planned->experiment;
    for (size_t i = 0; i < experiment->run_count; i++) {
        const struct job *job = plan_job(planned, place->program, place->point, i);
        place->documents[i] = job->state == JOB_DONE ? store_read_run(store, job->key) : NULL;
    }
    take_values(store->pool, place);
    if (measured->loops != NULL) {
        const json_t *document =
            place->documents[experiment_find_run(experiment, experiment->loops_run)];
        ASSERT(json_object_set_new(measured->loops, planned->programs[place->program]->name,
                                   make_loops(experiment, document)) == 0);
    }
    if (measured->cycles != NULL) {
        take_shown(place, measured->cycles, make_cycles(find_document(place, &experiment->cycles)));
    }
    if (measured->slices != NULL) {
        take_shown(place, measured->slices, make_slices(find_document(place, &experiment->slices)));
    }
    for (size_t i = 0; i < experiment->run_count; i++) {
        json_decref(place->documents[i]);
    }
}

/* 1 for the program with the most; unknown where the value is. */
static void take_ranks(struct measured *measured, size_t rank, size_t ranked)
{
    const struct planned *planned = measured->planned;
    for (size_t point = 0; point < experiment_points(planned->experiment); point++) {
        for (size_t i = 0; i < planned->program_count; i++) {
            const struct expression_value own = measured_value(measured, ranked, i, point);
            size_t above = 0;
            for (size_t j = 0; j < planned->program_count; j++) {
                const struct expression_value other = measured_value(measured, ranked, j, point);
                above += other.kind == EXPRESSION_NUMBER && other.number > own.number;
            }
            if (own.kind == EXPRESSION_NUMBER) {
                measured->values[index_of(planned, rank, i, point)] =
                    expression_number((double)above + 1);
            }
        }
    }
}

void measured_take(struct measured *measured, struct store *store, const struct planned *planned)
{
    const struct experiment *experiment = planned->experiment;
    const size_t points = experiment_points(experiment);
    *measured = (struct measured){.planned = planned};
    measured->values =
        pool_take(store->pool, (experiment->value_count * planned->program_count * points + 1) *
                                   sizeof *measured->values);
    measured->loops = experiment->loops_run != NULL ? json_object() : NULL;
    measured->cycles = experiment->cycles.name != NULL ? json_object() : NULL;
    measured->slices = experiment->slices.name != NULL ? json_object() : NULL;
    struct place place = {.measured = measured};
    place.documents = pool_take(store->pool, experiment->run_count * sizeof(json_t *));
    for (place.program = 0; place.program < planned->program_count; place.program++) {
        for (place.point = 0; place.point < points; place.point++) {
            take_place(store, &place);
        }
    }
    for (size_t i = 0; i < experiment->value_count; i++) {
        const char *ranked = experiment->values[i].ranked;
        if (ranked != NULL) {
            take_ranks(measured, i, experiment_find_value(experiment, ranked));
        }
    }
}

void measured_free(struct measured *measured)
{
    json_decref(measured->loops);
    json_decref(measured->cycles);
    json_decref(measured->slices);
}
