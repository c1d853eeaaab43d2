/* Tells how far a study is: on a terminal all the time, elsewhere only what went wrong. */
#include "study/progress.h"

#include "base/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

double progress_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(struct progress *progress, size_t total, unsigned workers)
{
    *progress = (struct progress){.terminal = isatty(STDERR_FILENO) == 1,
                                  .total = total,
                                  .workers = workers,
                                  .first_seconds = progress_now()};
}

static void print_estimate(const struct progress *progress)
{
    /* Before each worker has finished something, what is finished is what was short. */
    if (progress->finished <= progress->workers) {
        return;
    }
    const double each = (progress_now() - progress->first_seconds) / (double)progress->finished;
    const unsigned long seconds =
        (unsigned long)(each * (double)(progress->total - progress->finished) + 0.5);
    if (seconds >= 90) {
        fprintf(stderr, ", about %lu min left", (seconds + 30) / 60);
    } else {
        fprintf(stderr, ", about %lu s left", seconds);
    }
}

void progress_show(const struct progress *progress, const char *running)
{
    if (!progress->terminal) {
        return;
    }
    fprintf(stderr, CLEAR_LINE "%zu of %zu runs", progress->finished, progress->total);
    if (progress->failed > 0) {
        fprintf(stderr, ", %zu failed", progress->failed);
    }
    print_estimate(progress);
    say(stderr, ": %.40s", running);
    fflush(stderr);
}

void progress_say(const struct progress *progress, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%sstrata: ", progress->terminal ? CLEAR_LINE : "");
    say_list(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void progress_end(const struct progress *progress)
{
    if (progress->terminal) {
        fprintf(stderr, CLEAR_LINE);
    }
}
