/* Objects in pages behind a small pool of frames, named by handles that go stale when freed. */
#ifndef VORTEX_STORE_H
#define VORTEX_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "status.h"

/* The index into the handle table below, the generation of the entry above. */
typedef uint32_t handle;

enum { HANDLE_NONE = 0, PAGE_BYTES = 4096, SIZE_CLASSES = 5 };

enum object_type {
    TYPE_FREE,
    TYPE_PERSON,
    TYPE_PART,
    TYPE_DRAWING,
    TYPE_NODE,
    TYPE_BUCKET,
    TYPE_LIST,
    TYPES
};

struct frame {
    uint8_t bytes[PAGE_BYTES]; /* first, so that objects are aligned and copied by words */
    uint32_t page;
    bool occupied;
    bool dirty;
    bool referenced;
};

struct handle_entry {
    uint32_t page;
    uint16_t slot;
    uint8_t type;
    uint8_t generation;
    uint32_t next_free;
};

struct page_entry {
    uint8_t *backing;
    int32_t frame; /* -1: not in any */
    uint16_t size_class;
    uint16_t used;
    uint64_t free_slots[2]; /* a bit for each slot that is free */
    uint32_t next_with_room;
    bool listed;
};

struct store {
    struct frame *frames;
    unsigned frame_count;
    unsigned clock_hand;
    struct page_entry *pages;
    uint32_t page_count, page_capacity;
    uint32_t with_room[SIZE_CLASSES]; /* pages with a free slot; UINT32_MAX ends the list */
    struct handle_entry *handles;
    uint32_t handle_count, handle_capacity;
    uint32_t free_handle;
    uint32_t live[TYPES];
    uint64_t hits, misses, write_backs;
};

void store_init(struct store *store, unsigned frames);
void store_destroy(struct store *store);

enum status store_allocate(struct store *store, enum object_type type, const void *object,
                           size_t size, handle *result);
enum status store_free(struct store *store, handle object, enum object_type type);

/* Objects are copied out and in: no pointer into a frame outlives a call. */
enum status store_read(struct store *store, handle object, enum object_type type, void *result,
                       size_t size);
enum status store_write(struct store *store, handle object, enum object_type type,
                        const void *value, size_t size);

/* Every handle against its chunk, every page against its bitmap. */
enum status store_validate(struct store *store);

#endif
