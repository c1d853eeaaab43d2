/* Writes the profile in the formats of other programs. */
#include "report/profile_export.h"

#include "base/check.h"
#include "base/say.h"
#include "report/loops_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What stands where in the lists of a profile: docs/stats.md. */
enum { LINE_FUNCTION, LINE_FILE, LINE_LINE, LINE_INSTRUCTIONS, LINE_CYCLES };
enum { PLACE_PARENT, PLACE_FUNCTION, PLACE_SITE, PLACE_LINE, PLACE_CALLS, PLACE_INSTRUCTIONS };
enum { AGAIN_FROM, AGAIN_TO, AGAIN_SITE, AGAIN_LINE, AGAIN_CALLS };

static const json_t *profile_of(const json_t *run)
{
    return json_object_get(run, "profile");
}

static const json_t *list_of(const json_t *run, const char *key)
{
    return json_object_get(profile_of(run), key);
}

static const json_t *calls_of(const json_t *run, const char *key)
{
    return json_object_get(list_of(run, "calls"), key);
}

static json_int_t number_at(const json_t *row, size_t column)
{
    return json_integer_value(json_array_get(row, column));
}

/* Whether column `column` of each row is a number below `limit`, or null where that may be. */
static bool indexes_fit(const json_t *rows, size_t column, size_t limit, bool may_be_null)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *value = json_array_get(json_array_get(rows, i), column);
        if (may_be_null && json_is_null(value)) {
            continue;
        }
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            (size_t)json_integer_value(value) >= limit) {
            return false;
        }
    }
    return true;
}

/* A place stands behind its parent, or following parents might never end. */
static bool parents_come_first(const json_t *places)
{
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *parent = json_array_get(json_array_get(places, i), PLACE_PARENT);
        if (!json_is_null(parent) && (!json_is_integer(parent) || json_integer_value(parent) < 0 ||
                                      (size_t)json_integer_value(parent) >= i)) {
            return false;
        }
    }
    return true;
}

static bool functions_have_names(const json_t *functions)
{
    for (size_t i = 0; i < json_array_size(functions); i++) {
        if (!json_is_string(json_object_get(json_array_get(functions, i), "function"))) {
            return false;
        }
    }
    return json_is_array(functions);
}

const char *profile_export_check(const json_t *run, bool calls)
{
    const json_t *functions = list_of(run, "functions");
    const size_t count = json_array_size(functions);
    const json_t *places = calls_of(run, "places");
    if (!json_is_object(profile_of(run))) {
        return "has no profile: strata run --stats and sim --stats write one";
    }
    if (calls && !json_is_object(list_of(run, "calls"))) {
        return "has no calls: strata run --stats FILE --call-graph counts them";
    }
    const bool whole =
        functions_have_names(functions) && json_is_array(list_of(run, "lines")) &&
        indexes_fit(list_of(run, "lines"), LINE_FUNCTION, count, false) &&
        indexes_fit(places, PLACE_FUNCTION, count, false) && parents_come_first(places) &&
        indexes_fit(calls_of(run, "recursive"), AGAIN_FROM, json_array_size(places), false) &&
        indexes_fit(calls_of(run, "recursive"), AGAIN_TO, json_array_size(places), false);
    return whole ? NULL : "is damaged: its profile does not fit together";
}

static const json_t *function_at(const json_t *run, json_int_t index)
{
    return json_array_get(list_of(run, "functions"), (size_t)index);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "???";
}

/* A call from a line of a function. */
struct edge {
    json_int_t from, to, line;
    json_int_t calls, instructions;
};

static int by_ends(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->from != right->from) {
        return left->from < right->from ? -1 : 1;
    }
    if (left->line != right->line) {
        return left->line < right->line ? -1 : 1;
    }
    return left->to < right->to ? -1 : left->to > right->to;
}

struct edges {
    struct edge *items;
    size_t count;
};

/* Instructions at each place and behind it. */
static json_int_t *sum_below(const json_t *places)
{
    const size_t count = json_array_size(places);
    json_int_t *below = calloc(count + 1, sizeof *below);
    ASSERT(below != NULL);
    for (size_t i = count; i-- > 0;) {
        const json_t *place = json_array_get(places, i);
        const json_t *parent = json_array_get(place, PLACE_PARENT);
        below[i] += number_at(place, PLACE_INSTRUCTIONS);
        if (!json_is_null(parent)) {
            below[json_integer_value(parent)] += below[i];
        }
    }
    return below;
}

