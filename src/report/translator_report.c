/* What a translator says of its run, and how the machine splits its instructions. */
#include "report/translator_report.h"

#include "base/check.h"
#include "base/say.h"
#include "isa/rv64/xstrata_abi.h"
#include "machine/units/code_classes.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct translator_report {
    json_t *document; /* NULL: nothing is known */
};

/* The keys of docs/stats.md that the translator itself knows. */
static const char *const keys[] = {
    "fragments",
    "builder_calls",
    "links",
    "indirect_lookups_missed",
    "flushes",
    "code_syncs",
    "fragments_changed",
    "cache_bytes",
    "instructions_translated",
    "finds",
    "finds_elsewhere",
    "counter_collisions",
    "counters_unplaced",
    "loops_forgotten",
    "loops_rearmed",
    "traces",
    "iterations_recorded",
    "fragments_recording",
    "loops_plain",
    "loops_abandoned",
    "loops_postponed",
    "traces_undone",
    "traces_again",
    "traces_special",
    "traces_differed",
    "traces_changed",
};

struct translator_report *translator_report_read(int fd)
{
    struct translator_report *report = calloc(1, sizeof *report);
    json_error_t error = {.text = ""};

    ASSERT(report != NULL);
    if (lseek(fd, 0, SEEK_SET) == 0) {
        report->document = json_loadfd(fd, 0, &error);
    }
    if (report->document == NULL && lseek(fd, 0, SEEK_END) > 0) {
        say(stderr,
            "strata: what the translator told of its run cannot be read, and is left out: %s\n",
            error.text);
    }
    return report;
}

bool translator_report_known(const struct translator_report *report)
{
    return report->document != NULL;
}

void translator_report_free(struct translator_report *report)
{
    if (report != NULL) {
        json_decref(report->document);
        free(report);
    }
}

const struct json_t *translator_report_object(const struct translator_report *report,
                                              const char *name)
{
    return json_object_get(report->document, name);
}

/* NULL stands for what is not there, in jansson, too. */
static uint64_t number_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static int by_executions(const void *a, const void *b)
{
    const struct hotspot *left = a, *right = b;
    if (left->executions != right->executions) {
        return left->executions < right->executions ? 1 : -1;
    }
    return left->head < right->head ? -1 : left->head > right->head;
}

/* Of a string, malloc'ed; NULL if there is none. */
static char *copy_of(const json_t *string)
{
    const char *text = json_string_value(string);
    return text != NULL ? strdup(text) : NULL;
}

struct hotspots translator_report_hotspots(const struct translator_report *report)
{
    const json_t *object = json_object_get(report->document, "hotspots");
    const json_t *loops = json_object_get(object, "loops");
    struct hotspots hotspots = {.created = number_of(object, "counters_created"),
                                .evicted = number_of(object, "evicted"),
                                .dropped = number_of(object, "dropped"),
                                .callbacks = number_of(object, "callbacks"),
                                .detector = copy_of(json_object_get(object, "detector")),
                                .detector_counts =
                                    json_is_true(json_object_get(object, "detector_counts")),
                                .count = json_array_size(loops)};
    hotspots.loops = calloc(hotspots.count + 1, sizeof *hotspots.loops);
    ASSERT(hotspots.loops != NULL);
    for (size_t i = 0; i < hotspots.count; i++) {
        const json_t *loop = json_array_get(loops, i);
        const char *head = json_string_value(json_object_get(loop, "head"));
        hotspots.loops[i] = (struct hotspot){
            .head = head != NULL ? strtoull(head, NULL, 16) : 0,
            .executions = number_of(loop, "executions"),
            .callback_taken = json_is_true(json_object_get(loop, "callback_taken")),
            .evicted = json_is_true(json_object_get(loop, "evicted")),
            .complete = !json_is_false(json_object_get(loop, "complete"))};
        hotspots.incomplete += !hotspots.loops[i].complete;
    }
    qsort(hotspots.loops, hotspots.count, sizeof *hotspots.loops, by_executions);
    return hotspots;
}

/* Instructions of the run by whose they are; they add up to machine->instructions. */
struct split {
    uint64_t program, trampoline, counter, runtime;
};

