/* Timing analysis: when signals arrive, when they must, and how critical each connection is. */
#include "vpr.h"

/* A point at which a signal has a time; edges lead to the points that wait for it. */
struct timing_node {
    int first_edge, edge_count;
    int fan_in;
    float arrival, required;
};

/* Its delay is fixed, or that of a net's sink. */
struct timing_edge {
    int to;
    int net, sink;
    float fixed_delay;
};

struct timing {
    struct timing_node *nodes;
    struct timing_edge *edges;
    int node_count, edge_count;
    int *level_order; /* no node before one that it waits for */
};

static const float lut_delay = 0.9f;
static const float setup_delay = 0.4f;
static const float clock_to_output = 0.6f;
static const float pad_delay = 1.0f;

enum { NODES_PER_BLOCK = LUT_INPUTS + 3, NODE_OUT = LUT_INPUTS, NODE_END, NODE_START };

static int node_of(int block, int place)
{
    return block * NODES_PER_BLOCK + place;
}

static void add_edge(struct timing *timing, int to, int net, int sink, float fixed_delay)
{
    timing->edges[timing->edge_count++] = (struct timing_edge){to, net, sink, fixed_delay};
    timing->nodes[to].fan_in++;
}

static void add_net_edges(const struct fpga *fpga, struct timing *timing, int n)
{
    const struct net *net = &fpga->nets[n];
    for (int i = 1; !net->global && i < net->terminals; i++) {
        int pin = fpga->blocks[net->blocks[i]].kind == BLOCK_LOGIC ? net->pins[i] : 0;
        add_edge(timing, node_of(net->blocks[i], pin), n, i, 0.0f);
    }
}

static int output_pin(const struct block *block)
{
    return block->kind == BLOCK_LOGIC ? PIN_OUT : 0;
}

static void add_node_edges(const struct fpga *fpga, struct timing *timing, int b, int place)
{
    const struct block *block = &fpga->blocks[b];
    if (place < LUT_INPUTS) {
        bool used = block->nets[place] != NONE && block->kind != BLOCK_INPUT;
        if (used && block->kind == BLOCK_OUTPUT) {
            add_edge(timing, node_of(b, NODE_END), NONE, 0, pad_delay);
        } else if (used && block->registered) {
            add_edge(timing, node_of(b, NODE_END), NONE, 0, lut_delay + setup_delay);
        } else if (used) {
            add_edge(timing, node_of(b, NODE_OUT), NONE, 0, lut_delay);
        }
    } else if (place == NODE_OUT && block->kind != BLOCK_OUTPUT) {
        add_net_edges(fpga, timing, block->nets[output_pin(block)]);
    } else if (place == NODE_START && (block->kind == BLOCK_INPUT || block->registered)) {
        float delay = block->kind == BLOCK_INPUT ? pad_delay : clock_to_output;
        add_edge(timing, node_of(b, NODE_OUT), NONE, 0, delay);
    }
}

static int count_edges(const struct fpga *fpga)
{
    int edges = fpga->block_count * NODES_PER_BLOCK;
    for (int n = 0; n < fpga->net_count; n++) {
        edges += fpga->nets[n].terminals;
    }
    return edges;
}

static void order_by_level(struct timing *timing)
{
    int *waiting = program_allocate((size_t)timing->node_count, sizeof *waiting);
    int head = 0, tail = 0;
    for (int i = 0; i < timing->node_count; i++) {
        waiting[i] = timing->nodes[i].fan_in;
        if (waiting[i] == 0) {
            timing->level_order[tail++] = i;
        }
    }
    while (head < tail) {
        const struct timing_node *node = &timing->nodes[timing->level_order[head++]];
        for (int e = 0; e < node->edge_count; e++) {
            int to = timing->edges[node->first_edge + e].to;
            if (--waiting[to] == 0) {
                timing->level_order[tail++] = to;
            }
        }
    }
    program_check(tail == timing->node_count, "no loop without a register");
    free(waiting);
}

