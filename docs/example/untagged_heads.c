/* A detector of hot spots of a reader's own, as hardware: a table of counters without tags.
 *
 * Each branch that is taken backward counts in the entry that its target's address selects.  Loops that share an entry
 * share its count: cheap, and sometimes wrong.  When a count reaches the threshold, its target is a hot spot: the
 * program is called back there, and a translator makes a trace of it (--detector hardware). */
#include <strata/statistics.h>
#include <strata/unit.h>

#include <stdlib.h>

struct untagged_heads {
    struct unit unit; /* comes first */
    uint64_t entries, threshold;
    uint64_t found, head; /* how many hot spots, and the last one */
    uint32_t *counts;
};

static struct untagged_heads *of(const struct unit *unit)
{
    return (struct untagged_heads *)(uintptr_t)unit;
}

/* Direct branches and jumps, but no calls: where the program has told the hardware to look. */
static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const unsigned flags = instruction->flags;
    const int jumps = (flags & WATCHED_JUMP) && !(flags & (WATCHED_INDIRECT | WATCHED_CALL));
    const int direct = (flags & WATCHED_CONDITIONAL) || jumps;
    const int wanted = direct && watch_orders_include(unit->host.orders, instruction->pc);

    return (struct watch_request){.events = wanted ? WATCH_BRANCH : 0u};
}

/* A callback that is raised here comes before the first instruction at the branch's target. */
static void on_branch(struct unit *unit, const struct watch_event *event)
{
    struct untagged_heads *own = of(unit);
    const uint64_t target = event->address;

    if (!event->taken || target > event->instruction->pc) {
        return;
    }
    if (++own->counts[target / 2 % own->entries] == own->threshold) {
        own->found++;
        if (unit->host.orders->callback != 0) {
            unit_raise(unit, event, unit->host.orders->callback, target);
        }
    }
}

static void callback_begins(struct unit *unit, uint64_t argument)
{
    of(unit)->head = argument;
}

/* One block, the head; its way is not known. */
static uint64_t found(const struct unit *unit, uint64_t number)
{
    const uint64_t words[] = {1, of(unit)->head, 0};

    return number < 3 ? words[number] : UINT64_MAX;
}

/* The program has changed where the hardware shall look. */
static void ordered(struct unit *unit)
{
    unit_rewatch(unit, 0, UINT64_MAX);
}

static struct unit_cost cost(const struct unit *unit)
{
    return (struct unit_cost){
        .storage_bits = of(unit)->entries * 32 + 64, .comparators = 1, .adders = 1};
}

static void report(const struct unit *unit, struct statistics *statistics)
{
    statistics->number(statistics, "found", of(unit)->found);
}

static void destroy(struct unit *unit)
{
    free(of(unit)->counts);
    free(unit);
}

static struct unit *create(const uint64_t *values)
{
    struct untagged_heads *own = calloc(1, sizeof *own);

    if (own == NULL) {
        return NULL;
    }
    own->entries = values[0];
    own->threshold = values[1];
    own->counts = calloc(own->entries, sizeof *own->counts);
    if (own->counts == NULL) {
        destroy(&own->unit);
        return NULL;
    }
    return &own->unit;
}

static const struct unit_parameter parameters[] = {
    {"entries", 256, 1, 65536, "counters, which targets are spread over"},
    {"threshold", 100, 1, 4294967295, "count at which a target is hot"},
    {.name = NULL}};

const struct unit_kind strata_unit = {.version = UNIT_VERSION,
                                      .name = "untagged_heads",
                                      .meaning = "hot spots, by a table of counters without tags",
                                      .parameters = parameters,
                                      .create = create,
                                      .watches = watches,
                                      .branch = on_branch,
                                      .callback_begins = callback_begins,
                                      .found = found,
                                      .ordered = ordered,
                                      .cost = cost,
                                      .report = report,
                                      .destroy = destroy};
