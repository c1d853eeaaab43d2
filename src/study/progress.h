/* Tells how far a study is: on a terminal all the time, elsewhere only what went wrong. */
#ifndef STRATA_STUDY_PROGRESS_H
#define STRATA_STUDY_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct progress {
    bool terminal;
    size_t total;    /* runs that this study has to make */
    size_t finished; /* of them, well or not */
    size_t failed;
    unsigned workers;
    double first_seconds; /* when it began */
};

double progress_now(void);
void progress_begin(struct progress *progress, size_t total, unsigned workers);
/* `running`: the name of a run under way. */
void progress_show(const struct progress *progress, const char *running);
/* A line of its own, on a terminal or not. */
__attribute__((format(printf, 2, 3))) void progress_say(const struct progress *progress,
                                                        const char *format, ...);
void progress_end(const struct progress *progress);

#endif
