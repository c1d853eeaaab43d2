/* Memory of one unit: taken in chunks, given back all at once. */
#include "base.h"

enum { CHUNK_BYTES = 64 * 1024 - 64 };

struct chunk {
    struct chunk *next;
    size_t bytes;
};

static void arena_add_chunk(struct arena *arena, size_t least)
{
    size_t bytes = least > CHUNK_BYTES ? least : CHUNK_BYTES;
    struct chunk *chunk = malloc(sizeof *chunk + bytes);
    if (chunk == NULL) {
        fprintf(stderr, "out of memory: a chunk of %zu bytes\n", bytes);
        exit(3);
    }
    chunk->next = arena->chunks;
    chunk->bytes = bytes;
    arena->chunks = chunk;
    arena->next = (char *)(chunk + 1);
    arena->limit = arena->next + bytes;
}

void *arena_take(struct arena *arena, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (arena->next == NULL || (size_t)(arena->limit - arena->next) < bytes) {
        arena_add_chunk(arena, bytes);
    }
    void *memory = arena->next;
    arena->next += bytes;
    arena->total += bytes;
    return memset(memory, 0, bytes);
}

void *arena_array(struct arena *arena, int count, size_t bytes)
{
    return arena_take(arena, (size_t)(count > 0 ? count : 1) * bytes);
}

char *arena_copy_text(struct arena *arena, const char *text, int length)
{
    char *copy = arena_take(arena, (size_t)length + 1);
    memcpy(copy, text, (size_t)length);
    return copy;
}

void arena_release(struct arena *arena)
{
    while (arena->chunks != NULL) {
        struct chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    memset(arena, 0, sizeof *arena);
}

void *list_grow(struct arena *arena, void *items, int *capacity, size_t bytes)
{
    int old = *capacity;
    *capacity = old == 0 ? 4 : old * 2;
    void *grown = arena_array(arena, *capacity, bytes);
    if (old != 0) {
        memcpy(grown, items, (size_t)old * bytes);
    }
    return grown;
}
