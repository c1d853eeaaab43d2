/* The maze router: finds a net's route from its source to all sinks, in all directions or towards each sink. */
#include "vpr.h"

static bool is_outside(const struct rr_node *node, const struct bounding_box *box)
{
    return node->x_high < box->left || node->x_low > box->right || node->y_high < box->bottom ||
           node->y_low > box->top;
}

/* So that only what this search touched must be set back. */
static void remember_modified(struct fpga *fpga, int node)
{
    if (fpga->info[node].path_cost > 0.99e30f) {
        fpga->modified[fpga->modified_count++] = node;
    }
}

static void reset_modified(struct fpga *fpga)
{
    while (fpga->modified_count > 0) {
        struct route_info *info = &fpga->info[fpga->modified[--fpga->modified_count]];
        info->path_cost = 1e30f;
        info->previous_node = NONE;
        info->previous_edge = NONE;
    }
}

static void push_if_cheaper(struct fpga *fpga, const struct heap_entry *entry)
{
    if (entry->cost < fpga->info[entry->node].path_cost) {
        heap_push(&fpga->heap, entry);
    }
}

static void push_source(struct fpga *fpga, int net)
{
    int source = fpga->terminals[net][0];
    struct heap_entry entry = {.node = source,
                               .previous_node = NONE,
                               .previous_edge = NONE,
                               .cost = congestion_cost(fpga, source)};
    push_if_cheaper(fpga, &entry);
}

static void expand_broad(struct fpga *fpga, int from, float cost, int net)
{
    const struct rr_node *node = &fpga->nodes[from];
    fpga->expanded++;
    for (int edge = 0; edge < node->edge_count; edge++) {
        int to = node->edges[edge];
        if (is_outside(&fpga->nodes[to], &fpga->route_boxes[net])) {
            continue;
        }
        float total = cost + congestion_cost(fpga, to);
        if (total < fpga->info[to].path_cost) {
            struct heap_entry entry = {
                .node = to, .previous_node = from, .previous_edge = edge, .cost = total};
            heap_push(&fpga->heap, &entry);
        }
    }
}

/* Takes from the wavefront until a sink comes that is still wanted. */
static struct heap_entry *advance_broad(struct fpga *fpga, int net)
{
    for (;;) {
        struct heap_entry *entry = heap_pop(&fpga->heap);
        if (entry == NULL) {
            return NULL;
        }
        struct route_info *info = &fpga->info[entry->node];
        if (info->target_count > 0) {
            return entry;
        }
        if (entry->cost < info->path_cost) {
            remember_modified(fpga, entry->node);
            info->path_cost = entry->cost;
            info->previous_node = entry->previous_node;
            info->previous_edge = entry->previous_edge;
            expand_broad(fpga, entry->node, entry->cost, net);
        }
        heap_recycle(&fpga->heap, entry);
    }
}

/* The new part of the route costs nothing for the next sinks, and the wavefront goes on from there. */
static void push_new_part(struct fpga *fpga, const struct trace *part)
{
    for (; part != NULL; part = part->next) {
        if (fpga->nodes[part->node].kind != RR_SINK) {
            struct heap_entry entry = {
                .node = part->node, .previous_node = NONE, .previous_edge = NONE};
            push_if_cheaper(fpga, &entry);
        }
    }
}

static void mark_targets(struct fpga *fpga, int net, int change)
{
    for (int i = 1; i < fpga->nets[net].terminals; i++) {
        fpga->info[fpga->terminals[net][i]].target_count += change;
    }
}

bool search_broad(struct fpga *fpga, int net)
{
    bool found = true;
    mark_targets(fpga, net, 1);
    push_source(fpga, net);
    for (int sink = 1; found && sink < fpga->nets[net].terminals; sink++) {
        struct heap_entry *entry = advance_broad(fpga, net);
        found = entry != NULL;
        if (found) {
            fpga->info[entry->node].target_count--;
            push_new_part(fpga, trace_add_path(fpga, net, entry));
            heap_recycle(&fpga->heap, entry);
        }
    }
    if (!found) {
        for (int i = 1; i < fpga->nets[net].terminals; i++) {
            fpga->info[fpga->terminals[net][i]].target_count = 0;
        }
    }
    heap_empty(&fpga->heap);
    reset_modified(fpga);
    return found;
}

/* One sink of a directed search. */
struct aim {
    int net;
    const struct rr_node *target;
    float criticality;
    float direction_factor;
    int segment_length;
};

static int span_distance(int low, int high, int at)
{
    return at < low ? low - at : at > high ? at - high : 0;
}

