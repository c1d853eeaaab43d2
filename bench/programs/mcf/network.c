/* Builds the network: a timetable of trips, the depot's arcs, the first connections, and the artificial basis. */
#include "mcf.h"

enum { DAY_MINUTES = 1080, GRID = 48, MINUTE_COST = 3, TRAVEL_COST = 10 };

static int compare_trips(const void *left, const void *right)
{
    const struct trip *a = left;
    const struct trip *b = right;
    if (a->start_time != b->start_time) {
        return a->start_time < b->start_time ? -1 : 1;
    }
    if (a->end_time != b->end_time) {
        return a->end_time < b->end_time ? -1 : 1;
    }
    if (a->start_place != b->start_place) {
        return a->start_place < b->start_place ? -1 : 1;
    }
    return (a->end_place > b->end_place) - (a->end_place < b->end_place);
}

static void lay_out_places(struct network *net, uint64_t *random)
{
    int *x = program_allocate((size_t)net->places, sizeof *x);
    int *y = program_allocate((size_t)net->places, sizeof *y);
    for (int p = 0; p < net->places; p++) {
        x[p] = (int)program_random_below(random, GRID);
        y[p] = (int)program_random_below(random, GRID);
    }
    net->travel = program_allocate((size_t)net->places * (size_t)net->places, sizeof *net->travel);
    for (int p = 0; p < net->places; p++) {
        for (int q = 0; q < net->places; q++) {
            net->travel[p * net->places + q] = abs(x[p] - x[q]) + abs(y[p] - y[q]);
        }
    }
    free(x);
    free(y);
}

/* Two peaks in a day: a trip's hour is the mean of two draws in one third of all cases each. */
static int draw_start(uint64_t *random)
{
    int minute = (int)program_random_below(random, DAY_MINUTES);
    switch (program_random_below(random, 3)) {
    case 0:
        return 60 + (int)program_random_below(random, 180);
    case 1:
        return 600 + (int)program_random_below(random, 200);
    default:
        return minute;
    }
}

static void make_timetable(struct network *net, uint64_t *random)
{
    net->trip = program_allocate((size_t)net->trips, sizeof *net->trip);
    for (int i = 0; i < net->trips; i++) {
        struct trip *trip = &net->trip[i];
        trip->start_place = (int)program_random_below(random, (uint32_t)net->places);
        trip->end_place = (int)program_random_below(random, (uint32_t)net->places);
        trip->start_time = draw_start(random);
        trip->end_time = trip->start_time + 15 +
                         net->travel[trip->start_place * net->places + trip->end_place] +
                         (int)program_random_below(random, 20);
    }
    qsort(net->trip, (size_t)net->trips, sizeof *net->trip, compare_trips);
}

static void make_nodes(struct network *net)
{
    net->nodes = 2 * net->trips + 1;
    net->node = program_allocate((size_t)net->nodes + 1, sizeof *net->node);
    for (int i = 0; i <= net->nodes; i++) {
        net->node[i].number = i;
    }
    for (int i = 0; i < net->trips; i++) {
        struct node *start = network_start(net, i);
        struct node *end = network_end(net, i);
        start->time = net->trip[i].start_time;
        start->place = net->trip[i].start_place;
        start->supply = -1;
        end->time = net->trip[i].end_time;
        end->place = net->trip[i].end_place;
        end->supply = 1;
    }
}

static void append_arc(struct network *net, struct node *tail, struct node *head, int64_t cost)
{
    program_check(net->stop_arcs < net->limit_arcs, "no room for an arc");
    struct arc *arc = net->stop_arcs++;
    memset(arc, 0, sizeof *arc);
    arc->tail = tail;
    arc->head = head;
    arc->cost = cost;
    arc->original_cost = cost;
    arc->state = ARC_AT_LOWER;
    arc->upper = 1;
}

/* What it costs to serve `head` behind `tail` with the same vehicle, or a negative number if there is no time. */
int network_connection_cost(const struct network *net, const struct node *tail,
                            const struct node *head)
{
    int travel = net->travel[tail->place * net->places + head->place];
    int gap = head->time - tail->time;
    if (gap < travel) {
        return -1;
    }
    return TRAVEL_COST * travel + MINUTE_COST * (gap - travel);
}

