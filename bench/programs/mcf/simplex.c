/* The primal network simplex on the basis tree: ratio test, change of the tree, potentials. */
#include "mcf.h"
#include "prefetch.h"

enum { REFRESH_EVERY = 500 };

/* The cycle that an entering arc closes.  Flow goes from `from` over the arc to `to`, up to the
 * join, and down to `from` again. */
struct cycle {
    struct arc *enters;
    struct node *from;
    struct node *to;
    struct node *join;
    struct node *leaves; /* its basic arc leaves; NULL: the entering arc goes to its other bound */
    int leaves_on_from;
    int64_t delta;
};

static int64_t residual_up(const struct node *node)
{
    return node->upward ? node->basic_arc->upper - node->flow : node->flow;
}

static int64_t residual_down(const struct node *node)
{
    return node->upward ? node->flow : node->basic_arc->upper - node->flow;
}

/* Among several arcs that block, takes the last one on the way around from the join: the tree stays
 * strongly feasible.  The path with the smaller subtree cannot hold the join, so it steps up. */
static void find_leaving(struct cycle *cycle)
{
    struct node *from = cycle->from;
    struct node *to = cycle->to;
    int64_t from_delta = INT64_MAX;
    int64_t to_delta = INT64_MAX;
    struct node *from_leaves = NULL;
    struct node *to_leaves = NULL;
    while (from != to) {
        if (from->subtree < to->subtree) {
            int64_t residual = residual_down(from);
            if (residual < from_delta) {
                from_delta = residual;
                from_leaves = from;
            }
            from = from->pred;
        } else {
            int64_t residual = residual_up(to);
            if (residual <= to_delta) {
                to_delta = residual;
                to_leaves = to;
            }
            to = to->pred;
        }
    }
    cycle->join = from;
    cycle->delta = cycle->enters->upper;
    cycle->leaves = NULL;
    cycle->leaves_on_from = 0;
    if (from_delta < cycle->delta) {
        cycle->delta = from_delta;
        cycle->leaves = from_leaves;
        cycle->leaves_on_from = 1;
    }
    if (to_delta <= cycle->delta) {
        cycle->delta = to_delta;
        cycle->leaves = to_leaves;
        cycle->leaves_on_from = 0;
    }
}

static void push_flow(const struct cycle *cycle)
{
    int64_t delta = cycle->delta;
    for (struct node *node = cycle->from; node != cycle->join; node = node->pred) {
        node->flow += node->upward ? -delta : delta;
    }
    for (struct node *node = cycle->to; node != cycle->join; node = node->pred) {
        node->flow += node->upward ? delta : -delta;
    }
}

static void unlink_child(struct node *node)
{
    if (node->sibling_prev != NULL) {
        node->sibling_prev->sibling = node->sibling;
    } else {
        node->pred->child = node->sibling;
    }
    if (node->sibling != NULL) {
        node->sibling->sibling_prev = node->sibling_prev;
    }
}

static void link_child(struct node *pred, struct node *node)
{
    node->pred = pred;
    node->sibling_prev = NULL;
    node->sibling = pred->child;
    if (pred->child != NULL) {
        pred->child->sibling_prev = node;
    }
    pred->child = node;
}

/* Adds to the potentials of a whole subtree, without recursion. */
static void shift_potentials(struct node *top, int64_t shift)
{
    struct node *node = top;
    for (;;) {
        PREFETCH(node->sibling);
        node->potential += shift;
        if (node->child != NULL) {
            node = node->child;
            continue;
        }
        while (node != top && node->sibling == NULL) {
            node = node->pred;
        }
        if (node == top) {
            return;
        }
        node = node->sibling;
    }
}

