/* Multiple partial pricing: looks for the arc that enters the basis, a group of all arcs at a time. */
#include "mcf.h"
#include "prefetch.h"

enum { GROUP_ARCS = 300, BASKET = 50 };

/* Prefetching: memory is 230 cycles away, and an arc takes about 15. */
enum { ARCS_AHEAD = 16, CANDIDATES_AHEAD = 8 };

struct entry {
    struct arc *arc;
    int64_t cost;
    int64_t magnitude;
};

struct pricing {
    int started;
    int64_t groups;
    int64_t group_pos;
    int64_t size;
    struct entry store[BASKET + GROUP_ARCS + 1];
    struct entry *basket[BASKET + GROUP_ARCS + 1];
};

struct pricing *pricing_create(void)
{
    return program_allocate(1, sizeof(struct pricing));
}

/* Arcs have come, gone or moved. */
void pricing_restart(struct network *net)
{
    net->pricing->started = 0;
}

static void start(struct network *net, struct pricing *pricing)
{
    for (int i = 0; i < BASKET + GROUP_ARCS + 1; i++) {
        pricing->basket[i] = &pricing->store[i];
    }
    pricing->groups = (net->stop_arcs - net->arcs - 1) / GROUP_ARCS + 1;
    pricing->group_pos = 0;
    pricing->size = 0;
    pricing->started = 1;
}

static int is_dual_infeasible(const struct arc *arc, int64_t reduced_cost)
{
    return (reduced_cost < 0 && arc->state == ARC_AT_LOWER) ||
           (reduced_cost > 0 && arc->state == ARC_AT_UPPER);
}

/* Quicksort, largest first, but only as far as the best BASKET entries are in order. */
static void sort_basket(struct entry **basket, int64_t low, int64_t high)
{
    int64_t left = low;
    int64_t right = high;
    int64_t cut = basket[(low + high) / 2]->magnitude;
    do {
        while (basket[left]->magnitude > cut) {
            left++;
        }
        while (cut > basket[right]->magnitude) {
            right--;
        }
        if (left < right) {
            struct entry *swapped = basket[left];
            basket[left] = basket[right];
            basket[right] = swapped;
        }
        if (left <= right) {
            left++;
            right--;
        }
    } while (left <= right);
    if (low < right) {
        sort_basket(basket, low, right);
    }
    if (left < high && left < BASKET) {
        sort_basket(basket, left, high);
    }
}

static void put(struct pricing *pricing, struct arc *arc, int64_t reduced_cost)
{
    struct entry *entry = pricing->basket[pricing->size++];
    entry->arc = arc;
    entry->cost = reduced_cost;
    entry->magnitude = reduced_cost < 0 ? -reduced_cost : reduced_cost;
}

/* Keeps the best of the last search that are still worth entering. */
static void keep_candidates(struct pricing *pricing)
{
    int64_t kept = pricing->size < BASKET ? pricing->size : BASKET;
    pricing->size = 0;
    for (int64_t i = 1; i < kept; i++) {
        PREFETCH(pricing->basket[i + CANDIDATES_AHEAD]->arc);
        struct arc *arc = pricing->basket[i]->arc;
        int64_t reduced_cost = arc_reduced_cost(arc);
        if (is_dual_infeasible(arc, reduced_cost)) {
            put(pricing, arc, reduced_cost);
        }
    }
}

static void scan_group(struct network *net, struct pricing *pricing)
{
    struct arc *stop = net->stop_arcs;
    int64_t groups = pricing->groups;
    for (struct arc *arc = net->arcs + pricing->group_pos; arc < stop; arc += groups) {
        const struct arc *soon = arc + ARCS_AHEAD * groups;
        PREFETCH(soon + ARCS_AHEAD * groups);
        PREFETCH((soon < stop ? soon : arc)->tail);
        PREFETCH((soon < stop ? soon : arc)->head);
        if (arc->state > ARC_BASIC) {
            int64_t reduced_cost = arc->cost - arc->tail->potential + arc->head->potential;
            if (is_dual_infeasible(arc, reduced_cost)) {
                put(pricing, arc, reduced_cost);
            }
        }
    }
    net->scanned++;
    if (++pricing->group_pos == groups) {
        pricing->group_pos = 0;
    }
}

/* The most promising arc, or NULL if none is left in any group. */
struct arc *pricing_find(struct network *net, int64_t *reduced_cost)
{
    struct pricing *pricing = net->pricing;
    if (pricing->started) {
        keep_candidates(pricing);
    } else {
        start(net, pricing);
    }
    int64_t first_group = pricing->group_pos;
    do {
        scan_group(net, pricing);
    } while (pricing->size < BASKET && pricing->group_pos != first_group);
    if (pricing->size == 0) {
        pricing->started = 0;
        *reduced_cost = 0;
        return NULL;
    }
    sort_basket(pricing->basket, 0, pricing->size - 1);
    *reduced_cost = pricing->basket[0]->cost;
    return pricing->basket[0]->arc;
}