static void append_depot_arcs(struct network *net)
{
    struct node *depot = network_depot(net);
    for (int i = 0; i < net->trips; i++) {
        int out = net->travel[depot->place * net->places + net->trip[i].start_place];
        int back = net->travel[net->trip[i].end_place * net->places + depot->place];
        append_arc(net, depot, network_start(net, i), net->vehicle_cost + TRAVEL_COST * out);
        append_arc(net, network_end(net, i), depot, TRAVEL_COST * back);
    }
}

/* The connections that a planner would try by hand: the next few trips that can be reached. */
static void append_first_connections(struct network *net, int wanted)
{
    for (int i = 0; i < net->trips; i++) {
        int found = 0;
        for (int j = i + 1; j < net->trips && found < wanted; j++) {
            int cost = network_connection_cost(net, network_end(net, i), network_start(net, j));
            if (cost >= 0) {
                append_arc(net, network_end(net, i), network_start(net, j), cost);
                found++;
            }
        }
    }
}

struct network *network_create(const struct scale *scale, uint64_t seed)
{
    struct network *net = program_allocate(1, sizeof *net);
    uint64_t random = seed;
    net->trips = scale->trips;
    net->places = scale->places;
    net->vehicle_cost = 20000;
    net->big = (int64_t)1 << 36;
    net->max_new = scale->max_new;
    lay_out_places(net, &random);
    make_timetable(net, &random);
    make_nodes(net);
    net->arcs = program_allocate((size_t)scale->max_arcs, sizeof *net->arcs);
    net->stop_arcs = net->arcs;
    net->limit_arcs = net->arcs + scale->max_arcs;
    net->artificial = program_allocate((size_t)net->nodes + 1, sizeof *net->artificial);
    append_depot_arcs(net);
    append_first_connections(net, scale->first_arcs);
    network_link_arcs(net);
    net->pricing = pricing_create();
    return net;
}

void network_destroy(struct network *net)
{
    free(net->pricing);
    free(net->artificial);
    free(net->arcs);
    free(net->node);
    free(net->trip);
    free(net->travel);
    free(net);
}

/* The lists of arcs at each node, anew: arcs may have moved. */
void network_link_arcs(struct network *net)
{
    struct node *stop = net->node + net->nodes + 1;
    for (struct node *node = net->node; node < stop; node++) {
        node->first_out = NULL;
        node->first_in = NULL;
    }
    for (struct arc *arc = net->arcs; arc < net->stop_arcs; arc++) {
        arc->next_out = arc->tail->first_out;
        arc->tail->first_out = arc;
        arc->next_in = arc->head->first_in;
        arc->head->first_in = arc;
    }
}

/* Every node hangs at the root by an artificial arc.  One without flow leads to the root: the tree
 * is strongly feasible, which is what keeps the simplex from cycling. */
void network_start_basis(struct network *net)
{
    struct node *root = net->node;
    root->pred = NULL;
    root->sibling = NULL;
    root->child = NULL;
    root->potential = 0;
    root->subtree = net->nodes + 1;
    for (int i = net->nodes; i >= 1; i--) {
        struct node *node = net->node + i;
        struct arc *arc = net->artificial + i;
        int upward = node->supply >= 0;
        arc->tail = upward ? node : root;
        arc->head = upward ? root : node;
        arc->cost = net->big;
        arc->original_cost = net->big;
        arc->state = ARC_BASIC;
        arc->upper = INT_MAX;
        node->upward = upward;
        node->basic_arc = arc;
        node->flow = upward ? node->supply : -node->supply;
        node->pred = root;
        node->child = NULL;
        node->subtree = 1;
        node->sibling_prev = NULL;
        node->sibling = root->child;
        if (root->child != NULL) {
            root->child->sibling_prev = node;
        }
        root->child = node;
        node->potential = upward ? net->big : -net->big;
    }
}

/* Gives every arc the flow that it has in the present basis. */
void network_write_flows(struct network *net)
{
    for (struct arc *arc = net->arcs; arc < net->stop_arcs; arc++) {
        arc->flow = arc->state == ARC_AT_UPPER ? arc->upper : 0;
    }
    for (int i = 1; i <= net->nodes; i++) {
        net->artificial[i].flow = 0;
    }
    for (int i = 1; i <= net->nodes; i++) {
        net->node[i].basic_arc->flow = net->node[i].flow;
    }
}
