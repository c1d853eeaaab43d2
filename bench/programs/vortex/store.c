/* The pages, the frames that hold some of them, and the table of handles. */
#include "store.h"
#include "program.h"

enum { INDEX_BITS = 24, CHUNK_GUARD = 0x5a17, HANDLES_FIRST = 1024, PAGES_FIRST = 64 };

#define NO_PAGE UINT32_MAX

static const uint16_t class_bytes[SIZE_CLASSES] = {48, 80, 136, 264, 408};

/* Ahead of each object in its slot. */
struct chunk_header {
    handle owner;
    uint16_t guard;
    uint8_t type;
    uint8_t size_class;
};

void store_init(struct store *store, unsigned frames)
{
    memset(store, 0, sizeof *store);
    store->frames = program_allocate(frames, sizeof *store->frames);
    store->frame_count = frames;
    store->page_capacity = PAGES_FIRST;
    store->pages = program_allocate(PAGES_FIRST, sizeof *store->pages);
    store->handle_capacity = HANDLES_FIRST;
    store->handles = program_allocate(HANDLES_FIRST, sizeof *store->handles);
    store->handle_count = 1; /* 0 is no handle */
    for (unsigned i = 0; i < SIZE_CLASSES; i++) {
        store->with_room[i] = NO_PAGE;
    }
}

void store_destroy(struct store *store)
{
    for (uint32_t page = 0; page < store->page_count; page++) {
        free(store->pages[page].backing);
    }
    free(store->pages);
    free(store->handles);
    free(store->frames);
}

static void *grow(void *table, uint32_t *capacity, size_t bytes)
{
    void *larger = program_allocate((size_t)*capacity * 2, bytes);
    memcpy(larger, table, *capacity * bytes);
    free(table);
    *capacity *= 2;
    return larger;
}

static unsigned slots_of(unsigned size_class)
{
    return PAGE_BYTES / class_bytes[size_class];
}

static void write_back(struct store *store, struct frame *frame)
{
    if (frame->occupied && frame->dirty) {
        memcpy(store->pages[frame->page].backing, frame->bytes, PAGE_BYTES);
        frame->dirty = false;
        store->write_backs++;
    }
}

/* The clock: a frame that was used since the hand last passed gets another round. */
static unsigned choose_victim(struct store *store)
{
    for (;;) {
        unsigned at = store->clock_hand;
        store->clock_hand = at + 1 == store->frame_count ? 0 : at + 1;
        if (!store->frames[at].occupied || !store->frames[at].referenced) {
            return at;
        }
        store->frames[at].referenced = false;
    }
}

static struct frame *bring_in(struct store *store, uint32_t page)
{
    unsigned at = choose_victim(store);
    struct frame *frame = &store->frames[at];
    write_back(store, frame);
    if (frame->occupied) {
        store->pages[frame->page].frame = -1;
    }
    memcpy(frame->bytes, store->pages[page].backing, PAGE_BYTES);
    frame->page = page;
    frame->occupied = true;
    frame->dirty = false;
    store->pages[page].frame = (int32_t)at;
    store->misses++;
    return frame;
}

static struct frame *frame_of(struct store *store, uint32_t page)
{
    struct frame *frame;
    if (store->pages[page].frame >= 0) {
        frame = &store->frames[store->pages[page].frame];
        store->hits++;
    } else {
        frame = bring_in(store, page);
    }
    frame->referenced = true;
    return frame;
}

static enum status choose_class(size_t size, unsigned *result)
{
    for (unsigned i = 0; i < SIZE_CLASSES; i++) {
        if (size + sizeof(struct chunk_header) <= class_bytes[i]) {
            *result = i;
            return STATUS_OK;
        }
    }
    return STATUS_BAD_SIZE;
}

static void list_page(struct store *store, uint32_t page)
{
    struct page_entry *entry = &store->pages[page];
    if (!entry->listed) {
        entry->listed = true;
        entry->next_with_room = store->with_room[entry->size_class];
        store->with_room[entry->size_class] = page;
    }
}

static void add_page(struct store *store, unsigned size_class)
{
    if (store->page_count == store->page_capacity) {
        store->pages = grow(store->pages, &store->page_capacity, sizeof *store->pages);
    }
    uint32_t page = store->page_count++;
    struct page_entry *entry = &store->pages[page];
    memset(entry, 0, sizeof *entry);
    entry->backing = program_allocate(1, PAGE_BYTES);
    entry->frame = -1;
    entry->size_class = (uint16_t)size_class;
    for (unsigned slot = 0; slot < slots_of(size_class); slot++) {
        entry->free_slots[slot / 64] |= UINT64_C(1) << slot % 64;
    }
    list_page(store, page);
}

static unsigned first_free_slot(const struct page_entry *entry)
{
    unsigned slot = entry->free_slots[0] != 0 ? 0 : 64;
    for (uint64_t bits = entry->free_slots[slot / 64]; (bits & 1) == 0; bits >>= 1) {
        slot++;
    }
    return slot;
}

static void take_slot(struct store *store, unsigned size_class, uint32_t *page, unsigned *slot)
{
    if (store->with_room[size_class] == NO_PAGE) {
        add_page(store, size_class);
    }
    *page = store->with_room[size_class];
    struct page_entry *entry = &store->pages[*page];
    *slot = first_free_slot(entry);
    entry->free_slots[*slot / 64] &= ~(UINT64_C(1) << *slot % 64);
    if (++entry->used == slots_of(size_class)) {
        store->with_room[size_class] = entry->next_with_room;
        entry->listed = false;
    }
}

