/* The loops of a piece of code as a graph has them: cycles, and the cycles inside these. */
#ifndef STRATA_REPORT_LOOP_NEST_H
#define STRATA_REPORT_LOOP_NEST_H

#include <stdbool.h>
#include <stddef.h>

/* The ways from node to node, in both directions.  Node 0 is where the code is entered. */
struct flow {
    size_t count;               /* nodes */
    const size_t *first_after;  /* count + 1: where the ways of each node begin in `after` */
    const size_t *after;        /* the nodes that may follow */
    const size_t *first_before; /* count + 1: where the ways of each node begin in `before` */
    const size_t *before;       /* the nodes that may have been before */
    const bool *turned_to;      /* whether a backward branch leads to the node */
};

/* A loop: all nodes from which each of them is reached, without the headers of the loops around it.  Its header is
 * where it is entered, and stands first. */
struct nested_loop {
    const size_t *members;
    size_t count;
    const size_t *
        parts; /* of each node of the graph; members with equal ones are together in a loop inside */
};

/* Calls `found` for each loop, one before those that are inside it. */
void loop_nest_find(const struct flow *flow,
                    void (*found)(void *context, const struct nested_loop *loop), void *context);

#endif
