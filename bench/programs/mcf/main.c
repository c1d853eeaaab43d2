/* mcf: schedules the vehicles of a transport company by minimum-cost flow. */
#include "mcf.h"
#include "study.h"

enum { SUSPEND_MARGIN = 4000, TRIAL_TRIPS = 24 };

static const struct scale scales[SIZES] = {
    [SIZE_TEST] = {.trips = 130, .places = 40, .first_arcs = 6, .max_new = 500, .max_arcs = 1800},
    [SIZE_SMALL] =
        {.trips = 740, .places = 80, .first_arcs = 8, .max_new = 12000, .max_arcs = 24000},
    [SIZE_FULL] =
        {.trips = 2700, .places = 150, .first_arcs = 10, .max_new = 150000, .max_arcs = 250000},
};

/* Solves, prices out, and solves again, until no connection is missing. */
static void optimize(struct network *net)
{
    network_start_basis(net);
    simplex_solve(net);
    for (;;) {
        net->rounds++;
        if (net->limit_arcs - net->stop_arcs < net->max_new) {
            columns_suspend(net, SUSPEND_MARGIN);
            if (net->stop_arcs == net->limit_arcs) {
                columns_suspend(net, 0);
            }
        }
        if (columns_price_out(net) == 0) {
            return;
        }
        simplex_solve(net);
    }
}

static uint64_t try_small_network(uint64_t seed)
{
    static const struct scale trial = {
        .trips = TRIAL_TRIPS, .places = 12, .first_arcs = 2, .max_new = 40, .max_arcs = 400};
    struct network *net = network_create(&trial, seed);
    optimize(net);
    int64_t cost = check_solution(net);
    program_check(cost == check_by_paths(net), "cheapest paths find another cost");
    network_destroy(net);
    return (uint64_t)cost;
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    uint64_t digest = try_small_network(77);
    struct network *net = network_create(&scales[size], 20260);
    printf("trips %d, nodes %d, first arcs %d\n", net->trips, net->nodes,
           (int)(net->stop_arcs - net->arcs));
    optimize(net);
    int64_t cost = check_solution(net);
    int vehicles;
    digest = program_mix(digest, check_schedules(net, &vehicles));
    printf("rounds %d, new arcs %" PRIu64 ", suspended %" PRIu64 ", arcs at the end %d\n",
           net->rounds, net->columns, net->suspended, (int)(net->stop_arcs - net->arcs));
    printf("simplex iterations %" PRIu64 ", bound flips %" PRIu64 ", groups priced %" PRIu64 "\n",
           net->iterations, net->flips, net->scanned);
    printf("optimal cost %" PRId64 ", vehicles %d\n", cost, vehicles);
    digest = program_mix(digest, (uint64_t)cost);
    digest = program_mix(digest, net->iterations);
    network_destroy(net);
    study_report("mcf", size, digest);
    return 0;
}
