/* Writes the life of each instruction in the pipeline as a Kanata log, which Konata draws.
 *
 * The log tells events in the order of time, but an instruction's are known only when it retires: they
 * are kept until no instruction in flight can have an earlier one.  Stages, as the viewer names them:
 * F from fetch to dispatch, Q waits in a queue, X is executed, C is done and waits to retire. */
#include "machine/pipeline/pipeview.h"

#include "base/check.h"
#include "base/say.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"
#include "machine/state/high_file.h"
#include "machine/pipeline/window.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT 8192 /* instructions; a good many more than can be in flight */

enum event_kind { EVENT_FETCH, EVENT_QUEUE, EVENT_EXECUTE, EVENT_DONE, EVENT_RETIRE };

struct life {
    guest_addr pc;
    uint32_t word;
    bool accesses; /* memory */
    guest_addr address;
    uint64_t id; /* in the file: by the order of fetch */
    unsigned context;
    uint8_t cause;
    uint32_t next_free;
};

struct event {
    uint64_t cycle;
    uint64_t number; /* of the instruction, in the order of retirement */
    uint32_t life;
    enum event_kind kind;
};

struct pipeview {
    struct unit unit;
    struct pipeline *pipeline;
    const char *path;
    FILE *file;
    pid_t owner;  /* a process that the program forks does not write to the same file */
    bool foreign; /* this is such a process */
    struct life lives[KEPT];
    uint32_t free_life;
    unsigned used; /* lives that are not free */
    struct event events[KEPT * (EVENT_RETIRE + 1)];
    size_t event_count;
    uint64_t retired, fetched; /* instructions, so far */
    uint64_t cycle;            /* that the file has come to; NO_CYCLE: nothing is in it */
};

static int compare(const void *a, const void *b)
{
    const struct event *first = a, *second = b;
    if (first->cycle != second->cycle) {
        return first->cycle < second->cycle ? -1 : 1;
    }
    if (first->number != second->number) {
        return first->number < second->number ? -1 : 1;
    }
    return (int)first->kind - (int)second->kind;
}

static void write_cycle(struct pipeview *view, uint64_t cycle)
{
    if (view->cycle == NO_CYCLE) {
        fprintf(view->file, "C=\t%" PRIu64 "\n", cycle);
        view->cycle = cycle;
    } else if (cycle > view->cycle) {
        fprintf(view->file, "C\t%" PRIu64 "\n", cycle - view->cycle);
        view->cycle = cycle;
    }
}

/* Appears first: its number in the file, its text, and on demand what it accessed. */
static void write_begin(struct pipeview *view, struct life *life, uint64_t number)
{
    static const char *const causes[] = {
#define CAUSE(name, meaning) #name,
#include "machine/pipeline/stack.def"
#undef CAUSE
    };
    char text[RV64_TEXT_SIZE];
    struct rv64_insn insn;
    rv64_decode(life->word, &insn);
    rv64_disassemble(&insn, life->pc, text, sizeof text);
    char *tab = strchr(text, '\t');
    if (tab != NULL) {
        *tab = ' ';
    }
    life->id = view->fetched++;
    fprintf(view->file, "I\t%" PRIu64 "\t%" PRIu64 "\t%u\n", life->id, number, life->context);
    fprintf(view->file, "L\t%" PRIu64 "\t0\t%" PRIx64 ": %s\n", life->id, life->pc, text);
    if (life->accesses) {
        fprintf(view->file, "L\t%" PRIu64 "\t1\taddress 0x%" PRIx64 ", %s\n", life->id,
                life->address, causes[life->cause]);
    }
}

static void write_event(struct pipeview *view, const struct event *event)
{
    static const char stages[] = "FQXC";
    struct life *life = &view->lives[event->life];
    write_cycle(view, event->cycle);
    if (event->kind == EVENT_FETCH) {
        write_begin(view, life, event->number);
    }
    if (event->kind != EVENT_RETIRE) {
        fprintf(view->file, "S\t%" PRIu64 "\t0\t%c\n", life->id, stages[event->kind]);
        return;
    }
    fprintf(view->file, "R\t%" PRIu64 "\t%" PRIu64 "\t0\n", life->id, event->number);
    life->next_free = view->free_life;
    view->free_life = event->life;
    view->used--;
}

