/* Adds up what a profile counted, by function, loop and line, and puts it into statistics. */
#include "report/profile_sums.h"

#include "base/check.h"
#include "report/phases_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN (-1.0)

static int by_instructions(const void *a, const void *b)
{
    const struct function_sum *left = a, *right = b;
    if (left->instructions != right->instructions) {
        return left->instructions < right->instructions ? 1 : -1;
    }
    return left->number < right->number ? -1 : left->number > right->number;
}

static int by_cycles(const void *a, const void *b)
{
    const struct function_sum *left = a, *right = b;
    return left->cycles != right->cycles ? (left->cycles < right->cycles ? 1 : -1)
                                         : by_instructions(a, b);
}

static int loops_by_cycles(const void *a, const void *b)
{
    const struct loop_body *left = a, *right = b;
    if (left->cycles != right->cycles) {
        return left->cycles < right->cycles ? 1 : -1;
    }
    return left->head < right->head ? -1 : left->head > right->head;
}

static int by_site(const void *a, const void *b)
{
    const struct site_sum *left = a, *right = b;
    return left->site < right->site ? -1 : left->site > right->site;
}

/* Places stand behind their parents. */
static void sum_places(struct profile_report *report)
{
    report->below = calloc(report->place_count + 1, sizeof *report->below);
    report->sites = calloc(report->place_count + 1, sizeof *report->sites);
    ASSERT(report->below != NULL && report->sites != NULL);
    for (size_t i = report->place_count; i-- > 0;) {
        const struct call_place *place = &report->places[i];
        report->below[i] += place->instructions;
        if (i != CALL_GRAPH_ROOT) {
            report->below[place->parent] += report->below[i];
            report->functions[place->function].calls += place->calls;
            report->sites[report->site_count++] =
                (struct site_sum){.site = place->site, .instructions = report->below[i]};
        }
    }
    for (size_t i = 0; i < report->again_count; i++) {
        const uint32_t to = report->places[report->again[i].to].function;
        report->functions[to].calls += report->again[i].calls;
    }
    qsort(report->sites, report->site_count, sizeof *report->sites, by_site);
}

static uint64_t called_from(void *context, guest_addr site)
{
    const struct profile_report *report = context;
    size_t low = 0, high = report->site_count;
    uint64_t sum = 0;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (report->sites[middle].site < site) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < report->site_count && report->sites[low].site == site; low++) {
        sum += report->sites[low].instructions;
    }
    return sum;
}

static bool is_function(void *context, uint32_t function)
{
    const struct profile_report *report = context;
    return function_table_get(report->table, function)->name != NULL;
}

static void sum_functions(struct profile_report *report)
{
    report->function_count = function_table_count(report->table);
    report->functions = calloc(report->function_count + 1, sizeof *report->functions);
    ASSERT(report->functions != NULL);
    for (size_t i = 0; i < report->function_count; i++) {
        report->functions[i].number = (uint32_t)i;
    }
    for (size_t i = 0; i < report->count; i++) {
        struct function_sum *function = &report->functions[report->counts[i].function];
        function->instructions += report->counts[i].executions;
        function->cycles += report->counts[i].cycles;
        report->instructions += report->counts[i].executions;
        report->cycles += report->counts[i].cycles;
    }
}

double profile_ratio(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : (double)part / (double)whole;
}

/* In cycles where there are some: a part of the run may have been measured only. */
double profile_share_of(const struct profile_report *report, uint64_t instructions, uint64_t cycles)
{
    return report->cycles != 0 ? profile_ratio(cycles, report->cycles + report->other_cycles)
                               : profile_ratio(instructions, report->instructions);
}

static int by_head(const void *a, const void *b)
{
    const struct loop_share *left = a, *right = b;
    return left->head < right->head ? -1 : left->head > right->head;
}

