/* Finds strongly connected parts (Tarjan's algorithm), takes away where each is entered, and looks into what is left.
 *
 * Natural loops, by dominators, would not do: what an indirect jump leads to is not known for sure, and one way too
 * many into a loop would make it none. */
#include "report/loop_nest.h"

#include "base/check.h"

#include <stdint.h>
#include <stdlib.h>

#define NO_PART 0

/* Nodes that are connected, in `order`, and not yet looked into. */
struct part {
    size_t begin, end;
    size_t number;
};

struct nest {
    const struct flow *flow;
    size_t *order;  /* the nodes; those of a part stand together */
    size_t *parts;  /* of each node: the smallest part found so far that has it, or NO_PART */
    size_t *met;    /* of each node: when the search met it, from 1 on; 0: it has not */
    size_t *lowest; /* the first met node that is reached from it and not in a part yet */
    size_t *ways;   /* how many of its ways the search has gone */
    size_t *path;   /* from where the search began to where it is */
    size_t *open;   /* nodes that were met and are in no part yet */
    struct part *waiting;
    size_t waiting_count, waiting_capacity;
    size_t last_part;
};

static void *new_array(size_t count)
{
    void *items = calloc(count + 1, sizeof(size_t));
    ASSERT(items != NULL);
    return items;
}

static void add_waiting(struct nest *nest, struct part part)
{
    if (nest->waiting_count == nest->waiting_capacity) {
        nest->waiting_capacity = nest->waiting_capacity != 0 ? nest->waiting_capacity * 2 : 16;
        nest->waiting = realloc(nest->waiting, nest->waiting_capacity * sizeof(struct part));
        ASSERT(nest->waiting != NULL);
    }
    nest->waiting[nest->waiting_count++] = part;
}

static bool leads_to_itself(const struct flow *flow, size_t node)
{
    for (size_t i = flow->first_after[node]; i < flow->first_after[node + 1]; i++) {
        if (flow->after[i] == node) {
            return true;
        }
    }
    return false;
}

/* The next node of part `number` that follows the last of the path; SIZE_MAX if there is no more. */
static size_t next_way(struct nest *nest, size_t node, size_t number)
{
    const struct flow *flow = nest->flow;
    while (flow->first_after[node] + nest->ways[node] < flow->first_after[node + 1]) {
        const size_t to = flow->after[flow->first_after[node] + nest->ways[node]++];
        if (nest->parts[to] == number) {
            return to;
        }
    }
    return SIZE_MAX;
}

/* Takes the part that was met from `node` on out of the open ones, and puts it into `order` at `at`. */
static size_t close_part(struct nest *nest, size_t node, size_t *open_count, size_t at)
{
    const size_t begin = at;
    size_t member;
    nest->last_part++;
    do {
        member = nest->open[--*open_count];
        nest->parts[member] = nest->last_part;
        nest->order[at++] = member;
    } while (member != node);
    if (at - begin > 1 || leads_to_itself(nest->flow, node)) {
        add_waiting(nest, (struct part){begin, at, nest->last_part});
    }
    return at;
}

/* Parts what is reached from `start` in part `number`; its nodes go to `order` from `at` on. */
static size_t search(struct nest *nest, size_t start, size_t number, size_t at, size_t *clock)
{
    size_t depth = 0, open_count = 0;
    nest->path[depth++] = start;
    nest->open[open_count++] = start;
    nest->met[start] = nest->lowest[start] = ++*clock;
    while (depth > 0) {
        const size_t node = nest->path[depth - 1];
        const size_t to = next_way(nest, node, number);
        if (to == SIZE_MAX) {
            const size_t lowest = nest->lowest[node];
            depth--;
            if (lowest == nest->met[node]) {
                at = close_part(nest, node, &open_count, at);
            } else if (lowest < nest->lowest[nest->path[depth - 1]]) {
                nest->lowest[nest->path[depth - 1]] = lowest;
            }
        } else if (nest->met[to] == 0) {
            nest->met[to] = nest->lowest[to] = ++*clock;
            nest->path[depth++] = to;
            nest->open[open_count++] = to;
        } else if (nest->met[to] < nest->lowest[node]) {
            nest->lowest[node] = nest->met[to];
        }
    }
    return at;
}

/* Parts the nodes in `order` from `begin` to `end`, all of which have the part `number`. */
static void split(struct nest *nest, size_t begin, size_t end, size_t number)
{
    size_t clock = 0, at = begin;
    size_t *nodes = new_array(end - begin);
    for (size_t i = begin; i < end; i++) {
        nodes[i - begin] = nest->order[i];
        nest->met[nest->order[i]] = nest->ways[nest->order[i]] = 0;
    }
    for (size_t i = 0; i < end - begin; i++) {
        if (nest->parts[nodes[i]] == number) {
            at = search(nest, nodes[i], number, at, &clock);
        }
    }
    free(nodes);
}

static bool is_entered(const struct nest *nest, size_t node, size_t number)
{
    const struct flow *flow = nest->flow;
    for (size_t i = flow->first_before[node]; i < flow->first_before[node + 1]; i++) {
        if (nest->parts[flow->before[i]] != number) {
            return true;
        }
    }
    return node == 0;
}

/* Of several entries the first that a branch leads back to, else the first; without any, as where only an exception
 * leads to, the first node. */
static size_t find_header(const struct nest *nest, const struct part *part)
{
    size_t header = part->begin;
    unsigned best = 0;
    for (size_t i = part->begin; i < part->end; i++) {
        const size_t node = nest->order[i];
        const bool entered = is_entered(nest, node, part->number);
        const unsigned rank = !entered ? 1 : nest->flow->turned_to[node] ? 3 : 2;
        if (rank > best || (rank == best && node < nest->order[header])) {
            header = i;
            best = rank;
        }
    }
    return header;
}

static void look_into(struct nest *nest, const struct part *part,
                      void (*found)(void *context, const struct nested_loop *loop), void *context)
{
    const size_t at = find_header(nest, part), header = nest->order[at];
    nest->order[at] = nest->order[part->begin];
    nest->order[part->begin] = header;
    nest->parts[header] = NO_PART;
    split(nest, part->begin + 1, part->end, part->number);
    found(context, &(struct nested_loop){.members = nest->order + part->begin,
                                         .count = part->end - part->begin,
                                         .parts = nest->parts});
}

void loop_nest_find(const struct flow *flow,
                    void (*found)(void *context, const struct nested_loop *loop), void *context)
{
    struct nest nest = {.flow = flow,
                        .order = new_array(flow->count),
                        .parts = new_array(flow->count),
                        .met = new_array(flow->count),
                        .lowest = new_array(flow->count),
                        .ways = new_array(flow->count),
                        .path = new_array(flow->count),
                        .open = new_array(flow->count),
                        .last_part = 1};
    for (size_t i = 0; i < flow->count; i++) {
        nest.order[i] = i;
        nest.parts[i] = 1;
    }
    split(&nest, 0, flow->count, 1);
    while (nest.waiting_count > 0) {
        const struct part part = nest.waiting[--nest.waiting_count];
        look_into(&nest, &part, found, context);
    }
    free(nest.order);
    free(nest.parts);
    free(nest.met);
    free(nest.lowest);
    free(nest.ways);
    free(nest.path);
    free(nest.open);
    free(nest.waiting);
}
