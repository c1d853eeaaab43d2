/* Column generation: connections of trips are priced in a pass over all pairs, and only promising ones become arcs. */
#include "mcf.h"
#include "prefetch.h"

/* New arcs are a heap with the weakest on top (its flow field holds the reduced cost), so that a
 * better one replaces it when there is no more room. */
struct heap {
    struct arc *arc; /* from 1 */
    int size;
    int limit;
};

static void sift_up(struct heap *heap, int at, const struct arc *arc)
{
    while (at > 1 && heap->arc[at / 2].flow < arc->flow) {
        heap->arc[at] = heap->arc[at / 2];
        at /= 2;
    }
    heap->arc[at] = *arc;
}

static void sift_down(struct heap *heap, const struct arc *arc)
{
    int at = 1;
    while (2 * at <= heap->size) {
        int larger = 2 * at;
        if (larger < heap->size && heap->arc[larger + 1].flow > heap->arc[larger].flow) {
            larger++;
        }
        if (heap->arc[larger].flow <= arc->flow) {
            break;
        }
        heap->arc[at] = heap->arc[larger];
        at = larger;
    }
    heap->arc[at] = *arc;
}

static void offer(struct heap *heap, struct node *tail, struct node *head, int64_t cost,
                  int64_t reduced_cost)
{
    struct arc arc = {.cost = cost,
                      .tail = tail,
                      .head = head,
                      .state = ARC_AT_LOWER,
                      .upper = 1,
                      .flow = reduced_cost,
                      .original_cost = cost};
    if (heap->size < heap->limit) {
        heap->size++;
        sift_up(heap, heap->size, &arc);
    } else if (heap->arc[1].flow > reduced_cost) {
        sift_down(heap, &arc);
    }
}

/* One that is at its upper bound may have a negative reduced cost and must not come a second time. */
static int is_present(const struct node *tail, const struct node *head)
{
    for (const struct arc *arc = head->first_in; arc != NULL; arc = arc->next_in) {
        if (arc->tail == tail) {
            return 1;
        }
    }
    return 0;
}

static void price_head(struct network *net, struct heap *heap, struct node *sparse,
                       struct node *head)
{
    const int *travel_to = net->travel + head->place * net->places;
    for (struct node *tail = sparse; tail != NULL; tail = tail->sparse_next) {
        PREFETCH(&tail->sparse_next->time);
        if (tail->time + travel_to[tail->place] > head->time) {
            continue;
        }
        int cost = network_connection_cost(net, tail, head);
        int64_t reduced_cost = cost - tail->potential + head->potential;
        if (reduced_cost < 0 && !is_present(tail, head)) {
            offer(heap, tail, head, cost, reduced_cost);
        }
    }
}

/* Returns how many arcs it added. */
int columns_price_out(struct network *net)
{
    int64_t room = net->limit_arcs - net->stop_arcs;
    struct heap heap = {.limit = room < net->max_new ? (int)room : net->max_new};
    if (heap.limit == 0) {
        return 0;
    }
    heap.arc = net->stop_arcs - 1;
    struct node *sparse = NULL;
    for (int i = 0; i < net->trips; i++) {
        price_head(net, &heap, sparse, network_start(net, i));
        struct node *end = network_end(net, i);
        end->sparse_next = sparse;
        sparse = end;
    }
    for (int i = 1; i <= heap.size; i++) {
        heap.arc[i].flow = 0;
    }
    net->stop_arcs += heap.size;
    net->columns += (uint64_t)heap.size;
    network_link_arcs(net);
    return heap.size;
}

static void move_arc(struct arc *to, const struct arc *from)
{
    if (from->state == ARC_BASIC) {
        struct node *node = from->tail->basic_arc == from ? from->tail : from->head;
        node->basic_arc = to;
    }
    *to = *from;
}

/* Drops connections that stand at 0 and whose reduced cost is above the threshold; price_out finds
 * them again if they should matter.  The depot's arcs stay. */
int columns_suspend(struct network *net, int64_t threshold)
{
    struct arc *kept = net->arcs + 2 * net->trips;
    int suspended = 0;
    for (struct arc *arc = kept; arc < net->stop_arcs; arc++) {
        if (arc->state == ARC_AT_LOWER && arc_reduced_cost(arc) > threshold) {
            suspended++;
            continue;
        }
        if (kept != arc) {
            move_arc(kept, arc);
        }
        kept++;
    }
    net->stop_arcs = kept;
    net->suspended += (uint64_t)suspended;
    network_link_arcs(net);
    return suspended;
}
