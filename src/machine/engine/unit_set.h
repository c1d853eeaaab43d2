/* The units of a machine, and what is made of their wishes at one instruction. */
#ifndef STRATA_MACHINE_UNITS_SET_H
#define STRATA_MACHINE_UNITS_SET_H

#include "isa/rv64/insn.h"
#include "machine/state/hart.h"
#include "machine/engine/unit.h"

#define UNITS_MAX 32

struct unit_set {
    struct unit *units[UNITS_MAX];
    unsigned count;
    /* A pipeline tells what has a cycle.  Without one, WATCH_RETIRED is told when an instruction is executed. */
    bool timed;
};

/* False if there is no room for another. */
static inline bool unit_set_add(struct unit_set *set, struct unit *unit)
{
    if (set->count == UNITS_MAX) {
        return false;
    }
    set->units[set->count++] = unit;
    return true;
}

/* The instruction in `insn`, as units see it: `insn` must stay as long as the result. */
struct watch_instruction watch_instruction_of(uint64_t pc, const struct rv64_insn *insn);

/* Who wants which events of an instruction. */
struct watcher {
    struct unit *unit;
    unsigned events;
    void *own; /* as in its request */
};

/* An instruction of which somebody wants events. */
struct watch_site {
    struct watch_site *next; /* of those of one pipeline */
    struct rv64_insn insn;
    struct watch_instruction instruction;
    unsigned events; /* of all watchers */
    unsigned count;
    struct watcher watchers[]; /* in the order of the set */
};

static inline size_t watch_site_bytes(unsigned watchers)
{
    return sizeof(struct watch_site) + watchers * sizeof(struct watcher);
}

/* What a unit of the kind is told of an event with. */
typedef void unit_told(struct unit *unit, const struct watch_event *event);
unit_told *unit_function(const struct unit_kind *kind, enum watch what);

/* Tells all that want it of an event at the site. */
void watch_site_tell(const struct watch_site *site, enum watch what, struct watch_event *event);

#endif
