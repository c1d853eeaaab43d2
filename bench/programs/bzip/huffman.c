/* Huffman codes of bounded length: frequencies are flattened until no code is too long. */
#include "huffman.h"
#include <string.h>

enum { NODES_MAX = 2 * SYMBOLS_MAX };

/* A weight has the height of its subtree in the low byte, so that ties go to the flatter one. */
struct tree {
    uint32_t weight[NODES_MAX];
    int16_t parent[NODES_MAX];
    uint16_t heap[SYMBOLS_MAX + 2]; /* from 1 on */
    unsigned heap_used;
};

static void heap_up(struct tree *tree, unsigned at)
{
    uint16_t node = tree->heap[at];
    while (at > 1 && tree->weight[node] < tree->weight[tree->heap[at / 2]]) {
        tree->heap[at] = tree->heap[at / 2];
        at /= 2;
    }
    tree->heap[at] = node;
}

static void heap_down(struct tree *tree, unsigned at)
{
    uint16_t node = tree->heap[at];
    for (unsigned child = 2 * at; child <= tree->heap_used; child = 2 * at) {
        if (child < tree->heap_used &&
            tree->weight[tree->heap[child + 1]] < tree->weight[tree->heap[child]]) {
            child++;
        }
        if (tree->weight[node] <= tree->weight[tree->heap[child]]) {
            break;
        }
        tree->heap[at] = tree->heap[child];
        at = child;
    }
    tree->heap[at] = node;
}

static unsigned heap_take(struct tree *tree)
{
    unsigned node = tree->heap[1];
    tree->heap[1] = tree->heap[tree->heap_used--];
    heap_down(tree, 1);
    return node;
}

static void heap_add(struct tree *tree, unsigned node)
{
    tree->heap[++tree->heap_used] = (uint16_t)node;
    heap_up(tree, tree->heap_used);
}

static uint32_t join_weights(uint32_t a, uint32_t b)
{
    uint32_t higher = (a & 0xff) > (b & 0xff) ? a & 0xff : b & 0xff;
    return ((a & ~UINT32_C(0xff)) + (b & ~UINT32_C(0xff))) | (higher + 1);
}

static unsigned join_all(struct tree *tree, unsigned symbols)
{
    unsigned nodes = symbols;
    tree->heap_used = 0;
    for (unsigned i = 0; i < symbols; i++) {
        heap_add(tree, i);
    }
    while (tree->heap_used > 1) {
        unsigned a = heap_take(tree), b = heap_take(tree);
        tree->parent[a] = tree->parent[b] = (int16_t)nodes;
        tree->weight[nodes] = join_weights(tree->weight[a], tree->weight[b]);
        heap_add(tree, nodes++);
    }
    tree->parent[nodes - 1] = -1;
    return nodes;
}

static unsigned read_lengths(const struct tree *tree, unsigned symbols, uint8_t *lengths)
{
    unsigned longest = 0;
    for (unsigned i = 0; i < symbols; i++) {
        unsigned length = 0;
        for (int node = tree->parent[i]; node >= 0; node = tree->parent[node]) {
            length++;
        }
        lengths[i] = (uint8_t)length;
        longest = length > longest ? length : longest;
    }
    return longest;
}

void huffman_lengths(const uint32_t *frequencies, unsigned symbols, unsigned limit,
                     uint8_t *lengths)
{
    struct tree tree;
    for (unsigned i = 0; i < symbols; i++) {
        tree.weight[i] = (frequencies[i] == 0 ? 1 : frequencies[i]) << 8;
    }
    for (;;) {
        join_all(&tree, symbols);
        if (read_lengths(&tree, symbols, lengths) <= limit) {
            return;
        }
        for (unsigned i = 0; i < symbols; i++) {
            tree.weight[i] = ((tree.weight[i] >> 8) / 2 + 1) << 8;
        }
    }
}

void huffman_codes(const uint8_t *lengths, unsigned symbols, uint32_t *codes)
{
    uint32_t code = 0;
    for (unsigned bits = 1; bits <= CODE_BITS_MAX; bits++) {
        for (unsigned i = 0; i < symbols; i++) {
            if (lengths[i] == bits) {
                codes[i] = code++;
            }
        }
        code <<= 1;
    }
}

bool huffman_decoder(struct decoder *decoder, const uint8_t *lengths, unsigned symbols)
{
    int32_t code = 0;
    unsigned used = 0;
    decoder->shortest = CODE_BITS_MAX + 1;
    for (unsigned bits = 1; bits <= CODE_BITS_MAX; bits++) {
        decoder->base[bits] = (int32_t)used - code;
        for (unsigned i = 0; i < symbols; i++) {
            if (lengths[i] == bits) {
                decoder->symbols[used++] = (uint16_t)i;
                code++;
            }
        }
        if (used > 0 && bits < decoder->shortest) {
            decoder->shortest = bits;
        }
        if (code > 1 << bits) {
            return false;
        }
        decoder->limit[bits] = code - 1;
        code <<= 1;
    }
    return used == symbols;
}
