/* Writes the translator's part of the statistics when the program ends; docs/stats.md has the keys. */
#include "translator/tell/report.h"

#include "translator/fragment/detector.h"
#include "translator/fragment/dispatch.h"
#include "translator/host/output.h"
#include "translator/tell/regions.h"

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

void report_failed(struct translator *translator, const char *what, const char *name)
{
    host_warn("cannot write the ", what, " to ", name);
    translator->reports.failed = true;
}

static bool is_first(const struct translator *translator)
{
    return translator->reports.process == translator->reports.first;
}

/* Processes that the first one started have files of their own: false if there can be none. */
static bool own_path(const struct translator *translator, const char *path,
                     char own[EXECUTABLE_BYTES])
{
    struct text text;

    text_begin(&text, own, EXECUTABLE_BYTES);
    text_put_string(&text, path);
    if (!is_first(translator)) {
        text_put_char(&text, '.');
        text_put_decimal(&text, translator->reports.process);
    }
    return text.length < EXECUTABLE_BYTES && (is_first(translator) || is_file(path));
}

/* One that the first process started goes on without. */
static void judge(struct translator *translator, enum output_status status, const char *option,
                  const char *what, const char *name)
{
    if (status == OUTPUT_OPEN) {
        return;
    }
    if (status == OUTPUT_IS_INPUT) {
        host_warn(option, " ", name,
                  " is the program itself, which is not overwritten: name another");
        translator->reports.failed = true;
    } else {
        report_failed(translator, what, name);
    }
    if (is_first(translator) && !translator->reports.again) {
        output_file_give_up(&translator->stats_file);
        host_exit(STATUS_FAILED);
    }
}

static void open_statistics(struct translator *translator)
{
    struct reports *reports = &translator->reports;
    char own[EXECUTABLE_BYTES];

    if (own_path(translator, translator->stats_path, own)) {
        judge(translator,
              output_file_open(&translator->stats_file, own, &translator->program,
                               &reports->stats_fd),
              "--stats", "statistics", translator->options.stats_path);
    }
}

/* Whether the statistics, when they are complete, would take the place of the fragments at `path`. */
static bool shares_file(const struct translator *translator, const char *path)
{
    struct stat statistics, dump;

    return is_first(translator) && !translator->reports.again &&
           translator->stats_path[0] != '\0' && !translator->stats_file.in_place &&
           !host_is_error(host_call(__NR_newfstatat, (long)AT_FDCWD, translator->stats_file.path,
                                    &statistics, 0L)) &&
           !host_is_error(host_call(__NR_newfstatat, (long)AT_FDCWD, path, &dump, 0L)) &&
           statistics.st_dev == dump.st_dev && statistics.st_ino == dump.st_ino;
}

static _Noreturn void refuse_dump(struct translator *translator)
{
    output_file_give_up(&translator->stats_file);
    host_fail(STATUS_FAILED, "--dump-fragments ", translator->options.dump_path,
              " is the same file as --stats, which would overwrite it: name another", NULL);
}

/* Of files that are not there yet it shows only when one of them is made. */
static void open_dump(struct translator *translator)
{
    struct reports *reports = &translator->reports;
    char own[EXECUTABLE_BYTES];

    if (!own_path(translator, translator->dump_path, own)) {
        return;
    }
    if (shares_file(translator, own)) {
        refuse_dump(translator);
    }
    judge(translator, output_file_open_in_place(own, &translator->program, &reports->dump_fd),
          "--dump-fragments", "fragments", translator->options.dump_path);
    if (shares_file(translator, own)) {
        host_call(__NR_unlinkat, (long)AT_FDCWD, translator->stats_file.path, 0L);
        refuse_dump(translator);
    }
}

static size_t read_all(int64_t fd, char *to, size_t bytes)
{
    size_t done = 0;

    while (done < bytes) {
        const int64_t count = host_call(__NR_read, fd, to + done, bytes - done);
        if (host_is_error(count) || count == 0) {
            break;
        }
        done += (size_t)count;
    }
    return done;
}

