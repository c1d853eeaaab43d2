/* The global router: each net becomes a tree of segments, each of them in one channel. */
#include "twolf.h"

/* A possible piece of a net: between neighbours in a row, or from one row to the next. */
struct edge {
    int from, to;
    int length;
};

struct globe {
    struct terminal **pins; /* of the net, by row and then from left to right */
    int *parent;            /* of the trees that are joined to one */
    struct edge *edges;
    int pin_count, edge_count;
    int segment_space;
};

static bool stands_before(const struct terminal *a, const struct terminal *b)
{
    if (a->cell->row != b->cell->row) {
        return a->cell->row < b->cell->row;
    }
    return a->x < b->x || (a->x == b->x && a->cell->index < b->cell->index);
}

static void sort_pins(struct globe *globe, const struct net *net)
{
    globe->pin_count = 0;
    for (struct terminal *pin = net->terminals; pin != NULL; pin = pin->next_on_net) {
        int place = globe->pin_count++;
        while (place > 0 && stands_before(pin, globe->pins[place - 1])) {
            globe->pins[place] = globe->pins[place - 1];
            place--;
        }
        globe->pins[place] = pin;
    }
}

static void add_edge(struct globe *globe, int from, int to)
{
    const struct terminal *a = globe->pins[from];
    const struct terminal *b = globe->pins[to];
    struct edge edge = {from, to, abs(a->x - b->x) + abs(a->y - b->y)};
    int place = globe->edge_count++;
    while (place > 0 && edge.length < globe->edges[place - 1].length) {
        globe->edges[place] = globe->edges[place - 1];
        place--;
    }
    globe->edges[place] = edge;
}

static int end_of_row(const struct globe *globe, int first)
{
    int row = globe->pins[first]->cell->row;
    while (first < globe->pin_count && globe->pins[first]->cell->row == row) {
        first++;
    }
    return first;
}

/* From each pin of the lower row to those left and right of it in the next row. */
static void add_upward_edges(struct globe *globe, int first, int end, int upper_end)
{
    int right = end;
    for (int pin = first; pin < end; pin++) {
        while (right < upper_end && globe->pins[right]->x < globe->pins[pin]->x) {
            right++;
        }
        if (right < upper_end) {
            add_edge(globe, pin, right);
        }
        if (right > end) {
            add_edge(globe, pin, right - 1);
        }
    }
}

static void collect_edges(struct globe *globe)
{
    globe->edge_count = 0;
    for (int first = 0; first < globe->pin_count;) {
        int end = end_of_row(globe, first);
        for (int pin = first + 1; pin < end; pin++) {
            add_edge(globe, pin - 1, pin);
        }
        if (end < globe->pin_count &&
            globe->pins[end]->cell->row == globe->pins[first]->cell->row + 1) {
            add_upward_edges(globe, first, end, end_of_row(globe, end));
        }
        first = end;
    }
}

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void set_channels(const struct circuit *circuit, struct segment *segment)
{
    int low = segment->from->cell->row;
    int high = segment->to->cell->row;
    segment->other = -1;
    if (low < 0) {
        segment->channel = 0;
    } else if (high >= circuit->row_count || low != high) {
        segment->channel = high;
    } else {
        segment->channel = low;
        segment->other = low + 1;
    }
    if (high >= circuit->row_count) {
        segment->channel = circuit->row_count;
    }
}

static void add_segment(struct circuit *circuit, struct globe *globe, const struct edge *edge)
{
    struct segment *segment = program_allocate(1, sizeof *segment);
    segment->from = globe->pins[edge->from];
    segment->to = globe->pins[edge->to];
    int from = segment->from->x / COLUMN_WIDTH;
    int to = segment->to->x / COLUMN_WIDTH;
    segment->left = from < to ? from : to;
    segment->right = from < to ? to : from;
    set_channels(circuit, segment);
    struct net *net = segment->from->net;
    segment->next_on_net = net->segments;
    net->segments = segment;
    if (circuit->segment_count == globe->segment_space) {
        globe->segment_space = globe->segment_space * 2 + 256;
        circuit->segments =
            realloc(circuit->segments, (size_t)globe->segment_space * sizeof *circuit->segments);
        program_check(circuit->segments != NULL, "memory for segments");
    }
    circuit->segments[circuit->segment_count++] = segment;
}

/* Kruskal's method: the shortest edges that close no circle. */
static void route_net(struct circuit *circuit, struct globe *globe, const struct net *net)
{
    sort_pins(globe, net);
    collect_edges(globe);
    for (int i = 0; i < globe->pin_count; i++) {
        globe->parent[i] = i;
    }
    for (int i = 0; i < globe->edge_count; i++) {
        int from = find_root(globe->parent, globe->edges[i].from);
        int to = find_root(globe->parent, globe->edges[i].to);
        if (from != to) {
            globe->parent[from] = to;
            add_segment(circuit, globe, &globe->edges[i]);
        }
    }
}

static int most_pins(const struct circuit *circuit)
{
    int most = 0;
    for (int i = 0; i < circuit->net_count; i++) {
        if (circuit->nets[i]->pins > most) {
            most = circuit->nets[i]->pins;
        }
    }
    return most;
}

void globe_route(struct circuit *circuit)
{
    size_t pins = (size_t)most_pins(circuit);
    struct globe globe = {0};
    globe.pins = program_allocate(pins, sizeof *globe.pins);
    globe.parent = program_allocate(pins, sizeof *globe.parent);
    globe.edges = program_allocate(3 * pins, sizeof *globe.edges);
    for (int i = 0; i < circuit->net_count; i++) {
        route_net(circuit, &globe, circuit->nets[i]);
    }
    free(globe.pins);
    free(globe.parent);
    free(globe.edges);
    channel_build(circuit);
    for (int i = 0; i < circuit->segment_count; i++) {
        channel_add(&circuit->channels[circuit->segments[i]->channel], circuit->segments[i]);
    }
}
