/* Who calls whom: a tree of the paths of calls, and the stack of calls of each hart.
 *
 * A function is at most once on a path: one that calls itself, straight or through others, goes on where it is, and
 * the tree stays small. */
#ifndef STRATA_MACHINE_UNITS_CALL_GRAPH_H
#define STRATA_MACHINE_UNITS_CALL_GRAPH_H

#include "machine/engine/unit.h"
#include "machine/state/hart.h"

struct call_graph;

#define CALL_GRAPH_ROOT 0
#define CALL_GRAPH_NO_FUNCTION UINT32_MAX

/* A place in the tree, behind its parent.  The root is of no function. */
struct call_place {
    uint32_t function;
    uint32_t parent;
    uint64_t site;         /* the address of the calls that lead here; 0 if none does */
    uint64_t calls;        /* how often they did */
    uint64_t instructions; /* of the program, in this function */
};

/* Calls from a place to a function that is on its path already. */
struct call_again {
    uint32_t from, to; /* places */
    uint64_t site;
    uint64_t calls;
};

struct call_graph *call_graph_create(void);
void call_graph_destroy(struct call_graph *graph);
/* Which function runs, and how much has: the runs of the engine go by it. */
struct watch_course *call_graph_course(struct call_graph *graph);

void call_graph_resume(struct call_graph *graph, struct hart *hart);
void call_graph_forget(struct call_graph *graph, const struct hart *hart);
/* The hart that runs is about to call from `site`, to return to `back`; or to return, or jump through a register
 * that holds return addresses, to `target`; or it is in `function` now, which the course does not have, perhaps at
 * its start. */
void call_graph_call(struct call_graph *graph, uint64_t site, uint64_t back);
void call_graph_return(struct call_graph *graph, uint64_t target);
void call_graph_enter(struct call_graph *graph, uint32_t function, bool at_start);
/* The hart that runs has executed that many instructions less than was said. */
void call_graph_take_back(struct call_graph *graph, uint64_t instructions);

/* All that was executed is in the tree: it stays as it is until a hart goes on. */
const struct call_place *call_graph_places(struct call_graph *graph, size_t *count);
const struct call_again *call_graph_again(const struct call_graph *graph, size_t *count);
/* Instructions that were executed while the function, or one that it called, ran: of several calls of it that are
 * within each other, once. */
uint64_t call_graph_inclusive(const struct call_graph *graph, uint32_t function);

/* What a vfork child adds is put back. */
struct call_graph_kept;
struct call_graph_kept *call_graph_keep(struct call_graph *graph);
void call_graph_put_back(struct call_graph *graph, struct call_graph_kept *kept);

#endif