static enum status take_handle(struct store *store, uint32_t *index)
{
    if (store->free_handle != 0) {
        *index = store->free_handle;
        store->free_handle = store->handles[*index].next_free;
        return STATUS_OK;
    }
    if (store->handle_count >> INDEX_BITS != 0) {
        return STATUS_FULL;
    }
    if (store->handle_count == store->handle_capacity) {
        store->handles = grow(store->handles, &store->handle_capacity, sizeof *store->handles);
    }
    *index = store->handle_count++;
    return STATUS_OK;
}

enum status store_allocate(struct store *store, enum object_type type, const void *object,
                           size_t size, handle *result)
{
    unsigned size_class, slot;
    uint32_t page, index;
    if (type <= TYPE_FREE || type >= TYPES) {
        return STATUS_WRONG_TYPE;
    }
    TRY(choose_class(size, &size_class));
    TRY(take_handle(store, &index));
    take_slot(store, size_class, &page, &slot);
    struct handle_entry *entry = &store->handles[index];
    entry->page = page;
    entry->slot = (uint16_t)slot;
    entry->type = (uint8_t)type;
    *result = index | (handle)entry->generation << INDEX_BITS;
    struct frame *frame = frame_of(store, page);
    struct chunk_header header = {*result, CHUNK_GUARD, (uint8_t)type, (uint8_t)size_class};
    uint8_t *at = frame->bytes + slot * class_bytes[size_class];
    memcpy(at, &header, sizeof header);
    memcpy(at + sizeof header, object, size);
    frame->dirty = true;
    store->live[type]++;
    return STATUS_OK;
}

static enum status resolve(const struct store *store, handle object, enum object_type type,
                           struct handle_entry **result)
{
    uint32_t index = object & ((1u << INDEX_BITS) - 1);
    if (index == 0 || index >= store->handle_count) {
        return STATUS_BAD_HANDLE;
    }
    struct handle_entry *entry = &store->handles[index];
    if (entry->type == TYPE_FREE || entry->generation != object >> INDEX_BITS) {
        return STATUS_BAD_HANDLE;
    }
    if (entry->type != type) {
        return STATUS_WRONG_TYPE;
    }
    *result = entry;
    return STATUS_OK;
}

static enum status find_chunk(struct store *store, handle object, enum object_type type,
                              size_t size, struct frame **frame, uint8_t **chunk)
{
    struct handle_entry *entry;
    struct chunk_header header;
    TRY(resolve(store, object, type, &entry));
    unsigned bytes = class_bytes[store->pages[entry->page].size_class];
    if (size + sizeof header > bytes) {
        return STATUS_BAD_SIZE;
    }
    *frame = frame_of(store, entry->page);
    *chunk = (*frame)->bytes + entry->slot * bytes;
    memcpy(&header, *chunk, sizeof header);
    if (header.guard != CHUNK_GUARD || header.owner != object || header.type != type) {
        return STATUS_DAMAGED;
    }
    *chunk += sizeof header;
    return STATUS_OK;
}

enum status store_read(struct store *store, handle object, enum object_type type, void *result,
                       size_t size)
{
    struct frame *frame;
    uint8_t *chunk;
    TRY(find_chunk(store, object, type, size, &frame, &chunk));
    memcpy(result, chunk, size);
    return STATUS_OK;
}

enum status store_write(struct store *store, handle object, enum object_type type,
                        const void *value, size_t size)
{
    struct frame *frame;
    uint8_t *chunk;
    TRY(find_chunk(store, object, type, size, &frame, &chunk));
    memcpy(chunk, value, size);
    frame->dirty = true;
    return STATUS_OK;
}

enum status store_free(struct store *store, handle object, enum object_type type)
{
    struct handle_entry *entry;
    struct frame *frame;
    uint8_t *chunk;
    TRY(find_chunk(store, object, type, 0, &frame, &chunk));
    TRY(resolve(store, object, type, &entry));
    memset(chunk - sizeof(struct chunk_header), 0, sizeof(struct chunk_header));
    frame->dirty = true;
    struct page_entry *page = &store->pages[entry->page];
    page->free_slots[entry->slot / 64] |= UINT64_C(1) << entry->slot % 64;
    page->used--;
    list_page(store, entry->page);
    entry->type = TYPE_FREE;
    entry->generation++;
    entry->next_free = store->free_handle;
    store->free_handle = object & ((1u << INDEX_BITS) - 1);
    store->live[type]--;
    return STATUS_OK;
}

static enum status validate_page(const struct page_entry *page)
{
    unsigned free_slots = 0;
    for (unsigned slot = 0; slot < slots_of(page->size_class); slot++) {
        free_slots += (page->free_slots[slot / 64] >> slot % 64 & 1) != 0;
    }
    return free_slots + page->used == slots_of(page->size_class) ? STATUS_OK : STATUS_DAMAGED;
}

enum status store_validate(struct store *store)
{
    uint32_t live[TYPES] = {0};
    for (uint32_t page = 0; page < store->page_count; page++) {
        TRY(validate_page(&store->pages[page]));
    }
    for (uint32_t index = 1; index < store->handle_count; index++) {
        const struct handle_entry *entry = &store->handles[index];
        struct frame *frame;
        uint8_t *chunk;
        if (entry->type == TYPE_FREE) {
            continue;
        }
        handle object = index | (handle)entry->generation << INDEX_BITS;
        TRY(find_chunk(store, object, (enum object_type)entry->type, 0, &frame, &chunk));
        live[entry->type]++;
    }
    return memcmp(live, store->live, sizeof live) == 0 ? STATUS_OK : STATUS_DAMAGED;
}
