/* Finds what belongs to Strata by where its executable is: in the tree, or where it is installed. */
#include "base/beside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *beside_find(const char *in_tree, const char *installed)
{
    const char *const names[] = {in_tree, installed};
    char folder[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length <= 0) {
        return NULL;
    }
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, names[i]) < 0) {
            return NULL;
        }
        char *found = realpath(path, NULL);
        free(path);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}
