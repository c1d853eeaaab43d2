/* Finds the libraries of a program as the dynamic linker would, with the sysroot before the host's own folders. */
#include "cli/libraries.h"

#include "base/check.h"
#include "base/say.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the linker looks last. */
static const char usual_folders[] =
    "/lib:/usr/lib:/lib/riscv64-linux-gnu:/usr/lib/riscv64-linux-gnu:"
    "/lib64/lp64d:/usr/lib64/lp64d";

/* An absolute path as the program sees it: below the sysroot, if it is there. */
static char *translate(const struct libraries *libraries, const char *path)
{
    char below[PATH_MAX];
    const char *sysroot = libraries->simulation->sysroot;

    if (path[0] == '/' && sysroot != NULL &&
        snprintf(below, sizeof below, "%s%s", sysroot, path) < (int)sizeof below &&
        access(below, F_OK) == 0) {
        return realpath(below, NULL);
    }
    return realpath(path, NULL);
}

/* The dynamic linker passes by what is no ELF file, as a linker's script, or is for another machine. */
static bool is_elf_file(const char *path)
{
    Elf64_Ehdr header;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool sound = fd >= 0 && read(fd, &header, sizeof header) == (ssize_t)sizeof header &&
                       memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_RISCV;

    if (fd >= 0) {
        close(fd);
    }
    return sound;
}

/* The file in the folder that has the name; NULL if it is no library. */
static char *find_named(const char *folder, const char *name)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
                   is_elf_file(path)
               ? realpath(path, NULL)
               : NULL;
}

/* A version of the name: of several any one. */
static char *find_version(const char *folder, const char *name)
{
    char *found = NULL;
    DIR *entries = opendir(folder);
    const size_t length = strlen(name);

    for (const struct dirent *entry = entries != NULL ? readdir(entries) : NULL;
         entry != NULL && found == NULL; entry = readdir(entries)) {
        if (strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '.' &&
            strstr(entry->d_name, ".so") != NULL) {
            found = find_named(folder, entry->d_name);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return found;
}

/* The file in the folder that has the name, or else a version of it. */
static char *find_in(const struct libraries *libraries, const char *folder, const char *name)
{
    char *whole = translate(libraries, folder);
    char *found = whole != NULL ? find_named(whole, name) : NULL;

    if (whole != NULL && found == NULL) {
        found = find_version(whole, name);
    }
    free(whole);
    return found;
}

static char *find_in_folders(const struct libraries *libraries, const char *folders,
                             const char *name)
{
    char folder[PATH_MAX];
    char *found = NULL;

    for (const char *at = folders; at != NULL && found == NULL; at += *at == ':') {
        const int length = (int)strcspn(at, ":");
        if (length > 0 && snprintf(folder, sizeof folder, "%.*s", length, at) < PATH_MAX) {
            found = find_in(libraries, folder, name);
        }
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    return found;
}

/* What LD_LIBRARY_PATH is for the program; NULL if it is not set. */
static const char *chosen_folders(const struct simulation *simulation)
{
    static const char name[] = "LD_LIBRARY_PATH=";
    const char *folders = NULL;

    for (size_t i = 0; i < simulation->environment_count; i++) {
        const char *variable = simulation->environment[i];
        if (strncmp(variable, name, sizeof name - 1) == 0) {
            folders = variable + sizeof name - 1;
        }
    }
    return folders;
}

char *libraries_find(const struct libraries *libraries, const char *name)
{
    if (strchr(name, '/') != NULL) {
        return translate(libraries, name);
    }
    char *found = find_in_folders(libraries, chosen_folders(libraries->simulation), name);
    if (found == NULL) {
        found = find_in_folders(libraries, libraries->folders, name);
    }
    return found != NULL ? found : find_in_folders(libraries, usual_folders, name);
}

static void add(struct libraries *libraries, const char *needed, char *path)
{
    struct library *library = &libraries->items[libraries->count++];

    *library = (struct library){.needed = needed != NULL ? strdup(needed) : NULL,
                                .path = path,
                                .symbols = path != NULL ? symbols_open(path) : NULL};
}

static void take_needed(void *context, const char *name)
{
    struct libraries *libraries = context;

    for (size_t i = 1; i < libraries->count; i++) {
        if (strcmp(libraries->items[i].needed, name) == 0) {
            return;
        }
    }
    if (libraries->count < LIBRARIES_MAX) {
        add(libraries, name, libraries_find(libraries, name));
    }
}

/* How long the word is that stands for the folder of the file which names the folders; 0: the text begins otherwise. */
static size_t origin_length(const char *text)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(text, words[i], strlen(words[i])) == 0) {
            return strlen(words[i]);
        }
    }
    return 0;
}

static void take_folders(void *context, const char *folders)
{
    struct libraries *libraries = context;
    const char *own = libraries->items[libraries->reading].path;
    char *whole = NULL;
    size_t bytes = 0;
    FILE *text = open_memstream(&whole, &bytes);

    ASSERT(text != NULL);
    fprintf(text, "%s:", libraries->folders);
    while (*folders != '\0') {
        const size_t length = origin_length(folders);
        if (length != 0) {
            fprintf(text, "%.*s", (int)(strrchr(own, '/') - own), own);
        } else {
            fputc(*folders, text);
        }
        folders += length != 0 ? length : 1;
    }
    ASSERT(fclose(text) == 0);
    free(libraries->folders);
    libraries->folders = whole;
}

static void ignore(void *context, const char *text)
{
    (void)context;
    (void)text;
}

bool libraries_open(struct libraries *libraries, const struct simulation *simulation,
                    const char *program)
{
    *libraries = (struct libraries){.simulation = simulation, .folders = strdup("")};
    ASSERT(libraries->folders != NULL);
    add(libraries, NULL, realpath(program, NULL));
    if (libraries->items[0].symbols == NULL) {
        libraries_close(libraries);
        return false;
    }
    /* Of each file the folders first: what it needs may be there. */
    for (size_t i = 0; i < libraries->count; i++) {
        struct symbols *symbols = libraries->items[i].symbols;
        libraries->reading = i;
        if (symbols != NULL) {
            symbols_each_needed(symbols, ignore, take_folders, libraries);
            symbols_each_needed(symbols, take_needed, ignore, libraries);
        }
    }
    return true;
}

void libraries_close(struct libraries *libraries)
{
    for (size_t i = 0; i < libraries->count; i++) {
        symbols_close(libraries->items[i].symbols);
        free(libraries->items[i].needed);
        free(libraries->items[i].path);
    }
    free(libraries->folders);
    libraries->count = 0;
    libraries->folders = NULL;
}
