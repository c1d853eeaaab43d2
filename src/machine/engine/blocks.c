/* Keeps the engine's decoded blocks: finds them, and takes them out of use when code or watches change. */
#include "machine/engine/block.h"

#include "base/check.h"
#include "isa/rv64/decode.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A flush costs little beside decoding this much again, and 24 MB of blocks
 * are a few MB of guest code: more than nearly every program touches. */
#define ARENA_BYTES (UINT64_C(24) << 20)
#define ORDER_ENTRIES (ARENA_BYTES / sizeof(struct block))

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void forget_all(struct engine *engine)
{
    memset(engine->jump_cache, 0, sizeof engine->jump_cache);
    for (size_t i = 0; i < JUMP_CACHE_ENTRIES; i++) {
        engine->jump_cache[i].pc = UINT64_MAX; /* odd: no jump leads there */
        engine->jump_cache[i].block = &engine->unlinked;
    }
    memset(engine->buckets, 0, sizeof engine->buckets);
    memset(engine->granules, 0, sizeof engine->granules);
    engine->verified = NULL;
    engine->arena_used = 0;
    engine->order_count = 0;
}

bool blocks_create(struct engine *engine)
{
    engine->arena = reserve(ARENA_BYTES);
    engine->order = reserve(ORDER_ENTRIES * sizeof *engine->order);
    engine->scratch = reserve(BLOCK_BYTES_MAX);
    if (engine->arena == NULL || engine->order == NULL || engine->scratch == NULL) {
        return false;
    }
    engine->unlinked.cost = COST_LOOK;
    engine->unlinked.state = BLOCK_DEAD;
    forget_all(engine);
    return true;
}

void blocks_destroy(struct engine *engine)
{
    munmap(engine->arena, ARENA_BYTES);
    munmap(engine->order, ORDER_ENTRIES * sizeof *engine->order);
    munmap(engine->scratch, BLOCK_BYTES_MAX);
}

static size_t bucket_of(guest_addr pc)
{
    return (pc >> 1 ^ pc >> 15) % BLOCK_BUCKETS;
}

static struct granule_link **granule_bucket(struct engine *engine, guest_addr granule)
{
    return &engine->granules[(granule ^ granule >> 14) % GRANULE_BUCKETS];
}

static void make_live(struct engine *engine, struct block *block)
{
    block->state = BLOCK_LIVE;
    block->cost = block->instructions;
    if (!block->verified) {
        block->verified = true;
        block->verified_next = engine->verified;
        engine->verified = block;
    }
}

static void make_dead(struct engine *engine, struct block *block)
{
    block->state = BLOCK_DEAD;
    block->cost = COST_LOOK;
    struct block **place = &engine->buckets[bucket_of(block->pc)];
    while (*place != block) {
        ASSERT(*place != NULL);
        place = &(*place)->hash_next;
    }
    *place = block->hash_next;
    for (unsigned i = 0; i < 2; i++) {
        struct granule_link *link = &block->granules[i];
        if (link->block == NULL) {
            continue;
        }
        struct granule_link **at = granule_bucket(engine, (block->pc >> GRANULE_BITS) + i);
        while (*at != link) {
            ASSERT(*at != NULL);
            at = &(*at)->next;
        }
        *at = link->next;
    }
}

static void insert(struct engine *engine, struct block *block)
{
    struct block **bucket = &engine->buckets[bucket_of(block->pc)];
    block->hash_next = *bucket;
    *bucket = block;
    const guest_addr first = block->pc >> GRANULE_BITS;
    const guest_addr last = (block->pc + block->bytes - 1) >> GRANULE_BITS;
    ASSERT(last - first < 2);
    for (guest_addr granule = first; granule <= last; granule++) {
        struct granule_link *link = &block->granules[granule - first];
        struct granule_link **head = granule_bucket(engine, granule);
        link->block = block;
        link->next = *head;
        *head = link;
    }
    make_live(engine, block);
}

static struct block *find(struct engine *engine, guest_addr pc)
{
    struct block *block = engine->buckets[bucket_of(pc)];
    while (block != NULL && block->pc != pc) {
        block = block->hash_next;
    }
    return block;
}

struct block *blocks_get(struct engine *engine, guest_addr pc)
{
    engine->statistics.lookups++;
    struct block *block = find(engine, pc);
    if (block != NULL && block->state == BLOCK_SUSPECT) {
        blocks_verify(engine, block);
        block = block->state == BLOCK_LIVE ? block : NULL;
    }
    if (block != NULL) {
        return block;
    }
    if (engine->arena_used + BLOCK_BYTES_MAX > ARENA_BYTES) {
        forget_all(engine);
        engine->statistics.flushes++;
    }
    block = (struct block *)(void *)(engine->arena + engine->arena_used);
    const size_t used = build_block(engine, (uint8_t *)block, pc, BLOCK_INSTRUCTIONS);
    if (used == 0) {
        return NULL;
    }
    engine->arena_used += used;
    engine->order[engine->order_count++] = block;
    engine->statistics.blocks_decoded++;
    engine->statistics.instructions_decoded += block->instructions;
    insert(engine, block);
    return block;
}

