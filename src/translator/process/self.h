/* The files of /proc that the translator writes in the kernel's place. */
#ifndef STRATA_TRANSLATOR_SELF_H
#define STRATA_TRANSLATOR_SELF_H

#include "translator/host/output.h"
#include "translator/process/system.h"

/* maps.c: the mappings that the kernel lists in `from`, maps or smaps, without Strata's. */
void maps_put(struct translator *translator, int64_t from, struct output *output);

/* The name of an open file, without a zero at its end; or an error. */
int64_t self_read_name(int64_t fd, uint64_t buffer, uint64_t bytes);

/* Whether `path` is the name of what this process, or a thread of it, has as `name` in /proc. */
bool self_names(const char *path, const char *name);

#endif
