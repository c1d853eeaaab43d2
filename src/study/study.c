/* A study from its experiment files to its results. */
#include "study/study.h"

#include "base/beside.h"
#include "base/check.h"
#include "base/result_file.h"
#include "base/say.h"
#include "report/page.h"
#include "study/keys.h"
#include "study/probe.h"
#include "study/results.h"
#include "study/runner.h"
#include "study/table.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SELF "/proc/self/exe"
#define ENDING ".exp"
#define SUITES_FILE "suites.list"
#define SPEC_FILE "spec2000.list"
#define SPEC_SUITE "spec2000"
#define PAGE_FILE "index.html"

struct study {
    const struct study_request *request;
    struct pool pool;
    struct script script;
    struct catalogue catalogue;
    struct plan plan;
    struct store store;
    struct progress progress;
    struct keys keys;
    const char *place;       /* the folder of strata itself */
    const char *experiments; /* the folder; NULL if there is none */
    struct experiment **chosen;
    size_t chosen_count;
    size_t kept; /* runs that were finished before */
};

__attribute__((format(printf, 2, 3))) static int fail(const struct study *study, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "strata: %s: ", study->request->command);
    say_list(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return STUDY_FAILED;
}

static int fail_in_file(const struct study *study)
{
    say(stderr, "strata: %s\n", study->script.problem);
    return STUDY_BAD_FILE;
}

/* The first of two folders that is there, seen from strata's own: in the tree, or where it is
 * installed.  NULL if neither is. */
static const char *find_beside(struct study *study, const char *in_tree, const char *installed)
{
    char *found = beside_find(in_tree, installed);
    const char *folder = found != NULL ? pool_copy(&study->pool, found, strlen(found)) : NULL;
    free(found);
    return folder;
}

static bool find_places(struct study *study)
{
    const struct study_request *request = study->request;
    char path[PATH_MAX];
    const ssize_t length = readlink(SELF, path, sizeof path - 1);
    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    study->place = pool_copy(&study->pool, path, strlen(path));
    study->experiments = request->experiments != NULL
                             ? request->experiments
                             : find_beside(study, "../experiments", "../share/strata/experiments");
    study->catalogue.folder = request->programs != NULL ? request->programs
                                                        : find_beside(study, "bench/programs",
                                                                      "../share/strata/programs");
    if (study->catalogue.folder == NULL) {
        study->catalogue.folder = study->place; /* where none of them will be found */
    }
    return true;
}

static bool read_experiment(struct study *study, const char *path)
{
    struct experiment *experiment =
        script_open(&study->script, &study->pool, path) ? experiment_read(&study->script) : NULL;
    if (experiment != NULL) {
        *POOL_ADD(&study->pool, study->chosen, study->chosen_count) = experiment;
    }
    return experiment != NULL;
}

static int is_experiment(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), ending = strlen(ENDING);
    return length > ending && strcmp(entry->d_name + length - ending, ENDING) == 0;
}

/* Those of the paper's figures in their order, then the others. */
static int compare_experiments(const void *left, const void *right)
{
    const struct experiment *a = *(struct experiment *const *)left;
    const struct experiment *b = *(struct experiment *const *)right;
    if ((a->figure == NULL) != (b->figure == NULL)) {
        return a->figure == NULL ? 1 : -1;
    }
    const int by_figure = a->figure != NULL ? strcmp(a->figure, b->figure) : 0;
    return by_figure != 0 ? by_figure : strcmp(a->name, b->name);
}

static bool is_wanted(const struct words *patterns, const char *name)
{
    bool wanted = patterns->count == 0;
    for (size_t i = 0; i < patterns->count && !wanted; i++) {
        wanted = fnmatch(patterns->words[i], name, 0) == 0;
    }
    return wanted;
}

