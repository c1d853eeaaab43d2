/* The static loads of a run by their misses, as a person reads them: the delinquent ones come first. */
#include "report/loads_report.h"

#include "base/say.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"
#include "machine/pipeline/loads.h"
#include "machine/pipeline/pipeline.h"
#include "report/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARY_LOADS 10
#define SOURCE_COLUMNS 18
#define NAME_COLUMNS 48

/* The loads of a run, ranked, and what they are shares of. */
struct ranking {
    const struct pipeline *pipeline;
    struct load_site *sites; /* malloc'ed */
    size_t count;
    size_t missed; /* how many sites, from the first on, have misses */
    uint64_t misses;
    uint64_t stall_slots; /* of the whole pipeline */
};

/* False if there are none to speak of. */
static bool rank(const struct process *process, struct ranking *ranking)
{
    const struct pipeline *pipeline = process->machine.pipeline;
    const struct loads *loads = pipeline != NULL ? pipeline_loads(pipeline) : NULL;
    if (loads == NULL) {
        return false;
    }
    *ranking =
        (struct ranking){.pipeline = pipeline, .stall_slots = pipeline_stall_slots(pipeline)};
    ranking->sites = loads_ranked(loads, &ranking->count);
    for (size_t i = 0; i < ranking->count; i++) {
        const uint64_t misses = ranking->sites[i].levels[0].misses;
        ranking->misses += misses;
        ranking->missed += misses > 0;
    }
    return true;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : (double)part / (double)whole;
}

static void report_ratio(struct statistics *s, const char *key, uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        s->nothing(s, key);
    } else {
        s->ratio(s, key, share(part, whole));
    }
}

static void report_level(const struct ranking *ranking, const struct load_site *site,
                         unsigned number, struct statistics *s)
{
    static const char *const names[LOAD_LEVELS] = {"l1", "l2", "l3"};
    const struct load_level *level = &site->levels[number];
    if (!pipeline_has_level(ranking->pipeline, number)) {
        s->nothing(s, names[number]);
        return;
    }
    s->begin(s, names[number]);
    s->number(s, "accesses", level->accesses);
    s->number(s, "misses", level->misses);
    s->number(s, "merged", level->merged);
    s->number(s, "capacity_misses", level->capacity);
    report_ratio(s, "miss_rate", level->misses, level->accesses);
    report_ratio(s, "capacity_share", level->capacity, level->misses);
    s->end(s);
}

static void report_site(const struct ranking *ranking, const struct load_site *site,
                        struct places *places, struct statistics *s)
{
    const uint64_t width = pipeline_commit_width(ranking->pipeline);
    char text[RV64_TEXT_SIZE];
    struct rv64_insn insn;
    rv64_decode(site->word, &insn);
    rv64_disassemble(&insn, site->pc, text, sizeof text);
    text[strcspn(text, "\t")] = ' ';
    s->begin(s, NULL);
    places_report_address(s, "pc", site->pc);
    s->text(s, "instruction", text);
    s->text(s, "owner", places_owner(site->owner));
    s->number(s, "copies", site->copies);
    places_report(places, s, site->pc);
    s->number(s, "executions", site->executions);
    s->number(s, "forwarded", site->forwarded);
    for (unsigned i = 0; i < LOAD_LEVELS; i++) {
        report_level(ranking, site, i, s);
    }
    report_ratio(s, "mean_latency", site->latency_cycles, site->executions);
    report_ratio(s, "share", site->levels[0].misses, ranking->misses);
    s->ratio(s, "stall_cycles", (double)site->stall_slots / (double)width);
    report_ratio(s, "stall_share", site->stall_slots, ranking->stall_slots);
    s->end(s);
}

static uint64_t misses_of_first(const struct ranking *ranking, size_t count)
{
    uint64_t misses = 0;
    for (size_t i = 0; i < count && i < ranking->count; i++) {
        misses += ranking->sites[i].levels[0].misses;
    }
    return misses;
}

void loads_report(struct process *process, struct statistics *s)
{
    struct ranking ranking;
    if (!rank(process, &ranking)) {
        return;
    }
    struct places *places = places_open(process);
    s->begin_list(s, "loads");
    for (size_t i = 0; i < ranking.missed; i++) {
        report_site(&ranking, &ranking.sites[i], places, s);
    }
    s->end(s);
    s->begin(s, "loads_top");
    s->number(s, "loads", ranking.count);
    s->number(s, "misses", ranking.misses);
    report_ratio(s, "top_1", misses_of_first(&ranking, 1), ranking.misses);
    report_ratio(s, "top_5", misses_of_first(&ranking, 5), ranking.misses);
    report_ratio(s, "top_10", misses_of_first(&ranking, 10), ranking.misses);
    s->end(s);
    places_close(places);
    free(ranking.sites);
}

/* "99.95/99.98": the share of accesses that miss, and of misses for want of room, in percent. */
static void print_level(const struct ranking *ranking, const struct load_site *site,
                        unsigned number)
{
    const struct load_level *level = &site->levels[number];
    char text[32] = "-";
    if (pipeline_has_level(ranking->pipeline, number) && level->accesses > 0) {
        snprintf(text, sizeof text, "%.2f/%.2f", 100 * share(level->misses, level->accesses),
                 100 * share(level->capacity, level->misses));
    }
    say(stderr, " %13s", text);
}

static void print_site(const struct ranking *ranking, const struct load_site *site,
                       struct places *places)
{
    struct place place;
    char name[COLUMN_BYTES(NAME_COLUMNS)], source[COLUMN_BYTES(SOURCE_COLUMNS)];
    places_find(places, site->pc, &place);
    places_name(&place, name, NAME_COLUMNS);
    places_source(&place, source, SOURCE_COLUMNS);
    fprintf(stderr, "%15" PRIu64 " %5.1f%% %5.1f%%", site->levels[0].misses,
            100 * share(site->levels[0].misses, ranking->misses),
            100 * share(site->stall_slots, ranking->stall_slots));
    for (unsigned i = 0; i < LOAD_LEVELS; i++) {
        print_level(ranking, site, i);
    }
    say(stderr, " %8.1f  0x%-12" PRIx64 " %s %s%s\n", share(site->latency_cycles, site->executions),
        site->pc, source, site->owner == OWNER_TRANSLATOR ? "translator: " : "",
        site->owner == OWNER_UNKNOWN ? "-" : name);
}

void loads_report_print(struct process *process)
{
    struct ranking ranking;
    if (!rank(process, &ranking)) {
        return;
    }
    struct places *places = places_open(process);
    say(stderr, "\n%15s %6s %6s %13s %13s %13s %8s  %-14s %-*s %s\n", "misses", "share", "stalls",
        "L1 miss/cap%", "L2 miss/cap%", "L3 miss/cap%", "latency", "load", SOURCE_COLUMNS, "source",
        "function");
    for (size_t i = 0; i < ranking.missed && i < SUMMARY_LOADS; i++) {
        print_site(&ranking, &ranking.sites[i], places);
    }
    fprintf(
        stderr, "%15" PRIu64 " in %zu loads; the first 1, 5 and 10 have %.1f%%, %.1f%%, %.1f%%\n",
        ranking.misses, ranking.count, 100 * share(misses_of_first(&ranking, 1), ranking.misses),
        100 * share(misses_of_first(&ranking, 5), ranking.misses),
        100 * share(misses_of_first(&ranking, 10), ranking.misses));
    places_close(places);
    free(ranking.sites);
}