struct block *blocks_get_partial(struct engine *engine, guest_addr pc, uint64_t limit)
{
    engine->partial = NULL;
    if (build_block(engine, engine->scratch, pc, limit) == 0) {
        return NULL;
    }
    engine->partial = (struct block *)(void *)engine->scratch;
    return engine->partial;
}

void blocks_verify(struct engine *engine, struct block *block)
{
    ASSERT(block->state == BLOCK_SUSPECT);
    engine->statistics.blocks_compared++;
    engine->at = NULL;
    engine->reading = block->pc;
    if (memory_allows(engine->memory, block->pc, block->bytes, PAGE_EXECUTE) &&
        memcmp(block->copy, memory_host(engine->memory, block->pc), block->bytes) == 0) {
        make_live(engine, block);
    } else {
        make_dead(engine, block);
    }
}

struct block *blocks_containing(struct engine *engine, const struct op *op)
{
    struct block *partial = engine->partial;
    if (partial != NULL && op >= partial->ops && op < partial->ops + partial->op_count) {
        return partial;
    }
    size_t low = 0, high = engine->order_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if ((const uint8_t *)engine->order[middle] <= (const uint8_t *)op) {
            low = middle;
        } else {
            high = middle;
        }
    }
    struct block *block = engine->order[low];
    ASSERT(op >= block->ops && op < block->ops + block->op_count);
    return block;
}

guest_addr blocks_pc_of(const struct block *block, const struct op *op)
{
    return block->pc + 2u * block->notes[op - block->ops].halfwords;
}

void blocks_instruction(const struct block *block, const struct op *op, struct rv64_insn *insn)
{
    const uint8_t *copy = block->copy + 2u * block->notes[op - block->ops].halfwords;
    uint32_t word = (uint32_t)copy[0] | (uint32_t)copy[1] << 8;
    if ((word & 3) == 3) {
        word |= (uint32_t)copy[2] << 16 | (uint32_t)copy[3] << 24;
    }
    rv64_decode(word, insn);
}

void blocks_reduce_totals(const struct engine *engine, const struct block *block,
                          const struct op *op)
{
    const uint64_t retired = block->notes[op - block->ops].retired;
    for (const struct op *at = block->ops; at < op; at++) {
        if (at->handler == engine->handlers[HANDLER_watch_total]) {
            uint64_t *total = at->pointer;
            const uint64_t end = block->notes[at - block->ops].retired + at[1].value;
            *total -= end > retired ? end - retired : 0;
            at++;
        }
    }
}

static bool overlaps(const struct block *block, guest_addr start, uint64_t bytes)
{
    return block->pc < start + bytes && start < block->pc + block->bytes;
}

static void mark(struct engine *engine, struct block *block, bool rewatch)
{
    if (rewatch) {
        make_dead(engine, block);
    } else if (block->state == BLOCK_LIVE) {
        block->state = BLOCK_SUSPECT;
        block->cost = COST_LOOK;
    }
}

/* Small ranges are found through their granules; for a range with more granules
 * than there are blocks, it is cheaper to look at every block. */
static void mark_range(struct engine *engine, guest_addr start, uint64_t bytes, bool rewatch)
{
    if (bytes == 0 || start >= GUEST_SPACE_BYTES) {
        return;
    }
    if (bytes > GUEST_SPACE_BYTES - start) {
        bytes = GUEST_SPACE_BYTES - start;
    }
    const guest_addr first = start >> GRANULE_BITS;
    const guest_addr last = (start + bytes - 1) >> GRANULE_BITS;
    if (last - first > engine->order_count) {
        for (size_t i = 0; i < engine->order_count; i++) {
            struct block *block = engine->order[i];
            engine->statistics.blocks_marked++;
            if (block->state != BLOCK_DEAD && overlaps(block, start, bytes)) {
                mark(engine, block, rewatch);
            }
        }
        return;
    }
    for (guest_addr granule = first; granule <= last; granule++) {
        struct granule_link *next;
        for (struct granule_link *link = *granule_bucket(engine, granule); link != NULL;
             link = next) {
            next = link->next;
            engine->statistics.blocks_marked++;
            /* Dead already: both its links may stand in one bucket. */
            if (link->block->state != BLOCK_DEAD && overlaps(link->block, start, bytes)) {
                mark(engine, link->block, rewatch);
            }
        }
    }
}

void engine_sync_range(struct engine *engine, guest_addr start, uint64_t bytes)
{
    mark_range(engine, start, bytes, false);
}

void engine_rewatch(struct engine *engine, guest_addr start, uint64_t bytes)
{
    mark_range(engine, start, bytes, true);
}

/* Costs as much as blocks were entered since the last time: each is paid for
 * by its own comparison. */
void engine_sync_all(struct engine *engine)
{
    struct block *next;
    for (struct block *block = engine->verified; block != NULL; block = next) {
        next = block->verified_next;
        block->verified = false;
        engine->statistics.blocks_marked++;
        if (block->state == BLOCK_LIVE) {
            mark(engine, block, false);
        }
    }
    engine->verified = NULL;
}