/* Reads the experiments that are wanted of those in the folder; all must be right, wanted or not. */
static int read_folder(struct study *study)
{
    const struct words *wanted = &study->request->names;
    struct dirent **entries = NULL;
    const char *there = "";
    int status = STUDY_DONE;
    if (study->experiments == NULL) {
        return fail(study, "there is no folder of experiments beside strata; see --experiments");
    }
    const int count = scandir(study->experiments, &entries, is_experiment, alphasort);
    if (count < 0) {
        return fail(study, "%s: %s", study->experiments, strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(entries[i]->d_name) - strlen(ENDING);
        const char *name = pool_copy(&study->pool, entries[i]->d_name, length);
        const bool chosen = wanted->count == 0 || is_wanted(wanted, name);
        const char *path =
            pool_format(&study->pool, "%s/%s", study->experiments, entries[i]->d_name);
        there = pool_format(&study->pool, "%s%s%s", there, i > 0 ? ", " : "", name);
        if (status == STUDY_DONE && chosen && !read_experiment(study, path)) {
            status = fail_in_file(study);
        }
        free(entries[i]);
    }
    free(entries);
    for (size_t i = 0; status == STUDY_DONE && i < wanted->count; i++) {
        bool found = false;
        for (size_t j = 0; j < study->chosen_count; j++) {
            found = found || fnmatch(wanted->words[i], study->chosen[j]->name, 0) == 0;
        }
        if (!found) {
            status =
                fail(study, "there is no experiment %s; there are %s", wanted->words[i], there);
        }
    }
    if (status == STUDY_DONE && study->chosen_count == 0) {
        status = fail(study, "there are no experiments in %s", study->experiments);
    }
    if (study->chosen_count > 0) {
        qsort(study->chosen, study->chosen_count, sizeof(struct experiment *), compare_experiments);
    }
    return status;
}

static int read_experiments(struct study *study)
{
    if (study->request->file == NULL) {
        return read_folder(study);
    }
    return read_experiment(study, study->request->file) ? STUDY_DONE : fail_in_file(study);
}

/* Without lists of suites there are still programs by name. */
static bool read_catalogue(struct study *study)
{
    struct catalogue *catalogue = &study->catalogue;
    catalogue->pool = &study->pool;
    catalogue->size = study->request->size;
    const char *suites = pool_format(&study->pool, "%s/" SUITES_FILE,
                                     study->experiments != NULL ? study->experiments : "");
    const char *spec = pool_format(&study->pool, "%s/" SPEC_FILE,
                                   study->experiments != NULL ? study->experiments : "");
    if (access(suites, F_OK) == 0 &&
        !catalogue_read_suites(catalogue, &study->script, suites, study->place)) {
        return false;
    }
    if (study->request->spec != NULL &&
        !catalogue_read_suites(catalogue, &study->script, spec, study->request->spec)) {
        return false;
    }
    return catalogue_read_digests(catalogue, &study->script);
}

static const char *join_words(struct pool *pool, const struct words *words)
{
    const char *text = "";
    for (size_t i = 0; i < words->count; i++) {
        text = pool_format(pool, "%s%s%s", text, i > 0 ? ", " : "", words->words[i]);
    }
    return text;
}

static int make_plan(struct study *study)
{
    const char *translator = pool_format(&study->pool, "%s/" TRANSLATOR_FILE, study->place);
    const char *suite = study->request->spec != NULL ? SPEC_SUITE : study->request->suite;
    size_t programs = 0;
    if (!read_catalogue(study)) {
        return fail_in_file(study);
    }
    if (suite != NULL && catalogue_find_suite(&study->catalogue, suite) == NULL) {
        return fail(study, "there is no suite %s", suite);
    }
    if (!plan_begin(&study->plan, &study->catalogue, SELF, translator)) {
        return fail(study, "cannot read " SELF);
    }
    for (size_t i = 0; i < study->chosen_count; i++) {
        if (!plan_add(&study->plan, &study->script, study->chosen[i], suite)) {
            return fail_in_file(study);
        }
        programs += study->plan.experiments[i].program_count;
    }
    if (study->plan.missing.count > 0) {
        fail(study, "not there and left out: %s (%s)",
             join_words(&study->pool, &study->plan.missing),
             study->request->spec != NULL
                 ? "of each, its folder must have the file and the input that spec2000.list names"
                 : "in the tree, make programs and make bench-real build them");
    }
    if (programs == 0) {
        return fail(study, "no program is left to run");
    }
    for (size_t i = 0; i < study->plan.experiment_count; i++) {
        if (!probe_options(&study->script, &study->plan.experiments[i], SELF)) {
            return fail_in_file(study);
        }
    }
    probe_tell_defaults(&study->plan);
    return STUDY_DONE;
}

/* Whether `name` in the folder of results is none of the files that the study reads. */
static bool is_apart(struct study *study, const char *name)
{
    struct pool *pool = &study->pool;
    const char *path = pool_format(pool, "%s/%s", study->request->output, name);
    const char *file = study->request->file;
    if (file != NULL && result_file_same(path, file)) {
        fail(study, "%s is the experiment itself, which the results would overwrite", path);
        return false;
    }
    for (size_t i = 0; i < study->catalogue.program_count; i++) {
        const struct program *program = study->catalogue.programs[i];
        const char *word = program->words[0];
        const char *read =
            word[0] == '/' ? word : pool_format(pool, "%s/%s", program->folder, word);
        if (result_file_same(path, read)) {
            fail(study, "%s is the program %s, which the results would overwrite", path,
                 program->name);
            return false;
        }
    }
    return true;
}

/* Before the runs, not after them. */
static bool check_names(struct study *study)
{
    bool apart = is_apart(study, RESULTS_FILE) && is_apart(study, PAGE_FILE);
    for (size_t i = 0; apart && i < study->chosen_count; i++) {
        const char *name = study->chosen[i]->name;
        apart = is_apart(study, pool_format(&study->pool, "%s" TABLE_ENDING, name)) &&
                is_apart(study, pool_format(&study->pool, "%s" TABLE_LOOPS_ENDING, name));
    }
    return apart;
}

/* A mistake in a value shall not wait for the last run. */
static bool look_at_finished(void *context, const struct job *job)
{
    struct study *study = context;
    json_t *document = store_read_run(&study->store, job->key);
    const bool right = keys_look(&study->keys, &study->script, job, document);
    json_decref(document);
    return right;
}

/* Finds what an earlier study has finished; false if one of these shows that an experiment is wrong. */
static bool find_finished(struct study *study, size_t *count)
{
    size_t left = 0;
    bool right = true;
    study->keys = (struct keys){.pool = &study->pool, .plan = &study->plan};
    for (size_t i = 0; i < study->plan.job_count; i++) {
        struct job *job = study->plan.jobs[i];
        json_t *document = store_read_run(&study->store, job->key);
        job->state = document != NULL ? JOB_DONE : JOB_WAITING;
        if (study->store.problem[0] != '\0') {
            fail(study, "%s; it is run again", study->store.problem);
        }
        left += document == NULL;
        right =
            right && (document == NULL || keys_look(&study->keys, &study->script, job, document));
        json_decref(document);
    }
    study->kept = study->plan.job_count - left;
    *count = left;
    return right;
}

static unsigned count_cores(void)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    const int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return count > 0 ? (unsigned)count : 1;
}

