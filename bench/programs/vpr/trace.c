/* Routes as lists of nodes: a path that was found is appended, a route that is ripped up is recycled. */
#include "vpr.h"

static struct trace *new_trace(struct fpga *fpga, int node, int switch_type, struct trace *next)
{
    struct trace *trace = fpga->free_traces;
    if (trace == NULL) {
        trace = program_allocate(1, sizeof *trace);
    } else {
        fpga->free_traces = trace->next;
    }
    trace->node = node;
    trace->switch_type = switch_type;
    trace->next = next;
    return trace;
}

/* Walks from the sink back to where the search began.  Returns the first node that is new to the route. */
struct trace *trace_add_path(struct fpga *fpga, int net, const struct heap_entry *sink)
{
    struct trace *last = new_trace(fpga, sink->node, NONE, NULL);
    struct trace *path = last;
    int node = sink->previous_node;
    int edge = sink->previous_edge;
    while (node != NONE) {
        path = new_trace(fpga, node, fpga->nodes[node].switches[edge], path);
        edge = fpga->info[node].previous_edge;
        node = fpga->info[node].previous_node;
    }
    struct trace_list *route = &fpga->routes[net];
    struct trace *first_new = path;
    if (route->head == NULL) {
        route->head = path;
    } else {
        route->tail->next = path;
        first_new = path->next;
    }
    route->tail = last;
    return first_new;
}

void trace_release(struct fpga *fpga, int net)
{
    struct trace_list *route = &fpga->routes[net];
    if (route->head != NULL) {
        route->tail->next = fpga->free_traces;
        fpga->free_traces = route->head;
        route->head = route->tail = NULL;
    }
}

void trace_free_all(struct fpga *fpga)
{
    for (int net = 0; net < fpga->net_count; net++) {
        trace_release(fpga, net);
    }
    while (fpga->free_traces != NULL) {
        struct trace *next = fpga->free_traces->next;
        free(fpga->free_traces);
        fpga->free_traces = next;
    }
}
