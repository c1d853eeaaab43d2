/* Translates path names: prefers files below the sysroot, and keeps Strata out of /proc/self. */
#include "machine/linux/paths.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *paths_own_proc(const struct process *process, const char *path)
{
    char numbered[32];
    const char *folders[] = {"/proc/self/", "/proc/thread-self/", numbered};

    if (strncmp(path, "/proc/", 6) != 0) {
        return NULL;
    }
    snprintf(numbered, sizeof numbered, "/proc/%d/", (int)process->pid);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0) {
            return path + length;
        }
    }
    return NULL;
}

const char *paths_seen(const struct process *process, const char *host)
{
    for (size_t i = 0; i < PATH_ALIASES; i++) {
        const struct path_alias *alias = &process->aliases[i];
        if (alias->seen != NULL && strcmp(alias->host, host) == 0) {
            return alias->seen;
        }
    }
    return host;
}

const char *paths_translate(const struct process *process, const char *path, char buffer[PATH_MAX])
{
    if (path[0] != '/') {
        return path;
    }
    for (size_t i = 0; i < PATH_ALIASES; i++) {
        const struct path_alias *alias = &process->aliases[i];
        if (alias->seen != NULL && strcmp(alias->seen, path) == 0) {
            return alias->host;
        }
    }
    const char *own = paths_own_proc(process, path);
    if (own != NULL) {
        return strcmp(own, "exe") == 0 && process->executable != NULL ? process->executable : path;
    }
    /* The root itself stays the host's, or the program could not see its
     * working folder from there. */
    if (process->sysroot == NULL || path[strspn(path, "/")] == '\0') {
        return path;
    }
    int length = snprintf(buffer, PATH_MAX, "%s%s", process->sysroot, path);
    if (length >= PATH_MAX || access(buffer, F_OK) != 0) {
        return path;
    }
    return buffer;
}
