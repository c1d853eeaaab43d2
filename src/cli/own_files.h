/* Which files a command reads and writes: none may be both. */
#ifndef STRATA_CLI_OWN_FILES_H
#define STRATA_CLI_OWN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#define OWN_FILES_MAX 80

/* Names live as long as the list is asked. */
struct own_files {
    struct own_file {
        const char *role; /* "the program", or the option that names it */
        const char *path;
        bool written;
    } files[OWN_FILES_MAX];
    size_t count;
};

/* Without a path there is nothing to add. */
void own_files_read(struct own_files *files, const char *role, const char *path);
void own_files_write(struct own_files *files, const char *role, const char *path);

/* False after a message if a file that is written is also read, or written twice. */
bool own_files_check(const struct own_files *files);

#endif
