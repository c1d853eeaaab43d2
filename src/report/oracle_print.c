/* The oracle's figures as lines of the summary: what docs/stats.md has under `oracle`. */
#include "report/oracle_print.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* Of nothing there is no share. */
static void print_share(const char *what, uint64_t part, uint64_t whole)
{
    if (whole > 0) {
        fprintf(stderr, "%s %.1f%%", what, 100.0 * (double)part / (double)whole);
    } else {
        fprintf(stderr, "%s -", what);
    }
}

static void print_prediction(const char *name, const struct oracle_prediction *of, uint64_t hot)
{
    fprintf(stderr, "    %-13s%15" PRIu64, name, of->hot_predicted);
    print_share("   hit rate", of->hits, hot);
    print_share(", noise", of->noise, hot);
    print_share(", missed before", of->missed_before, hot);
    print_share(", never predicted", of->missed_never, hot);
    fputc('\n', stderr);
}

void oracle_print(const struct oracle *oracle)
{
    if (oracle == NULL) {
        return;
    }
    const struct oracle_sums sums = oracle_sums(oracle);
    const struct oracle_prediction *by = sums.by;

    fprintf(stderr, "  hot paths      %15" PRIu64, sums.hot_paths);
    print_share("  ", sums.hot_executions, sums.executions);
    fprintf(stderr, " of %" PRIu64 " executions of paths\n", sums.executions);
    print_prediction("in traces", &by[ORACLE_BY_TRACES], sums.hot_executions);
    print_prediction("in one trace", &by[ORACLE_BY_ONE_TRACE], sums.hot_executions);
    fprintf(stderr,
            "    %-13s%15.0f   instructions until they were, in the mean; median %" PRIu64 "\n",
            "latency", by[ORACLE_BY_TRACES].latency_mean, by[ORACLE_BY_TRACES].latency_median);
    fprintf(stderr, "  traces         %15" PRIu64, sums.traces);
    print_share("   with", sums.trace_instructions, sums.instructions);
    print_share(" of the program's instructions; executed to their end", sums.trace_completions,
                sums.trace_executions);
    fputc('\n', stderr);
}
