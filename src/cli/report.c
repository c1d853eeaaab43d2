/* `strata report`: makes a page, a table or a KCachegrind file of what runs have written. */
#include "base/check.h"
#include "base/result_file.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/own_files.h"
#include "report/complete.h"
#include "report/loops_export.h"
#include "report/page.h"
#include "report/profile_export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX 2
#define SCHEMA_STATS "strata.stats/1"
#define SCHEMA_STUDY "strata.study/1"

struct report {
    const char *page, *csv, *callgrind, *folded; /* NULL: not asked for */
    const char *program;                         /* NULL: the one that the statistics name */
    struct source_rules sources;
    bool own_source; /* a source that is shown would be overwritten; that was told */
    char *names[RUNS_MAX];
    json_t *documents[RUNS_MAX];
    size_t count;
};

static const char *take_page(void *settings, const char *value)
{
    ((struct report *)settings)->page = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_csv(void *settings, const char *value)
{
    ((struct report *)settings)->csv = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_callgrind(void *settings, const char *value)
{
    ((struct report *)settings)->callgrind = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_folded(void *settings, const char *value)
{
    ((struct report *)settings)->folded = value;
    return value[0] == '\0' ? "expected a file:" : NULL;
}

static const char *take_program(void *settings, const char *value)
{
    ((struct report *)settings)->program = value;
    return NULL;
}

static const char *take_source_dir(void *settings, const char *value)
{
    return source_rules_add(&((struct report *)settings)->sources, value);
}

static const char *take_any_source(void *settings, const char *value)
{
    (void)value;
    ((struct report *)settings)->sources.any = true;
    return NULL;
}

/* clang-format off */
static const struct command_option options[] = {
    {"-o", "FILE", "write the page: one HTML file that needs nothing else", take_page},
    {"--csv", "FILE", "write the loops as a table", take_csv},
    {"--callgrind", "FILE", "write functions, lines and calls for KCachegrind and callgrind_annotate", take_callgrind},
    {"--folded", "FILE", "write the paths of calls as folded stacks, for flame graphs", take_folded},
    {"--program", "FILE", "the program that ran, if the statistics do not say it or it has moved", take_program},
    {"--source-dir", "DIR", "show sources below DIR, too, not only those beside the program; may be repeated", take_source_dir},
    {"--any-source", NULL, "show whatever file the program's debug information names", take_any_source},
};
/* clang-format on */

static const struct command_description description = {
    .name = "report",
    .usage = "[OPTIONS] STATS.json [OTHER.json]",
    .operand = "FILE",
    .purpose =
        "Shows what strata run --stats or strata sim --stats wrote as a page: where the\n"
        "instructions went, the hot loops with their source, the counters; of two files, side by\n"
        "side with the differences.  Or the results.json of a study.",
    .epilogue =
        "Exit status: 0; 125 if something is wrong with a file or an option, 127 if a file\n"
        "was not found.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};
const struct command_description *const command_report_description = &description;

static bool is_study(const json_t *document)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    return schema != NULL && strcmp(schema, SCHEMA_STUDY) == 0;
}

/* What is wrong with statistics that something else may have written; NULL if nothing. */
static const char *judge_stats(const json_t *document)
{
    const json_t *hotspots = json_object_get(document, "hotspots");
    const json_t *loops = json_object_get(hotspots, "loops");
    if (!json_is_object(hotspots) || !json_is_array(loops)) {
        return "is damaged: hotspots.loops is missing";
    }
    for (size_t i = 0; i < json_array_size(loops); i++) {
        const json_t *loop = json_array_get(loops, i);
        if (!json_is_string(json_object_get(loop, "head")) ||
            !json_is_integer(json_object_get(loop, "executions"))) {
            return "is damaged: one of hotspots.loops has no head or no executions";
        }
    }
    return NULL;
}

static const char *judge_study(const json_t *document)
{
    const json_t *experiments = json_object_get(document, "experiments");
    if (!json_is_array(experiments)) {
        return "is damaged: its experiments are missing";
    }
    for (size_t i = 0; i < json_array_size(experiments); i++) {
        if (!json_is_string(json_object_get(json_array_get(experiments, i), "name"))) {
            return "is damaged: one of its experiments has no name";
        }
    }
    return NULL;
}

static const char *judge(const json_t *document)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (schema != NULL && strcmp(schema, SCHEMA_STATS) == 0) {
        return judge_stats(document);
    }
    return is_study(document) ? judge_study(document)
                              : "is not of " SCHEMA_STATS " nor of " SCHEMA_STUDY
                                ": strata run --stats writes the one, strata study the other";
}

/* Reads one file; returns 0, or an exit status after a message. */
static int read_document(const char *path, json_t **document)
{
    json_error_t error;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        const int reason = errno;
        say(stderr, "strata: %s: %s\n", path, strerror(reason));
        return reason == ENOENT || reason == ENOTDIR ? EXIT_NOT_FOUND : EXIT_STRATA_FAILED;
    }
    errno = 0;
    *document = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    const int reason = ferror(file) ? errno : 0;
    fclose(file);
    if (reason != 0) {
        say(stderr, "strata: %s: %s\n", path, strerror(reason));
        json_decref(*document);
        *document = NULL;
        return EXIT_STRATA_FAILED;
    }
    if (*document == NULL) {
        say(stderr, "strata: %s:%d: is not JSON: %s\n", path, error.line, error.text);
        return EXIT_STRATA_FAILED;
    }
    const char *wrong = judge(*document);
    if (wrong != NULL) {
        say(stderr, "strata: %s: %s\n", path, wrong);
        return EXIT_STRATA_FAILED;
    }
    return 0;
}

static int complete_document(const struct report *report, json_t *document)
{
    const char *wrong = is_study(document) ? NULL : complete_run(document, report->program);
    if (wrong != NULL) {
        say(stderr, "strata: %s: %s\n", report->program, wrong);
        return EXIT_STRATA_FAILED;
    }
    return 0;
}

static void put_csv(FILE *file, const struct report *report)
{
    loops_export_csv(file, report->documents, report->names, report->count);
}

/* The translator by itself writes no profile: then there are its loops. */
static void put_callgrind(FILE *file, const struct report *report)
{
    const json_t *run = report->documents[0];
    if (json_is_object(json_object_get(run, "profile"))) {
        profile_export_callgrind(file, run, &report->sources, "strata " STRATA_VERSION);
    } else {
        loops_export_callgrind(file, run, &report->sources, "strata " STRATA_VERSION);
    }
}

static void put_folded(FILE *file, const struct report *report)
{
    profile_export_folded(file, report->documents[0]);
}

static void put_page(FILE *file, const struct report *report)
{
    json_t *document =
        is_study(report->documents[0])
            ? json_incref(report->documents[0])
            : page_of_runs(report->documents, report->names, report->count, &report->sources);
    page_write(file, document);
    json_decref(document);
}

/* The profile is looked at where it is needed: what a page shows of it, it checks itself. */
static int check_profile(const struct report *report)
{
    const json_t *run = report->documents[0];
    const bool profile = json_is_object(json_object_get(run, "profile"));
    const char *wrong = report->folded != NULL || (report->callgrind != NULL && profile)
                            ? profile_export_check(run, report->folded != NULL)
                            : NULL;
    if (wrong != NULL) {
        say(stderr, "strata: %s: %s\n", report->names[0], wrong);
        return EXIT_STRATA_FAILED;
    }
    return 0;
}

/* What a report can write: where to, and what. */
struct result {
    const char *path; /* NULL: it was not asked for */
    void (*put)(FILE *file, const struct report *report);
    char *text; /* malloc'ed */
    size_t count;
};

/* False after a message if a file that is to be written is one of the sources that this shows. */
static bool make_text(struct result *result, struct report *report)
{
    FILE *made = open_memstream(&result->text, &result->count);
    ASSERT(made != NULL);
    result->put(made, report);
    ASSERT(fclose(made) == 0);
    return !report->own_source;
}

static bool write_text(const struct result *result)
{
    const bool written =
        result_file_write(result->path, result->text, result->count, RESULT_FILE_MODE);
    if (!written) {
        say(stderr, "strata: cannot write %s: %s\n", result->path, strerror(errno));
    }
    return written;
}

/* Called for each source that is shown: a file that is also to be written would be lost. */
static void note_source(void *context, const char *path)
{
    struct report *report = context;
    const struct own_file written[] = {{"-o", report->page, true},
                                       {"--csv", report->csv, true},
                                       {"--callgrind", report->callgrind, true},
                                       {"--folded", report->folded, true}};
    for (size_t i = 0; i < sizeof written / sizeof written[0] && !report->own_source; i++) {
        if (written[i].path != NULL && result_file_same(written[i].path, path)) {
            report->own_source = true;
            say(stderr,
                "strata: %s %s is the same file as the source %s, which it would overwrite: name "
                "another\n",
                written[i].role, written[i].path, path);
        }
    }
}

/* Nothing is written before all is made: what is made also says which files it reads.  Where Strata was built without
 * the library for pages, all else is written. */
static int write_all(struct report *report)
{
    const bool no_page = report->page != NULL && page_missing() != NULL;
    struct result results[] = {{report->csv, put_csv, NULL, 0},
                               {report->callgrind, put_callgrind, NULL, 0},
                               {report->folded, put_folded, NULL, 0},
                               {no_page ? NULL : report->page, put_page, NULL, 0}};
    const size_t count = sizeof results / sizeof results[0];
    bool right = check_profile(report) == 0;
    for (size_t i = 0; i < count && right; i++) {
        right = results[i].path == NULL || make_text(&results[i], report);
    }
    for (size_t i = 0; i < count && right; i++) {
        right = results[i].path == NULL || write_text(&results[i]);
    }
    for (size_t i = 0; i < count; i++) {
        free(results[i].text);
    }
    if (right && no_page) {
        fprintf(stderr, "strata: %s\n", page_missing());
    }
    return right && !no_page ? 0 : EXIT_STRATA_FAILED;
}

/* What does not fit together; NULL if all does. */
static const char *check_request(const struct report *report)
{
    if (report->page == NULL && report->csv == NULL && report->callgrind == NULL &&
        report->folded == NULL) {
        return "nothing to write: -o, --csv, --callgrind or --folded say where to";
    }
    if ((report->callgrind != NULL || report->folded != NULL) && report->count > 1) {
        return "--callgrind and --folded take one file of statistics";
    }
    for (size_t i = 0; i < report->count; i++) {
        if (report->documents[i] != NULL && is_study(report->documents[i])) {
            if (report->count > 1) {
                return "the results of a study cannot stand beside another file";
            }
            if (report->csv != NULL || report->callgrind != NULL || report->folded != NULL ||
                report->program != NULL) {
                return "of the results of a study there is only the page; its tables are beside it";
            }
        }
    }
    return NULL;
}

/* False after a message if something would be written into a file that is read. */
static bool check_files(const struct report *report)
{
    struct own_files files = {.count = 0};
    own_files_write(&files, "-o", report->page);
    own_files_write(&files, "--csv", report->csv);
    own_files_write(&files, "--callgrind", report->callgrind);
    own_files_write(&files, "--folded", report->folded);
    own_files_read(&files, "--program", report->program);
    for (size_t i = 0; i < report->count; i++) {
        const json_t *program = json_object_get(report->documents[i], "program");
        own_files_read(&files, "the statistics", report->names[i]);
        own_files_read(&files, "the program", json_string_value(json_object_get(program, "path")));
    }
    return own_files_check(&files);
}

static int make_report(struct report *report)
{
    const char *wrong = check_request(report);
    int status = 0;
    for (size_t i = 0; wrong == NULL && status == 0 && i < report->count; i++) {
        status = read_document(report->names[i], &report->documents[i]);
    }
    if (status == 0 && wrong == NULL) {
        wrong = check_request(report);
    }
    for (size_t i = 0; wrong == NULL && status == 0 && i < report->count; i++) {
        status = complete_document(report, report->documents[i]);
    }
    if (wrong != NULL) {
        status = command_misused(&description, wrong, NULL);
    }
    if (status == 0) {
        status = check_files(report) ? write_all(report) : EXIT_STRATA_FAILED;
    }
    for (size_t i = 0; i < report->count; i++) {
        json_decref(report->documents[i]);
    }
    return status;
}

int command_report(int count, char **arguments)
{
    struct report report = {.sources = {.opened = note_source, .context = &report}};
    int status = 0;
    /* Options may stand behind the files, too: each file is the word that the next options follow. */
    for (bool last = false; count > 1;) {
        const int next =
            last ? 1 : command_read_options(&description, &report, count, arguments, &status);
        if (next < 0) {
            return status;
        }
        last |= strcmp(arguments[next - 1], "--") == 0;
        count -= next;
        arguments += next;
        if (count > 0 && report.count == RUNS_MAX) {
            return command_misused(&description, "two files at most", NULL);
        }
        if (count > 0) {
            report.names[report.count++] = arguments[0];
        }
    }
    if (report.count == 0) {
        return command_misused(&description, "there is no file to show", NULL);
    }
    return make_report(&report);
}