/* Turns the path from `inner` up to `leaves` upside down and hangs it at `outer` by the entering arc. */
static void rehang(struct cycle *cycle, struct node *inner, struct node *outer, int64_t flow)
{
    struct node *leaves = cycle->leaves;
    struct node *node = inner;
    struct node *new_pred = outer;
    struct arc *new_arc = cycle->enters;
    int new_upward = cycle->enters->tail == inner;
    int64_t new_flow = flow;
    int64_t moved = leaves->subtree;
    int64_t below = 0;
    for (;;) {
        struct node *old_pred = node->pred;
        struct arc *old_arc = node->basic_arc;
        int old_upward = node->upward;
        int64_t old_flow = node->flow;
        int64_t old_subtree = node->subtree;
        unlink_child(node);
        link_child(new_pred, node);
        node->basic_arc = new_arc;
        node->upward = new_upward;
        node->flow = new_flow;
        node->subtree = moved - below;
        if (node == leaves) {
            return;
        }
        below = old_subtree;
        new_pred = node;
        new_arc = old_arc;
        new_upward = !old_upward;
        new_flow = old_flow;
        node = old_pred;
    }
}

static void resize_ancestors(const struct cycle *cycle, struct node *outer)
{
    int64_t moved = cycle->leaves->subtree;
    for (struct node *node = cycle->leaves->pred; node != cycle->join; node = node->pred) {
        node->subtree -= moved;
    }
    for (struct node *node = outer; node != cycle->join; node = node->pred) {
        node->subtree += moved;
    }
}

static void change_basis(struct cycle *cycle, int64_t reduced_cost)
{
    struct arc *enters = cycle->enters;
    struct arc *left = cycle->leaves->basic_arc;
    struct node *inner = cycle->leaves_on_from ? cycle->from : cycle->to;
    struct node *outer = cycle->leaves_on_from ? cycle->to : cycle->from;
    int64_t flow = enters->state == ARC_AT_UPPER ? enters->upper - cycle->delta : cycle->delta;
    left->state = cycle->leaves->flow == 0 ? ARC_AT_LOWER : ARC_AT_UPPER;
    if (left->upper == INT_MAX) {
        left->state = ARC_FIXED;
    }
    resize_ancestors(cycle, outer);
    rehang(cycle, inner, outer, flow);
    enters->state = ARC_BASIC;
    shift_potentials(inner, enters->tail == inner ? reduced_cost : -reduced_cost);
}

static void pivot(struct network *net, struct arc *enters, int64_t reduced_cost)
{
    struct cycle cycle = {.enters = enters};
    int from_tail = enters->state == ARC_AT_LOWER;
    cycle.from = from_tail ? enters->tail : enters->head;
    cycle.to = from_tail ? enters->head : enters->tail;
    find_leaving(&cycle);
    if (cycle.delta != 0) {
        push_flow(&cycle);
    }
    if (cycle.leaves == NULL) {
        enters->state = from_tail ? ARC_AT_UPPER : ARC_AT_LOWER;
        net->flips++;
        return;
    }
    change_basis(&cycle, reduced_cost);
}

/* All potentials from the costs of the basic arcs, in tree order.  Returns how many were wrong. */
int64_t simplex_refresh_potentials(struct network *net)
{
    struct node *root = net->node;
    struct node *node = root->child;
    int64_t changed = 0;
    while (node != root) {
        while (node != NULL) {
            PREFETCH(node->child);
            PREFETCH(node->sibling);
            int64_t fresh = node->upward ? node->basic_arc->cost + node->pred->potential
                                         : node->pred->potential - node->basic_arc->cost;
            changed += fresh != node->potential;
            node->potential = fresh;
            if (node->child == NULL) {
                break;
            }
            node = node->child;
        }
        while (node != root && node->sibling == NULL) {
            node = node->pred;
        }
        if (node != root) {
            node = node->sibling;
        }
    }
    return changed;
}

void simplex_solve(struct network *net)
{
    pricing_restart(net);
    for (;;) {
        int64_t reduced_cost;
        struct arc *enters = pricing_find(net, &reduced_cost);
        if (enters == NULL) {
            return;
        }
        pivot(net, enters, reduced_cost);
        if (++net->iterations % REFRESH_EVERY == 0) {
            program_check(simplex_refresh_potentials(net) == 0, "a potential went wrong");
        }
    }
}
