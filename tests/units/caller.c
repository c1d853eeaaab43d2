/* A unit that calls the program back with each event of one kind at one address. */
#include <strata/statistics.h>
#include <strata/unit.h>

#include <stdlib.h>

enum { EVENT, AT, CALLBACK, EVERY }; /* its parameters */

struct caller {
    struct unit unit;
    uint64_t values[4];
    uint64_t told, raised, begun;
    uint64_t last_cycle;
};

static struct caller *of(const struct unit *unit)
{
    return (struct caller *)(uintptr_t)unit;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const struct caller *own = of(unit);

    return (struct watch_request){
        .events = instruction->pc == own->values[AT] ? (unsigned)own->values[EVENT] : 0u,
        .own = of(unit)};
}

static void on_event(struct unit *unit, const struct watch_event *event)
{
    struct caller *own = of(unit);

    if (event->own == own && event->instruction->pc == own->values[AT]) {
        own->told++;
    }
    own->last_cycle = event->cycle;
    if (own->told % own->values[EVERY] == 0) {
        own->raised++;
        unit_raise(unit, event, own->values[CALLBACK], own->told);
    }
}

static void on_callback_begins(struct unit *unit, uint64_t argument)
{
    (void)argument;
    of(unit)->begun++;
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    const struct caller *own = of(unit);

    statistics->number(statistics, "told", own->told);
    statistics->number(statistics, "raised", own->raised);
    statistics->number(statistics, "begun", own->begun);
    statistics->truth(statistics, "timed", own->last_cycle != UNIT_NO_CYCLE);
}

static void destroy(struct unit *unit)
{
    free(unit);
}

static struct unit *create(const uint64_t *values)
{
    struct caller *own = calloc(1, sizeof *own);

    for (unsigned i = 0; own != NULL && i < 4; i++) {
        own->values[i] = values[i];
    }
    return own != NULL ? &own->unit : NULL;
}

static const struct unit_parameter parameters[] = {
    {"event", WATCH_BRANCH, 1, 4096, "which: a number of enum watch"},
    {"at", 0, 0, UINT64_MAX, "the address of the instruction"},
    {"callback", 0, 0, UINT64_MAX, "the address of the callback"},
    {"every", 1, 1, UINT64_MAX, "so many events"},
    {.name = NULL}};

#ifndef VERSION
#define VERSION UNIT_VERSION
#endif

const struct unit_kind strata_unit = {.version = VERSION,
                                      .name = "caller",
                                      .meaning = "calls the program back",
                                      .timed = TIMED,
                                      .parameters = parameters,
                                      .create = create,
                                      .watches = watches,
                                      .executed = on_event,
                                      .branch = on_event,
                                      .memory = on_event,
                                      .dispatched = on_event,
                                      .issued = on_event,
                                      .missed = on_event,
                                      .filled = on_event,
                                      .stalled = on_event,
                                      .retired = on_event,
                                      .callback_begins = on_callback_begins,
                                      .report = report,
                                      .destroy = destroy};
