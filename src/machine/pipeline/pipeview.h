/* Writes the life of each instruction in the pipeline as a Kanata log, which Konata draws. */
#ifndef STRATA_MACHINE_PIPELINE_PIPEVIEW_H
#define STRATA_MACHINE_PIPELINE_PIPEVIEW_H

#include <stdbool.h>
#include <stdint.h>

struct entry;
struct pipeline;
struct pipeview;

/* `path` is kept.  NULL with errno if the file cannot be written; its descriptor is Strata's own. */
struct pipeview *pipeview_open(const char *path, int *descriptor);
/* The context's oldest instruction retires in this cycle. */
void pipeview_retire(struct pipeline *pipeline, unsigned context, const struct entry *entry);
/* Writes what is left.  Prints its own message and returns false if something could not be written. */
bool pipeview_finish(struct pipeview *view);
void pipeview_destroy(struct pipeview *view);

#endif