/* How many more wires, at least, and what they cost if nobody else wants them. */
static float expected_cost(const struct aim *aim, const struct rr_node *node)
{
    if (node->kind != RR_CHANX && node->kind != RR_CHANY) {
        return node->kind == RR_IPIN ? 0.0f : 0.95f;
    }
    int across = span_distance(node->x_low, node->x_high, aim->target->x_low);
    int up = span_distance(node->y_low, node->y_high, aim->target->y_low);
    int length = aim->segment_length;
    int wires = (across + length - 1) / length + (up + length - 1) / length;
    float wire_delay = switch_types[SWITCH_WIRE].delay + 0.8f;
    float delay = (float)wires * wire_delay + switch_types[SWITCH_PIN].delay;
    float congestion = (float)wires + 0.95f;
    return aim->criticality * delay + (1.0f - aim->criticality) * congestion;
}

/* A buffered switch hides what is behind it: its delay and that of the wire it drives. */
static float step_delay(const struct rr_node *to, int switch_type)
{
    const struct switch_type *type = &switch_types[switch_type];
    return type->delay + (type->resistance + 0.5f * to->resistance) * to->capacitance;
}

static void push_directed(struct fpga *fpga, const struct aim *aim, struct heap_entry *entry)
{
    float left = expected_cost(aim, &fpga->nodes[entry->node]);
    entry->cost = entry->backward_cost + aim->direction_factor * left;
    push_if_cheaper(fpga, entry);
}

static void expand_directed(struct fpga *fpga, const struct aim *aim, const struct heap_entry *from)
{
    const struct rr_node *node = &fpga->nodes[from->node];
    fpga->expanded++;
    for (int edge = 0; edge < node->edge_count; edge++) {
        int to = node->edges[edge];
        const struct rr_node *next = &fpga->nodes[to];
        if (is_outside(next, &fpga->route_boxes[aim->net]) ||
            (next->kind == RR_IPIN &&
             (next->x_low != aim->target->x_low || next->y_low != aim->target->y_low))) {
            continue;
        }
        float delay = step_delay(next, node->switches[edge]);
        float cost =
            aim->criticality * delay + (1.0f - aim->criticality) * congestion_cost(fpga, to);
        struct heap_entry entry = {.node = to,
                                   .previous_node = from->node,
                                   .previous_edge = edge,
                                   .backward_cost = from->backward_cost + cost,
                                   .delay = from->delay + delay};
        push_directed(fpga, aim, &entry);
    }
}

static struct heap_entry *advance_directed(struct fpga *fpga, const struct aim *aim, int target)
{
    for (;;) {
        struct heap_entry *entry = heap_pop(&fpga->heap);
        if (entry == NULL || entry->node == target) {
            return entry;
        }
        struct route_info *info = &fpga->info[entry->node];
        if (entry->cost < info->path_cost) {
            remember_modified(fpga, entry->node);
            info->path_cost = entry->cost;
            info->previous_node = entry->previous_node;
            info->previous_edge = entry->previous_edge;
            info->delay = entry->delay;
            expand_directed(fpga, aim, entry);
        }
        heap_recycle(&fpga->heap, entry);
    }
}

/* All that is routed so far is where the next sink may be reached from; later along it costs delay. */
static void push_route(struct fpga *fpga, const struct aim *aim)
{
    for (const struct trace *t = fpga->routes[aim->net].head; t != NULL; t = t->next) {
        if (fpga->nodes[t->node].kind != RR_SINK) {
            struct heap_entry entry = {.node = t->node,
                                       .previous_node = NONE,
                                       .previous_edge = NONE,
                                       .delay = fpga->info[t->node].delay};
            entry.backward_cost = aim->criticality * entry.delay;
            push_directed(fpga, aim, &entry);
        }
    }
}

/* The most critical sinks first: they get the straightest way. */
static void order_sinks(const float *criticalities, int sinks, int *order)
{
    for (int i = 0; i < sinks; i++) {
        int place = i;
        while (place > 0 && criticalities[i + 1] > criticalities[order[place - 1]]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = i + 1;
    }
}

static bool search_sink(struct fpga *fpga, const struct aim *aim, int target)
{
    if (fpga->routes[aim->net].head == NULL) {
        int source = fpga->terminals[aim->net][0];
        struct heap_entry entry = {.node = source, .previous_node = NONE, .previous_edge = NONE};
        push_directed(fpga, aim, &entry);
    } else {
        push_route(fpga, aim);
    }
    struct heap_entry *entry = advance_directed(fpga, aim, target);
    if (entry != NULL) {
        trace_add_path(fpga, aim->net, entry);
        heap_recycle(&fpga->heap, entry);
    }
    heap_empty(&fpga->heap);
    reset_modified(fpga);
    return entry != NULL;
}

bool search_directed(struct fpga *fpga, int net, const struct router_options *options)
{
    int sinks = fpga->nets[net].terminals - 1;
    int *order = program_allocate((size_t)sinks, sizeof *order);
    order_sinks(fpga->criticalities[net], sinks, order);
    bool found = true;
    for (int i = 0; found && i < sinks; i++) {
        int target = fpga->terminals[net][order[i]];
        float criticality = fpga->criticalities[net][order[i]];
        struct aim aim = {net, &fpga->nodes[target], criticality, options->direction_factor,
                          fpga->segment_length};
        found = search_sink(fpga, &aim, target);
    }
    free(order);
    return found;
}