/* The run to which a program's others are compared: without the translator, if there is one. */
static const struct job *find_reference(const struct plan *plan, const struct program *program)
{
    const struct job *reference = NULL;
    for (size_t i = 0; i < plan->job_count; i++) {
        const struct job *job = plan->jobs[i];
        const bool plain = strcmp(job->options[0], "sim") == 0;
        if (job->program == program && job->state == JOB_DONE &&
            (reference == NULL || (plain && strcmp(reference->options[0], "sim") != 0))) {
            reference = job;
        }
    }
    return reference;
}

/* Whatever the options, a program must print the same. */
static void compare_outputs(struct study *study)
{
    for (size_t i = 0; i < study->plan.job_count; i++) {
        struct job *job = study->plan.jobs[i];
        const struct job *reference = find_reference(&study->plan, job->program);
        if (job->state != JOB_DONE || reference == NULL || reference == job) {
            continue;
        }
        const char *own = store_read_note(&study->store, job->key, "output");
        const char *other = store_read_note(&study->store, reference->key, "output");
        if (own == NULL || other == NULL || strcmp(own, other) != 0) {
            job->state = JOB_FAILED;
            job->why =
                pool_format(&study->pool, "its output differs from that of %s", reference->command);
            study->progress.failed++;
            progress_say(&study->progress, "failed: %s: %s", job->command, job->why);
        }
    }
}

static int run_plan(struct study *study)
{
    const unsigned workers = study->request->workers > 0 ? study->request->workers : count_cores();
    size_t left;
    if (!find_finished(study, &left)) {
        return fail_in_file(study);
    }
    struct runner runner = {.pool = &study->pool,
                            .store = &study->store,
                            .progress = &study->progress,
                            .strata = SELF,
                            .workers = workers,
                            .timeout_seconds = study->request->timeout_seconds,
                            .finished = look_at_finished,
                            .finished_context = study};
    int signal = 0;
    progress_begin(&study->progress, left, workers);
    switch (runner_run(&runner, &study->plan, &signal)) {
    case RUNNER_CANNOT_WRITE:
        return fail(study, "%s; finished runs are kept", study->store.problem);
    case RUNNER_INTERRUPTED:
        fail(study, "interrupted; finished runs are kept: the same command goes on");
        return 128 + signal;
    case RUNNER_REFUSED:
        return fail_in_file(study);
    default:
        if (!keys_conclude(&study->keys, &study->script)) {
            return fail_in_file(study);
        }
        compare_outputs(study);
        return STUDY_DONE;
    }
}

/* At the size that is for trying things out programs execute ten million instructions. */
#define SMALL_NOTICE                                                                               \
    "Size test is too small to judge by: what grows with a program's input, such as executions "   \
    "of "                                                                                          \
    "loops, is far below that of whole programs.  --size small and full are for that."

/* What the last line says of the checks of all experiments, those that were published (`stated`) or
 * those that were not; empty if there are none. */
