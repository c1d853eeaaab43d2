/* Huffman codes of bounded length: from frequencies to lengths, codes and tables. */
#include "huffman.h"
#include <string.h>

enum { SYMBOLS_MAX = FIXED_LITERAL_CODES, NODES_MAX = 2 * SYMBOLS_MAX };

struct tree {
    uint32_t weight[NODES_MAX];
    uint8_t height[NODES_MAX]; /* breaks ties, so that the tree stays flat */
    uint16_t parent[NODES_MAX];
    uint16_t heap[NODES_MAX]; /* from 1 on */
    unsigned heap_used;
    unsigned nodes;
    uint16_t by_weight[SYMBOLS_MAX]; /* the leaves as they left the heap: rarest first */
    unsigned leaves;
};

static bool tree_before(const struct tree *tree, unsigned a, unsigned b)
{
    if (tree->weight[a] != tree->weight[b]) {
        return tree->weight[a] < tree->weight[b];
    }
    return tree->height[a] < tree->height[b];
}

static void tree_sift_down(struct tree *tree, unsigned at)
{
    uint16_t node = tree->heap[at];
    for (unsigned child = 2 * at; child <= tree->heap_used; child = 2 * at) {
        if (child < tree->heap_used &&
            tree_before(tree, tree->heap[child + 1], tree->heap[child])) {
            child++;
        }
        if (tree_before(tree, node, tree->heap[child])) {
            break;
        }
        tree->heap[at] = tree->heap[child];
        at = child;
    }
    tree->heap[at] = node;
}

static unsigned tree_take_least(struct tree *tree, unsigned symbols)
{
    unsigned node = tree->heap[1];
    tree->heap[1] = tree->heap[tree->heap_used--];
    tree_sift_down(tree, 1);
    if (node < symbols) {
        tree->by_weight[tree->leaves++] = (uint16_t)node;
    }
    return node;
}

static void tree_add_leaves(struct tree *tree, const uint32_t *frequencies, unsigned symbols)
{
    for (unsigned i = 0; i < symbols; i++) {
        tree->weight[i] = frequencies[i];
        if (frequencies[i] != 0) {
            tree->heap[++tree->heap_used] = (uint16_t)i;
        }
    }
    for (unsigned i = 0; tree->heap_used < 2; i++) {
        if (frequencies[i] == 0) {
            tree->weight[i] = 1;
            tree->heap[++tree->heap_used] = (uint16_t)i;
        }
    }
    for (unsigned at = tree->heap_used / 2; at > 0; at--) {
        tree_sift_down(tree, at);
    }
}

static void tree_join_all(struct tree *tree, unsigned symbols)
{
    tree->nodes = symbols;
    while (tree->heap_used > 1) {
        unsigned a = tree_take_least(tree, symbols);
        unsigned b = tree->heap[1];
        unsigned joined = tree->nodes++;
        if (b < symbols) {
            tree->by_weight[tree->leaves++] = (uint16_t)b;
        }
        tree->weight[joined] = tree->weight[a] + tree->weight[b];
        tree->height[joined] =
            (uint8_t)(1 + (tree->height[a] > tree->height[b] ? tree->height[a] : tree->height[b]));
        tree->parent[a] = tree->parent[b] = (uint16_t)joined;
        tree->heap[1] = (uint16_t)joined;
        tree_sift_down(tree, 1);
    }
}

/* Counts the leaves by depth, those below the limit as if they were at it, and returns how many
 * codes of the longest length that is too many. */
static int tree_count_depths(const struct tree *tree, unsigned symbols, unsigned limit,
                             unsigned *counts)
{
    uint16_t depth[NODES_MAX];
    int excess = -(1 << limit);
    depth[tree->nodes - 1] = 0;
    for (unsigned node = tree->nodes - 1; node-- > symbols;) {
        depth[node] = (uint16_t)(depth[tree->parent[node]] + 1);
    }
    for (unsigned i = 0; i < tree->leaves; i++) {
        unsigned bits = depth[tree->parent[tree->by_weight[i]]] + 1u;
        bits = bits > limit ? limit : bits;
        counts[bits]++;
        excess += 1 << (limit - bits);
    }
    return excess;
}

