/* An FPGA and the circuit in it: blocks and nets, the grid, the graph of routing resources, and routes. */
#ifndef VPR_H
#define VPR_H

#include "program.h"
#include "words.h"

#include <stdbool.h>

enum { SYMBOLS = 1024, NONE = -1 };

/* A logic block: a table of four inputs and a register that may follow it. */
enum { LUT_INPUTS = 4, PIN_OUT = LUT_INPUTS, PIN_CLOCK, BLOCK_PINS };

enum { PADS_PER_SPOT = 2 };

enum block_kind { BLOCK_LOGIC, BLOCK_INPUT, BLOCK_OUTPUT };

struct block {
    enum block_kind kind;
    bool registered;
    int nets[BLOCK_PINS]; /* NONE where open; pads use pin 0 only */
    int x, y;
    int pad; /* which pad of the spot; 0 for logic */
    char name[WORD_BYTES];
};

/* blocks[0] and pins[0] drive the net; the others are its sinks. */
struct net {
    int next_symbol;
    int terminals;
    int *blocks;
    int *pins;
    bool global; /* a clock, which has wires of its own */
    char name[WORD_BYTES];
};

struct spot {
    int blocks[PADS_PER_SPOT]; /* NONE where free */
};

struct bounding_box {
    int left, right, bottom, top;
};

enum rr_kind { RR_SOURCE, RR_SINK, RR_IPIN, RR_OPIN, RR_CHANX, RR_CHANY, RR_KINDS };

/* A routing resource.  Wires span several spots; the rest is at one. */
struct rr_node {
    int16_t x_low, x_high, y_low, y_high;
    int16_t kind;
    int16_t number; /* of the pin, pad or track */
    int16_t capacity;
    int16_t occupancy;
    int16_t edge_count;
    int16_t fan_in;
    int *edges;
    uint8_t *switches; /* of each edge */
    float resistance, capacitance;
};

/* What the router knows of a node, while it looks for a path and between iterations. */
struct route_info {
    int previous_node;
    int previous_edge;
    int target_count;
    float path_cost;
    float delay;
    float history_cost;
    float present_cost;
};

/* A route as a list from the source: after each sink follows the node from which the next branch goes on. */
struct trace {
    struct trace *next;
    int node;
    int switch_type; /* towards the next node; NONE at a sink */
};

struct trace_list {
    struct trace *head, *tail;
};

struct heap_entry {
    struct heap_entry *next_free;
    int node;
    int previous_node, previous_edge;
    float cost;
    float backward_cost;
    float delay;
};

struct heap {
    struct heap_entry **entries; /* from 1 */
    int count, space;
    struct heap_entry *free_entries;
    int64_t popped;
};

struct router_options {
    float first_present_factor, present_factor, present_growth, history_factor;
    float
        direction_factor; /* how much the distance that is left counts; 0 searches in all directions */
    bool by_timing;
    int iterations;
};

struct switch_type {
    bool buffered;
    float resistance, delay;
};

enum { SWITCH_NONE, SWITCH_WIRE, SWITCH_PIN, SWITCH_TYPES };

struct fpga {
    uint64_t random;
    struct block *blocks;
    int block_count, block_space;
    struct net *nets;
    int net_count, net_space;
    int symbols[SYMBOLS];

    int side; /* logic at 1 to side in both directions, pads around it */
    struct spot *grid;

    int width; /* tracks of each channel */
    int segment_length;
    struct rr_node *nodes;
    int rr_count, rr_space;
    int *spot_nodes;
    int *x_wires, *y_wires;

    struct route_info *info;
    struct trace_list *routes; /* by net */
    struct trace *free_traces;
    struct heap heap;
    int *modified;
    int modified_count;
    struct bounding_box *route_boxes;
    int **terminals; /* the source and the sinks of each net, as nodes */
    float **sink_delays;
    float **criticalities;
    int64_t expanded;
};

struct vpr_size {
    int luts;
    int inputs;
    int width;
    float place_effort;
};

/* generate.c, netlist.c */
char *generate_text(const struct vpr_size *size, uint64_t seed);
void netlist_read(struct fpga *fpga, const char *text);
void netlist_free(struct fpga *fpga);

/* grid.c */
void grid_build(struct fpga *fpga);
struct spot *grid_at(const struct fpga *fpga, int x, int y);
bool grid_is_edge(const struct fpga *fpga, int x, int y);
void grid_place_first(struct fpga *fpga);

/* box.c */
struct net_box {
    struct bounding_box box;
    struct bounding_box on_edge; /* how many terminals are on each side */
};
struct net_box box_scan(const struct fpga *fpga, const struct net *net);
bool box_shift(struct net_box *box, int old_x, int old_y, int x, int y);
double box_cost(const struct net_box *box, int terminals);

/* place.c */
void place(struct fpga *fpga, float effort);

/* rr_graph.c, rr_edges.c, rr_check.c */
extern const struct switch_type switch_types[SWITCH_TYPES];
void rr_build(struct fpga *fpga, int width);
void rr_free(struct fpga *fpga);
void rr_build_edges(struct fpga *fpga);
int rr_spot_node(const struct fpga *fpga, enum rr_kind kind, int x, int y, int number);
int rr_x_wire(const struct fpga *fpga, int x, int y, int track);
int rr_y_wire(const struct fpga *fpga, int x, int y, int track);
void rr_check(const struct fpga *fpga);

/* heap.c */
void heap_push(struct heap *heap, const struct heap_entry *values);
struct heap_entry *heap_pop(struct heap *heap);
void heap_recycle(struct heap *heap, struct heap_entry *entry);
void heap_empty(struct heap *heap);
void heap_free(struct heap *heap);

/* congestion.c */
void congestion_start(struct fpga *fpga);
float congestion_base_cost(const struct rr_node *node);
float congestion_cost(const struct fpga *fpga, int node);
void congestion_occupy(struct fpga *fpga, const struct trace *trace, int change, float factor);
void congestion_update(struct fpga *fpga, float present_factor, float history_factor);
int congestion_overused(const struct fpga *fpga);

/* trace.c */
struct trace *trace_add_path(struct fpga *fpga, int net, const struct heap_entry *sink);
void trace_release(struct fpga *fpga, int net);
void trace_free_all(struct fpga *fpga);

/* route.c, search.c */
void route_prepare(struct fpga *fpga);
void route_release(struct fpga *fpga);
bool route_all(struct fpga *fpga, const struct router_options *options, int *iterations);
bool search_broad(struct fpga *fpga, int net);
bool search_directed(struct fpga *fpga, int net, const struct router_options *options);

/* rc_tree.c, timing.c */
void rc_tree_net_delays(struct fpga *fpga, int net);
struct timing *timing_build(const struct fpga *fpga);
float timing_analyze(struct fpga *fpga, struct timing *timing);
float timing_longest_path(const struct fpga *fpga, const struct timing *timing);
void timing_free(struct timing *timing);

/* check.c */
void check_placement(const struct fpga *fpga);
void check_routing(const struct fpga *fpga);
int check_wire_length(const struct fpga *fpga);
uint64_t check_digest(const struct fpga *fpga);

#endif
