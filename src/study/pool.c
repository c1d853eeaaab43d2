/* Memory of one study, which is freed all at once when the study ends. */
#include "study/pool.h"

#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool_piece {
    struct pool_piece *next;
    max_align_t memory[];
};

void *pool_take(struct pool *pool, size_t bytes)
{
    struct pool_piece *piece = calloc(1, sizeof *piece + bytes);
    ASSERT(piece != NULL);
    piece->next = pool->pieces;
    pool->pieces = piece;
    return piece->memory;
}

char *pool_copy(struct pool *pool, const char *text, size_t length)
{
    char *copy = pool_take(pool, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *pool_format(struct pool *pool, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    ASSERT(length >= 0);
    char *copy = pool_copy(pool, text, (size_t)length);
    free(text);
    return copy;
}

void *pool_grow(struct pool *pool, void *array, size_t count, size_t element_bytes)
{
    /* Full at each power of two; what was there before stays until the end. */
    if ((count & (count - 1)) != 0) {
        return array;
    }
    void *larger = pool_take(pool, (count == 0 ? 1 : 2 * count) * element_bytes);
    if (count > 0) {
        memcpy(larger, array, count * element_bytes);
    }
    return larger;
}

void pool_free(struct pool *pool)
{
    while (pool->pieces != NULL) {
        struct pool_piece *next = pool->pieces->next;
        free(pool->pieces);
        pool->pieces = next;
    }
}