/* Writes all events before cycle `until`. */
static void write_events(struct pipeview *view, uint64_t until)
{
    size_t written = 0;
    qsort(view->events, view->event_count, sizeof view->events[0], compare);
    while (written < view->event_count && view->events[written].cycle < until) {
        write_event(view, &view->events[written++]);
    }
    view->event_count -= written;
    memmove(view->events, view->events + written, view->event_count * sizeof view->events[0]);
}

/* No instruction that is still to retire was fetched before this cycle. */
static uint64_t first_open_cycle(struct pipeline *pipeline)
{
    uint64_t first = pipeline->now;
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        const struct context *context = &pipeline->contexts[i];
        const uint64_t fetched = context->count > 0
                                     ? pipeline->times[entry_at(pipeline, i, 0)].fetched
                                 : context->queue_count > 0 ? first_in_queue(context)->cycle
                                                            : pipeline->now;
        first = fetched < first ? fetched : first;
    }
    return first;
}

static void make_room(struct pipeview *view, uint64_t fetched)
{
    const uint64_t first = first_open_cycle(view->pipeline);
    write_events(view, first < fetched ? first : fetched);
    if (view->used == KEPT) {
        /* A context has waited since before all of them: time goes on without it. */
        write_events(view, NO_CYCLE);
    }
}

static void add_event(struct pipeview *view, uint32_t life, enum event_kind kind, uint64_t cycle)
{
    view->events[view->event_count++] =
        (struct event){.cycle = cycle, .number = view->retired, .life = life, .kind = kind};
}

static void on_retired(struct unit *unit, const struct watch_event *event)
{
    struct pipeview *view = (struct pipeview *)(void *)unit;
    const struct watch_times *times = &event->times;
    if (!event->measured) {
        return;
    }
    if (view->used == KEPT) {
        /* In a process that the program forked, the view ends there. */
        view->foreign |= getpid() != view->owner;
        if (view->foreign) {
            return;
        }
        make_room(view, times->fetched);
    }
    const uint32_t id = view->free_life;
    struct life *life = &view->lives[id];
    view->free_life = life->next_free;
    view->used++;
    *life =
        (struct life){.pc = event->instruction->pc,
                      .word = event->instruction->insn->word,
                      .accesses = (event->instruction->flags & (WATCHED_LOAD | WATCHED_STORE)) != 0,
                      .address = event->address,
                      .context = event->context,
                      .cause = event->cause};
    add_event(view, id, EVENT_FETCH, times->fetched);
    if (times->issued != times->dispatched) { /* it did not run alone */
        add_event(view, id, EVENT_QUEUE, times->dispatched);
    }
    add_event(view, id, EVENT_EXECUTE, times->issued);
    add_event(view, id, EVENT_DONE, times->done);
    add_event(view, id, EVENT_RETIRE, event->cycle);
    view->retired++;
}

static bool finish(struct unit *unit)
{
    struct pipeview *view = (struct pipeview *)(void *)unit;
    if (getpid() != view->owner) {
        return true;
    }
    write_events(view, NO_CYCLE);
    const bool failed = ferror(view->file) != 0;
    const bool closed = fclose(view->file) == 0;
    view->file = NULL;
    if (failed || !closed) {
        say(stderr, "strata: the view of the pipeline %s is incomplete: %s\n", view->path,
            errno != 0 ? strerror(errno) : "it could not be written");
        return false;
    }
    return true;
}

static void destroy(struct unit *unit)
{
    struct pipeview *view = (struct pipeview *)(void *)unit;
    if (view->file != NULL) {
        fclose(view->file);
    }
    free(view);
}

static const struct unit_kind kind = {.version = UNIT_VERSION,
                                      .name = "pipeview",
                                      .meaning = "writes the life of each instruction",
                                      .timed = WATCH_RETIRED,
                                      .retired = on_retired,
                                      .finish = finish,
                                      .destroy = destroy};

struct unit *pipeview_open(const char *path, struct pipeline *pipeline, int *descriptor)
{
    struct pipeview *view = calloc(1, sizeof *view);
    if (view == NULL || (view->file = high_file_open(path, HIGH_PIPEVIEW, descriptor)) == NULL) {
        free(view);
        return NULL;
    }
    view->unit.kind = &kind;
    view->pipeline = pipeline;
    view->path = path;
    view->owner = getpid();
    view->cycle = NO_CYCLE;
    for (uint32_t i = 0; i < KEPT; i++) {
        view->lives[i].next_free = i + 1;
    }
    fputs("Kanata\t0004\n", view->file);
    return &view->unit;
}
