/* The memory that decoded blocks are in: one range of addresses, reserved at once and given memory as it fills. */
#include "machine/engine/block.h"

#include "base/check.h"

#include <sys/mman.h>

/* No block is smaller, so this many are enough for an arena of `bytes`. */
static size_t order_bytes(size_t bytes)
{
    return bytes / sizeof(struct block) * sizeof(struct block *);
}

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void release(void *memory, size_t bytes)
{
    if (memory != NULL) {
        munmap(memory, bytes);
    }
}

static bool set_room(struct block_arena *arena, size_t room)
{
    if (mprotect(arena->memory, room, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(arena->order, order_bytes(room), PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    arena->room = room;
    return true;
}

bool arena_create(struct block_arena *arena)
{
    *arena = (struct block_arena){.most = ARENA_MOST_BYTES};
    arena->memory = reserve(ARENA_MOST_BYTES);
    arena->order = reserve(order_bytes(ARENA_MOST_BYTES));
    return arena->memory != NULL && arena->order != NULL && set_room(arena, ARENA_FIRST_BYTES);
}

void arena_destroy(struct block_arena *arena)
{
    release(arena->memory, ARENA_MOST_BYTES);
    release(arena->order, order_bytes(ARENA_MOST_BYTES));
}

bool arena_grow(struct block_arena *arena)
{
    return arena->room * 2 <= arena->most && set_room(arena, arena->room * 2);
}

uint8_t *arena_next(const struct block_arena *arena)
{
    return arena->used + BLOCK_BYTES_MAX <= arena->room ? arena->memory + arena->used : NULL;
}

void arena_add(struct block_arena *arena, struct block *block, size_t bytes)
{
    ASSERT((uint8_t *)block == arena->memory + arena->used);
    arena->used += bytes;
    arena->order[arena->count++] = block;
}

void arena_bury(struct block_arena *arena, const struct block *block)
{
    /* The copy of the guest's bytes is the last that a block has. */
    arena->dead += (size_t)(block->copy + block->bytes - (const uint8_t *)block);
}

void arena_empty(struct block_arena *arena)
{
    arena->used = 0;
    arena->dead = 0;
    arena->count = 0;
}

struct block *arena_block_of(const struct block_arena *arena, const struct op *op)
{
    size_t low = 0, high = arena->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if ((const uint8_t *)arena->order[middle] <= (const uint8_t *)op) {
            low = middle;
        } else {
            high = middle;
        }
    }
    struct block *block = arena->order[low];
    ASSERT(op >= block->ops && op < block->ops + block->op_count);
    return block;
}
