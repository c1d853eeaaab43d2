/* Hash tables with chains of entries, and the heap that entries come from. */
#include "mst.h"
#include "prefetch.h"

enum { PIECE_BYTES = 1 << 18 };

struct heap_piece {
    struct heap_piece *next;
    char data[];
};

void *heap_take(struct heap *heap, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if (bytes > heap->left) {
        size_t wanted = bytes > PIECE_BYTES ? bytes : PIECE_BYTES;
        struct heap_piece *piece = program_allocate(1, sizeof *piece + wanted);
        piece->next = heap->piece;
        heap->piece = piece;
        heap->next = piece->data;
        heap->left = wanted;
        heap->pieces++;
    }
    void *memory = heap->next;
    heap->next += bytes;
    heap->left -= bytes;
    return memory;
}

void heap_release(struct heap *heap)
{
    while (heap->piece != NULL) {
        struct heap_piece *next = heap->piece->next;
        free(heap->piece);
        heap->piece = next;
    }
    memset(heap, 0, sizeof *heap);
}

struct hash *hash_create(struct heap *heap, unsigned chains,
                         unsigned (*place)(const void *key, unsigned chains))
{
    struct hash *hash = heap_take(heap, sizeof *hash);
    hash->chain = heap_take(heap, chains * sizeof *hash->chain);
    for (unsigned i = 0; i < chains; i++) {
        hash->chain[i] = NULL;
    }
    hash->chains = chains;
    hash->place = place;
    hash->heap = heap;
    return hash;
}

int hash_find(const struct hash *hash, const void *key)
{
    const struct hash_entry *entry = hash->chain[hash->place(key, hash->chains)];
    while (entry != NULL && entry->key != key) {
        PREFETCH(entry->next);
        entry = entry->next;
    }
    return entry == NULL ? 0 : entry->value;
}

void hash_insert(struct hash *hash, const void *key, int value)
{
    struct hash_entry **chain = &hash->chain[hash->place(key, hash->chains)];
    struct hash_entry *entry = heap_take(hash->heap, sizeof *entry);
    entry->key = key;
    entry->value = value;
    entry->next = *chain;
    *chain = entry;
}