/* There may be as many loops as are asked for. */
static void share_loops(struct profile_report *report)
{
    report->shares = calloc(report->loops.count + 1, sizeof *report->shares);
    ASSERT(report->shares != NULL);
    for (size_t i = 0; i < report->loops.count; i++) {
        const struct loop_body *loop = &report->loops.loops[i];
        report->shares[i] = (struct loop_share){
            .head = loop->head,
            .function = loop->function,
            .share = profile_share_of(report, loop->instructions, loop->cycles)};
    }
    qsort(report->shares, report->loops.count, sizeof *report->shares, by_head);
}

static const struct loop_share *find_share(const struct profile_report *report, guest_addr head)
{
    const struct loop_share key = {.head = head};
    return report != NULL ? bsearch(&key, report->shares, report->loops.count, sizeof key, by_head)
                          : NULL;
}

double profile_report_share(const struct profile_report *report, guest_addr head)
{
    const struct loop_share *found = find_share(report, head);
    return found != NULL ? found->share : UNKNOWN;
}

/* What is known of an address in a function: by the function, since its file may be mapped no longer. */
bool profile_find_place(const struct profile_report *report, struct places *places,
                        uint32_t function, guest_addr address, struct place *place)
{
    return function_table_place(report->table, function, address, place) ||
           places_find(places, address, place);
}

bool profile_report_place(const struct profile_report *report, struct places *places,
                          guest_addr head, struct place *place)
{
    const struct loop_share *found = find_share(report, head);
    return found != NULL ? profile_find_place(report, places, found->function, head, place)
                         : places_find(places, head, place);
}

/* A function without a symbol has its own name, not that of the address; code that no function has, the address's. */
void profile_name_place(const struct profile_report *report, uint32_t function,
                        const struct place *place, char *name, size_t columns)
{
    const bool made = function_table_get(report->table, function)->made != NULL;
    if (place->symbol.function != NULL || (place->file != NULL && !made)) {
        places_name(place, name, columns);
    } else {
        columns_fit(name, function_table_name(report->table, function), columns);
    }
}

void profile_report_name(const struct profile_report *report, guest_addr head,
                         const struct place *place, char *name, size_t columns)
{
    const struct loop_share *found = find_share(report, head);
    if (found != NULL) {
        profile_name_place(report, found->function, place, name, columns);
    } else {
        places_name(place, name, columns);
    }
}

struct profile_report *profile_report_take(struct process *process,
                                           const struct function_table *functions)
{
    struct profile *profile = process->machine.profile;
    if (profile == NULL) {
        return NULL;
    }
    struct profile_report *report = calloc(1, sizeof *report);
    ASSERT(report != NULL);
    report->table = functions;
    report->timed = process->machine.pipeline != NULL;
    report->scale = phases_report_scale(&process->machine);
    report->counts = profile_counts(profile, &report->count);
    report->other_cycles = profile_other_cycles(profile);
    sum_functions(report);
    struct call_graph *calls = profile_calls(profile);
    if (calls != NULL) {
        report->places = call_graph_places(calls, &report->place_count);
        report->again = call_graph_again(calls, &report->again_count);
        sum_places(report);
        for (size_t i = 0; i < report->function_count; i++) {
            report->functions[i].inclusive = call_graph_inclusive(calls, (uint32_t)i);
        }
    }
    const struct loop_facts facts = {.is_function = is_function,
                                     .called = calls != NULL ? called_from : NULL,
                                     .context = report};
    report->loops = loop_bodies_find(report->counts, report->count, &facts);
    qsort(report->functions, report->function_count, sizeof *report->functions,
          report->cycles != 0 ? by_cycles : by_instructions);
    if (report->cycles != 0 && report->loops.count > 0) {
        qsort(report->loops.loops, report->loops.count, sizeof *report->loops.loops,
              loops_by_cycles);
    }
    share_loops(report);
    return report;
}

void profile_report_free(struct profile_report *report)
{
    if (report != NULL) {
        loop_bodies_free(&report->loops);
        free(report->shares);
        free(report->counts);
        free(report->functions);
        free(report->below);
        free(report->sites);
        free(report);
    }
}

