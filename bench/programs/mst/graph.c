/* Makes complete graphs with random distances. */
#include "mst.h"

/* A vertex's number stands for its address, which differs from run to run. */
static unsigned place_vertex(const void *key, unsigned chains)
{
    const struct vertex *vertex = key;
    return (unsigned)vertex->number * (unsigned)(sizeof *vertex / 8) % chains;
}

/* The same for both directions, and never 0. */
int graph_distance(uint64_t seed, int i, int j)
{
    uint64_t low = (uint64_t)(i < j ? i : j);
    uint64_t high = (uint64_t)(i < j ? j : i);
    uint64_t state = (low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15) ^ seed;
    state ^= state >> 29;
    state *= UINT64_C(0xbf58476d1ce4e5b9);
    return 1 + (int)(state >> 32 & (FARTHEST - 1));
}

static void link_vertices(struct graph *graph)
{
    for (int i = 0; i < graph->vertices; i++) {
        struct vertex *vertex = &graph->vertex[i];
        vertex->number = i;
        vertex->nearest_distance = INT32_MAX;
        vertex->nearest = NULL;
        vertex->next = i + 1 < graph->vertices ? vertex + 1 : NULL;
        vertex->distances = NULL;
    }
}

static void add_edges(struct graph *graph)
{
    for (struct vertex *vertex = graph->vertex; vertex != NULL; vertex = vertex->next) {
        vertex->distances =
            hash_create(&graph->heap, (unsigned)graph->vertices / 4 + 1, place_vertex);
        for (struct vertex *other = graph->vertex; other != NULL; other = other->next) {
            if (other != vertex) {
                hash_insert(vertex->distances, other,
                            graph_distance(graph->seed, vertex->number, other->number));
            }
        }
    }
}

void graph_create(struct graph *graph, int vertices, uint64_t seed)
{
    memset(graph, 0, sizeof *graph);
    graph->vertices = vertices;
    graph->seed = seed;
    graph->vertex = heap_take(&graph->heap, (size_t)vertices * sizeof *graph->vertex);
    link_vertices(graph);
    add_edges(graph);
}

void graph_destroy(struct graph *graph)
{
    heap_release(&graph->heap);
}

unsigned graph_longest_chain(const struct graph *graph)
{
    unsigned longest = 0;
    for (int i = 0; i < graph->vertices; i += 97) {
        const struct hash *hash = graph->vertex[i].distances;
        for (unsigned c = 0; c < hash->chains; c++) {
            unsigned length = 0;
            for (const struct hash_entry *entry = hash->chain[c]; entry != NULL;
                 entry = entry->next) {
                length++;
            }
            longest = length > longest ? length : longest;
        }
    }
    return longest;
}
