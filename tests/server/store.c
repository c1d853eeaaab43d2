/* A hash table whose buckets share a few locks. */
#include "store.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096
#define LOCKS 64

struct entry {
    struct entry *next;
    size_t bytes;
    char key[KEY_BYTES];
    char value[];
};

struct store {
    pthread_rwlock_t locks[LOCKS];
    struct entry *buckets[BUCKETS];
    size_t count; /* atomic */
};

struct store *store_create(void)
{
    struct store *store = calloc(1, sizeof *store);

    for (unsigned i = 0; store != NULL && i < LOCKS; i++) {
        pthread_rwlock_init(&store->locks[i], NULL);
    }
    return store;
}

static size_t hash(const char *key)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    while (*key != '\0') {
        value = (value ^ (unsigned char)*key++) * UINT64_C(0x100000001b3);
    }
    return (size_t)(value >> 20) % BUCKETS;
}

static struct entry **find(struct store *store, size_t bucket, const char *key)
{
    struct entry **place = &store->buckets[bucket];

    while (*place != NULL && strcmp((*place)->key, key) != 0) {
        place = &(*place)->next;
    }
    return place;
}

long store_get(struct store *store, const char *key, char *value)
{
    const size_t bucket = hash(key);
    long bytes = -1;

    pthread_rwlock_rdlock(&store->locks[bucket % LOCKS]);
    const struct entry *entry = *find(store, bucket, key);
    if (entry != NULL) {
        bytes = (long)entry->bytes;
        memcpy(value, entry->value, entry->bytes);
    }
    pthread_rwlock_unlock(&store->locks[bucket % LOCKS]);
    return bytes;
}

enum store_result store_put(struct store *store, const char *key, const char *value, size_t bytes)
{
    const size_t bucket = hash(key);
    struct entry *entry = malloc(sizeof *entry + bytes);

    if (entry == NULL) {
        return STORE_NO_MEMORY;
    }
    entry->bytes = bytes;
    strcpy(entry->key, key); /* it fits: the server has refused longer ones */
    memcpy(entry->value, value, bytes);
    pthread_rwlock_wrlock(&store->locks[bucket % LOCKS]);
    struct entry **place = find(store, bucket, key);
    struct entry *old = *place;
    entry->next = old != NULL ? old->next : NULL;
    *place = entry;
    pthread_rwlock_unlock(&store->locks[bucket % LOCKS]);
    free(old);
    if (old == NULL) {
        __atomic_fetch_add(&store->count, 1, __ATOMIC_RELAXED);
    }
    return old == NULL ? STORE_NEW : STORE_REPLACED;
}

bool store_remove(struct store *store, const char *key)
{
    const size_t bucket = hash(key);

    pthread_rwlock_wrlock(&store->locks[bucket % LOCKS]);
    struct entry **place = find(store, bucket, key);
    struct entry *old = *place;
    if (old != NULL) {
        *place = old->next;
    }
    pthread_rwlock_unlock(&store->locks[bucket % LOCKS]);
    free(old);
    if (old != NULL) {
        __atomic_fetch_sub(&store->count, 1, __ATOMIC_RELAXED);
    }
    return old != NULL;
}

size_t store_count(struct store *store)
{
    return __atomic_load_n(&store->count, __ATOMIC_RELAXED);
}
