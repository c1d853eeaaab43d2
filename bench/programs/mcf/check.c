/* Proves a solution optimal, solves a small network by another method, and reads the vehicles' schedules. */
#include "mcf.h"

static void check_conservation(const struct network *net)
{
    int64_t *excess = program_allocate((size_t)net->nodes + 1, sizeof *excess);
    for (const struct arc *arc = net->arcs; arc < net->stop_arcs; arc++) {
        program_check(arc->flow >= 0 && arc->flow <= arc->upper, "a flow out of bounds");
        excess[arc->tail->number] -= arc->flow;
        excess[arc->head->number] += arc->flow;
    }
    for (int i = 1; i <= net->nodes; i++) {
        program_check(net->artificial[i].flow == 0, "an artificial arc has flow");
        program_check(excess[i] + net->node[i].supply == 0, "flow is not conserved");
    }
    free(excess);
}

static void check_slackness(const struct network *net)
{
    for (const struct arc *arc = net->arcs; arc < net->stop_arcs; arc++) {
        int64_t reduced_cost = arc_reduced_cost(arc);
        program_check(arc->cost == arc->original_cost, "a cost changed");
        program_check(reduced_cost >= 0 || arc->flow == arc->upper, "cheap arc not full");
        program_check(reduced_cost <= 0 || arc->flow == 0, "dear arc not empty");
    }
}

/* Connections that never became arcs must not be worth anything, either. */
static void check_absent(const struct network *net)
{
    char *present = program_allocate((size_t)net->trips, 1);
    for (int j = 0; j < net->trips; j++) {
        const struct node *head = network_start(net, j);
        memset(present, 0, (size_t)net->trips);
        for (const struct arc *arc = head->first_in; arc != NULL; arc = arc->next_in) {
            if (arc->tail != network_depot(net)) {
                present[arc->tail - network_end(net, 0)] = 1;
            }
        }
        for (int i = 0; i < j; i++) {
            const struct node *tail = network_end(net, i);
            int cost = network_connection_cost(net, tail, head);
            program_check(cost < 0 || present[i] || cost - tail->potential + head->potential >= 0,
                          "a missing arc would help");
        }
    }
    free(present);
}

static int64_t primal_cost(const struct network *net)
{
    int64_t cost = 0;
    for (const struct arc *arc = net->arcs; arc < net->stop_arcs; arc++) {
        cost += arc->cost * arc->flow;
    }
    return cost;
}

static int64_t dual_cost(const struct network *net)
{
    int64_t cost = 0;
    for (int i = 1; i <= net->nodes; i++) {
        cost += net->node[i].supply * net->node[i].potential;
    }
    for (const struct arc *arc = net->arcs; arc < net->stop_arcs; arc++) {
        int64_t reduced_cost = arc_reduced_cost(arc);
        cost += reduced_cost < 0 ? reduced_cost * arc->upper : 0;
    }
    return cost;
}

/* Returns the cost, if the solution is feasible and optimal. */
int64_t check_solution(struct network *net)
{
    program_check(simplex_refresh_potentials(net) == 0, "potentials do not fit the tree");
    network_write_flows(net);
    check_conservation(net);
    check_slackness(net);
    check_absent(net);
    int64_t cost = primal_cost(net);
    program_check(cost == dual_cost(net), "primal and dual cost differ");
    return cost;
}

/* Walks each vehicle's day from the depot to the depot. */
uint64_t check_schedules(struct network *net, int *vehicles)
{
    uint64_t digest = 0;
    int served = 0;
    *vehicles = 0;
    for (const struct arc *out = network_depot(net)->first_out; out != NULL; out = out->next_out) {
        if (out->flow == 0) {
            continue;
        }
        const struct node *start = out->head;
        while (start != NULL) {
            int trip = (int)(start - network_start(net, 0));
            digest = program_mix(digest, (uint64_t)trip);
            served++;
            const struct arc *next = network_end(net, trip)->first_out;
            while (next->flow == 0) {
                next = next->next_out;
            }
            start = next->head == network_depot(net) ? NULL : next->head;
        }
        digest = program_mix(digest, UINT64_MAX);
        (*vehicles)++;
    }
    program_check(served == net->trips, "a trip is served twice or never");
    return digest;
}

struct paths {
    int trips;
    int64_t *matrix; /* [end][start]; start == trips: the depot */
    int *after;      /* which start follows an end; trips: the depot; -1: unknown */
    int *before;
    int64_t *distance;
    int *parent;
};

/* A trip that starts from the depot is worth its pull-out less: the cost of a whole solution is all
 * pull-outs and pull-ins, and each connection changes it by a constant. */
static void fill_gains(const struct network *net, struct paths *paths)
{
    int n = net->trips;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int cost =
                i < j ? network_connection_cost(net, network_end(net, i), network_start(net, j))
                      : -1;
            int64_t saved = net->arcs[2 * i + 1].cost + net->arcs[2 * j].cost;
            paths->matrix[i * n + j] = cost < 0 || cost >= saved ? INT64_MAX : cost - saved;
        }
    }
}

/* Bellman and Ford over the residual graph: from all ends that go to the depot to the cheapest
 * start that comes from it.  Returns it, or -1 if nothing is gained. */
static int cheapest_path(struct paths *paths)
{
    int n = paths->trips;
    int changed = 1;
    for (int j = 0; j < n; j++) {
        paths->distance[j] = INT64_MAX;
    }
    while (changed) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            int64_t base = 0;
            if (paths->after[i] != n) {
                int j = paths->after[i];
                if (paths->distance[j] == INT64_MAX) {
                    continue;
                }
                base = paths->distance[j] - paths->matrix[i * n + j];
            }
            for (int j = 0; j < n; j++) {
                int64_t step = paths->matrix[i * n + j];
                if (step != INT64_MAX && j != paths->after[i] && base + step < paths->distance[j]) {
                    paths->distance[j] = base + step;
                    paths->parent[j] = i;
                    changed = 1;
                }
            }
        }
    }
    int best = -1;
    for (int j = 0; j < n; j++) {
        if (paths->before[j] == n && paths->distance[j] < 0 &&
            (best < 0 || paths->distance[j] < paths->distance[best])) {
            best = j;
        }
    }
    return best;
}

static void augment(struct paths *paths, int start)
{
    while (start != paths->trips) {
        int end = paths->parent[start];
        int next = paths->after[end];
        paths->after[end] = start;
        paths->before[start] = end;
        start = next;
    }
}

/* The cost of the best schedule, by successive cheapest paths; only for small networks. */
int64_t check_by_paths(const struct network *net)
{
    size_t n = (size_t)net->trips;
    struct paths paths = {.trips = net->trips,
                          .matrix = program_allocate(n * n, sizeof *paths.matrix),
                          .after = program_allocate(n, sizeof *paths.after),
                          .before = program_allocate(n, sizeof *paths.before),
                          .distance = program_allocate(n, sizeof *paths.distance),
                          .parent = program_allocate(n, sizeof *paths.parent)};
    int64_t cost = 0;
    for (int i = 0; i < net->trips; i++) {
        paths.after[i] = net->trips;
        paths.before[i] = net->trips;
        cost += net->arcs[2 * i].cost + net->arcs[2 * i + 1].cost;
    }
    fill_gains(net, &paths);
    for (int start = cheapest_path(&paths); start >= 0; start = cheapest_path(&paths)) {
        cost += paths.distance[start];
        augment(&paths, start);
    }
    free(paths.matrix);
    free(paths.after);
    free(paths.before);
    free(paths.distance);
    free(paths.parent);
    return cost;
}
