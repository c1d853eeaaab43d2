/* mst: minimum spanning trees of complete graphs with a hash table of distances at each vertex. */
#include "mst.h"
#include "study.h"

enum { TRIAL_VERTICES = 48 };

static const struct scale {
    int vertices;
    int graphs;
} scales[SIZES] = {
    [SIZE_TEST] = {.vertices = 272, .graphs = 1},
    [SIZE_SMALL] = {.vertices = 1280, .graphs = 1},
    [SIZE_FULL] = {.vertices = 2304, .graphs = 4},
};

static uint64_t digest_tree(const struct tree *tree, uint64_t digest)
{
    for (int e = 0; e < tree->edges; e++) {
        digest = program_mix(digest, (uint64_t)tree->from[e] << 32 | (uint64_t)tree->to[e]);
    }
    return program_mix(digest, (uint64_t)tree->cost);
}

static uint64_t solve(int vertices, uint64_t seed, uint64_t digest, int small)
{
    struct graph graph;
    struct tree tree;
    graph_create(&graph, vertices, seed);
    tree_create(&tree, vertices);
    unsigned longest = graph_longest_chain(&graph);
    tree_grow(&graph, &tree);
    check_tree(&graph, &tree);
    program_check(tree.cost == check_by_prim(vertices, seed), "Prim finds another cost");
    if (small) {
        program_check(tree.cost == check_by_kruskal(vertices, seed), "Kruskal finds another cost");
    }
    printf("vertices %d, heap pieces %zu, longest chain %u, cost %" PRId64 "\n", vertices,
           graph.heap.pieces, longest, tree.cost);
    digest = digest_tree(&tree, digest);
    tree_destroy(&tree);
    graph_destroy(&graph);
    return digest;
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    uint64_t digest = solve(TRIAL_VERTICES, 5, 0, 1);
    for (int i = 0; i < scales[size].graphs; i++) {
        digest = solve(scales[size].vertices, UINT64_C(0x5eed) + (uint64_t)i, digest, 0);
    }
    study_report("mst", size, digest);
    return 0;
}
