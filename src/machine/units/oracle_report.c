/* Adds up what the oracle has seen, and tells it. */
#include "base/check.h"
#include "machine/state/statistics.h"
#include "machine/units/oracle_state.h"

#include <stdlib.h>

struct adding {
    const struct oracle *oracle;
    enum oracle_by by;
    struct oracle_prediction *to;
    uint64_t *latencies; /* of hot paths that were predicted */
};

static const struct judged_path *judged_of(const struct known_path *known)
{
    return (const struct judged_path *)(const void *)known;
}

/* A path may be executed first when its traces have been made. */
static uint64_t latency_of(const struct judged_path *path, const struct prediction *prediction)
{
    return prediction->made > path->seen ? prediction->made - path->seen : 0;
}

static void add_hot(struct adding *adding, const struct judged_path *path)
{
    const struct prediction *prediction = &path->by[adding->by];
    struct oracle_prediction *to = adding->to;

    if (!prediction->is_there) {
        to->missed_never += path->known.executions;
        return;
    }
    adding->latencies[to->hot_predicted++] = latency_of(path, prediction);
    to->missed_before += prediction->before;
    to->hits += path->known.executions - prediction->before;
    to->hits_elsewhere += prediction->outside;
}

static void add_path(struct pc_item *item, void *context)
{
    struct adding *adding = context;
    const struct judged_path *path = (const struct judged_path *)(const void *)item;
    const struct prediction *prediction = &path->by[adding->by];

    if (path_table_is_hot(&adding->oracle->paths, &path->known)) {
        add_hot(adding, path);
    } else if (prediction->is_there) {
        adding->to->cold_predicted++;
        adding->to->noise += path->known.executions - prediction->before;
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static void add_prediction(const struct oracle *oracle, enum oracle_by by,
                           struct oracle_prediction *to)
{
    uint64_t latencies[PATH_HOT_SHARE];
    struct adding adding = {.oracle = oracle, .by = by, .to = to, .latencies = latencies};
    double sum = 0;

    pc_table_each(&oracle->paths.known, add_path, &adding);
    const uint64_t count = to->hot_predicted;
    qsort(latencies, count, sizeof latencies[0], by_value);
    for (uint64_t i = 0; i < count; i++) {
        sum += (double)latencies[i];
    }
    to->latency_mean = count > 0 ? sum / (double)count : 0;
    to->latency_median = count > 0 ? latencies[(count - 1) / 2] : 0;
}

struct oracle_sums oracle_sums(const struct oracle *oracle)
{
    const struct hot_paths hot = path_table_hot(&oracle->paths);
    struct oracle_sums sums = {.paths = oracle->paths.known.count,
                               .executions = oracle->paths.executions,
                               .cut = oracle->cut,
                               .dropped = oracle->dropped,
                               .unknown = oracle->unknown,
                               .hot_paths = hot.count,
                               .hot_executions = hot.executions,
                               .traces = oracle->trace_count,
                               .trace_instructions = oracle_executed(oracle, true)};

    sums.instructions = sums.trace_instructions + oracle_executed(oracle, false);
    for (size_t i = 0; i < oracle->trace_count; i++) {
        sums.trace_executions += oracle->traces[i]->entered.executions;
        sums.trace_completions += oracle->traces[i]->completed;
    }
    for (unsigned by = 0; by < ORACLE_WAYS; by++) {
        add_prediction(oracle, (enum oracle_by)by, &sums.by[by]);
    }
    free(hot.paths);
    return sums;
}

/* Of nothing there is no share. */
static void report_share(struct statistics *statistics, const char *key, uint64_t part,
                         uint64_t whole)
{
    if (whole > 0) {
        statistics->ratio(statistics, key, (double)part / (double)whole);
    } else {
        statistics->nothing(statistics, key);
    }
}

static void report_prediction(const struct oracle_sums *sums, enum oracle_by by, const char *name,
                              struct statistics *statistics)
{
    const struct oracle_prediction *of = &sums->by[by];
    const uint64_t hot = sums->hot_executions;

    statistics->begin(statistics, name);
    report_share(statistics, "hit_rate", of->hits, hot);
    report_share(statistics, "noise", of->noise, hot);
    report_share(statistics, "missed_before", of->missed_before, hot);
    report_share(statistics, "missed_never", of->missed_never, hot);
    statistics->begin(statistics, "latency");
    if (of->hot_predicted > 0) {
        statistics->ratio(statistics, "mean", of->latency_mean);
        statistics->number(statistics, "median", of->latency_median);
    } else {
        statistics->nothing(statistics, "mean");
        statistics->nothing(statistics, "median");
    }
    statistics->end(statistics);
    statistics->number(statistics, "hot_predicted", of->hot_predicted);
    statistics->number(statistics, "cold_predicted", of->cold_predicted);
    statistics->number(statistics, "hit_executions", of->hits);
    statistics->number(statistics, "hit_elsewhere", of->hits_elsewhere);
    statistics->number(statistics, "noise_executions", of->noise);
    statistics->number(statistics, "missed_before_executions", of->missed_before);
    statistics->number(statistics, "missed_never_executions", of->missed_never);
    statistics->end(statistics);
}

static void report_traces(const struct oracle_sums *sums, struct statistics *statistics)
{
    statistics->begin(statistics, "traces");
    report_share(statistics, "instruction_share", sums->trace_instructions, sums->instructions);
    report_share(statistics, "completion", sums->trace_completions, sums->trace_executions);
    statistics->number(statistics, "made", sums->traces);
    statistics->number(statistics, "executions", sums->trace_executions);
    statistics->number(statistics, "completed", sums->trace_completions);
    statistics->number(statistics, "instructions", sums->trace_instructions);
    statistics->end(statistics);
}

static void report_moment(const struct judged_path *path, enum oracle_by by, const char *key,
                          struct statistics *statistics)
{
    const struct prediction *prediction = &path->by[by];

    if (prediction->is_there) {
        statistics->number(statistics, key, prediction->before);
    } else {
        statistics->nothing(statistics, key);
    }
}

static void report_hot(const struct oracle *oracle, struct statistics *statistics)
{
    const struct hot_paths hot = path_table_hot(&oracle->paths);

    statistics->begin_list(statistics, "hot");
    for (size_t i = 0; i < hot.count; i++) {
        const struct judged_path *path = judged_of(hot.paths[i]);
        statistics->begin(statistics, NULL);
        finds_report_path(statistics, path->known.blocks, path->known.count, path->known.next);
        statistics->number(statistics, "executions", path->known.executions);
        report_moment(path, ORACLE_BY_TRACES, "before", statistics);
        report_moment(path, ORACLE_BY_ONE_TRACE, "before_one_trace", statistics);
        statistics->end(statistics);
    }
    statistics->end(statistics);
    free(hot.paths);
}

void oracle_report(const struct oracle *oracle, struct statistics *statistics)
{
    const struct oracle_sums sums = oracle_sums(oracle);

    statistics->begin(statistics, "paths");
    statistics->number(statistics, "paths", sums.paths);
    statistics->number(statistics, "executions", sums.executions);
    statistics->number(statistics, "cut", sums.cut);
    statistics->number(statistics, "dropped", sums.dropped);
    statistics->number(statistics, "unknown", sums.unknown);
    statistics->number(statistics, "hot_paths", sums.hot_paths);
    statistics->number(statistics, "hot_executions", sums.hot_executions);
    report_hot(oracle, statistics);
    statistics->end(statistics);
    report_prediction(&sums, ORACLE_BY_TRACES, "prediction", statistics);
    report_prediction(&sums, ORACLE_BY_ONE_TRACE, "one_trace", statistics);
    report_traces(&sums, statistics);
    statistics->number(statistics, "instructions", sums.instructions);
}
