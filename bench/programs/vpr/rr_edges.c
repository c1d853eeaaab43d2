/* The edges of the routing-resource graph: connection blocks between pins and wires, and switch boxes. */
#include "vpr.h"

/* Edges are lists while it is not known how many there will be. */
struct linked_edge {
    struct linked_edge *next;
    int to;
    int switch_type;
};

struct edge_lists {
    struct linked_edge **heads;
    struct linked_edge *chunk;
    struct linked_edge *all_chunks; /* chained by their first element */
    int left_in_chunk;
};

enum side { SIDE_TOP, SIDE_RIGHT, SIDE_BOTTOM, SIDE_LEFT, SIDES };

enum { CHUNK_EDGES = 1024 };

static struct linked_edge *new_edge(struct edge_lists *lists)
{
    if (lists->left_in_chunk == 0) {
        struct linked_edge *chunk = program_allocate(CHUNK_EDGES, sizeof *chunk);
        chunk->next = lists->all_chunks;
        lists->all_chunks = chunk;
        lists->chunk = chunk + 1;
        lists->left_in_chunk = CHUNK_EDGES - 1;
    }
    lists->left_in_chunk--;
    return lists->chunk++;
}

/* A long wire passes a switch box twice, so that the same two may meet again. */
static void add_edge(struct edge_lists *lists, int from, int to, int switch_type)
{
    for (struct linked_edge *edge = lists->heads[from]; edge != NULL; edge = edge->next) {
        if (edge->to == to) {
            return;
        }
    }
    struct linked_edge *edge = new_edge(lists);
    edge->to = to;
    edge->switch_type = switch_type;
    edge->next = lists->heads[from];
    lists->heads[from] = edge;
}

/* The wire of a channel that runs along one side of a spot, or NONE. */
static int wire_beside(const struct fpga *fpga, int x, int y, enum side side, int track)
{
    bool column = x >= 1 && x <= fpga->side;
    bool row = y >= 1 && y <= fpga->side;
    switch (side) {
    case SIDE_TOP:
        return column && y <= fpga->side ? rr_x_wire(fpga, x, y, track) : NONE;
    case SIDE_BOTTOM:
        return column && y >= 1 ? rr_x_wire(fpga, x, y - 1, track) : NONE;
    case SIDE_RIGHT:
        return row && x <= fpga->side ? rr_y_wire(fpga, x, y, track) : NONE;
    default:
        return row && x >= 1 ? rr_y_wire(fpga, x - 1, y, track) : NONE;
    }
}

/* A pin reaches `tracks` of the channel, spread evenly, and other ones than its neighbours do. */
static void connect_pin(struct fpga *fpga, struct edge_lists *lists, int node, enum side side,
                        int tracks)
{
    const struct rr_node *pin = &fpga->nodes[node];
    int offset = pin->number * 2 + pin->x_low + pin->y_low;
    for (int i = 0; i < tracks; i++) {
        int track = (offset + i * fpga->width / tracks) % fpga->width;
        int wire = wire_beside(fpga, pin->x_low, pin->y_low, side, track);
        if (wire == NONE) {
            return;
        }
        if (pin->kind == RR_OPIN) {
            add_edge(lists, node, wire, SWITCH_WIRE);
        } else {
            add_edge(lists, wire, node, SWITCH_PIN);
        }
    }
}

static int share_of_width(const struct fpga *fpga, int percent)
{
    int tracks = (fpga->width * percent + 99) / 100;
    return tracks < 2 ? 2 : tracks;
}

static void connect_logic(struct fpga *fpga, struct edge_lists *lists, int x, int y)
{
    static const enum side input_sides[LUT_INPUTS] = {SIDE_BOTTOM, SIDE_LEFT, SIDE_TOP, SIDE_RIGHT};
    int out = rr_spot_node(fpga, RR_OPIN, x, y, PIN_OUT);
    int sink = rr_spot_node(fpga, RR_SINK, x, y, 0);
    add_edge(lists, rr_spot_node(fpga, RR_SOURCE, x, y, 0), out, SWITCH_NONE);
    connect_pin(fpga, lists, out, SIDE_BOTTOM, share_of_width(fpga, 60));
    connect_pin(fpga, lists, out, SIDE_RIGHT, share_of_width(fpga, 60));
    for (int pin = 0; pin < LUT_INPUTS; pin++) {
        int in = rr_spot_node(fpga, RR_IPIN, x, y, pin);
        connect_pin(fpga, lists, in, input_sides[pin], share_of_width(fpga, 75));
        add_edge(lists, in, sink, SWITCH_NONE);
    }
}

