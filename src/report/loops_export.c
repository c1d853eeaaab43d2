/* The loops of a run for other programs: as a table (CSV), and for KCachegrind. */
#include "report/loops_export.h"

#include "base/say.h"
#include "base/shown.h"
#include "report/program_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const json_t *loops_of(const json_t *run)
{
    return json_object_get(json_object_get(run, "hotspots"), "loops");
}

static const json_t *profiled_of(const json_t *run)
{
    return json_object_get(json_object_get(run, "profile"), "loops");
}

/* RFC 4180: quotes are doubled, and around everything that needs them. */
static void put_csv_text(FILE *file, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
    }
    fputc('"', file);
}

static void put_csv_cell(FILE *file, const json_t *value)
{
    if (json_is_string(value)) {
        put_csv_text(file, json_string_value(value));
    } else if (json_is_integer(value)) {
        fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        fprintf(file, "%.17g", json_real_value(value));
    } else if (json_is_boolean(value)) {
        fputs(json_is_true(value) ? "true" : "false", file);
    }
}

/* Of the profile: the loop with this head; NULL if there is none. */
static const json_t *find_profiled(const json_t *index, const json_t *loop)
{
    const char *head = json_string_value(json_object_get(loop, "head"));
    return head != NULL ? json_object_get(index, head) : NULL;
}

/* The profile's loops by their heads; to be given back with json_decref. */
static json_t *index_profiled(const json_t *run)
{
    json_t *index = json_object();
    const json_t *loops = profiled_of(run);
    for (size_t i = 0; i < json_array_size(loops); i++) {
        json_t *loop = json_array_get(loops, i);
        const char *head = json_string_value(json_object_get(loop, "head"));
        if (head != NULL) {
            json_object_set(index, head, loop);
        }
    }
    return index;
}

void loops_export_csv(FILE *file, json_t *const *runs, char *const *names, size_t count)
{
    static const char *const columns[] = {"head",       "function", "source",
                                          "executions", "share",    "callback_taken",
                                          "evicted",    "library",  "complete"};
    static const char *const exact[] = {"turns", "instructions", "cycles"};
    const size_t exact_count = sizeof exact / sizeof exact[0];
    const size_t column_count = sizeof columns / sizeof columns[0];
    fputs(count > 1 ? "run," : "", file);
    for (size_t i = 0; i < column_count; i++) {
        fprintf(file, "%s%s", i > 0 ? "," : "", columns[i]);
    }
    for (size_t i = 0; i < exact_count; i++) {
        fprintf(file, ",%s", exact[i]);
    }
    fputs("\r\n", file);
    for (size_t run = 0; run < count; run++) {
        /* A run without counters has the profile's loops alone. */
        const json_t *counted = loops_of(runs[run]);
        const json_t *loops = json_array_size(counted) > 0 ? counted : profiled_of(runs[run]);
        json_t *index = index_profiled(runs[run]);
        for (size_t i = 0; i < json_array_size(loops); i++) {
            if (count > 1) {
                put_csv_text(file, names[run]);
                fputc(',', file);
            }
            for (size_t j = 0; j < column_count; j++) {
                fputs(j > 0 ? "," : "", file);
                put_csv_cell(file, json_object_get(json_array_get(loops, i), columns[j]));
            }
            const json_t *profiled = find_profiled(index, json_array_get(loops, i));
            for (size_t j = 0; j < exact_count; j++) {
                fputc(',', file);
                put_csv_cell(file, json_object_get(profiled, exact[j]));
            }
            fputs("\r\n", file);
        }
        json_decref(index);
    }
}

/* A name ends at the end of its line, and one that begins with a bracket would be a number for a
 * name before. */
void export_name(FILE *file, const char *key, const char *name)
{
    say(file, "%s=%s%s\n", key, name[0] == '(' ? " " : "", name);
}

void export_command(FILE *file, const json_t *run)
{
    const json_t *program = json_object_get(run, "program");
    const json_t *arguments = json_object_get(program, "arguments");
    fputs("cmd:", file);
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const char *word = json_string_value(json_array_get(arguments, i));
        say(file, " %s", word != NULL ? word : "");
    }
    fputc('\n', file);
}

struct callgrind {
    FILE *file;
    struct program_file *program; /* may be NULL */
    struct sources *sources;
    const char *object;
};

static void put_loop(const struct callgrind *callgrind, const json_t *loop)
{
    const char *head = json_string_value(json_object_get(loop, "head"));
    const char *function = json_string_value(json_object_get(loop, "function"));
    const char *source = json_string_value(json_object_get(loop, "source"));
    const char *colon = source != NULL ? strrchr(source, ':') : NULL;
    struct symbol_place place = {0};
    uint64_t linked;
    const bool own =
        callgrind->program != NULL && program_file_find(callgrind->program, loop, &linked, &place);
    char *name;
    FILE *shown = sources_find(callgrind->sources, &place, &name);
    if (shown != NULL) {
        fclose(shown);
    }
    if (name == NULL && colon != NULL) {
        name = strndup(source, (size_t)(colon - source));
    }
    export_name(callgrind->file, "ob",
                own && callgrind->object != NULL ? callgrind->object : "???");
    export_name(callgrind->file, "fl", name != NULL ? name : "???");
    export_name(callgrind->file, "fn", function != NULL ? function : head != NULL ? head : "???");
    fprintf(callgrind->file, "%s %s %" JSON_INTEGER_FORMAT "\n\n", head != NULL ? head : "0",
            colon != NULL ? colon + 1 : "0",
            json_integer_value(json_object_get(loop, "executions")));
    free(name);
}

void loops_export_callgrind(FILE *file, const json_t *run, const struct source_rules *rules,
                            const char *creator)
{
    const json_t *loops = loops_of(run);
    const char *why;
    json_int_t total = 0;
    struct callgrind callgrind = {.file = file, .program = program_file_open(run, &why)};
    callgrind.object = json_string_value(json_object_get(json_object_get(run, "program"), "path"));
    callgrind.sources = sources_open(rules, callgrind.object);
    for (size_t i = 0; i < json_array_size(loops); i++) {
        total += json_integer_value(json_object_get(json_array_get(loops, i), "executions"));
    }
    fprintf(file, "# callgrind format\nversion: 1\ncreator: %s\n", creator);
    export_command(file, run);
    fprintf(file,
            "positions: instr line\nevent: Executions : executions of the heads of loops\n"
            "events: Executions\nsummary: %" JSON_INTEGER_FORMAT "\n\n",
            total);
    for (size_t i = 0; i < json_array_size(loops); i++) {
        put_loop(&callgrind, json_array_get(loops, i));
    }
    fprintf(file, "totals: %" JSON_INTEGER_FORMAT "\n", total);
    program_file_close(callgrind.program);
    sources_close(callgrind.sources);
}
