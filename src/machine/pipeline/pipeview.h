/* Writes the life of each instruction in the pipeline as a Kanata log, which Konata draws. */
#ifndef STRATA_MACHINE_PIPELINE_PIPEVIEW_H
#define STRATA_MACHINE_PIPELINE_PIPEVIEW_H

struct pipeline;
struct unit;

/* A unit that writes the file at `path`, which is kept.  NULL with errno if it cannot be written; its descriptor is
 * Strata's own. */
struct unit *pipeview_open(const char *path, struct pipeline *pipeline, int *descriptor);

#endif
