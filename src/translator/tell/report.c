/* Writes the translator's part of the statistics when the program ends; docs/stats.md has the keys. */
#include "translator/tell/report.h"

#include "translator/fragment/dispatch.h"
#include "translator/host/output.h"

#include "base/text.h"

#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>

/* A file's name from the root on: the program may change the folder.  Empty if
 * there is none, or if it is too long. */
static void make_absolute(char *absolute, const char *path)
{
    struct text text;

    text_begin(&text, absolute, EXECUTABLE_BYTES);
    if (path == NULL) {
        return;
    }
    if (path[0] != '/') {
        const int64_t bytes = host_call(__NR_getcwd, absolute, (long)EXECUTABLE_BYTES);
        text.length = host_is_error(bytes) ? 0 : (size_t)bytes - 1;
        text_put_char(&text, '/');
    }
    text_put_string(&text, path);
    if (text.length >= EXECUTABLE_BYTES) {
        absolute[0] = '\0';
    }
}

/* Only names of files can be changed: what is open as /dev/stdout is there once. */
static bool is_file(const char *path)
{
    struct stat status;

    return host_is_error(host_call(__NR_newfstatat, (long)AT_FDCWD, path, &status, 0L)) ||
           S_ISREG(status.st_mode);
}

/* Processes that the first one started have files of their own. */
static int64_t open_own(const struct translator *translator, const char *path)
{
    const struct reports *reports = &translator->reports;
    char own[EXECUTABLE_BYTES + 24];
    struct text text;

    if (reports->process == reports->first) {
        return output_open(path);
    }
    if (!is_file(path)) {
        return OUTPUT_NONE;
    }
    text_begin(&text, own, sizeof own);
    text_put_string(&text, path);
    text_put_char(&text, '.');
    text_put_decimal(&text, reports->process);
    return output_open(own);
}

/* One that the first process started goes on without. */
static int64_t open_report(const struct translator *translator, const char *path, const char *name,
                           const char *what)
{
    const struct reports *reports = &translator->reports;
    const bool first = reports->process == reports->first;
    const int64_t fd = open_own(translator, path);

    if (host_is_error(fd) && (first || fd != OUTPUT_NONE)) {
        host_warn("cannot write the ", what, " to ", name);
        if (first && !reports->again) {
            host_exit(STATUS_FAILED);
        }
    }
    return host_is_error(fd) ? OUTPUT_NONE : fd;
}