static void report_cycles(const struct profile_report *report, struct statistics *s,
                          uint64_t cycles)
{
    if (report->timed) {
        s->number(s, "cycles", cycles);
    } else {
        s->nothing(s, "cycles");
    }
}

static void report_called(const struct profile_report *report, struct statistics *s,
                          const char *key, uint64_t value)
{
    if (report->places != NULL) {
        s->number(s, key, value);
    } else {
        s->nothing(s, key);
    }
}

static void report_function(const struct profile_report *report, const struct function_sum *sum,
                            struct statistics *s)
{
    const struct table_function *function = function_table_get(report->table, sum->number);
    struct place place = {.file = NULL};
    char source[512];
    s->begin(s, NULL);
    s->text(s, "function", function_table_name(report->table, sum->number));
    if (function->file != NULL) {
        s->text(s, "file", function->file);
    } else {
        s->nothing(s, "file");
    }
    if (function->name != NULL) {
        places_report_address(s, "address", function->start);
        function_table_place(report->table, sum->number, function->start, &place);
    } else {
        s->nothing(s, "address");
    }
    if (place.symbol.file != NULL) {
        snprintf(source, sizeof source, "%s:%u", place.symbol.file, place.symbol.line);
        s->text(s, "source", source);
    } else {
        s->nothing(s, "source");
    }
    s->number(s, "instructions", sum->instructions);
    report_cycles(report, s, sum->cycles);
    s->ratio(s, "share", profile_share_of(report, sum->instructions, sum->cycles));
    report_called(report, s, "inclusive", sum->inclusive);
    report_called(report, s, "calls", sum->calls);
    s->end(s);
}

static void report_loop(const struct profile_report *report, const struct loop_body *loop,
                        struct places *places, struct statistics *s)
{
    struct place place;
    const bool known = profile_find_place(report, places, loop->function, loop->head, &place);
    s->begin(s, NULL);
    places_report_address(s, "head", loop->head);
    places_report_place(s, known ? &place : NULL);
    s->number(s, "executions", loop->executions);
    s->number(s, "turns", loop->turns);
    s->number(s, "instructions", loop->instructions);
    report_cycles(report, s, loop->cycles);
    s->ratio(s, "share", profile_share_of(report, loop->instructions, loop->cycles));
    report_called(report, s, "inclusive", loop->instructions + loop->called);
    s->end(s);
}

/* One line of the source of one function. */
struct line_sum {
    uint32_t function;
    const char *path, *folder; /* NULL: not known */
    unsigned line;
    uint64_t instructions, cycles;
};

static int compare_text(const char *a, const char *b)
{
    return a == b ? 0 : a == NULL ? -1 : b == NULL ? 1 : strcmp(a, b);
}

static int by_line(const void *a, const void *b)
{
    const struct line_sum *left = a, *right = b;
    if (left->function != right->function) {
        return left->function < right->function ? -1 : 1;
    }
    const int paths = compare_text(left->path, right->path);
    if (paths != 0) {
        return paths;
    }
    return left->line < right->line ? -1 : left->line > right->line;
}

static void report_path(struct statistics *s, const char *path, const char *folder)
{
    char *whole = NULL;
    if (path == NULL) {
        s->nothing(s, NULL);
    } else if (path[0] == '/' || folder == NULL || asprintf(&whole, "%s/%s", folder, path) < 0) {
        s->text(s, NULL, path);
    } else {
        s->text(s, NULL, whole);
        free(whole);
    }
}

/* The index of each function in the list of functions, by its number. */
static uint32_t *index_functions(const struct profile_report *report)
{
    uint32_t *indexes = calloc(report->function_count + 1, sizeof *indexes);
    ASSERT(indexes != NULL);
    for (size_t i = 0; i < report->function_count; i++) {
        indexes[report->functions[i].number] = (uint32_t)i;
    }
    return indexes;
}

