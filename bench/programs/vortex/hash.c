/* Linear hashing: one bucket is split whenever the index gets too full. */
#include "hash.h"
#include "program.h"

enum { BUCKETS_FIRST = 4, FILL_LIMIT = 10 };

uint32_t hash_of_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++) {
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    }
    return hash ^ hash >> 15;
}

static enum status bucket_read(const struct hash *index, handle at, struct bucket *bucket)
{
    TRY(store_read(index->store, at, TYPE_BUCKET, bucket, sizeof *bucket));
    return bucket->count <= BUCKET_ENTRIES ? STATUS_OK : STATUS_DAMAGED;
}

static enum status bucket_write(const struct hash *index, handle at, const struct bucket *bucket)
{
    return store_write(index->store, at, TYPE_BUCKET, bucket, sizeof *bucket);
}

static enum status bucket_create(const struct hash *index, handle *at)
{
    struct bucket bucket;
    memset(&bucket, 0, sizeof bucket);
    return store_allocate(index->store, TYPE_BUCKET, &bucket, sizeof bucket, at);
}

static enum status add_bucket(struct hash *index)
{
    if (index->bucket_count == index->bucket_capacity) {
        handle *larger = program_allocate((size_t)index->bucket_capacity * 2, sizeof *larger);
        memcpy(larger, index->buckets, index->bucket_count * sizeof *larger);
        free(index->buckets);
        index->buckets = larger;
        index->bucket_capacity *= 2;
    }
    return bucket_create(index, &index->buckets[index->bucket_count++]);
}

enum status hash_create(struct hash *index, struct store *store)
{
    memset(index, 0, sizeof *index);
    index->store = store;
    index->bucket_capacity = BUCKETS_FIRST;
    index->buckets = program_allocate(BUCKETS_FIRST, sizeof *index->buckets);
    index->round = BUCKETS_FIRST;
    for (unsigned i = 0; i < BUCKETS_FIRST; i++) {
        TRY(add_bucket(index));
    }
    return STATUS_OK;
}

void hash_destroy(struct hash *index)
{
    free(index->buckets);
}

static uint32_t bucket_of(const struct hash *index, uint32_t hash)
{
    uint32_t bucket = hash & (2 * index->round - 1);
    return bucket < index->bucket_count ? bucket : hash & (index->round - 1);
}

static enum status put(struct hash *index, uint32_t number, uint32_t hash, handle value)
{
    struct bucket bucket;
    handle at = index->buckets[number];
    TRY(bucket_read(index, at, &bucket));
    while (bucket.count == BUCKET_ENTRIES) {
        if (bucket.overflow == HANDLE_NONE) {
            TRY(bucket_create(index, &bucket.overflow));
            TRY(bucket_write(index, at, &bucket));
        }
        at = bucket.overflow;
        TRY(bucket_read(index, at, &bucket));
    }
    bucket.hashes[bucket.count] = hash;
    bucket.values[bucket.count++] = value;
    return bucket_write(index, at, &bucket);
}

/* Empties the next bucket of the round and puts what was in it there and into a new one. */
static enum status split_next(struct hash *index)
{
    uint32_t number = index->bucket_count - index->round;
    handle at = index->buckets[number];
    TRY(bucket_create(index, &index->buckets[number]));
    TRY(add_bucket(index));
    while (at != HANDLE_NONE) {
        struct bucket bucket;
        TRY(bucket_read(index, at, &bucket));
        for (unsigned i = 0; i < bucket.count; i++) {
            TRY(put(index, bucket_of(index, bucket.hashes[i]), bucket.hashes[i], bucket.values[i]));
        }
        TRY(store_free(index->store, at, TYPE_BUCKET));
        at = bucket.overflow;
    }
    if (index->bucket_count == 2 * index->round) {
        index->round *= 2;
    }
    return STATUS_OK;
}

enum status hash_insert(struct hash *index, uint32_t hash, handle value)
{
    TRY(put(index, bucket_of(index, hash), hash, value));
    index->count++;
    return index->count > FILL_LIMIT * index->bucket_count ? split_next(index) : STATUS_OK;
}

enum status hash_delete(struct hash *index, uint32_t hash, handle value)
{
    struct bucket bucket;
    for (handle at = index->buckets[bucket_of(index, hash)]; at != HANDLE_NONE;
         at = bucket.overflow) {
        TRY(bucket_read(index, at, &bucket));
        for (unsigned i = 0; i < bucket.count; i++) {
            if (bucket.hashes[i] == hash && bucket.values[i] == value) {
                bucket.count--;
                bucket.hashes[i] = bucket.hashes[bucket.count];
                bucket.values[i] = bucket.values[bucket.count];
                index->count--;
                return bucket_write(index, at, &bucket);
            }
        }
    }
    return STATUS_NOT_FOUND;
}

enum status hash_find(const struct hash *index, uint32_t hash, handle values[HASH_CANDIDATES],
                      unsigned *count)
{
    struct bucket bucket;
    *count = 0;
    for (handle at = index->buckets[bucket_of(index, hash)]; at != HANDLE_NONE;
         at = bucket.overflow) {
        TRY(bucket_read(index, at, &bucket));
        for (unsigned i = 0; i < bucket.count; i++) {
            if (bucket.hashes[i] != hash) {
                continue;
            }
            if (*count == HASH_CANDIDATES) {
                return STATUS_FULL;
            }
            values[(*count)++] = bucket.values[i];
        }
    }
    return STATUS_OK;
}

enum status hash_validate(const struct hash *index)
{
    uint32_t count = 0;
    for (uint32_t number = 0; number < index->bucket_count; number++) {
        struct bucket bucket;
        for (handle at = index->buckets[number]; at != HANDLE_NONE; at = bucket.overflow) {
            TRY(bucket_read(index, at, &bucket));
            for (unsigned i = 0; i < bucket.count; i++) {
                if (bucket_of(index, bucket.hashes[i]) != number) {
                    return STATUS_DAMAGED;
                }
            }
            count += bucket.count;
        }
    }
    return count == index->count ? STATUS_OK : STATUS_DAMAGED;
}
