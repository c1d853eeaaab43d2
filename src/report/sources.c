/* Which source files a report may show. */
#include "report/sources.h"

#include "base/beside.h"
#include "base/check.h"
#include "base/regular_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What people write is far below; what is above would take long, and is no source. */
#define SOURCE_BYTES_MAX (UINT64_C(32) << 20)
#define FOLDERS_MAX (SOURCE_FOLDERS_MAX + 2)
#define TREE_FILE "/src/cli/main.c"

struct folder {
    char *path;  /* without links; NULL: it is not there */
    bool hidden; /* also what is hidden in there */
};

struct sources {
    const struct source_rules *rules;
    struct folder folders[FOLDERS_MAX];
    size_t count;
};

const char *source_rules_add(struct source_rules *rules, const char *folder)
{
    struct stat status;
    if (rules->folder_count == SOURCE_FOLDERS_MAX) {
        return "that are too many folders:";
    }
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return "there is no such folder:";
    }
    rules->folders[rules->folder_count++] = folder;
    return NULL;
}

/* What follows the folder in the path of a file below it; NULL if it is not there. */
static const char *below(const char *folder, const char *path)
{
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length : NULL;
}

static void add_folder(struct sources *sources, char *path, bool hidden)
{
    if (path != NULL) {
        sources->folders[sources->count++] = (struct folder){path, hidden};
    }
}

/* The folder of Strata's sources, if it was built there; malloc'ed. */
static char *find_tree(void)
{
    char *file = beside_find(".." TREE_FILE, ".." TREE_FILE);
    if (file != NULL) {
        file[strlen(file) - strlen(TREE_FILE)] = '\0';
    }
    return file;
}

struct sources *sources_open(const struct source_rules *rules, const char *program)
{
    struct sources *sources = calloc(1, sizeof *sources);
    ASSERT(sources != NULL);
    sources->rules = rules;
    for (size_t i = 0; i < rules->folder_count; i++) {
        add_folder(sources, realpath(rules->folders[i], NULL), true);
    }
    char *file = program != NULL ? realpath(program, NULL) : NULL;
    if (file != NULL) {
        char *tree = find_tree();
        if (tree != NULL && below(tree, file) != NULL) {
            add_folder(sources, strdup(tree), false);
        }
        free(tree);
        char *slash = strrchr(file, '/');
        slash[slash == file] = '\0';
    }
    add_folder(sources, file, false);
    return sources;
}

static bool may_be_shown(const struct sources *sources, const char *path)
{
    for (size_t i = 0; i < sources->count; i++) {
        const char *rest = below(sources->folders[i].path, path);
        if (rest != NULL && (sources->folders[i].hidden || strstr(rest, "/.") == NULL)) {
            return true;
        }
    }
    return sources->rules->any;
}

/* Judges what was opened, not the name: whoever exchanges a link in between wins nothing.  Files of /proc have no
 * size. */
static FILE *open_file(const struct sources *sources, const char *path)
{
    char link[32], real[PATH_MAX];
    uint64_t bytes;
    const int fd = regular_file_open(path, &bytes);
    if (fd < 0) {
        return NULL;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, real, sizeof real - 1);
    FILE *file = NULL;
    if (length > 0 && bytes > 0 && bytes <= SOURCE_BYTES_MAX) {
        real[length] = '\0';
        file = may_be_shown(sources, real) ? fdopen(fd, "r") : NULL;
    }
    if (file == NULL) {
        close(fd);
    } else if (sources->rules->opened != NULL) {
        sources->rules->opened(sources->rules->context, real);
    }
    return file;
}

static char *join(const char *folder, const char *name)
{
    char *path = NULL;
    ASSERT(asprintf(&path, "%s/%s", folder, name) >= 0);
    return path;
}

static FILE *try_path(const struct sources *sources, char *path, char **found)
{
    FILE *file = open_file(sources, path);
    if (file != NULL && found != NULL) {
        *found = path;
    } else {
        free(path);
    }
    return file;
}

/* As much of the path's end as is there below one of the reader's folders. */
static FILE *search(const struct sources *sources, const char *path, char **found)
{
    FILE *file = NULL;
    for (size_t i = 0; file == NULL && i < sources->rules->folder_count; i++) {
        for (const char *rest = path; file == NULL && rest != NULL;) {
            rest += strspn(rest, "/");
            file = try_path(sources, join(sources->rules->folders[i], rest), found);
            rest = strchr(rest, '/');
        }
    }
    return file;
}

FILE *sources_find(const struct sources *sources, const struct symbol_place *place, char **path)
{
    if (path != NULL) {
        *path = NULL;
    }
    if (place->path == NULL) {
        return NULL;
    }
    const bool relative = place->path[0] != '/' && place->folder != NULL;
    char *named = relative ? join(place->folder, place->path) : strdup(place->path);
    ASSERT(named != NULL);
    FILE *file = try_path(sources, named, path);
    return file != NULL ? file : search(sources, place->path, path);
}

void sources_close(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        free(sources->folders[i].path);
    }
    free(sources);
}
