/* Checks placement and routes against the netlist and the graph, without what the router kept. */
#include "vpr.h"

void check_placement(const struct fpga *fpga)
{
    int found = 0;
    for (int x = 0; x <= fpga->side + 1; x++) {
        for (int y = 0; y <= fpga->side + 1; y++) {
            for (int pad = 0; pad < PADS_PER_SPOT; pad++) {
                int b = grid_at(fpga, x, y)->blocks[pad];
                if (b == NONE) {
                    continue;
                }
                const struct block *block = &fpga->blocks[b];
                bool edge = grid_is_edge(fpga, x, y);
                program_check(block->x == x && block->y == y && block->pad == pad,
                              "a block knows its spot");
                program_check(edge == (block->kind != BLOCK_LOGIC), "a spot fits its block");
                found++;
            }
        }
    }
    program_check(found == fpga->block_count, "each block has a spot");
}

/* The switch of the edge, or NONE if there is no such edge. */
static int find_switch(const struct rr_node *from, int to)
{
    for (int e = 0; e < from->edge_count; e++) {
        if (from->edges[e] == to) {
            return from->switches[e];
        }
    }
    return NONE;
}

struct checker {
    const struct fpga *fpga;
    int *seen; /* the last net that used each node, plus one */
    int *occupancy;
};

static void use_node(struct checker *checker, int node, int net)
{
    program_check(checker->seen[node] != net + 1, "a route has no loop");
    checker->seen[node] = net + 1;
    checker->occupancy[node]++;
}

static void check_route(struct checker *checker, int net)
{
    const struct fpga *fpga = checker->fpga;
    const struct trace *trace = fpga->routes[net].head;
    program_check(trace != NULL && trace->node == fpga->terminals[net][0],
                  "a route begins at the source");
    use_node(checker, trace->node, net);
    for (; trace->next != NULL; trace = trace->next) {
        int next = trace->next->node;
        if (fpga->nodes[trace->node].kind == RR_SINK) {
            program_check(checker->seen[next] == net + 1, "a branch begins on the route");
            continue;
        }
        program_check(find_switch(&fpga->nodes[trace->node], next) == trace->switch_type,
                      "a route follows edges");
        use_node(checker, next, net);
    }
    program_check(trace == fpga->routes[net].tail && fpga->nodes[trace->node].kind == RR_SINK,
                  "a route ends at a sink");
    for (int i = 1; i < fpga->nets[net].terminals; i++) {
        program_check(checker->seen[fpga->terminals[net][i]] == net + 1, "a sink is connected");
    }
}

void check_routing(const struct fpga *fpga)
{
    struct checker checker = {.fpga = fpga};
    checker.seen = program_allocate((size_t)fpga->rr_count, sizeof *checker.seen);
    checker.occupancy = program_allocate((size_t)fpga->rr_count, sizeof *checker.occupancy);
    for (int net = 0; net < fpga->net_count; net++) {
        if (!fpga->nets[net].global) {
            check_route(&checker, net);
        }
    }
    for (int i = 0; i < fpga->rr_count; i++) {
        const struct rr_node *node = &fpga->nodes[i];
        program_check(checker.occupancy[i] == node->occupancy, "traces agree with occupancy");
        program_check(node->occupancy <= node->capacity, "no node is overused");
    }
    free(checker.seen);
    free(checker.occupancy);
}

int check_wire_length(const struct fpga *fpga)
{
    int length = 0;
    for (int i = 0; i < fpga->rr_count; i++) {
        const struct rr_node *node = &fpga->nodes[i];
        if (node->kind == RR_CHANX || node->kind == RR_CHANY) {
            int spots = node->x_high - node->x_low + node->y_high - node->y_low + 1;
            length += node->occupancy * spots;
        }
    }
    return length;
}

uint64_t check_digest(const struct fpga *fpga)
{
    uint64_t digest = 0;
    for (int net = 0; net < fpga->net_count; net++) {
        for (const struct trace *t = fpga->routes[net].head; t != NULL; t = t->next) {
            digest = program_mix(digest, (uint64_t)t->node);
        }
    }
    return digest;
}
