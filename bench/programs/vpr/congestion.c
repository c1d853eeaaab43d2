/* PathFinder's costs: what a node costs by itself, by who uses it now, and by who had to share it before. */
#include "vpr.h"

float congestion_base_cost(const struct rr_node *node)
{
    static const float costs[RR_KINDS] = {
        [RR_SOURCE] = 1.0f, [RR_SINK] = 0.0f,  [RR_IPIN] = 0.95f,
        [RR_OPIN] = 1.0f,   [RR_CHANX] = 1.0f, [RR_CHANY] = 1.0f,
    };
    return costs[node->kind];
}

void congestion_start(struct fpga *fpga)
{
    for (int i = 0; i < fpga->rr_count; i++) {
        fpga->nodes[i].occupancy = 0;
        fpga->info[i] = (struct route_info){
            .previous_node = NONE,
            .previous_edge = NONE,
            .path_cost = 1e30f,
            .history_cost = 1.0f,
            .present_cost = 1.0f,
        };
    }
}

float congestion_cost(const struct fpga *fpga, int node)
{
    const struct route_info *info = &fpga->info[node];
    return congestion_base_cost(&fpga->nodes[node]) * info->history_cost * info->present_cost;
}

static void set_present_cost(struct fpga *fpga, int node, float factor)
{
    int over = fpga->nodes[node].occupancy + 1 - fpga->nodes[node].capacity;
    fpga->info[node].present_cost = over > 0 ? 1.0f + (float)over * factor : 1.0f;
}

/* Puts a net's route on its nodes (change 1) or rips it up (-1). */
void congestion_occupy(struct fpga *fpga, const struct trace *trace, int change, float factor)
{
    while (trace != NULL) {
        int node = trace->node;
        fpga->nodes[node].occupancy = (int16_t)(fpga->nodes[node].occupancy + change);
        set_present_cost(fpga, node, factor);
        if (fpga->nodes[node].kind == RR_SINK) {
            trace = trace->next;
            if (trace == NULL) {
                return;
            }
        }
        trace = trace->next;
    }
}

/* After an iteration: what is shared becomes dearer for good. */
void congestion_update(struct fpga *fpga, float present_factor, float history_factor)
{
    for (int i = 0; i < fpga->rr_count; i++) {
        int over = fpga->nodes[i].occupancy - fpga->nodes[i].capacity;
        if (over > 0) {
            fpga->info[i].history_cost += (float)over * history_factor;
        }
        if (over >= 0) {
            fpga->info[i].present_cost = 1.0f + (float)(over + 1) * present_factor;
        }
    }
}

int congestion_overused(const struct fpga *fpga)
{
    int overused = 0;
    for (int i = 0; i < fpga->rr_count; i++) {
        overused += fpga->nodes[i].occupancy > fpga->nodes[i].capacity;
    }
    return overused;
}