/* One instruction of each lookup in a fragment is in this class. */
static uint64_t lookups_of(const struct machine *machine)
{
    return code_classes_total(machine->classes, XSTRATA_CODE_LOOKUP);
}

static struct split split_of(const struct machine *machine)
{
    struct split split = {
        .program =
            code_classes_total(machine->classes, XSTRATA_CODE_FRAGMENT) + lookups_of(machine),
        .trampoline = code_classes_total(machine->classes, XSTRATA_CODE_TRAMPOLINE),
        .counter = code_classes_total(machine->classes, XSTRATA_CODE_COUNTER),
    };
    for (unsigned i = 0; i < CODE_CLASSES; i++) {
        split.runtime += code_classes_total(machine->classes, i);
    }
    split.runtime -= split.program + split.trampoline + split.counter;
    return split;
}

/* Where the translator says nothing of others, there is only the one program. */
static void put_processes(const struct translator_report *report, struct statistics *s)
{
    static const char *const summed[] = {
        "fragments", "builder_calls",           "links", "indirect_lookups_missed",
        "flushes",   "instructions_translated",
    };
    const json_t *all = json_object_get(report->document, "processes");
    const json_t *own = json_object_get(report->document, "translator");
    s->begin(s, "processes");
    if (own != NULL) {
        s->number(s, "programs", all != NULL ? number_of(all, "programs") : 1);
    } else {
        s->nothing(s, "programs");
    }
    for (size_t i = 0; i < sizeof summed / sizeof summed[0]; i++) {
        if (own != NULL) {
            s->number(s, summed[i], number_of(all != NULL ? all : own, summed[i]));
        } else {
            s->nothing(s, summed[i]);
        }
    }
    s->end(s);
}

void translator_report_statistics(const struct translator_report *report,
                                  const struct machine *machine, struct statistics *s)
{
    const json_t *object = json_object_get(report->document, "translator");
    const struct split split = split_of(machine);
    s->begin(s, "translator");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (json_is_integer(json_object_get(object, keys[i]))) {
            s->number(s, keys[i], number_of(object, keys[i]));
        } else {
            s->nothing(s, keys[i]);
        }
    }
    s->number(s, "indirect_lookups", lookups_of(machine));
    s->begin(s, "instructions");
    s->number(s, "program", split.program);
    s->number(s, "trampoline", split.trampoline);
    s->number(s, "counter", split.counter);
    s->number(s, "runtime", split.runtime);
    s->end(s);
    s->end(s);
    put_processes(report, s);
}

static void print_part(const char *name, uint64_t part, uint64_t whole)
{
    fprintf(stderr, "    %-13s%15" PRIu64 " %5.1f%%\n", name, part,
            whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole);
}

void translator_report_print(const struct translator_report *report, const struct machine *machine)
{
    const json_t *object = json_object_get(report->document, "translator");
    const struct split split = split_of(machine);
    print_part("program", split.program, machine->instructions);
    print_part("trampolines", split.trampoline, machine->instructions);
    print_part("counters", split.counter, machine->instructions);
    print_part("translator", split.runtime, machine->instructions);
    if (object == NULL) {
        fprintf(stderr, "  fragments      %15s\n", "unknown");
        return;
    }
    fprintf(stderr,
            "  fragments      %15" PRIu64 "   of %" PRIu64 " instructions, %" PRIu64
            " KB of cache, flushes %" PRIu64 "\n",
            number_of(object, "fragments"), number_of(object, "instructions_translated"),
            (number_of(object, "cache_bytes") + 1023) / 1024, number_of(object, "flushes"));
    fprintf(stderr,
            "  links          %15" PRIu64 "   builder calls %" PRIu64 "\n"
            "  indirect jumps %15" PRIu64 "   lookups missed %" PRIu64 "\n",
            number_of(object, "links"), number_of(object, "builder_calls"), lookups_of(machine),
            number_of(object, "indirect_lookups_missed"));
    const json_t *all = json_object_get(report->document, "processes");
    if (all != NULL) {
        fprintf(stderr,
                "  all programs   %15" PRIu64 "   fragments %" PRIu64 " of %" PRIu64
                " instructions, in all processes\n",
                number_of(all, "programs"), number_of(all, "fragments"),
                number_of(all, "instructions_translated"));
    }
}
