/* Feed-throughs: cells that carry a net across a row in which it has no pin. */
#include "twolf.h"

/* A net's wish to cross a row near x. */
struct request {
    struct request *next;
    struct net *net;
    int x;
};

/* The tree of one net, by Prim's method: near[i] is the terminal in the tree that is nearest to i. */
struct tree {
    struct terminal **pins;
    int *near;
    int *distance;
    bool *joined;
    int count, space;
};

static void tree_collect(struct tree *tree, const struct net *net)
{
    if (net->pins > tree->space) {
        size_t space = (size_t)net->pins;
        free(tree->pins);
        free(tree->near);
        free(tree->distance);
        free(tree->joined);
        tree->pins = program_allocate(space, sizeof *tree->pins);
        tree->near = program_allocate(space, sizeof *tree->near);
        tree->distance = program_allocate(space, sizeof *tree->distance);
        tree->joined = program_allocate(space, sizeof *tree->joined);
        tree->space = net->pins;
    }
    tree->count = 0;
    for (struct terminal *pin = net->terminals; pin != NULL; pin = pin->next_on_net) {
        tree->pins[tree->count++] = pin;
    }
}

/* Crossing a row costs a feed, so rows weigh more than their height. */
static int pin_distance(const struct terminal *a, const struct terminal *b)
{
    return abs(a->x - b->x) + 2 * abs(a->y - b->y);
}

static void tree_update(struct tree *tree, int joined)
{
    for (int i = 0; i < tree->count; i++) {
        int distance = pin_distance(tree->pins[i], tree->pins[joined]);
        if (!tree->joined[i] && distance < tree->distance[i]) {
            tree->distance[i] = distance;
            tree->near[i] = joined;
        }
    }
}

static int tree_nearest(const struct tree *tree)
{
    int best = -1;
    for (int i = 0; i < tree->count; i++) {
        if (!tree->joined[i] && (best < 0 || tree->distance[i] < tree->distance[best])) {
            best = i;
        }
    }
    return best;
}

static bool net_is_in_row(const struct net *net, int row)
{
    for (const struct terminal *pin = net->terminals; pin != NULL; pin = pin->next_on_net) {
        if (pin->cell->row == row) {
            return true;
        }
    }
    return false;
}

static bool net_has_request(const struct net *net, const struct request *list)
{
    /* The requests of one net stand together at the head, since nets come one after the other. */
    return list != NULL && list->net == net;
}

static void request_crossings(struct request **lists, const struct terminal *a,
                              const struct terminal *b)
{
    if (a->cell->row > b->cell->row) {
        const struct terminal *swap = a;
        a = b;
        b = swap;
    }
    int rows = b->cell->row - a->cell->row;
    for (int step = 1; step < rows; step++) {
        int row = a->cell->row + step;
        if (net_is_in_row(a->net, row) || net_has_request(a->net, lists[row])) {
            continue;
        }
        struct request *request = program_allocate(1, sizeof *request);
        request->net = a->net;
        request->x = a->x + (b->x - a->x) * step / rows;
        request->next = lists[row];
        lists[row] = request;
    }
}

static void request_for_net(struct tree *tree, struct request **lists, const struct net *net)
{
    tree_collect(tree, net);
    for (int i = 0; i < tree->count; i++) {
        tree->joined[i] = false;
        tree->distance[i] = INT32_MAX;
    }
    tree->joined[0] = true;
    tree_update(tree, 0);
    for (int edge = 1; edge < tree->count; edge++) {
        int next = tree_nearest(tree);
        tree->joined[next] = true;
        request_crossings(lists, tree->pins[tree->near[next]], tree->pins[next]);
        tree_update(tree, next);
    }
}

static struct request *merge_requests(struct request *a, struct request *b)
{
    struct request *head = NULL;
    struct request **tail = &head;
    while (a != NULL && b != NULL) {
        struct request **first = b->x < a->x ? &b : &a;
        *tail = *first;
        tail = &(*first)->next;
        *first = *tail;
    }
    *tail = a != NULL ? a : b;
    return head;
}

static struct request *sort_requests(struct request *list)
{
    if (list == NULL || list->next == NULL) {
        return list;
    }
    struct request *middle = list;
    for (struct request *end = list->next; end != NULL && end->next != NULL;) {
        middle = middle->next;
        end = end->next->next;
    }
    struct request *second = middle->next;
    middle->next = NULL;
    return merge_requests(sort_requests(list), sort_requests(second));
}

static struct cell *add_feed(struct circuit *circuit, const struct request *request, int row)
{
    struct cell *feed = circuit_add_cell(circuit, CELL_FEED, FEED_WIDTH);
    snprintf(feed->name, WORD_BYTES, "f%d", feed->index % 1000000);
    feed->row = row;
    feed->x = request->x;
    struct terminal *pin = circuit_add_terminal(circuit, feed, request->net, 0);
    pin->x = feed->x;
    pin->y = layout_row_y(row);
    struct net *net = request->net;
    circuit->wire -= wire_of_box(&net->box);
    net->box = wire_scan(net);
    circuit->wire += wire_of_box(&net->box);
    return feed;
}

/* Cells and requests are both in order from left to right. */
static void insert_into_row(struct circuit *circuit, int r, struct request *list)
{
    int feeds = 0;
    for (struct request *request = list; request != NULL; request = request->next) {
        feeds++;
    }
    struct row *row = &circuit->rows[r];
    struct cell **order = program_allocate((size_t)(row->cells + feeds) + 1, sizeof *order);
    int count = 0, next = 0;
    while (list != NULL || next < row->cells) {
        if (list == NULL || (next < row->cells && row->order[next]->x <= list->x)) {
            order[count++] = row->order[next++];
        } else {
            struct request *done = list;
            order[count++] = add_feed(circuit, list, r);
            list = list->next;
            free(done);
        }
    }
    free(row->order);
    row->order = order;
    row->cells = count;
    compact_row(circuit, r);
}

void feeds_insert(struct circuit *circuit)
{
    struct request **lists = program_allocate((size_t)circuit->row_count, sizeof *lists);
    struct tree tree = {0};
    for (int i = 0; i < circuit->net_count; i++) {
        request_for_net(&tree, lists, circuit->nets[i]);
    }
    for (int r = 0; r < circuit->row_count; r++) {
        insert_into_row(circuit, r, sort_requests(lists[r]));
    }
    free(tree.pins);
    free(tree.near);
    free(tree.distance);
    free(tree.joined);
    free(lists);
}

static bool try_feeds(struct circuit *circuit, struct cell **a, struct cell **b)
{
    wire_shift(circuit, *a, (*b)->x, (*a)->row, false);
    wire_shift(circuit, *b, (*a)->x, (*a)->row, false);
    bool better = wire_change(circuit) < 0;
    wire_finish(circuit, better);
    if (better) {
        struct cell *swap = *a;
        int x = (*a)->x;
        (*a)->x = (*b)->x;
        (*b)->x = x;
        *a = *b;
        *b = swap;
    }
    return better;
}

/* Feeds are all alike: two of a row exchange their nets where that shortens the wire. */
int feeds_improve(struct circuit *circuit)
{
    int changes = 0;
    for (int r = 0; r < circuit->row_count; r++) {
        struct row *row = &circuit->rows[r];
        int last = -1;
        for (int i = 0; i < row->cells; i++) {
            if (row->order[i]->kind == CELL_FEED) {
                if (last >= 0) {
                    changes += try_feeds(circuit, &row->order[last], &row->order[i]);
                }
                last = i;
            }
        }
    }
    return changes;
}
