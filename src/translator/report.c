/* Writes the translator's part of the statistics when the program ends; docs/stats.md has the keys. */
#include "translator/report.h"

#include "translator/output.h"
#include "translator/signal.h"
#include "translator/system.h"
#include "translator/thread.h"

#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/fs.h>

static int64_t open_or_fail(const char *path, const char *what)
{
    const int64_t fd = output_open(path);

    if (host_is_error(fd)) {
        host_fail(STATUS_FAILED, "cannot write the ", what, " to ", path);
    }
    return fd;
}

void report_start(struct translator *translator)
{
    const struct options *options = &translator->options;
    struct reports *reports = &translator->reports;

    reports->stats_fd = options->stats_fd;
    reports->dump_fd = OUTPUT_NONE;
    if (options->stats_path != NULL) {
        reports->stats_fd = open_or_fail(options->stats_path, "statistics");
    }
    if (options->dump_path != NULL) {
        reports->dump_fd = open_or_fail(options->dump_path, "fragments");
    }
    if (reports->stats_fd != OUTPUT_NONE || reports->dump_fd != OUTPUT_NONE) {
        reports->process = host_call(__NR_getpid);
    }
}

/* All chunks before the one in use count as full. */
static uint64_t cache_bytes_used(const struct cache *cache)
{
    return (uint64_t)(cache->fragments - cache->start) +
           (uint64_t)(cache->chunk_end - cache->trampolines);
}

struct loop_list {
    struct output *output;
    unsigned count;
};

struct row {
    const char *key;
    uint64_t value;
};

static void put_rows(struct output *output, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        output_string(output, "  \"");
        output_string(output, rows[i].key);
        output_string(output, "\": ");
        output_unsigned(output, rows[i].value);
        output_string(output, i + 1 < count ? ",\n" : "");
    }
}

/* Called for each loop; the first one follows the totals. */
static void put_loop(void *argument, const struct loop_counts *counts)
{
    struct loop_list *list = argument;
    struct output *output = list->output;

    output_string(output, list->count++ == 0 ? "\n{\"head\":\"" : ",\n{\"head\":\"");
    output_address(output, counts->head);
    output_string(output, "\",\"executions\":");
    output_unsigned(output, counts->executions);
    output_string(output, counts->hot ? ",\"callback_taken\":true" : "");
    output_string(output, counts->evicted ? ",\"evicted\":true}" : "}");
}

static void put_hotspots(struct translator *translator, const struct count_totals *counted,
                         struct output *output)
{
    const struct row rows[] = {
        {"counters_created", counted->created},
        {"evicted", counted->evicted},
        {"dropped", counted->dropped},
        {"callbacks", counted->callbacks},
    };
    struct loop_list list = {.output = output};

    output_string(output, " \"hotspots\": {\n");
    put_rows(output, rows, sizeof rows / sizeof rows[0]);
    output_string(output, ",\n  \"loops\": [");
    count_each(translator, put_loop, &list);
    output_string(output, "]\n }\n");
}

static void write_statistics(struct translator *translator, struct output *output)
{
    const struct statistics *statistics = &translator->statistics;
    const struct count_totals counted = count_get_totals(translator);
    const struct row rows[] = {
        {"fragments", statistics->fragments},
        {"builder_calls", statistics->dispatches},
        {"links", statistics->links},
        {"indirect_lookups_missed", statistics->lookup_misses},
        {"flushes", statistics->flushes},
        {"cache_bytes", cache_bytes_used(&translator->cache)},
        {"instructions_translated", statistics->instructions_translated},
        {"counter_collisions", counted.collisions},
        {"counters_unplaced", counted.unplaced},
        {"loops_forgotten", counted.overflows},
    };

    output_string(output, "{\n \"schema\": \"strata.stats/1\",\n \"translator\": {\n");
    put_rows(output, rows, sizeof rows / sizeof rows[0]);
    output_string(output, "\n },\n");
    put_hotspots(translator, &counted, output);
    output_string(output, "}\n");
}

/* A process that the program forked has its parent's descriptors, but no report. */
static bool has_reports(const struct reports *reports)
{
    return (reports->stats_fd != OUTPUT_NONE || reports->dump_fd != OUTPUT_NONE) &&
           !reports->written && reports->process == host_call(__NR_getpid);
}

void report_end(struct translator *translator)
{
    struct reports *reports = &translator->reports;
    struct output output;

    if (!has_reports(reports)) {
        return;
    }
    if (reports->again && reports->stats_fd != OUTPUT_NONE) {
        host_call(__NR_ftruncate, reports->stats_fd, 0L);
        host_call(__NR_lseek, reports->stats_fd, 0L, (long)SEEK_SET);
    }
    reports->written = reports->again = true;
    if (reports->dump_fd != OUTPUT_NONE) {
        dump_fragments(translator);
    }
    if (reports->stats_fd != OUTPUT_NONE) {
        output_begin(&output, reports->stats_fd);
        write_statistics(translator, &output);
        output_flush(&output);
        if (output.failed) {
            host_warn("the statistics could not be written", NULL, NULL, NULL);
        }
    }
}

/* abort() is how programs kill themselves, and the kernel asks nobody then.  One
 * that lives on reports once more when it ends. */
int64_t system_tgkill(struct context *context, const struct call *call)
{
    struct translator *translator = context->translator;
    const bool aborts =
        (int)call->arguments[2] == SIGABRT && !signal_is_handled(translator, SIGABRT);

    if (aborts) {
        report_end(translator);
    }
    const int64_t result = system_pass(context, call);
    if (aborts) {
        translator->reports.written = false;
    }
    return result;
}

/* Not through the program's way to the kernel: a signal that comes now is too late. */
int64_t system_exit(struct context *context, const struct call *call)
{
    thread_exit(context, (int)call->arguments[0]);
}

int64_t system_exit_group(struct context *context, const struct call *call)
{
    report_end(context->translator);
    host_exit((int)call->arguments[0]);
}