static const char *sum_up(struct pool *pool, const json_t *document, bool stated)
{
    size_t count = 0, hold = 0, fail = 0, index, inner;
    json_t *experiment, *check;
    json_array_foreach(json_object_get(document, "experiments"), index, experiment)
    {
        json_array_foreach(json_object_get(experiment, "checks"), inner, check)
        {
            const json_t *holds = json_object_get(check, "holds");
            if (json_is_true(json_object_get(check, "stated")) == stated) {
                count++;
                hold += json_is_true(holds);
                fail += json_is_false(holds);
            }
        }
    }
    return count == 0 ? ""
                      : pool_format(pool, "; of %zu %s %zu hold and %zu do not", count,
                                    stated ? "published statements" : "conclusions", hold, fail);
}

/* Whether there is not one number in the data of a value: for each program a list by points of the axis. */
static bool is_empty(const json_t *data)
{
    const char *program;
    json_t *list, *number;
    size_t index;
    json_object_foreach((json_t *)(uintptr_t)data, program, list)
    {
        json_array_foreach(list, index, number)
        {
            if (!json_is_null(number)) {
                return false;
            }
        }
    }
    return true;
}

/* An element that a list does not have is no mistake for one program; for all it may be one, in a file that somebody
 * has just written.  Runs that failed have been told of. */
static void tell_empty_values(const struct study *study, const json_t *document)
{
    size_t index, inner;
    json_t *experiment, *value;
    if (study->progress.failed > 0 || study->request->file == NULL) {
        return;
    }
    json_array_foreach(json_object_get(document, "experiments"), index, experiment)
    {
        json_array_foreach(json_object_get(experiment, "values"), inner, value)
        {
            const char *expression = json_string_value(json_object_get(value, "expression"));
            if (expression != NULL && is_empty(json_object_get(value, "data"))) {
                fail(study, "%s: the value %s is not known in any run: %s",
                     json_string_value(json_object_get(experiment, "name")),
                     json_string_value(json_object_get(value, "name")), expression);
            }
        }
    }
}

/* Numbers and tables are there without the page, too. */
static bool write_page(struct study *study, const json_t *document)
{
    char *text = NULL;
    size_t bytes = 0;
    if (page_missing() != NULL) {
        fail(study, "there is no page: %s", page_missing());
        return true;
    }
    FILE *page = open_memstream(&text, &bytes);
    ASSERT(page != NULL);
    const bool made = page_write(page, document) == 0;
    ASSERT(fclose(page) == 0 && made);
    const bool written = store_write(&study->store, PAGE_FILE, text, bytes);
    free(text);
    return written;
}

static int write_results(struct study *study)
{
    const struct study_request *request = study->request;
    const bool small = request->file == NULL && strcmp(request->size, "test") == 0;
    const struct results_header header = {
        .notice = small ? SMALL_NOTICE : NULL,
        .title = request->file != NULL ? study->chosen[0]->title : "The counter study",
        .suite = request->spec != NULL ? SPEC_SUITE : request->suite,
        .version = request->version,
        .sources = &request->sources};
    json_t *document = results_write(&study->store, &study->plan, &header);
    const bool written = document != NULL && write_page(study, document);
    const char *conclusions =
        pool_format(&study->pool, "%s%s", sum_up(&study->pool, document, true),
                    sum_up(&study->pool, document, false));
    if (written) {
        tell_empty_values(study, document);
    }
    json_decref(document);
    if (!written) {
        return fail(study, "%s; finished runs are kept", study->store.problem);
    }
    say(stdout, "%zu runs, %zu of them made before, %zu failed%s: %s/%s\n", study->plan.job_count,
        study->kept, study->progress.failed, conclusions, request->output,
        page_missing() == NULL ? PAGE_FILE : RESULTS_FILE);
    return study->progress.failed > 0 ? STUDY_RUNS_FAILED : STUDY_DONE;
}

static int run_steps(struct study *study)
{
    if (!find_places(study)) {
        return fail(study, SELF ": %s", strerror(errno));
    }
    int status = read_experiments(study);
    if (status == STUDY_DONE) {
        status = make_plan(study);
    }
    if (status == STUDY_DONE && !store_open(&study->store, &study->pool, study->request->output)) {
        status = fail(study, "%s", study->store.problem);
    }
    if (status == STUDY_DONE && !check_names(study)) {
        status = STUDY_FAILED;
    }
    if (status == STUDY_DONE) {
        status = run_plan(study);
    }
    return status == STUDY_DONE ? write_results(study) : status;
}

int study_run(const struct study_request *request)
{
    struct study study = {.request = request, .store = {.lock = -1}};
    const int status = run_steps(&study);
    store_close(&study.store);
    pool_free(&study.pool);
    return status;
}