/* One for each line, caller and callee.  What a function executes that calls itself is its own already. */
static struct edges read_edges(const json_t *run)
{
    const json_t *places = calls_of(run, "places"), *again = calls_of(run, "recursive");
    const size_t count = json_array_size(places), more = json_array_size(again);
    json_int_t *below = sum_below(places);
    struct edges edges = {.items = calloc(count + more + 1, sizeof *edges.items)};
    ASSERT(edges.items != NULL);
    for (size_t i = 0; i < count; i++) {
        const json_t *place = json_array_get(places, i);
        const json_t *parent = json_array_get(place, PLACE_PARENT);
        if (json_is_null(parent)) {
            continue;
        }
        edges.items[edges.count++] = (struct edge){
            .from = number_at(json_array_get(places, (size_t)json_integer_value(parent)),
                              PLACE_FUNCTION),
            .to = number_at(place, PLACE_FUNCTION),
            .line = number_at(place, PLACE_LINE),
            .calls = number_at(place, PLACE_CALLS),
            .instructions = below[i]};
    }
    for (size_t i = 0; i < more; i++) {
        const json_t *row = json_array_get(again, i);
        const json_t *from = json_array_get(places, (size_t)number_at(row, AGAIN_FROM));
        const json_t *to = json_array_get(places, (size_t)number_at(row, AGAIN_TO));
        edges.items[edges.count++] = (struct edge){.from = number_at(from, PLACE_FUNCTION),
                                                   .to = number_at(to, PLACE_FUNCTION),
                                                   .line = number_at(row, AGAIN_LINE),
                                                   .calls = number_at(row, AGAIN_CALLS)};
    }
    free(below);
    qsort(edges.items, edges.count, sizeof *edges.items, by_ends);
    size_t kept = 0;
    for (size_t i = 0; i < edges.count; i++) {
        if (kept > 0 && by_ends(&edges.items[kept - 1], &edges.items[i]) == 0) {
            edges.items[kept - 1].calls += edges.items[i].calls;
            edges.items[kept - 1].instructions += edges.items[i].instructions;
        } else {
            edges.items[kept++] = edges.items[i];
        }
    }
    edges.count = kept;
    return edges;
}

/* The line that the function begins in; 0 if that is not known. */
static long first_line(const json_t *function)
{
    const char *colon = strrchr(text_of(function, "source"), ':');
    return colon != NULL ? strtol(colon + 1, NULL, 10) : 0;
}

/* Whether `path` is of the file that the function begins in. */
static bool is_own_file(const json_t *function, const char *path)
{
    const char *source = text_of(function, "source");
    const char *colon = strrchr(source, ':');
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t length = colon != NULL ? (size_t)(colon - source) : 0;
    return length > 0 && strlen(name) == length && strncmp(name, source, length) == 0;
}

/* Sources as a callgrind file names them. */
struct source_names {
    struct sources *sources;
    char *folder; /* where the report is made, with a slash at its end; NULL if that is not known */
    const char *asked, *answer; /* the last: a function's lines are mostly of one file */
};

/* callgrind_annotate leaves out the folder that it runs in where a function is, and not where one is called, and then
 * takes it for two.  Most run it where they made the report, so names there have no folder from the outset. */
static const char *below_folder(const struct source_names *names, const char *path)
{
    const size_t length = names->folder != NULL ? strlen(names->folder) : 0;
    return length > 0 && strncmp(path, names->folder, length) == 0 ? path + length : path;
}

static char *find_folder(void)
{
    char *folder = getcwd(NULL, 0), *ended = NULL;
    if (folder != NULL && strcmp(folder, "/") != 0 && asprintf(&ended, "%s/", folder) < 0) {
        ended = NULL;
    }
    free(folder);
    return ended;
}

/* Without its folders if it may not be shown; `path` must stay. */
static const char *name_source(struct source_names *names, const char *path)
{
    if (names->asked == NULL || strcmp(names->asked, path) != 0) {
        const struct symbol_place place = {.path = path};
        const char *slash = strrchr(path, '/');
        FILE *shown = sources_find(names->sources, &place, NULL);
        if (shown != NULL) {
            fclose(shown);
        }
        names->asked = path;
        names->answer = shown == NULL && slash != NULL ? slash + 1 : below_folder(names, path);
    }
    return names->answer;
}

/* The file that each function begins in, as its lines name it. */
static const char **find_files(const json_t *run, struct source_names *names)
{
    const json_t *lines = list_of(run, "lines");
    const char **files =
        calloc(json_array_size(list_of(run, "functions")) + 1, sizeof(const char *));
    ASSERT(files != NULL);
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        const char *path = json_string_value(json_array_get(line, LINE_FILE));
        const json_int_t function = number_at(line, LINE_FUNCTION);
        if (path != NULL && is_own_file(function_at(run, function), path)) {
            files[function] = name_source(names, path);
        }
    }
    return files;
}

static void put_line(FILE *file, const json_t *line, bool timed)
{
    fprintf(file, "%" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT, number_at(line, LINE_LINE),
            number_at(line, LINE_INSTRUCTIONS));
    if (timed) {
        fprintf(file, " %" JSON_INTEGER_FORMAT, number_at(line, LINE_CYCLES));
    }
    fputc('\n', file);
}

/* A jump into the middle of a function is no call, but readers want one wherever there are costs. */
static void put_edge(FILE *file, const json_t *run, const char *const *files,
                     const struct edge *edge)
{
    const json_t *to = function_at(run, edge->to);
    export_name(file, "cob", text_of(to, "file"));
    export_name(file, "cfi", files[edge->to] != NULL ? files[edge->to] : "???");
    export_name(file, "cfn", text_of(to, "function"));
    fprintf(file,
            "calls=%" JSON_INTEGER_FORMAT " %ld\n%" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT
            "\n",
            edge->calls > 0 ? edge->calls : 1, first_line(to), edge->line, edge->instructions);
}

