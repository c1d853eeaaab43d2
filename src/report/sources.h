/* Which source files a report may show.
 *
 * The debug information of a program names any path that its author likes, also those of the reader's own letters
 * and keys.  So only files are opened that are beside the program or where the reader says that sources are. */
#ifndef STRATA_REPORT_SOURCES_H
#define STRATA_REPORT_SOURCES_H

#include "symbols/symbols.h"

#include <stddef.h>
#include <stdio.h>

#define SOURCE_FOLDERS_MAX 16

/* What the reader says. */
struct source_rules {
    const char *folders[SOURCE_FOLDERS_MAX]; /* --source-dir: sources are below these */
    size_t folder_count;
    bool any; /* --any-source: wherever the debug information says */
    void (*opened)(void *context, const char *path); /* told of each file that is shown; or NULL */
    void *context;
};

/* For --source-dir: NULL, or what is wrong with it. */
const char *source_rules_add(struct source_rules *rules, const char *folder);

struct sources;

/* Those of the program at `program`: in its folder and below, but not in hidden folders; in Strata's own tree, if
 * the program is there, too; and where `rules`, which stay the caller's, say. */
struct sources *sources_open(const struct source_rules *rules, const char *program);

/* Opens the file of a place, if it may be shown: a regular file of bounded size.  *path, if not NULL, is its name, to be
 * freed.  Where it is not as the compiler was told, it is looked for below the folders of the rules. */
FILE *sources_find(const struct sources *sources, const struct symbol_place *place, char **path);

void sources_close(struct sources *sources);

#endif
