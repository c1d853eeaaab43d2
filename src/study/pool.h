/* Memory of one study, which is freed all at once when the study ends. */
#ifndef STRATA_STUDY_POOL_H
#define STRATA_STUDY_POOL_H

#include <stddef.h>

struct pool {
    struct pool_piece *pieces;
};

/* Zeroed. */
void *pool_take(struct pool *pool, size_t bytes);
char *pool_copy(struct pool *pool, const char *text, size_t length);
__attribute__((format(printf, 2, 3))) char *pool_format(struct pool *pool, const char *format, ...);
void pool_free(struct pool *pool);

/* Room for one more element behind the `count` that `array` has; returns the array, which may have
 * moved. */
void *pool_grow(struct pool *pool, void *array, size_t count, size_t element_bytes);

/* Appends a zeroed element to an array and its count, and gives its address. */
#define POOL_ADD(pool, array, count)                                                               \
    ((array) = pool_grow((pool), (array), (count), sizeof *(array)), &(array)[(count)++])

#endif