void huffman_lengths(const uint32_t *frequencies, unsigned symbols, unsigned limit,
                     uint8_t *lengths)
{
    struct tree tree;
    unsigned counts[CODE_BITS_MAX + 1] = {0};
    memset(&tree, 0, sizeof tree);
    memset(lengths, 0, symbols);
    tree_add_leaves(&tree, frequencies, symbols);
    tree_join_all(&tree, symbols);
    int excess = tree_count_depths(&tree, symbols, limit, counts);
    /* A leaf above the limit becomes the parent of itself and of one leaf from the limit. */
    for (; excess > 0; excess--) {
        unsigned bits = limit - 1;
        while (counts[bits] == 0) {
            bits--;
        }
        counts[bits]--;
        counts[bits + 1] += 2;
        counts[limit]--;
    }
    unsigned next = 0;
    for (unsigned bits = limit; bits > 0; bits--) {
        for (unsigned left = counts[bits]; left > 0; left--) {
            lengths[tree.by_weight[next++]] = (uint8_t)bits;
        }
    }
}

static unsigned reverse_bits(unsigned code, unsigned bits)
{
    unsigned reversed = 0;
    for (; bits > 0; bits--) {
        reversed = reversed << 1 | (code & 1);
        code >>= 1;
    }
    return reversed;
}

void huffman_codes(const uint8_t *lengths, unsigned symbols, uint16_t *codes)
{
    unsigned counts[CODE_BITS_MAX + 1] = {0}, next[CODE_BITS_MAX + 1] = {0};
    for (unsigned i = 0; i < symbols; i++) {
        counts[lengths[i]]++;
    }
    for (unsigned bits = 2; bits <= CODE_BITS_MAX; bits++) {
        next[bits] = (next[bits - 1] + counts[bits - 1]) << 1;
    }
    for (unsigned i = 0; i < symbols; i++) {
        unsigned bits = lengths[i];
        codes[i] = bits == 0 ? 0 : (uint16_t)reverse_bits(next[bits]++, bits);
    }
}

/* A code with one symbol of one bit is the only incomplete one that the format allows. */
static bool lengths_complete(const uint8_t *lengths, unsigned symbols)
{
    unsigned used = 0;
    long left = 1L << CODE_BITS_MAX;
    for (unsigned i = 0; i < symbols; i++) {
        if (lengths[i] != 0) {
            left -= 1L << (CODE_BITS_MAX - lengths[i]);
            used++;
        }
    }
    return left == 0 || (used == 1 && left == 1L << (CODE_BITS_MAX - 1));
}

/* Gives each prefix of longer codes a second table, as wide as its longest code needs. */
static bool decoder_add_tables(struct decoder *decoder, const uint8_t *lengths,
                               const uint16_t *codes, unsigned symbols)
{
    unsigned root_size = 1u << decoder->root_bits;
    uint8_t longest[1 << DECODER_ROOT_BITS_MAX] = {0};
    for (unsigned i = 0; i < symbols; i++) {
        unsigned prefix = codes[i] & (root_size - 1);
        if (lengths[i] > decoder->root_bits && lengths[i] > longest[prefix]) {
            longest[prefix] = lengths[i];
        }
    }
    decoder->used = root_size;
    for (unsigned prefix = 0; prefix < root_size; prefix++) {
        if (longest[prefix] == 0) {
            continue;
        }
        unsigned bits = longest[prefix] - decoder->root_bits;
        if (decoder->used + (1u << bits) > DECODER_ENTRIES) {
            return false;
        }
        decoder->entries[prefix] =
            (struct decoder_entry){(uint16_t)decoder->used, (uint8_t)bits, 1};
        decoder->used += 1u << bits;
    }
    return true;
}

static void decoder_add_symbol(struct decoder *decoder, unsigned symbol, unsigned code,
                               unsigned length)
{
    unsigned start = 0, bits = decoder->root_bits;
    if (length > bits) {
        const struct decoder_entry *table = &decoder->entries[code & ((1u << bits) - 1)];
        code >>= bits;
        length -= bits;
        start = table->symbol;
        bits = table->bits;
    }
    for (unsigned at = code; at < 1u << bits; at += 1u << length) {
        decoder->entries[start + at] = (struct decoder_entry){(uint16_t)symbol, (uint8_t)length, 0};
    }
}

bool huffman_decoder(struct decoder *decoder, const uint8_t *lengths, unsigned symbols,
                     unsigned root_bits)
{
    uint16_t codes[SYMBOLS_MAX];
    if (!lengths_complete(lengths, symbols)) {
        return false;
    }
    decoder->root_bits = root_bits;
    memset(decoder->entries, 0, sizeof decoder->entries);
    huffman_codes(lengths, symbols, codes);
    if (!decoder_add_tables(decoder, lengths, codes, symbols)) {
        return false;
    }
    for (unsigned i = 0; i < symbols; i++) {
        if (lengths[i] != 0) {
            decoder_add_symbol(decoder, i, codes[i], lengths[i]);
        }
    }
    return true;
}
