/* Checks the routing-resource graph before it is used: kinds, symmetry, and that all sinks can be reached. */
#include "vpr.h"

static bool is_wire(const struct rr_node *node)
{
    return node->kind == RR_CHANX || node->kind == RR_CHANY;
}

static bool may_follow(const struct rr_node *from, const struct rr_node *to)
{
    switch (from->kind) {
    case RR_SOURCE:
        return to->kind == RR_OPIN;
    case RR_OPIN:
        return is_wire(to);
    case RR_IPIN:
        return to->kind == RR_SINK;
    case RR_SINK:
        return false;
    default:
        return is_wire(to) || to->kind == RR_IPIN;
    }
}

static bool has_edge(const struct rr_node *from, int to)
{
    for (int e = 0; e < from->edge_count; e++) {
        if (from->edges[e] == to) {
            return true;
        }
    }
    return false;
}

/* Wires are beside what they connect to, or the graph was built from wrong coordinates. */
static bool are_near(const struct rr_node *a, const struct rr_node *b)
{
    return a->x_low <= b->x_high + 1 && b->x_low <= a->x_high + 1 && a->y_low <= b->y_high + 1 &&
           b->y_low <= a->y_high + 1;
}

static void check_edges(const struct fpga *fpga)
{
    for (int i = 0; i < fpga->rr_count; i++) {
        const struct rr_node *node = &fpga->nodes[i];
        for (int e = 0; e < node->edge_count; e++) {
            const struct rr_node *to = &fpga->nodes[node->edges[e]];
            program_check(may_follow(node, to), "kinds of nodes that are joined");
            program_check(are_near(node, to), "nodes that are joined are near each other");
            if (is_wire(node) && is_wire(to)) {
                program_check(has_edge(to, i), "wires are joined both ways");
            }
        }
        program_check(node->edge_count > 0 || node->kind == RR_SINK, "a way out of a node");
        program_check(node->fan_in > 0 || node->kind == RR_SOURCE, "a way into a node");
    }
}

static int first_source(const struct fpga *fpga)
{
    int node = 0;
    while (fpga->nodes[node].kind != RR_SOURCE) {
        node++;
    }
    return node;
}

static void check_reach(const struct fpga *fpga)
{
    bool *seen = program_allocate((size_t)fpga->rr_count, sizeof *seen);
    int *queue = program_allocate((size_t)fpga->rr_count, sizeof *queue);
    int head = 0, tail = 0;
    queue[tail++] = first_source(fpga);
    seen[queue[0]] = true;
    while (head < tail) {
        const struct rr_node *node = &fpga->nodes[queue[head++]];
        for (int e = 0; e < node->edge_count; e++) {
            if (!seen[node->edges[e]]) {
                seen[node->edges[e]] = true;
                queue[tail++] = node->edges[e];
            }
        }
    }
    for (int i = 0; i < fpga->rr_count; i++) {
        program_check(seen[i] || fpga->nodes[i].kind != RR_SINK, "every sink can be reached");
    }
    free(seen);
    free(queue);
}

void rr_check(const struct fpga *fpga)
{
    check_edges(fpga);
    check_reach(fpga);
}
