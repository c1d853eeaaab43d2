/* An experiment's values, and its loops, as tables for other tools (CSV, RFC 4180). */
#include "study/table.h"

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_text(FILE *table, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, table);
        return;
    }
    fputc('"', table);
    for (const char *at = text; *at != '\0'; at++) {
        fprintf(table, *at == '"' ? "\"\"" : "%c", *at);
    }
    fputc('"', table);
}

/* What is unknown is an empty cell. */
static void put_cell(FILE *table, const json_t *cell)
{
    fputc(',', table);
    if (json_is_string(cell)) {
        put_text(table, json_string_value(cell));
    } else if (!json_is_null(cell)) {
        char *text = json_dumps(cell, JSON_ENCODE_ANY);
        ASSERT(text != NULL);
        fputs(text, table);
        free(text);
    }
}

static void put_values(FILE *table, const struct measured *measured)
{
    const struct planned *planned = measured->planned;
    const struct experiment *experiment = planned->experiment;
    fprintf(table, "program%s%s", experiment->axis != NULL ? "," : "",
            experiment->axis != NULL ? experiment->axis : "");
    for (size_t i = 0; i < experiment->value_count; i++) {
        fprintf(table, ",%s", experiment->values[i].name);
    }
    fputc('\n', table);
    for (size_t i = 0; i < planned->program_count; i++) {
        for (size_t j = 0; j < experiment_points(experiment); j++) {
            put_text(table, planned->programs[i]->name);
            if (experiment->axis != NULL) {
                fprintf(table, ",%s", experiment->axis_values[j].label);
            }
            for (size_t k = 0; k < experiment->value_count; k++) {
                json_t *cell = expression_to_json(measured_value(measured, k, i, j));
                put_cell(table, cell);
                json_decref(cell);
            }
            fputc('\n', table);
        }
    }
}

static void put_loops(FILE *table, const struct measured *measured)
{
    const struct experiment *experiment = measured->planned->experiment;
    const char *program;
    json_t *rows;
    fputs("program", table);
    for (size_t i = 0; i < experiment->column_count; i++) {
        fprintf(table, ",%s", experiment->columns[i].name);
    }
    fputc('\n', table);
    json_object_foreach(measured->loops, program, rows)
    {
        for (size_t i = 0; i < json_array_size(rows); i++) {
            put_text(table, program);
            for (size_t j = 0; j < experiment->column_count; j++) {
                put_cell(table,
                         json_object_get(json_array_get(rows, i), experiment->columns[j].name));
            }
            fputc('\n', table);
        }
    }
}

static bool write_table(struct store *store, const struct measured *measured, const char *ending,
                        void (*put)(FILE *table, const struct measured *measured))
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *table = open_memstream(&text, &bytes);
    ASSERT(table != NULL);
    put(table, measured);
    ASSERT(fclose(table) == 0);
    const char *name =
        pool_format(store->pool, "%s%s", measured->planned->experiment->name, ending);
    const bool written = store_write(store, name, text, bytes);
    free(text);
    return written;
}

bool table_write(struct store *store, const struct measured *measured)
{
    return write_table(store, measured, TABLE_ENDING, put_values) &&
           (measured->loops == NULL || write_table(store, measured, TABLE_LOOPS_ENDING, put_loops));
}
