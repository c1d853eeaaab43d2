/* The delays of a routed net by Elmore's formula, on the tree that its trace describes. */
#include "vpr.h"

struct rc_node {
    struct rc_edge *children;
    int node;
    float capacitance_below;
    float delay;
};

struct rc_edge {
    struct rc_edge *next;
    struct rc_node *child;
    int switch_type;
};

static struct rc_node *new_node(int node)
{
    struct rc_node *rc = program_allocate(1, sizeof *rc);
    rc->node = node;
    return rc;
}

static struct rc_node *add_child(struct rc_node *parent, int node, int switch_type)
{
    struct rc_edge *edge = program_allocate(1, sizeof *edge);
    edge->child = new_node(node);
    edge->switch_type = switch_type;
    edge->next = parent->children;
    parent->children = edge;
    return edge->child;
}

static struct rc_node *find_node(struct rc_node *tree, int node)
{
    if (tree->node == node) {
        return tree;
    }
    for (struct rc_edge *edge = tree->children; edge != NULL; edge = edge->next) {
        struct rc_node *found = find_node(edge->child, node);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static struct rc_node *build_tree(const struct fpga *fpga, int net)
{
    const struct trace *trace = fpga->routes[net].head;
    struct rc_node *root = new_node(trace->node);
    struct rc_node *at = root;
    while (trace->next != NULL) {
        if (fpga->nodes[trace->node].kind == RR_SINK) {
            at = find_node(root, trace->next->node);
            program_check(at != NULL, "a branch begins on its net's route");
        } else {
            at = add_child(at, trace->next->node, trace->switch_type);
        }
        trace = trace->next;
    }
    return root;
}

/* Behind a buffer, capacitance is not seen. */
static float load_capacitances(const struct fpga *fpga, struct rc_node *rc)
{
    rc->capacitance_below = fpga->nodes[rc->node].capacitance;
    for (struct rc_edge *edge = rc->children; edge != NULL; edge = edge->next) {
        float below = load_capacitances(fpga, edge->child);
        if (!switch_types[edge->switch_type].buffered) {
            rc->capacitance_below += below;
        }
    }
    return rc->capacitance_below;
}

static void load_delays(const struct fpga *fpga, struct rc_node *rc, float arrival)
{
    const struct rr_node *node = &fpga->nodes[rc->node];
    float inside = rc->capacitance_below - 0.5f * node->capacitance;
    rc->delay = arrival + node->resistance * inside;
    for (struct rc_edge *edge = rc->children; edge != NULL; edge = edge->next) {
        const struct switch_type *type = &switch_types[edge->switch_type];
        float step = type->delay + type->resistance * edge->child->capacitance_below;
        load_delays(fpga, edge->child, rc->delay + step);
    }
}

static void read_sinks(const struct fpga *fpga, const struct rc_node *rc, int net)
{
    if (fpga->nodes[rc->node].kind == RR_SINK) {
        for (int i = 1; i < fpga->nets[net].terminals; i++) {
            if (fpga->terminals[net][i] == rc->node) {
                fpga->sink_delays[net][i] = rc->delay;
            }
        }
    }
    for (const struct rc_edge *edge = rc->children; edge != NULL; edge = edge->next) {
        read_sinks(fpga, edge->child, net);
    }
}

static void free_tree(struct rc_node *rc)
{
    for (struct rc_edge *edge = rc->children; edge != NULL;) {
        struct rc_edge *next = edge->next;
        free_tree(edge->child);
        free(edge);
        edge = next;
    }
    free(rc);
}

void rc_tree_net_delays(struct fpga *fpga, int net)
{
    struct rc_node *root = build_tree(fpga, net);
    load_capacitances(fpga, root);
    load_delays(fpga, root, 0.0f);
    read_sinks(fpga, root, net);
    free_tree(root);
}
