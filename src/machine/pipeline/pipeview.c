/* Writes the life of each instruction in the pipeline as a Kanata log, which Konata draws.
 *
 * The log tells events in the order of time, but an instruction's are known only when it retires: they
 * are kept until no instruction in flight can have an earlier one.  Stages, as the viewer names them:
 * F from fetch to dispatch, Q waits in a queue, X is executed, C is done and waits to retire. */
#include "machine/pipeline/pipeview.h"

#include "base/check.h"
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
    const struct static_insn *insn;
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
    const char *path;
    FILE *file;
    pid_t owner; /* a process that the program forks does not write to the same file */
    struct life lives[KEPT];
    uint32_t free_life;
    unsigned used; /* lives that are not free */
    struct event events[KEPT * (EVENT_RETIRE + 1)];
    size_t event_count;
    uint64_t retired, fetched; /* instructions, so far */
    uint64_t cycle;            /* that the file has come to; NO_CYCLE: nothing is in it */
};

struct pipeview *pipeview_open(const char *path, int *descriptor)
{
    struct pipeview *view = calloc(1, sizeof *view);
    if (view == NULL || (view->file = high_file_open(path, HIGH_PIPEVIEW, descriptor)) == NULL) {
        free(view);
        return NULL;
    }
    view->path = path;
    view->owner = getpid();
    view->cycle = NO_CYCLE;
    for (uint32_t i = 0; i < KEPT; i++) {
        view->lives[i].next_free = i + 1;
    }
    fputs("Kanata\t0004\n", view->file);
    return view;
}

void pipeview_destroy(struct pipeview *view)
{
    if (view != NULL && view->file != NULL) {
        fclose(view->file);
    }
    free(view);
}

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
    rv64_decode(life->insn->word, &insn);
    rv64_disassemble(&insn, life->insn->site.pc, text, sizeof text);
    char *tab = strchr(text, '\t');
    if (tab != NULL) {
        *tab = ' ';
    }
    life->id = view->fetched++;
    fprintf(view->file, "I\t%" PRIu64 "\t%" PRIu64 "\t%u\n", life->id, number, life->context);
    fprintf(view->file, "L\t%" PRIu64 "\t0\t%" PRIx64 ": %s\n", life->id, life->insn->site.pc,
            text);
    if (life->insn->flags & (STATIC_LOAD | STATIC_STORE)) {
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

/* False in a process that the program forked: the view ends there. */
static bool make_room(struct pipeline *pipeline)
{
    struct pipeview *view = pipeline->view;
    if (getpid() != view->owner) {
        pipeline->view = NULL;
        pipeview_destroy(view);
        return false;
    }
    write_events(view, first_open_cycle(pipeline));
    if (view->used == KEPT) {
        /* A context has waited since before all of them: time goes on without it. */
        write_events(view, NO_CYCLE);
    }
    return true;
}

static void add_event(struct pipeview *view, uint32_t life, enum event_kind kind, uint64_t cycle)
{
    view->events[view->event_count++] =
        (struct event){.cycle = cycle, .number = view->retired, .life = life, .kind = kind};
}

void pipeview_retire(struct pipeline *pipeline, unsigned context, const struct entry *entry)
{
    struct pipeview *view = pipeline->view;
    if (view->used == KEPT && !make_room(pipeline)) {
        return;
    }
    const struct entry_times *times = &pipeline->times[entry - pipeline->entries];
    const uint32_t id = view->free_life;
    struct life *life = &view->lives[id];
    view->free_life = life->next_free;
    view->used++;
    *life = (struct life){
        .insn = entry->insn, .address = entry->address, .context = context, .cause = entry->cause};
    add_event(view, id, EVENT_FETCH, times->fetched);
    if (entry->insn->flags & STATIC_ALONE) {
        add_event(view, id, EVENT_EXECUTE, times->dispatched);
    } else {
        add_event(view, id, EVENT_QUEUE, times->dispatched);
        add_event(view, id, EVENT_EXECUTE, times->issued);
    }
    add_event(view, id, EVENT_DONE, entry->done);
    add_event(view, id, EVENT_RETIRE, pipeline->now);
    view->retired++;
}

bool pipeview_finish(struct pipeview *view)
{
    if (getpid() != view->owner) {
        return true;
    }
    write_events(view, NO_CYCLE);
    const bool failed = ferror(view->file) != 0;
    const bool closed = fclose(view->file) == 0;
    view->file = NULL;
    if (failed || !closed) {
        fprintf(stderr, "strata: the view of the pipeline %s is incomplete: %s\n", view->path,
                errno != 0 ? strerror(errno) : "it could not be written");
        return false;
    }
    return true;
}