static void connect_pads(struct fpga *fpga, struct edge_lists *lists, int x, int y)
{
    for (int pad = 0; pad < PADS_PER_SPOT; pad++) {
        int out = rr_spot_node(fpga, RR_OPIN, x, y, pad);
        int in = rr_spot_node(fpga, RR_IPIN, x, y, pad);
        add_edge(lists, rr_spot_node(fpga, RR_SOURCE, x, y, pad), out, SWITCH_NONE);
        add_edge(lists, in, rr_spot_node(fpga, RR_SINK, x, y, pad), SWITCH_NONE);
        for (int side = 0; side < SIDES; side++) {
            connect_pin(fpga, lists, out, (enum side)side, fpga->width);
            connect_pin(fpga, lists, in, (enum side)side, fpga->width);
        }
    }
}

/* The wire that leaves the box right of column x and above row y on a side, or NONE at the border. */
static int wire_of_box(const struct fpga *fpga, int x, int y, enum side side, int track)
{
    switch (side) {
    case SIDE_TOP:
        return y < fpga->side ? rr_y_wire(fpga, x, y + 1, track) : NONE;
    case SIDE_BOTTOM:
        return y > 0 ? rr_y_wire(fpga, x, y, track) : NONE;
    case SIDE_RIGHT:
        return x < fpga->side ? rr_x_wire(fpga, x + 1, y, track) : NONE;
    default:
        return x > 0 ? rr_x_wire(fpga, x, y, track) : NONE;
    }
}

/* Straight on the track stays; each turn changes it in its own way (Wilton's box). */
static int turned_track(enum side from, enum side to, int track, int width)
{
    if (from == SIDE_LEFT && to == SIDE_TOP) {
        return (width - track) % width;
    }
    if (from == SIDE_TOP && to == SIDE_RIGHT) {
        return (track + 1) % width;
    }
    if (from == SIDE_RIGHT && to == SIDE_BOTTOM) {
        return (2 * width - 2 - track) % width;
    }
    if (from == SIDE_BOTTOM && to == SIDE_LEFT) {
        return (track + 1) % width;
    }
    return track;
}

static void connect_box(struct fpga *fpga, struct edge_lists *lists, int x, int y)
{
    static const enum side pairs[][2] = {
        {SIDE_LEFT, SIDE_RIGHT}, {SIDE_TOP, SIDE_BOTTOM},   {SIDE_LEFT, SIDE_TOP},
        {SIDE_TOP, SIDE_RIGHT},  {SIDE_RIGHT, SIDE_BOTTOM}, {SIDE_BOTTOM, SIDE_LEFT},
    };
    for (size_t pair = 0; pair < sizeof pairs / sizeof *pairs; pair++) {
        for (int track = 0; track < fpga->width; track++) {
            enum side from = pairs[pair][0], to = pairs[pair][1];
            int a = wire_of_box(fpga, x, y, from, track);
            int b = wire_of_box(fpga, x, y, to, turned_track(from, to, track, fpga->width));
            if (a != NONE && b != NONE && a != b) {
                add_edge(lists, a, b, SWITCH_WIRE);
                add_edge(lists, b, a, SWITCH_WIRE);
            }
        }
    }
}

static void pack_edges(struct fpga *fpga, const struct edge_lists *lists)
{
    for (int i = 0; i < fpga->rr_count; i++) {
        struct rr_node *node = &fpga->nodes[i];
        int count = 0;
        for (const struct linked_edge *edge = lists->heads[i]; edge != NULL; edge = edge->next) {
            count++;
        }
        node->edge_count = (int16_t)count;
        node->edges = program_allocate((size_t)count + 1, sizeof *node->edges);
        node->switches = program_allocate((size_t)count + 1, sizeof *node->switches);
        for (const struct linked_edge *edge = lists->heads[i]; edge != NULL; edge = edge->next) {
            count--;
            node->edges[count] = edge->to;
            node->switches[count] = (uint8_t)edge->switch_type;
            fpga->nodes[edge->to].fan_in++;
        }
    }
}

void rr_build_edges(struct fpga *fpga)
{
    struct edge_lists lists = {0};
    lists.heads = program_allocate((size_t)fpga->rr_count, sizeof *lists.heads);
    for (int x = 0; x <= fpga->side + 1; x++) {
        for (int y = 0; y <= fpga->side + 1; y++) {
            bool corner = (x == 0 || x > fpga->side) && (y == 0 || y > fpga->side);
            if (!grid_is_edge(fpga, x, y)) {
                connect_logic(fpga, &lists, x, y);
            } else if (!corner) {
                connect_pads(fpga, &lists, x, y);
            }
            if (x <= fpga->side && y <= fpga->side) {
                connect_box(fpga, &lists, x, y);
            }
        }
    }
    pack_edges(fpga, &lists);
    while (lists.all_chunks != NULL) {
        struct linked_edge *next = lists.all_chunks->next;
        free(lists.all_chunks);
        lists.all_chunks = next;
    }
    free(lists.heads);
}