struct timing *timing_build(const struct fpga *fpga)
{
    struct timing *timing = program_allocate(1, sizeof *timing);
    timing->node_count = fpga->block_count * NODES_PER_BLOCK;
    timing->nodes = program_allocate((size_t)timing->node_count, sizeof *timing->nodes);
    timing->edges = program_allocate((size_t)count_edges(fpga), sizeof *timing->edges);
    timing->level_order = program_allocate((size_t)timing->node_count, sizeof *timing->level_order);
    for (int b = 0; b < fpga->block_count; b++) {
        for (int place = 0; place < NODES_PER_BLOCK; place++) {
            struct timing_node *node = &timing->nodes[node_of(b, place)];
            node->first_edge = timing->edge_count;
            add_node_edges(fpga, timing, b, place);
            node->edge_count = timing->edge_count - node->first_edge;
        }
    }
    order_by_level(timing);
    return timing;
}

static float edge_delay(const struct fpga *fpga, const struct timing_edge *edge)
{
    return edge->net == NONE ? edge->fixed_delay : fpga->sink_delays[edge->net][edge->sink];
}

static float load_arrivals(const struct fpga *fpga, struct timing *timing)
{
    float latest = 0.0f;
    for (int i = 0; i < timing->node_count; i++) {
        timing->nodes[i].arrival = 0.0f;
    }
    for (int i = 0; i < timing->node_count; i++) {
        const struct timing_node *node = &timing->nodes[timing->level_order[i]];
        for (int e = 0; e < node->edge_count; e++) {
            const struct timing_edge *edge = &timing->edges[node->first_edge + e];
            float arrival = node->arrival + edge_delay(fpga, edge);
            if (arrival > timing->nodes[edge->to].arrival) {
                timing->nodes[edge->to].arrival = arrival;
            }
        }
        latest = node->arrival > latest ? node->arrival : latest;
    }
    return latest;
}

static void load_required(const struct fpga *fpga, struct timing *timing, float latest)
{
    for (int i = timing->node_count - 1; i >= 0; i--) {
        struct timing_node *node = &timing->nodes[timing->level_order[i]];
        node->required = latest;
        for (int e = 0; e < node->edge_count; e++) {
            const struct timing_edge *edge = &timing->edges[node->first_edge + e];
            float required = timing->nodes[edge->to].required - edge_delay(fpga, edge);
            if (required < node->required) {
                node->required = required;
            }
        }
    }
}

/* Never quite 1, so that congestion is not forgotten altogether. */
static void load_criticalities(struct fpga *fpga, const struct timing *timing, float latest)
{
    for (int i = 0; i < timing->node_count; i++) {
        const struct timing_node *node = &timing->nodes[i];
        for (int e = 0; e < node->edge_count; e++) {
            const struct timing_edge *edge = &timing->edges[node->first_edge + e];
            if (edge->net != NONE) {
                float delay = edge_delay(fpga, edge);
                float slack = timing->nodes[edge->to].required - node->arrival - delay;
                float critical = 1.0f - slack / latest;
                critical = critical < 0.0f ? 0.0f : critical;
                critical = critical * critical;
                fpga->criticalities[edge->net][edge->sink] = critical > 0.95f ? 0.95f : critical;
            }
        }
    }
}

/* Returns the delay of the longest path. */
float timing_analyze(struct fpga *fpga, struct timing *timing)
{
    float latest = load_arrivals(fpga, timing);
    load_required(fpga, timing, latest);
    load_criticalities(fpga, timing, latest);
    return latest;
}

static float longest_from(const struct fpga *fpga, const struct timing *timing, int n, float *known)
{
    if (known[n] >= 0.0f) {
        return known[n];
    }
    const struct timing_node *node = &timing->nodes[n];
    float longest = 0.0f;
    for (int e = 0; e < node->edge_count; e++) {
        const struct timing_edge *edge = &timing->edges[node->first_edge + e];
        float path = edge_delay(fpga, edge) + longest_from(fpga, timing, edge->to, known);
        longest = path > longest ? path : longest;
    }
    known[n] = longest;
    return longest;
}

/* The same by depth-first search from the starts, to check what timing_analyze found. */
float timing_longest_path(const struct fpga *fpga, const struct timing *timing)
{
    float *known = program_allocate((size_t)timing->node_count, sizeof *known);
    for (int i = 0; i < timing->node_count; i++) {
        known[i] = -1.0f;
    }
    float longest = 0.0f;
    for (int i = 0; i < timing->node_count; i++) {
        float path = longest_from(fpga, timing, i, known);
        longest = path > longest ? path : longest;
    }
    free(known);
    return longest;
}

void timing_free(struct timing *timing)
{
    free(timing->nodes);
    free(timing->edges);
    free(timing->level_order);
    free(timing);
}