static void report_lines(const struct profile_report *report, const uint32_t *indexes,
                         struct places *places, struct statistics *s)
{
    struct line_sum *lines = calloc(report->count + 1, sizeof *lines);
    size_t count = 0;
    ASSERT(lines != NULL);
    for (size_t i = 0; i < report->count; i++) {
        const struct profile_count *counted = &report->counts[i];
        struct place place;
        profile_find_place(report, places, counted->function, counted->pc, &place);
        lines[i] = (struct line_sum){.function = indexes[counted->function],
                                     .path = place.symbol.path,
                                     .folder = place.symbol.folder,
                                     .line = place.symbol.line,
                                     .instructions = counted->executions,
                                     .cycles = counted->cycles};
    }
    qsort(lines, report->count, sizeof *lines, by_line);
    for (size_t i = 0; i < report->count; i++) {
        if (count > 0 && by_line(&lines[count - 1], &lines[i]) == 0) {
            lines[count - 1].instructions += lines[i].instructions;
            lines[count - 1].cycles += lines[i].cycles;
        } else {
            lines[count++] = lines[i];
        }
    }
    s->begin_list(s, "lines");
    for (size_t i = 0; i < count; i++) {
        s->begin_list(s, NULL);
        s->number(s, NULL, lines[i].function);
        report_path(s, lines[i].path, lines[i].folder);
        s->number(s, NULL, lines[i].line);
        s->number(s, NULL, lines[i].instructions);
        if (report->timed) {
            s->number(s, NULL, lines[i].cycles);
        }
        s->end(s);
    }
    s->end(s);
    free(lines);
}

static void report_site(struct statistics *s, struct places *places, guest_addr site)
{
    struct place place;
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, site);
    s->text(s, NULL, text);
    places_find(places, site, &place);
    s->number(s, NULL, place.symbol.line);
}

/* Places have the numbers of their order in the list; the root, which has no function, is not in it. */
static void report_calls(const struct profile_report *report, const uint32_t *indexes,
                         struct places *places, struct statistics *s)
{
    if (report->places == NULL) {
        s->nothing(s, "calls");
        return;
    }
    s->begin(s, "calls");
    s->begin_list(s, "places");
    for (size_t i = 1; i < report->place_count; i++) {
        const struct call_place *place = &report->places[i];
        s->begin_list(s, NULL);
        if (place->parent == CALL_GRAPH_ROOT) {
            s->nothing(s, NULL);
        } else {
            s->number(s, NULL, place->parent - 1);
        }
        s->number(s, NULL, indexes[place->function]);
        report_site(s, places, place->site);
        s->number(s, NULL, place->calls);
        s->number(s, NULL, place->instructions);
        s->end(s);
    }
    s->end(s);
    s->begin_list(s, "recursive");
    for (size_t i = 0; i < report->again_count; i++) {
        const struct call_again *again = &report->again[i];
        s->begin_list(s, NULL);
        s->number(s, NULL, again->from - 1);
        s->number(s, NULL, again->to - 1);
        report_site(s, places, again->site);
        s->number(s, NULL, again->calls);
        s->end(s);
    }
    s->end(s);
    s->end(s);
}

void profile_report_statistics(const struct profile_report *report, struct process *process,
                               struct statistics *s)
{
    if (report == NULL) {
        s->nothing(s, "profile");
        return;
    }
    struct places *places = places_open(process);
    uint32_t *indexes = index_functions(report);
    s->begin(s, "profile");
    s->number(s, "instructions", report->instructions);
    report_cycles(report, s, report->cycles);
    s->begin_list(s, "functions");
    for (size_t i = 0; i < report->function_count; i++) {
        report_function(report, &report->functions[i], s);
    }
    s->end(s);
    s->begin_list(s, "loops");
    for (size_t i = 0; i < report->loops.count; i++) {
        report_loop(report, &report->loops.loops[i], places, s);
    }
    s->end(s);
    report_lines(report, indexes, places, s);
    report_calls(report, indexes, places, s);
    s->end(s);
    free(indexes);
    places_close(places);
}
