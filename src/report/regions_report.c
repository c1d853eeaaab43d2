/* Which regions hot spots were looked for in, what was there, and what was left out. */
#include "report/regions_report.h"

#include "base/say.h"
#include "report/translator_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* What was left out, by the keys of docs/stats.md. */
static const struct {
    const char *key, *shown;
} left_out[] = {
    {"heads_outside", "heads outside"},
    {"finds_outside", "finds outside"},
    {"too_early", "too early"},
    {"too_late", "too late"},
};
#define LEFT_OUT (sizeof left_out / sizeof left_out[0])

static uint64_t number_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static const json_t *regions_of(const struct translator_report *report)
{
    return report != NULL ? translator_report_object(report, "regions") : NULL;
}

static void report_region(const json_t *region, struct statistics *s)
{
    const json_t *mapped = json_object_get(region, "mapped");

    s->begin(s, NULL);
    s->text(s, "region", json_string_value(json_object_get(region, "region")));
    if (mapped != NULL) {
        s->truth(s, "mapped", json_is_true(mapped));
        s->number(s, "heads", number_of(region, "heads"));
    } else {
        s->nothing(s, "mapped");
        s->nothing(s, "heads");
    }
    s->end(s);
}

void regions_report_statistics(const struct translator_report *report, struct statistics *s)
{
    const json_t *regions = regions_of(report);
    const json_t *chosen = json_object_get(regions, "chosen");

    if (regions == NULL) {
        return;
    }
    s->begin(s, "regions");
    s->begin_list(s, "chosen");
    for (size_t i = 0; i < json_array_size(chosen); i++) {
        report_region(json_array_get(chosen, i), s);
    }
    s->end(s);
    for (size_t i = 0; i < LEFT_OUT; i++) {
        s->number(s, left_out[i].key, number_of(regions, left_out[i].key));
    }
    s->end(s);
}

void regions_report_print(const struct translator_report *report)
{
    const json_t *regions = regions_of(report);
    const json_t *chosen = json_object_get(regions, "chosen");

    for (size_t i = 0; i < json_array_size(chosen); i++) {
        const json_t *region = json_array_get(chosen, i);
        const json_t *mapped = json_object_get(region, "mapped");
        fputs(i == 0 ? "  looked only in " : "                 ", stderr);
        say(stderr, "%s", json_string_value(json_object_get(region, "region")));
        if (mapped != NULL && !json_is_true(mapped)) {
            fputs("   never in memory", stderr);
        } else if (mapped != NULL) {
            fprintf(stderr, "   heads %" PRIu64, number_of(region, "heads"));
        }
        fputc('\n', stderr);
    }
    for (size_t i = 0; regions != NULL && i < LEFT_OUT; i++) {
        fprintf(stderr, "%s%s %" PRIu64 "%s", i == 0 ? "  left out       " : ", ",
                left_out[i].shown, number_of(regions, left_out[i].key),
                i + 1 == LEFT_OUT ? "\n" : "");
    }
}
