/* B+ trees: search, insertion with splits, deletion with borrowing and merging, scans. */
#include "btree.h"
#include <string.h>

static enum status node_read(const struct btree *tree, handle at, struct node *node)
{
    TRY(store_read(tree->store, at, TYPE_NODE, node, sizeof *node));
    return node->count <= NODE_KEYS ? STATUS_OK : STATUS_DAMAGED;
}

static enum status node_write(const struct btree *tree, handle at, const struct node *node)
{
    return store_write(tree->store, at, TYPE_NODE, node, sizeof *node);
}

enum status btree_create(struct btree *tree, struct store *store)
{
    struct node root;
    memset(&root, 0, sizeof root);
    root.leaf = 1;
    tree->store = store;
    tree->levels = 1;
    tree->count = 0;
    return store_allocate(store, TYPE_NODE, &root, sizeof root, &tree->root);
}

/* The first place whose key is not less (leaf), or the child to go to (inner node). */
static unsigned find_place(const struct node *node, uint64_t key)
{
    unsigned low = 0, high = node->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (node->keys[middle] < key || (!node->leaf && node->keys[middle] == key)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static enum status find_leaf(const struct btree *tree, uint64_t key, struct node *node)
{
    handle at = tree->root;
    for (unsigned level = tree->levels; level > 0; level--) {
        TRY(node_read(tree, at, node));
        if (node->leaf) {
            return level == 1 ? STATUS_OK : STATUS_DAMAGED;
        }
        at = node->values[find_place(node, key)];
    }
    return STATUS_DAMAGED;
}

enum status btree_find(const struct btree *tree, uint64_t key, uint32_t *value)
{
    struct node node;
    TRY(find_leaf(tree, key, &node));
    unsigned place = find_place(&node, key);
    if (place == node.count || node.keys[place] != key) {
        return STATUS_NOT_FOUND;
    }
    *value = node.values[place];
    return STATUS_OK;
}

static void open_place(struct node *node, unsigned place, unsigned value_place)
{
    unsigned values = node->count + (node->leaf ? 0u : 1u);
    memmove(node->keys + place + 1, node->keys + place, (node->count - place) * sizeof *node->keys);
    memmove(node->values + value_place + 1, node->values + value_place,
            (values - value_place) * sizeof *node->values);
    node->count++;
}

static void close_place(struct node *node, unsigned place, unsigned value_place)
{
    unsigned values = node->count + (node->leaf ? 0u : 1u);
    memmove(node->keys + place, node->keys + place + 1,
            (node->count - place - 1) * sizeof *node->keys);
    memmove(node->values + value_place, node->values + value_place + 1,
            (values - value_place - 1) * sizeof *node->values);
    node->count--;
}

static void put_entry(struct node *node, unsigned place, uint64_t key, uint32_t value)
{
    unsigned value_place = node->leaf ? place : place + 1;
    open_place(node, place, value_place);
    node->keys[place] = key;
    node->values[value_place] = value;
}

struct split {
    bool happened;
    uint64_t key;
    handle right;
};

static enum status split_node(struct btree *tree, struct node *node, struct split *split)
{
    struct node right;
    unsigned keep = NODE_KEYS / 2, skip = node->leaf ? 0 : 1;
    memset(&right, 0, sizeof right);
    right.leaf = node->leaf;
    right.count = (uint16_t)(node->count - keep - skip);
    right.next = node->next;
    memcpy(right.keys, node->keys + keep + skip, right.count * sizeof *right.keys);
    memcpy(right.values, node->values + keep + skip, (right.count + skip) * sizeof *right.values);
    split->happened = true;
    split->key = node->keys[keep];
    TRY(store_allocate(tree->store, TYPE_NODE, &right, sizeof right, &split->right));
    node->count = (uint16_t)keep;
    node->next = node->leaf ? split->right : HANDLE_NONE;
    return STATUS_OK;
}

/* Puts an entry into a node that may be full, which is then split first. */
static enum status add_entry(struct btree *tree, handle at, struct node *node, uint64_t key,
                             uint32_t value, struct split *split)
{
    if (node->count == NODE_KEYS) {
        TRY(split_node(tree, node, split));
        if (key >= split->key) {
            struct node right;
            TRY(node_read(tree, split->right, &right));
            put_entry(&right, find_place(&right, key), key, value);
            TRY(node_write(tree, split->right, &right));
            return node_write(tree, at, node);
        }
    }
    put_entry(node, find_place(node, key), key, value);
    return node_write(tree, at, node);
}

static enum status insert_below(struct btree *tree, handle at, uint64_t key, uint32_t value,
                                struct split *split)
{
    struct node node;
    split->happened = false;
    TRY(node_read(tree, at, &node));
    unsigned place = find_place(&node, key);
    if (node.leaf) {
        if (place < node.count && node.keys[place] == key) {
            return STATUS_DUPLICATE;
        }
        return add_entry(tree, at, &node, key, value, split);
    }
    struct split below;
    TRY(insert_below(tree, node.values[place], key, value, &below));
    return below.happened ? add_entry(tree, at, &node, below.key, below.right, split) : STATUS_OK;
}

enum status btree_insert(struct btree *tree, uint64_t key, uint32_t value)
{
    struct split split;
    TRY(insert_below(tree, tree->root, key, value, &split));
    tree->count++;
    if (split.happened) {
        struct node root;
        memset(&root, 0, sizeof root);
        root.count = 1;
        root.keys[0] = split.key;
        root.values[0] = tree->root;
        root.values[1] = split.right;
        TRY(store_allocate(tree->store, TYPE_NODE, &root, sizeof root, &tree->root));
        tree->levels++;
    }
    return STATUS_OK;
}

static void borrow_from_left(struct node *parent, unsigned place, struct node *left,
                             struct node *node)
{
    unsigned last = left->count - 1u;
    if (node->leaf) {
        put_entry(node, 0, left->keys[last], left->values[last]);
        parent->keys[place - 1] = node->keys[0];
    } else {
        open_place(node, 0, 0);
        node->keys[0] = parent->keys[place - 1];
        node->values[0] = left->values[last + 1];
        parent->keys[place - 1] = left->keys[last];
    }
    left->count--;
}

static void borrow_from_right(struct node *parent, unsigned place, struct node *node,
                              struct node *right)
{
    if (node->leaf) {
        put_entry(node, node->count, right->keys[0], right->values[0]);
        close_place(right, 0, 0);
        parent->keys[place] = right->keys[0];
    } else {
        put_entry(node, node->count, parent->keys[place], right->values[0]);
        parent->keys[place] = right->keys[0];
        close_place(right, 0, 0);
    }
}

/* Appends right to left; the parent's key between them comes down into an inner node. */
static void merge_nodes(struct node *parent, unsigned left_place, struct node *left,
                        const struct node *right)
{
    unsigned skip = left->leaf ? 0 : 1;
    if (skip != 0) {
        left->keys[left->count] = parent->keys[left_place];
    }
    memcpy(left->keys + left->count + skip, right->keys, right->count * sizeof *left->keys);
    memcpy(left->values + left->count + skip, right->values,
           (right->count + skip) * sizeof *left->values);
    left->count = (uint16_t)(left->count + right->count + skip);
    left->next = right->next;
    close_place(parent, left_place, left_place + 1);
}

static enum status merge_at(struct btree *tree, struct node *parent, unsigned left_place,
                            struct node *left, const struct node *right)
{
    handle left_at = parent->values[left_place], right_at = parent->values[left_place + 1];
    merge_nodes(parent, left_place, left, right);
    TRY(node_write(tree, left_at, left));
    return store_free(tree->store, right_at, TYPE_NODE);
}

/* The child at `place` has too few keys: takes one from a neighbour or joins with it. */
static enum status refill(struct btree *tree, struct node *parent, unsigned place)
{
    struct node node, other;
    TRY(node_read(tree, parent->values[place], &node));
    if (node.count >= NODE_KEYS_MIN - 1) {
        return STATUS_OK;
    }
    if (place > 0) {
        TRY(node_read(tree, parent->values[place - 1], &other));
        if (other.count < NODE_KEYS_MIN) {
            return merge_at(tree, parent, place - 1, &other, &node);
        }
        borrow_from_left(parent, place, &other, &node);
        TRY(node_write(tree, parent->values[place - 1], &other));
    } else {
        TRY(node_read(tree, parent->values[1], &other));
        if (other.count < NODE_KEYS_MIN) {
            return merge_at(tree, parent, 0, &node, &other);
        }
        borrow_from_right(parent, 0, &node, &other);
        TRY(node_write(tree, parent->values[1], &other));
    }
    return node_write(tree, parent->values[place], &node);
}

static enum status delete_below(struct btree *tree, handle at, uint64_t key)
{
    struct node node;
    TRY(node_read(tree, at, &node));
    unsigned place = find_place(&node, key);
    if (node.leaf) {
        if (place == node.count || node.keys[place] != key) {
            return STATUS_NOT_FOUND;
        }
        close_place(&node, place, place);
    } else {
        TRY(delete_below(tree, node.values[place], key));
        TRY(refill(tree, &node, place));
    }
    return node_write(tree, at, &node);
}

enum status btree_delete(struct btree *tree, uint64_t key)
{
    struct node root;
    TRY(delete_below(tree, tree->root, key));
    tree->count--;
    TRY(node_read(tree, tree->root, &root));
    if (!root.leaf && root.count == 0) {
        TRY(store_free(tree->store, tree->root, TYPE_NODE));
        tree->root = root.values[0];
        tree->levels--;
    }
    return STATUS_OK;
}

enum status btree_seek(const struct btree *tree, uint64_t key, struct cursor *cursor)
{
    TRY(find_leaf(tree, key, &cursor->leaf));
    cursor->at = find_place(&cursor->leaf, key);
    return STATUS_OK;
}

enum status btree_next(const struct btree *tree, struct cursor *cursor, uint64_t *key,
                       uint32_t *value)
{
    while (cursor->at == cursor->leaf.count) {
        if (cursor->leaf.next == HANDLE_NONE) {
            return STATUS_NOT_FOUND;
        }
        TRY(node_read(tree, cursor->leaf.next, &cursor->leaf));
        cursor->at = 0;
    }
    *key = cursor->leaf.keys[cursor->at];
    *value = cursor->leaf.values[cursor->at++];
    return STATUS_OK;
}

/* Keys rise and stay from `low` to below `high`; all leaves are on the last level. */
static enum status validate_below(const struct btree *tree, handle at, unsigned level, uint64_t low,
                                  uint64_t high, uint32_t *count)
{
    struct node node;
    TRY(node_read(tree, at, &node));
    if ((node.leaf != 0) != (level == 1) || (at != tree->root && node.count < NODE_KEYS_MIN - 1)) {
        return STATUS_DAMAGED;
    }
    for (unsigned i = 0; i < node.count; i++) {
        if (node.keys[i] < low || node.keys[i] >= high ||
            (i > 0 && node.keys[i] <= node.keys[i - 1])) {
            return STATUS_DAMAGED;
        }
    }
    if (node.leaf) {
        *count += node.count;
        return STATUS_OK;
    }
    for (unsigned i = 0; i <= node.count; i++) {
        TRY(validate_below(tree, node.values[i], level - 1, i == 0 ? low : node.keys[i - 1],
                           i == node.count ? high : node.keys[i], count));
    }
    return STATUS_OK;
}

enum status btree_validate(const struct btree *tree)
{
    uint32_t count = 0;
    TRY(validate_below(tree, tree->root, tree->levels, 0, UINT64_MAX, &count));
    return count == tree->count ? STATUS_OK : STATUS_DAMAGED;
}
