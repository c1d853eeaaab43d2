/* The network of the vehicle scheduling problem, and what the solver's parts offer each other. */
#ifndef MCF_H
#define MCF_H

#include <limits.h>
#include "program.h"

enum arc_state { ARC_BASIC, ARC_AT_LOWER, ARC_AT_UPPER, ARC_FIXED };

struct arc;

/* A node hangs in the basis tree by its basic arc; children of one node are a list in both
 * directions.  The flow of a basic arc is kept here and not in the arc, because every pivot walks
 * nodes. */
struct node {
    int64_t potential;
    int upward; /* the basic arc leads to pred, not from it */
    int number;
    struct node *child;
    struct node *pred;
    struct node *sibling;
    struct node *sibling_prev;
    struct arc *basic_arc;
    struct arc *first_out;
    struct arc *first_in;
    struct node *sparse_next; /* the list of tails while columns are generated */
    int64_t flow;
    int64_t supply;
    int64_t subtree; /* nodes of the tree under this one and itself */
    int time;
    int place;
};

struct arc {
    int64_t cost;
    struct node *tail;
    struct node *head;
    int state;
    int upper;
    struct arc *next_out;
    struct arc *next_in;
    int64_t flow; /* of a new column, the reduced cost it was found with */
    int64_t original_cost;
};

struct trip {
    int start_time;
    int end_time;
    int start_place;
    int end_place;
};

struct network {
    int trips;
    int nodes; /* without the root, which is nodes[0] */
    struct trip *trip;
    struct node *node;
    struct arc *arcs;
    struct arc *stop_arcs;
    struct arc *limit_arcs;
    struct arc *artificial;
    int places;
    int *travel;
    int vehicle_cost;
    int64_t big;
    int max_new;
    /* what was done */
    uint64_t iterations;
    uint64_t flips;
    uint64_t scanned;
    uint64_t columns;
    uint64_t suspended;
    int rounds;
    /* where pricing goes on, and its basket */
    struct pricing *pricing;
};

struct scale {
    int trips;
    int places;
    int first_arcs;
    int max_new;
    int max_arcs;
};

static inline int64_t arc_reduced_cost(const struct arc *arc)
{
    return arc->cost - arc->tail->potential + arc->head->potential;
}

static inline struct node *network_start(const struct network *net, int trip)
{
    return net->node + 2 + trip;
}

static inline struct node *network_end(const struct network *net, int trip)
{
    return net->node + 2 + net->trips + trip;
}

static inline struct node *network_depot(const struct network *net)
{
    return net->node + 1;
}

struct network *network_create(const struct scale *scale, uint64_t seed);
void network_destroy(struct network *net);
int network_connection_cost(const struct network *net, const struct node *tail,
                            const struct node *head);
void network_link_arcs(struct network *net);
void network_start_basis(struct network *net);
void network_write_flows(struct network *net);

struct pricing *pricing_create(void);
void pricing_restart(struct network *net);
struct arc *pricing_find(struct network *net, int64_t *reduced_cost);

void simplex_solve(struct network *net);
int64_t simplex_refresh_potentials(struct network *net);

int columns_price_out(struct network *net);
int columns_suspend(struct network *net, int64_t threshold);

int64_t check_solution(struct network *net);
int64_t check_by_paths(const struct network *net);
uint64_t check_schedules(struct network *net, int *vehicles);

#endif