/* The program before this one has written its part to the file that this one is about to replace. */
static void keep_earlier(struct translator *translator)
{
    struct reports *reports = &translator->reports;
    char own[EXECUTABLE_BYTES];
    struct stat status;

    if (!own_path(translator, translator->stats_path, own)) {
        return;
    }
    const int64_t fd =
        host_call(__NR_openat, (long)AT_FDCWD, own, (long)(O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (host_is_error(fd)) {
        return;
    }
    if (!host_is_error(host_call(__NR_fstat, fd, &status)) && S_ISREG(status.st_mode) &&
        status.st_size > 0) {
        char *text = host_map((size_t)status.st_size, false);
        reports->earlier = text;
        reports->earlier_bytes = text != NULL ? read_all(fd, text, (size_t)status.st_size) : 0;
    }
    host_call(__NR_close, fd);
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
        if (reports->again) {
            keep_earlier(translator);
        }
        open_statistics(translator);
    }
    if (options->dump_path != NULL) {
        open_dump(translator);
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
    output_string(output, counts->evicted ? ",\"evicted\":true" : "");
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
    output_string(output, ",\n  \"detector\": \"");
    output_string(output, translator->options.detector_name);
    output_string(output, translator->options.detector->heads == HEADS_NONE
                              ? "\""
                              : "\",\n  \"detector_counts\": true");
    output_string(output, ",\n  \"loops\": [");
    count_each(translator, put_loop, &list);
    output_string(output, "]\n }");
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

static void put_signed(struct output *output, int64_t value)
{
    if (value < 0) {
        output_string(output, "-");
    }
    output_unsigned(output, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Of an object that has something before it. */
static void put_number(struct output *output, const char *key, uint64_t value)
{
    output_string(output, ", \"");
    output_string(output, key);
    output_string(output, "\": ");
    output_unsigned(output, value);
}

static void put_executed(struct output *output, const struct account *account)
{
    if (account->entries != 0) {
        put_number(output, "executions", account->entries);
        put_number(output, "before", account->before);
        put_number(output, "after", account->after);
    }
}

/* What passes have left out, in the order of their names; only where they have changed a trace. */
static void put_shares(struct output *output, const struct shares *shares)
{
    if (!shares->changed) {
        return;
    }
    output_string(output, ", \"optimized\": true, \"put_away\": ");
    output_string(output, shares->put_away ? "true" : "false");
    output_string(output, ", \"left_out\": [");
    for (unsigned i = 0; i < PASS_COUNT; i++) {
        output_string(output, i == 0 ? "" : ", ");
        put_signed(output, shares->left_out[i]);
    }
    output_string(output, "], \"added\": ");
    put_signed(output, shares->added);
}

static void put_pass_names(struct output *output)
{
    static const char *const names[] = {
#define PASS(id, name, all, help) name,
#include "translator/passes/passes.def"
#undef PASS
    };

    output_string(output, ",\n  \"passes\": [");
    for (unsigned i = 0; i < PASS_COUNT; i++) {
        output_string(output, i == 0 ? "\"" : ", \"");
        output_string(output, names[i]);
        output_string(output, "\"");
    }
    output_string(output, "]");
}

/* One line for each loop that has cost or brought anything. */
static void put_ledger(const struct translator *translator, struct output *output)
{
    const struct optimizer *optimizer = translator->optimizer;
    const char *separator = "\n";

    if (optimizer == NULL) {
        return;
    }
    output_string(output, " \"ledger\": {\n  \"spent\": ");
    output_unsigned(output, optimizer->spent);
    output_string(output,
                  ledger_counts(translator) ? ",\n  \"counted\": true" : ",\n  \"counted\": false");
    output_string(output, ",\n  \"traces\": "); /* where they are in memory */
    output_unsigned(output, (uintptr_t)optimizer->ledgers);
    put_pass_names(output);
    output_string(output, ",\n  \"loops\": [");
    for (unsigned i = 0; i < translator->counts->loop_count; i++) {
        const struct loop *loop = &translator->counts->loops[i];
        const struct account account = ledger_read(translator, loop);
        if (account.entries == 0 && account.cost == 0) {
            continue;
        }
        output_string(output, separator);
        output_string(output, "   {\"head\": ");
        output_unsigned(output, loop->head);
        output_string(output, ", \"is_loop\": ");
        output_string(output, loop->hidden ? "false" : "true");
        const struct shares shares = ledger_shares(translator, loop);
        put_executed(output, &account);
        put_shares(output, &shares);
        if (loop->account.entries != 0) {
            put_number(output, "executions_gone", loop->account.entries);
        }
        put_number(output, "made", loop->made_traces);
        put_number(output, "undone", loop->undone_traces);
        put_number(output, "again", loop->again);
        put_number(output, "needs", loop->needs);
        put_number(output, "effort", loop->effort);
        put_number(output, "cost", account.cost);
        put_number(output, "cost_cycles", account.cost_cycles);
        output_string(output, "}");
        separator = ",\n";
    }
    output_string(output, "\n  ]\n },\n");
}

static void write_statistics(struct translator *translator, struct output *output)
{
    const struct statistics *statistics = &translator->statistics;
    const struct count_totals counted = count_get_totals(translator);
    const struct optimizer_totals optimized = translator->optimizer != NULL
                                                  ? translator->optimizer->totals
                                                  : (struct optimizer_totals){0};
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
        {"finds", statistics->finds},
        {"finds_elsewhere", statistics->finds_elsewhere},
        {"counter_collisions", counted.collisions},
        {"counters_unplaced", counted.unplaced},
        {"loops_forgotten", counted.overflows},
        {"loops_rearmed", counted.rearmed},
        {"traces", optimized.traces},
        {"iterations_recorded", optimized.recorded},
        {"fragments_recording", optimized.copies},
        {"loops_plain", optimized.plain},
        {"loops_abandoned", optimized.abandoned},
        {"loops_postponed", optimized.postponed},
        {"traces_undone", optimized.undone},
        {"traces_again", optimized.again},
        {"traces_special", optimized.special},
        {"traces_differed", optimized.differed},
        {"traces_changed", optimized.changed},
    };

    output_string(output, "{\n \"schema\": \"strata.stats/1\",\n \"translator\": {\n");
    put_rows(output, rows, sizeof rows / sizeof rows[0]);
    output_string(output, "\n },\n");
    put_processes(translator, output);
    put_ledger(translator, output);
    regions_put(translator, output);
    put_hotspots(translator, &counted, output);
    if (translator->reports.earlier_bytes != 0) {
        output_string(output, ",\n \"earlier\": [");
        output_bytes(output, translator->reports.earlier, translator->reports.earlier_bytes);
        output_string(output, "]");
    }
    output_string(output, "\n}\n");
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
        open_statistics(translator);
    } else if (reports->again && !translator->stats_file.in_place) {
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
        output_file_give_up(&translator->stats_file);
    }
    if (output.failed || !output_file_finish(&translator->stats_file)) {
        report_failed(translator, "statistics",
                      translator->stats_path[0] != '\0' ? translator->options.stats_path
                                                        : "their descriptor");
    }
}

static void write_reports(struct translator *translator)
{
    struct reports *reports = &translator->reports;

    if (reports->dump_fd >= 0) {
        dump_fragments(translator);
    }
    write_statistics_file(translator);
    if (!is_first(translator)) {
        processes_add(translator, false);
    }
    reports->written = reports->again = true;
}

/* Other threads may still run, build code, and end the process, too: one that does
 * waits here until all is written. */
int report_end(struct translator *translator, int status)
{
    if (!is_reported(&translator->reports)) {
        return status;
    }
    lock_acquire(&translator->lock);
    if (!translator->reports.written) {
        dispatch_add_up(translator);
        write_reports(translator);
    }
    lock_release(&translator->lock);
    return translator->reports.failed && is_first(translator) ? STATUS_FAILED : status;
}

/* Waits for nobody: a thread that has the lock never gives it back.  The statistics come first, since fragments
 * that were being built may be more than the dump can stand.  What a report that was being written has in the
 * file already is written over. */
void report_last_words(struct translator *translator)
{
    struct reports *reports = &translator->reports;

    if (!has_reports(reports)) {
        return;
    }
    reports->again = true;
    dispatch_add_up(translator);
    write_statistics_file(translator);
    if (reports->process != reports->first) {
        processes_add(translator, false);
    }
    if (reports->dump_fd >= 0) {
        dump_fragments(translator);
    }
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
    reports->written = reports->again = reports->failed = false;
    translator->stats_file.beside[0] = '\0'; /* the parent's */
    reports->earlier_bytes = 0;              /* its parent tells of that */
    translator->statistics = (struct statistics){.fragments = 0};
    if (translator->dump_path[0] != '\0') {
        open_dump(translator);
    }
}

void report_replaced(struct translator *translator)
{
    const struct reports *reports = &translator->reports;

    if (has_reports(reports)) {
        report_end(translator, 0);
        if (is_first(translator)) {
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
