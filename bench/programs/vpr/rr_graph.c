/* The nodes of the routing-resource graph: sources, sinks and pins of each spot, wires of each channel. */
#include "vpr.h"

const struct switch_type switch_types[SWITCH_TYPES] = {
    [SWITCH_NONE] = {false, 0.0f, 0.0f},
    [SWITCH_WIRE] = {true, 0.8f, 0.35f},
    [SWITCH_PIN] = {true, 0.5f, 0.45f},
};

enum { LOGIC_NODES = LUT_INPUTS + 3, PAD_NODES = 4 };

/* Where the nodes of a spot begin; their order is fixed. */
int rr_spot_node(const struct fpga *fpga, enum rr_kind kind, int x, int y, int number)
{
    int first = fpga->spot_nodes[x * (fpga->side + 2) + y];
    if (grid_is_edge(fpga, x, y)) {
        return first + number * PAD_NODES + (int)kind;
    }
    switch (kind) {
    case RR_SOURCE:
    case RR_SINK:
        return first + (int)kind;
    case RR_OPIN:
        return first + 2;
    default:
        return first + 3 + number;
    }
}

/* The wire above row y (0 to side) at column x (1 to side). */
int rr_x_wire(const struct fpga *fpga, int x, int y, int track)
{
    return fpga->x_wires[(y * (fpga->side + 1) + x) * fpga->width + track];
}

/* The wire right of column x (0 to side) at row y (1 to side). */
int rr_y_wire(const struct fpga *fpga, int x, int y, int track)
{
    return fpga->y_wires[(x * (fpga->side + 1) + y) * fpga->width + track];
}

static int add_node(struct fpga *fpga, enum rr_kind kind, int x, int y, int number, int capacity)
{
    if (fpga->rr_count == fpga->rr_space) {
        fpga->rr_space = fpga->rr_space * 2 + 1024;
        fpga->nodes = realloc(fpga->nodes, (size_t)fpga->rr_space * sizeof *fpga->nodes);
        program_check(fpga->nodes != NULL, "memory for the routing graph");
    }
    struct rr_node *node = &fpga->nodes[fpga->rr_count];
    memset(node, 0, sizeof *node);
    node->kind = (int16_t)kind;
    node->x_low = node->x_high = (int16_t)x;
    node->y_low = node->y_high = (int16_t)y;
    node->number = (int16_t)number;
    node->capacity = (int16_t)capacity;
    return fpga->rr_count++;
}

static void add_logic_nodes(struct fpga *fpga, int x, int y)
{
    add_node(fpga, RR_SOURCE, x, y, 0, 1);
    add_node(fpga, RR_SINK, x, y, 0, LUT_INPUTS);
    add_node(fpga, RR_OPIN, x, y, PIN_OUT, 1);
    for (int pin = 0; pin < LUT_INPUTS; pin++) {
        add_node(fpga, RR_IPIN, x, y, pin, 1);
    }
}

static void add_pad_nodes(struct fpga *fpga, int x, int y)
{
    for (int pad = 0; pad < PADS_PER_SPOT; pad++) {
        for (int kind = RR_SOURCE; kind <= RR_OPIN; kind++) {
            add_node(fpga, (enum rr_kind)kind, x, y, pad, 1);
        }
    }
}

static void add_spots(struct fpga *fpga)
{
    int across = fpga->side + 2;
    fpga->spot_nodes = program_allocate((size_t)across * (size_t)across, sizeof *fpga->spot_nodes);
    for (int x = 0; x < across; x++) {
        for (int y = 0; y < across; y++) {
            fpga->spot_nodes[x * across + y] = fpga->rr_count;
            if (!grid_is_edge(fpga, x, y)) {
                add_logic_nodes(fpga, x, y);
            } else if ((x >= 1 && x <= fpga->side) || (y >= 1 && y <= fpga->side)) {
                add_pad_nodes(fpga, x, y);
            }
        }
    }
}

/* Wires of different tracks begin at different places, so that no spot has only ends of wires. */
static bool wire_begins(const struct fpga *fpga, int along, int channel, int track)
{
    return along == 1 || (along + channel + track) % fpga->segment_length == 0;
}

static void add_x_wires(struct fpga *fpga, int y, int track)
{
    int wire = NONE;
    for (int x = 1; x <= fpga->side; x++) {
        if (wire_begins(fpga, x, y, track)) {
            wire = add_node(fpga, RR_CHANX, x, y, track, 1);
        }
        fpga->nodes[wire].x_high = (int16_t)x;
        fpga->x_wires[(y * (fpga->side + 1) + x) * fpga->width + track] = wire;
    }
}

static void add_y_wires(struct fpga *fpga, int x, int track)
{
    int wire = NONE;
    for (int y = 1; y <= fpga->side; y++) {
        if (wire_begins(fpga, y, x, track)) {
            wire = add_node(fpga, RR_CHANY, x, y, track, 1);
        }
        fpga->nodes[wire].y_high = (int16_t)y;
        fpga->y_wires[(x * (fpga->side + 1) + y) * fpga->width + track] = wire;
    }
}

static void add_wires(struct fpga *fpga)
{
    size_t places = (size_t)(fpga->side + 1) * (size_t)(fpga->side + 1) * (size_t)fpga->width;
    fpga->x_wires = program_allocate(places, sizeof *fpga->x_wires);
    fpga->y_wires = program_allocate(places, sizeof *fpga->y_wires);
    for (int channel = 0; channel <= fpga->side; channel++) {
        for (int track = 0; track < fpga->width; track++) {
            add_x_wires(fpga, channel, track);
            add_y_wires(fpga, channel, track);
        }
    }
}

static void set_electrical(struct fpga *fpga)
{
    for (int i = 0; i < fpga->rr_count; i++) {
        struct rr_node *node = &fpga->nodes[i];
        if (node->kind == RR_CHANX || node->kind == RR_CHANY) {
            int length = node->x_high - node->x_low + node->y_high - node->y_low + 1;
            node->resistance = 0.15f * (float)length;
            node->capacitance = 0.20f * (float)length + 0.05f * (float)node->edge_count;
        } else if (node->kind == RR_IPIN) {
            node->capacitance = 0.08f;
        }
    }
}

void rr_build(struct fpga *fpga, int width)
{
    fpga->width = width;
    fpga->segment_length = 1;
    add_spots(fpga);
    add_wires(fpga);
    rr_build_edges(fpga);
    set_electrical(fpga);
}

void rr_free(struct fpga *fpga)
{
    for (int i = 0; i < fpga->rr_count; i++) {
        free(fpga->nodes[i].edges);
        free(fpga->nodes[i].switches);
    }
    free(fpga->nodes);
    free(fpga->spot_nodes);
    free(fpga->x_wires);
    free(fpga->y_wires);
    fpga->nodes = NULL;
    fpga->rr_count = fpga->rr_space = 0;
}
