/* The folder of a study: finished runs, and files that are there whole or not at all.
 *
 * runs/KEY.json is what a run's --stats wrote, runs/KEY.profile.json its --profile, and runs/KEY.txt
 * says how it was run and what the other files' SHA-256 are.  The statistics come last: a run whose
 * statistics are there is complete. */
#include "study/store.h"

#include "base/result_file.h"
#include "base/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATISTICS_SCHEMA "strata.stats/1"

__attribute__((format(printf, 2, 3))) static bool failed(struct store *store, const char *format,
                                                         ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(store->problem, sizeof store->problem, format, arguments);
    va_end(arguments);
    return false;
}

static const char *path_in(const struct store *store, const char *name)
{
    return pool_format(store->pool, "%s/%s", store->folder, name);
}

static bool make_folder(struct store *store, const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        return true;
    }
    return failed(store, "cannot make the folder %s: %s", path,
                  errno == EEXIST ? "there is a file with this name" : strerror(errno));
}

/* What a study that was killed had not finished to write. */
static void remove_unfinished(const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        const size_t length = strlen(entry->d_name), ending = strlen(RESULT_FILE_ENDING);
        if (strncmp(entry->d_name, RESULT_FILE_PREFIX, strlen(RESULT_FILE_PREFIX)) == 0 &&
            strcmp(entry->d_name + length - ending, RESULT_FILE_ENDING) == 0) {
            unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

bool store_open(struct store *store, struct pool *pool, const char *folder)
{
    *store = (struct store){.pool = pool, .folder = folder, .lock = -1};
    const char *runs = path_in(store, "runs");
    if (!make_folder(store, folder) || !make_folder(store, runs)) {
        return false;
    }
    if (access(runs, W_OK | X_OK) != 0 || access(folder, W_OK | X_OK) != 0) {
        return failed(store, "cannot write to %s: %s", folder, strerror(errno));
    }
    store->lock = open(runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->lock < 0 || flock(store->lock, LOCK_EX | LOCK_NB) != 0) {
        return failed(store, "%s: %s", folder,
                      errno == EWOULDBLOCK ? "another study is writing there" : strerror(errno));
    }
    remove_unfinished(runs);
    remove_unfinished(folder);
    return true;
}

void store_close(struct store *store)
{
    if (store->lock >= 0) {
        close(store->lock);
    }
}

bool store_write(struct store *store, const char *name, const void *data, size_t bytes)
{
    const char *path = path_in(store, name);
    return result_file_write(path, data, bytes, RESULT_FILE_MODE) ||
           failed(store, "cannot write %s: %s", path, strerror(errno));
}

bool store_write_run(struct store *store, const char *key, const struct store_run *run)
{
    char statistics[SHA256_TEXT_BYTES], profile[SHA256_TEXT_BYTES] = "none";
    sha256_bytes(run->statistics, run->statistics_bytes, statistics);
    if (run->profile != NULL) {
        sha256_bytes(run->profile, run->profile_bytes, profile);
    }
    const char *notes = pool_format(store->pool,
                                    "command: %s\nstatus: 0\noutput: %s\nlast line: %s\n"
                                    "statistics: %s\nprofile: %s\n",
                                    run->command, run->output, run->last_line, statistics, profile);
    const char *name = pool_format(store->pool, "runs/%s", key);
    return store_write(store, pool_format(store->pool, "%s.txt", name), notes, strlen(notes)) &&
           (run->profile == NULL ||
            store_write(store, pool_format(store->pool, "%s.profile.json", name), run->profile,
                        run->profile_bytes)) &&
           store_write(store, pool_format(store->pool, "%s.json", name), run->statistics,
                       run->statistics_bytes);
}

/* The file's whole content; NULL if it cannot be read. */
static char *read_whole(struct store *store, const char *path)
{
    struct stat status;
    char *text = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        text = pool_take(store->pool, (size_t)status.st_size + 1);
        if (read(fd, text, (size_t)status.st_size) != status.st_size) {
            text = NULL;
        }
    }
    close(fd);
    return text;
}

const char *store_read_note(struct store *store, const char *key, const char *name)
{
    const char *path = path_in(store, pool_format(store->pool, "runs/%s.txt", key));
    const char *text = read_whole(store, path);
    const size_t length = strlen(name);
    while (text != NULL && *text != '\0') {
        const char *end = strchrnul(text, '\n');
        if (strncmp(text, name, length) == 0 && strncmp(text + length, ": ", 2) == 0) {
            const char *value = text + length + 2;
            return value <= end ? pool_copy(store->pool, value, (size_t)(end - value)) : NULL;
        }
        text = *end == '\0' ? end : end + 1;
    }
    return NULL;
}

/* A JSON file that is still what was written; NULL if it is not. */
static json_t *read_json(struct store *store, const char *key, const char *ending, const char *note)
{
    char digest[SHA256_TEXT_BYTES];
    json_error_t error;
    const char *path = path_in(store, pool_format(store->pool, "runs/%s%s", key, ending));
    const char *wanted = store_read_note(store, key, note);
    if (!sha256_file(path, digest)) {
        failed(store, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (wanted == NULL || strcmp(wanted, digest) != 0) {
        failed(store, "%s: is damaged", path);
        return NULL;
    }
    json_t *document = json_load_file(path, 0, &error);
    if (document == NULL) {
        failed(store, "%s: is damaged: line %d: %s", path, error.line, error.text);
    }
    return document;
}

json_t *store_read_run(struct store *store, const char *key)
{
    store->problem[0] = '\0';
    if (access(path_in(store, pool_format(store->pool, "runs/%s.json", key)), F_OK) != 0) {
        return NULL;
    }
    json_t *document = read_json(store, key, ".json", "statistics");
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (document != NULL && (schema == NULL || strcmp(schema, STATISTICS_SCHEMA) != 0)) {
        failed(store, "runs/%s.json: holds no statistics", key);
        json_decref(document);
        return NULL;
    }
    const char *profile = store_read_note(store, key, "profile");
    if (document != NULL && profile != NULL && strcmp(profile, "none") != 0) {
        json_t *loops = read_json(store, key, ".profile.json", "profile");
        if (loops == NULL || json_object_set_new(document, "profile", loops) != 0) {
            json_decref(document);
            return NULL;
        }
    }
    return document;
}
