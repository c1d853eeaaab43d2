/* Bentley's algorithm: the tree takes the nearest vertex, and all others look at the one it took. */
#include "mst.h"
#include "prefetch.h"

void tree_create(struct tree *tree, int vertices)
{
    size_t count = (size_t)vertices;
    memset(tree, 0, sizeof *tree);
    tree->from = program_allocate(count, sizeof *tree->from);
    tree->to = program_allocate(count, sizeof *tree->to);
    tree->distance = program_allocate(count, sizeof *tree->distance);
}

void tree_destroy(struct tree *tree)
{
    free(tree->from);
    free(tree->to);
    free(tree->distance);
}

static void look_at(struct vertex *vertex, struct vertex *inserted)
{
    int distance = hash_find(vertex->distances, inserted);
    program_check(distance > 0, "an edge is missing");
    if (distance < vertex->nearest_distance) {
        vertex->nearest_distance = distance;
        vertex->nearest = inserted;
    }
}

/* Updates all vertices of the list, unlinks the nearest to the tree and returns it. */
static struct vertex *blue_rule(struct vertex *inserted, struct vertex **list)
{
    struct vertex **best = list;
    for (struct vertex **at = list; *at != NULL; at = &(*at)->next) {
        const struct vertex *next = (*at)->next;
        PREFETCH((next != NULL ? next : *at)->distances);
        look_at(*at, inserted);
        if ((*at)->nearest_distance < (*best)->nearest_distance) {
            best = at;
        }
    }
    struct vertex *taken = *best;
    *best = taken->next;
    return taken;
}

static void add_edge(struct tree *tree, const struct vertex *vertex)
{
    tree->from[tree->edges] = vertex->nearest->number;
    tree->to[tree->edges] = vertex->number;
    tree->distance[tree->edges] = vertex->nearest_distance;
    tree->cost += vertex->nearest_distance;
    tree->edges++;
}

void tree_grow(struct graph *graph, struct tree *tree)
{
    struct vertex *inserted = graph->vertex;
    struct vertex *list = inserted->next;
    while (list != NULL) {
        inserted = blue_rule(inserted, &list);
        add_edge(tree, inserted);
    }
}