void report_start(struct translator *translator)
{
    const struct options *options = &translator->options;
    struct reports *reports = &translator->reports;

    *reports = (struct reports){.stats_fd = options->stats_fd,
                                .dump_fd = OUTPUT_NONE,
                                .parent_fd = OUTPUT_NONE,
                                .shared_fds = {OUTPUT_NONE, OUTPUT_NONE},
                                .records_fd = options->inherited.records_fd};
    if (options->stats_fd < 0 && options->stats_path == NULL && options->dump_path == NULL &&
        reports->records_fd < 0) {
        return;
    }
    const bool begins = options->inherited.first == 0;
    reports->process = host_call(__NR_getpid);
    reports->first = begins ? reports->process : options->inherited.first;
    reports->again = !begins;
    make_absolute(translator->stats_path, options->stats_path);
    make_absolute(translator->dump_path, options->dump_path);
    if (options->stats_path != NULL) {
        reports->stats_fd = open_report(translator, translator->stats_path,
                                        translator->options.stats_path, "statistics");
    }
    if (options->dump_path != NULL) {
        reports->dump_fd = open_report(translator, translator->dump_path,
                                       translator->options.dump_path, "fragments");
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
    if (counts->hot) {
        output_string(output, ",\"callback_taken\":true");
    }
    if (counts->evicted) {
        output_string(output, ",\"evicted\":true");
    }
    output_string(output, counts->partial ? ",\"complete\":false}" : "}");
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

/* Only the first process knows the others, and only if there were any. */
static void put_processes(const struct translator *translator, struct output *output)
{
    const struct reports *reports = &translator->reports;

    if (reports->process != reports->first || reports->records_fd == OUTPUT_NONE) {
        return;
    }
    const struct process_totals totals = processes_get(translator);
    const struct row rows[] = {
        {"programs", totals.programs},
        {"fragments", totals.statistics.fragments},
        {"builder_calls", totals.statistics.dispatches},
        {"links", totals.statistics.links},
        {"indirect_lookups_missed", totals.statistics.lookup_misses},
        {"flushes", totals.statistics.flushes},
        {"instructions_translated", totals.statistics.instructions_translated},
    };
    output_string(output, " \"processes\": {\n");
    put_rows(output, rows, sizeof rows / sizeof rows[0]);
    output_string(output, "\n },\n");
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
        {"code_syncs", statistics->code_syncs},
        {"fragments_changed", statistics->fragments_changed},
        {"cache_bytes", cache_bytes_used(&translator->cache)},
        {"instructions_translated", statistics->instructions_translated},
        {"counter_collisions", counted.collisions},
        {"counters_unplaced", counted.unplaced},
        {"loops_forgotten", counted.overflows},
    };

    output_string(output, "{\n \"schema\": \"strata.stats/1\",\n \"translator\": {\n");
    put_rows(output, rows, sizeof rows / sizeof rows[0]);
    output_string(output, "\n },\n");
    put_processes(translator, output);
    put_hotspots(translator, &counted, output);
    output_string(output, "}\n");
}

/* A process that borrows another's memory has none. */
static bool is_reported(const struct reports *reports)
{
    return reports->first != 0 && reports->process == host_call(__NR_getpid);
}

static bool has_reports(const struct reports *reports)
{
    return !reports->written && is_reported(reports);
}

/* The file of one that was forked is opened when there is something to write. */
static void write_statistics_file(struct translator *translator)
{
    struct reports *reports = &translator->reports;
    struct output output;

    if (reports->stats_fd == OUTPUT_NONE && translator->stats_path[0] != '\0') {
        reports->stats_fd = open_report(translator, translator->stats_path,
                                        translator->options.stats_path, "statistics");
    } else if (reports->again) {
        host_call(__NR_ftruncate, reports->stats_fd, 0L);
        host_call(__NR_lseek, reports->stats_fd, 0L, (long)SEEK_SET);
    }
    if (reports->stats_fd == OUTPUT_NONE) {
        return;
    }
    output_begin(&output, reports->stats_fd);
    write_statistics(translator, &output);
    output_flush(&output);
    if (output.failed) {
        host_warn("the statistics could not be written", NULL, NULL, NULL);
    }
}

static void write_reports(struct translator *translator)
{
    struct reports *reports = &translator->reports;

    if (reports->dump_fd >= 0) {
        dump_fragments(translator);
    }
    write_statistics_file(translator);
    if (reports->process != reports->first) {
        processes_add(translator, false);
    }
    reports->written = reports->again = true;
}

/* Other threads may still run, build code, and end the process, too: one that does
 * waits here until all is written. */
void report_end(struct translator *translator)
{
    if (!is_reported(&translator->reports)) {
        return;
    }
    lock_acquire(&translator->lock);
    if (!translator->reports.written) {
        dispatch_add_up(translator);
        write_reports(translator);
    }
    lock_release(&translator->lock);
}

void report_prepare_process(struct translator *translator)
{
    struct reports *reports = &translator->reports;

    if (has_reports(reports) && reports->records_fd == OUTPUT_NONE) {
        reports->records_fd = processes_open();
    }
}

/* The parent's must not be closed where it is the same. */
static void forget_descriptor(int64_t *fd, int64_t *shared, bool shares_files)
{
    if (shares_files) {
        *shared = *fd;
    } else if (*fd >= 0) {
        host_call(__NR_close, *fd);
    }
    *fd = OUTPUT_NONE;
}

void report_forked(struct translator *translator, bool shares_files)
{
    struct reports *reports = &translator->reports;

    if (reports->first == 0) {
        return;
    }
    forget_descriptor(&reports->stats_fd, &reports->shared_fds[0], shares_files);
    forget_descriptor(&reports->dump_fd, &reports->shared_fds[1], shares_files);
    reports->process = host_call(__NR_getpid);
    reports->written = reports->again = false;
    translator->statistics = (struct statistics){.fragments = 0};
    if (translator->dump_path[0] != '\0') {
        reports->dump_fd = open_report(translator, translator->dump_path,
                                       translator->options.dump_path, "fragments");
    }
}

void report_replaced(struct translator *translator)
{
    const struct reports *reports = &translator->reports;

    if (has_reports(reports)) {
        report_end(translator);
        if (reports->process == reports->first) {
            processes_add(translator, false);
        }
    }
}

void report_not_replaced(struct translator *translator)
{
    struct reports *reports = &translator->reports;

    if (reports->written && reports->process == host_call(__NR_getpid)) {
        processes_add(translator, true);
        reports->written = false;
    }
}