void profile_export_callgrind(FILE *file, const json_t *run, const struct source_rules *rules,
                              const char *creator)
{
    const json_t *program = json_object_get(run, "program");
    struct source_names names = {
        .sources = sources_open(rules, json_string_value(json_object_get(program, "path"))),
        .folder = find_folder()};
    const json_t *lines = list_of(run, "lines");
    const bool timed = json_is_integer(list_of(run, "cycles"));
    const json_int_t total = json_integer_value(list_of(run, "instructions"));
    const json_int_t cycles = json_integer_value(list_of(run, "cycles"));
    const char **files = find_files(run, &names);
    const struct edges edges = read_edges(run);
    size_t edge = 0;
    fprintf(file, "# callgrind format\nversion: 1\ncreator: %s\n", creator);
    export_command(file, run);
    if (timed && edges.count > 0) {
        fputs(
            "desc: Note: calls have instructions (Ir), no cycles: inclusive costs are right for Ir "
            "only\n",
            file);
    }
    fprintf(file, "positions: line\nevent: Ir : instructions executed\n%sevents: Ir%s\n",
            timed ? "event: Cycles : cycles in which it was the oldest instruction\n" : "",
            timed ? " Cycles" : "");
    fprintf(file, "summary: %" JSON_INTEGER_FORMAT, total);
    if (timed) {
        fprintf(file, " %" JSON_INTEGER_FORMAT, cycles);
    }
    fputs("\n\n", file);
    /* Both lists are in the order of the callers. */
    for (size_t i = 0; i < json_array_size(lines);) {
        const json_int_t number = number_at(json_array_get(lines, i), LINE_FUNCTION);
        const json_t *function = function_at(run, number);
        const char *own = files[number] != NULL ? files[number] : "???";
        export_name(file, "ob", text_of(function, "file"));
        export_name(file, "fl", own);
        export_name(file, "fn", text_of(function, "function"));
        for (; i < json_array_size(lines) &&
               number_at(json_array_get(lines, i), LINE_FUNCTION) == number;
             i++) {
            const json_t *line = json_array_get(lines, i);
            const char *named = json_string_value(json_array_get(line, LINE_FILE));
            const char *path = named != NULL ? name_source(&names, named) : NULL;
            if (path != NULL && strcmp(path, own) != 0) {
                export_name(file, "fi", path);
                put_line(file, line, timed);
                export_name(file, "fe", own);
            } else {
                put_line(file, line, timed);
            }
        }
        while (edge < edges.count && edges.items[edge].from < number) {
            edge++;
        }
        for (; edge < edges.count && edges.items[edge].from == number; edge++) {
            put_edge(file, run, files, &edges.items[edge]);
        }
        fputc('\n', file);
    }
    fprintf(file, "totals: %" JSON_INTEGER_FORMAT, total);
    if (timed) {
        fprintf(file, " %" JSON_INTEGER_FORMAT, cycles);
    }
    fputc('\n', file);
    free(edges.items);
    free(files);
    free(names.folder);
    sources_close(names.sources);
}

/* A path of calls as text, and its instructions. */
struct stack {
    char *text;
    json_int_t instructions;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

/* A semicolon would end the name. */
static char *readable(const char *name)
{
    char *text = strdup(name);
    ASSERT(text != NULL);
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == ';' ? ':' : *at;
    }
    return text;
}

void profile_export_folded(FILE *file, const json_t *run)
{
    const json_t *places = calls_of(run, "places");
    const size_t count = json_array_size(places);
    struct stack *stacks = calloc(count + 1, sizeof *stacks);
    ASSERT(stacks != NULL);
    for (size_t i = 0; i < count; i++) {
        const json_t *place = json_array_get(places, i);
        const json_t *parent = json_array_get(place, PLACE_PARENT);
        char *name =
            readable(text_of(function_at(run, number_at(place, PLACE_FUNCTION)), "function"));
        stacks[i].instructions = number_at(place, PLACE_INSTRUCTIONS);
        if (json_is_null(parent)) {
            stacks[i].text = name;
        } else {
            const int length =
                asprintf(&stacks[i].text, "%s;%s", stacks[json_integer_value(parent)].text, name);
            ASSERT(length >= 0);
            free(name);
        }
    }
    qsort(stacks, count, sizeof *stacks, by_text);
    for (size_t i = 0; i < count;) {
        json_int_t sum = 0;
        const char *text = stacks[i].text;
        for (; i < count && strcmp(stacks[i].text, text) == 0; i++) {
            sum += stacks[i].instructions;
        }
        if (sum > 0) {
            say(file, "%s %" JSON_INTEGER_FORMAT "\n", text, sum);
        }
    }
    for (size_t i = 0; i < count; i++) {
        free(stacks[i].text);
    }
    free(stacks);
}
