/* Proves that a tree spans its graph, and finds the least cost by Prim's and by Kruskal's method. */
#include "mst.h"

struct edge {
    int from;
    int to;
    int distance;
};

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static int *make_parents(int vertices)
{
    int *parent = program_allocate((size_t)vertices, sizeof *parent);
    for (int i = 0; i < vertices; i++) {
        parent[i] = i;
    }
    return parent;
}

void check_tree(const struct graph *graph, const struct tree *tree)
{
    int *parent = make_parents(graph->vertices);
    int64_t cost = 0;
    program_check(tree->edges == graph->vertices - 1, "the tree does not span the graph");
    for (int e = 0; e < tree->edges; e++) {
        int from = find_root(parent, tree->from[e]);
        int to = find_root(parent, tree->to[e]);
        program_check(from != to, "the tree has a cycle");
        parent[from] = to;
        program_check(graph_distance(graph->seed, tree->from[e], tree->to[e]) == tree->distance[e],
                      "a distance is wrong");
        cost += tree->distance[e];
    }
    program_check(cost == tree->cost, "the sum of distances is wrong");
    free(parent);
}

/* With an array of distances instead of hash tables and lists. */
int64_t check_by_prim(int vertices, uint64_t seed)
{
    int *nearest = program_allocate((size_t)vertices, sizeof *nearest);
    int64_t cost = 0;
    int last = 0;
    for (int i = 1; i < vertices; i++) {
        nearest[i] = INT32_MAX;
    }
    for (int step = 1; step < vertices; step++) {
        int best = -1;
        for (int i = 1; i < vertices; i++) {
            if (nearest[i] == 0) {
                continue;
            }
            int distance = graph_distance(seed, last, i);
            nearest[i] = distance < nearest[i] ? distance : nearest[i];
            best = best < 0 || nearest[i] < nearest[best] ? i : best;
        }
        cost += nearest[best];
        nearest[best] = 0; /* in the tree */
        last = best;
    }
    free(nearest);
    return cost;
}

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left;
    const struct edge *b = right;
    if (a->distance != b->distance) {
        return a->distance - b->distance;
    }
    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

/* By all edges in order; only for small graphs. */
int64_t check_by_kruskal(int vertices, uint64_t seed)
{
    size_t count = (size_t)vertices * (size_t)(vertices - 1) / 2;
    struct edge *edge = program_allocate(count, sizeof *edge);
    int *parent = make_parents(vertices);
    size_t made = 0;
    for (int i = 0; i < vertices; i++) {
        for (int j = i + 1; j < vertices; j++) {
            edge[made++] = (struct edge){i, j, graph_distance(seed, i, j)};
        }
    }
    qsort(edge, count, sizeof *edge, compare_edges);
    int64_t cost = 0;
    for (size_t e = 0; e < count; e++) {
        int from = find_root(parent, edge[e].from);
        int to = find_root(parent, edge[e].to);
        if (from != to) {
            parent[from] = to;
            cost += edge[e].distance;
        }
    }
    free(parent);
    free(edge);
    return cost;
}
