/* Ordered indices: B+ trees of unique keys whose nodes are objects of the store. */
#ifndef VORTEX_BTREE_H
#define VORTEX_BTREE_H

#include "store.h"

enum { NODE_KEYS = 30, NODE_KEYS_MIN = NODE_KEYS / 2 };

/* Values of an inner node are its children: one more than keys, each key the least behind it. */
struct node {
    uint16_t leaf;
    uint16_t count;
    handle next; /* leaves only: the one to the right */
    uint64_t keys[NODE_KEYS];
    uint32_t values[NODE_KEYS + 1];
};

struct btree {
    struct store *store;
    handle root;
    unsigned levels;
    uint32_t count;
};

struct cursor {
    struct node leaf;
    unsigned at;
};

enum status btree_create(struct btree *tree, struct store *store);
enum status btree_find(const struct btree *tree, uint64_t key, uint32_t *value);
enum status btree_insert(struct btree *tree, uint64_t key, uint32_t value);
enum status btree_delete(struct btree *tree, uint64_t key);

/* The first key that is not less; STATUS_NOT_FOUND behind the last. */
enum status btree_seek(const struct btree *tree, uint64_t key, struct cursor *cursor);
enum status btree_next(const struct btree *tree, struct cursor *cursor, uint64_t *key,
                       uint32_t *value);
enum status btree_validate(const struct btree *tree);

#endif
