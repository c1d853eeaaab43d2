/* How far a long run has come, on the last line of the user's terminal.
 *
 * The program shares the terminal, and what it writes there must look as it does without Strata.  So the line
 * is drawn only where the cursor stands at the beginning of one, and is erased before anybody else writes. */
#include "cli/progress_line.h"

#include "machine/pipeline/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_BEFORE 2.0  /* runs that are shorter show nothing */
#define SECONDS_BETWEEN 0.5 /* from line to line */
#define SECONDS_TO_LOOK 0.1 /* from one look at the clock to the next, about */
#define FIRST_LOOK 100000   /* instructions */
#define LINE_BYTES 160
#define ERASE "\r\033[K"

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* "1.23 G": three digits are enough for what changes twice a second. */
static void put_count(char *text, size_t bytes, double count)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    unsigned unit = 0;
    while (count >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        count /= 1000;
        unit++;
    }
    snprintf(text, bytes, "%.*f%s",
             unit == 0 || count >= 100 ? 0
             : count >= 10             ? 1
                                       : 2,
             count, units[unit]);
}

/* The instructions after which nothing is left to wait for, as far as the options say; 0 if they do not. */
static uint64_t goal_of(const struct machine *machine)
{
    const struct phase_options *phases = &machine->phases.options;
    const bool ends = phases->interval && phases->measure != PHASE_FOREVER;
    const uint64_t part = ends ? phases->skip + phases->warm + phases->measure : 0;
    const uint64_t most = machine->options.max_instructions;
    return part == 0 || (most != 0 && most < part) ? most : part;
}

static void describe(const struct progress_line *progress, double now, char *line)
{
    const struct machine *machine = &progress->process->machine;
    const double instructions = (double)machine->instructions;
    const uint64_t goal = goal_of(machine);
    char count[16], speed[16];
    put_count(count, sizeof count, instructions);
    put_count(speed, sizeof speed, instructions / (now - progress->began));
    int length = snprintf(line, LINE_BYTES, "strata: %s instructions, %s per second", count, speed);
    if (goal > machine->instructions) {
        length += snprintf(line + length, LINE_BYTES - (size_t)length, ", %.1f%%",
                           100 * instructions / (double)goal);
    }
    if (machine->pipeline == NULL) {
        return;
    }
    /* Of what is measured, which may not have begun. */
    const struct measurement measured = pipeline_measured(machine->pipeline);
    if (measured.cycles > 0) {
        put_count(count, sizeof count, (double)measured.cycles);
        snprintf(line + length, LINE_BYTES - (size_t)length, ", %s cycles, IPC %.3f", count,
                 (double)measured.instructions / (double)measured.cycles);
    }
}

/* The program may have closed standard error, or taken its number for another file. */
static bool is_same_terminal(const struct progress_line *progress)
{
    struct stat status;
    return isatty(STDERR_FILENO) && fstat(STDERR_FILENO, &status) == 0 &&
           status.st_rdev == progress->terminal;
}

/* Programs that draw on the whole screen take the terminal out of line mode. */
static bool may_draw(const struct progress_line *progress)
{
    struct termios mode;
    return !progress->onlooker.line_open && is_same_terminal(progress) &&
           tcgetattr(STDERR_FILENO, &mode) == 0 && (mode.c_lflag & ICANON) != 0 &&
           tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* Standard error has no buffer, but the line must reach the terminal as one. */
static void put(const char *text)
{
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* what a terminal does not take is lost: the next line comes soon */
}

static void draw(struct progress_line *progress, double now)
{
    char line[LINE_BYTES], whole[LINE_BYTES + sizeof ERASE];
    struct winsize size;
    describe(progress, now, line);
    /* A line that wraps could not be erased. */
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 &&
        strlen(line) >= size.ws_col) {
        line[size.ws_col - 1] = '\0';
    }
    snprintf(whole, sizeof whole, ERASE "%s", line);
    put(whole);
    progress->shown = true;
    progress->shown_at = now;
}

static void give_way(struct onlooker *onlooker)
{
    struct progress_line *progress = (struct progress_line *)(void *)onlooker;
    if (progress->shown && is_same_terminal(progress)) {
        put(ERASE);
    }
    progress->shown = false;
}

static void look(struct onlooker *onlooker)
{
    struct progress_line *progress = (struct progress_line *)(void *)onlooker;
    const uint64_t instructions = progress->process->machine.instructions;
    const double now = seconds_now();
    const double speed = (double)(instructions - progress->seen) / (now - progress->seen_at + 1e-6);
    onlooker->next = instructions + 1 + (uint64_t)(speed * SECONDS_TO_LOOK);
    progress->seen = instructions;
    progress->seen_at = now;
    if (now - progress->began >= SECONDS_BEFORE && now - progress->shown_at >= SECONDS_BETWEEN &&
        may_draw(progress)) {
        draw(progress, now);
    }
}

void progress_line_begin(struct progress_line *progress, struct process *process)
{
    struct stat status;
    if (!isatty(STDERR_FILENO) || fstat(STDERR_FILENO, &status) != 0) {
        return;
    }
    const double now = seconds_now();
    *progress = (struct progress_line){
        .onlooker = {.look = look, .give_way = give_way, .next = FIRST_LOOK},
        .process = process,
        .terminal = status.st_rdev,
        .began = now,
        .seen_at = now,
    };
    process->schedule.onlooker = &progress->onlooker;
}
