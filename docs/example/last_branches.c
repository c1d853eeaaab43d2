/* The last branches of a program before each of its system calls: a unit of a reader's own for Strata.
 *
 * Processors have such a record, which debuggers and profilers read.  This one keeps where the last branches and jumps
 * that were taken came from and went to.  At each system call it looks which branch was the last one, and says at the
 * end how often that was the same one, and what stood in the record at the last call. */
#include <strata/statistics.h>
#include <strata/unit.h>

#include <stdlib.h>

#define ECALL 0x73 /* the instruction that calls the system */

struct branch {
    uint64_t from, to;
};

struct last_branches {
    struct unit unit; /* comes first */
    uint64_t entries;
    uint64_t taken; /* branches, so far: the last one is in entry (taken - 1) % entries */
    uint64_t system_calls;
    uint64_t same;      /* system calls behind the same branch as the one before */
    uint64_t last_from; /* the branch before the last system call */
    struct branch *record;
};

static struct last_branches *of(const struct unit *unit)
{
    return (struct last_branches *)(uintptr_t)unit;
}

/* Asked once for each instruction that is decoded: what is not asked for costs nothing. */
static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct watch_request request = {.events = 0};

    (void)unit;
    if (instruction->flags & (WATCHED_CONDITIONAL | WATCHED_JUMP)) {
        request.events = WATCH_BRANCH;
    } else if (instruction->word == ECALL) {
        request.events = WATCH_EXECUTED;
    }
    return request;
}

static void on_branch(struct unit *unit, const struct watch_event *event)
{
    struct last_branches *own = of(unit);

    if (event->taken) {
        own->record[own->taken++ % own->entries] =
            (struct branch){.from = event->instruction->pc, .to = event->address};
    }
}

static void on_executed(struct unit *unit, const struct watch_event *event)
{
    struct last_branches *own = of(unit);

    (void)event;
    if (own->taken > 0) {
        const uint64_t from = own->record[(own->taken - 1) % own->entries].from;
        own->same += from == own->last_from;
        own->last_from = from;
    }
    own->system_calls++;
}

/* Becomes the object units.last_branches of the statistics. */
static void report(const struct unit *unit, struct statistics *statistics)
{
    const struct last_branches *own = of(unit);
    const uint64_t count = own->taken < own->entries ? own->taken : own->entries;

    statistics->number(statistics, "taken", own->taken);
    statistics->number(statistics, "system_calls", own->system_calls);
    statistics->number(statistics, "same", own->same);
    statistics->begin_list(statistics, "record");
    for (uint64_t i = own->taken - count; i < own->taken; i++) {
        statistics->begin(statistics, NULL);
        statistics->number(statistics, "from", own->record[i % own->entries].from);
        statistics->number(statistics, "to", own->record[i % own->entries].to);
        statistics->end(statistics);
    }
    statistics->end(statistics);
}

/* Two addresses of 38 bits for each entry, and the place of the next one. */
static struct unit_cost cost(const struct unit *unit)
{
    return (struct unit_cost){.storage_bits = of(unit)->entries * 2 * 38 + 64, .adders = 1};
}

static void destroy(struct unit *unit)
{
    free(of(unit)->record);
    free(unit);
}

static struct unit *create(const uint64_t *values)
{
    struct last_branches *own = calloc(1, sizeof *own);

    if (own == NULL || (own->record = calloc(values[0], sizeof *own->record)) == NULL) {
        free(own);
        return NULL;
    }
    own->entries = values[0];
    return &own->unit;
}

static const struct unit_parameter parameters[] = {
    {"entries", 16, 1, 1024, "branches that it keeps"}, {.name = NULL}};

const struct unit_kind strata_unit = {.version = UNIT_VERSION,
                                      .name = "last_branches",
                                      .meaning = "the last branches before system calls",
                                      .parameters = parameters,
                                      .create = create,
                                      .watches = watches,
                                      .branch = on_branch,
                                      .executed = on_executed,
                                      .cost = cost,
                                      .report = report,
                                      .destroy = destroy};
