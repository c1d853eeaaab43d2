/* Graphs whose vertices keep their edges in hash tables, and the parts that work on them. */
#ifndef MST_H
#define MST_H

#include "program.h"

struct hash_entry {
    const void *key;
    int value;
    struct hash_entry *next;
};

/* `place` gives the chain of a key. */
struct hash {
    struct hash_entry **chain;
    unsigned (*place)(const void *key, unsigned chains);
    struct heap *heap;
    unsigned chains;
};

/* Memory in large pieces that is given back all at once. */
struct heap {
    struct heap_piece *piece;
    char *next;
    size_t left;
    size_t pieces;
};

void *heap_take(struct heap *heap, size_t bytes);
void heap_release(struct heap *heap);

struct hash *hash_create(struct heap *heap, unsigned chains,
                         unsigned (*place)(const void *key, unsigned chains));
/* Returns 0 for a key that is not there. */
int hash_find(const struct hash *hash, const void *key);
void hash_insert(struct hash *hash, const void *key, int value);

struct vertex {
    int number;
    int nearest_distance;
    struct vertex *nearest; /* the vertex of the tree that is nearest so far */
    struct vertex *next;
    struct hash *distances;
};

struct graph {
    struct heap heap;
    int vertices;
    uint64_t seed;
    struct vertex *vertex;
};

struct tree {
    int64_t cost;
    int edges;
    int *from; /* of each edge */
    int *to;
    int *distance;
};

enum { FARTHEST = 1 << 16 };

int graph_distance(uint64_t seed, int i, int j);
void graph_create(struct graph *graph, int vertices, uint64_t seed);
void graph_destroy(struct graph *graph);
unsigned graph_longest_chain(const struct graph *graph);

void tree_create(struct tree *tree, int vertices);
void tree_destroy(struct tree *tree);
void tree_grow(struct graph *graph, struct tree *tree);

void check_tree(const struct graph *graph, const struct tree *tree);
int64_t check_by_prim(int vertices, uint64_t seed);
int64_t check_by_kruskal(int vertices, uint64_t seed);

#endif
