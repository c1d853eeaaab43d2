/* Keeps the engine's decoded blocks: finds them, and takes them out of use when code or watches change. */
#include "machine/engine/block.h"

#include "base/check.h"
#include "isa/rv64/decode.h"

#include <stdlib.h>
#include <string.h>

static void forget_jumps(struct engine *engine)
{
    for (size_t i = 0; i < JUMP_CACHE_ENTRIES; i++) {
        engine->jump_cache[i].pc = UINT64_MAX; /* odd: no jump leads there */
        engine->jump_cache[i].block = &engine->unlinked;
    }
}

static void forget_all(struct engine *engine)
{
    forget_jumps(engine);
    index_empty(&engine->by_pc);
    index_empty(&engine->by_granule);
    engine->verified = NULL;
    engine->verified_count = 0;
    arena_empty(&engine->arena);
}

bool blocks_create(struct engine *engine)
{
    engine->scratch = malloc(BLOCK_BYTES_MAX);
    if (engine->scratch == NULL || !arena_create(&engine->arena) || !index_create(&engine->by_pc) ||
        !index_create(&engine->by_granule)) {
        blocks_destroy(engine);
        return false;
    }
    engine->unlinked.cost = COST_LOOK;
    engine->unlinked.state = BLOCK_DEAD;
    forget_jumps(engine);
    return true;
}

void blocks_destroy(struct engine *engine)
{
    free(engine->scratch);
    arena_destroy(&engine->arena);
    index_destroy(&engine->by_pc);
    index_destroy(&engine->by_granule);
}

static void make_live(struct engine *engine, struct block *block)
{
    block->state = BLOCK_LIVE;
    block->cost = block->instructions;
    if (!block->verified) {
        block->verified = true;
        block->verified_next = engine->verified;
        engine->verified = block;
        engine->verified_count++;
    }
}

static void make_dead(struct engine *engine, struct block *block)
{
    block->state = BLOCK_DEAD;
    block->cost = COST_LOOK;
    index_remove(&engine->by_pc, &block->links[LINK_PC]);
    for (unsigned i = LINK_GRANULE; i < BLOCK_LINKS; i++) {
        if (block->links[i].block != NULL) {
            index_remove(&engine->by_granule, &block->links[i]);
        }
    }
    arena_bury(&engine->arena, block);
}

static void insert(struct engine *engine, struct block *block)
{
    const guest_addr first = block->pc >> GRANULE_BITS;
    const guest_addr last = (block->pc + block->bytes - 1) >> GRANULE_BITS;
    ASSERT(last - first < 2);
    block->links[LINK_PC].block = block;
    index_insert(&engine->by_pc, index_key_of_pc(block->pc), &block->links[LINK_PC]);
    for (guest_addr i = 0; i <= last - first; i++) {
        block->links[LINK_GRANULE + i].block = block;
        index_insert(&engine->by_granule, first + i, &block->links[LINK_GRANULE + i]);
    }
    make_live(engine, block);
}

static struct block *find(struct engine *engine, guest_addr pc)
{
    struct block_link *link = *index_bucket(&engine->by_pc, index_key_of_pc(pc));
    while (link != NULL && link->block->pc != pc) {
        link = link->next;
    }
    return link != NULL ? link->block : NULL;
}

/* Code that may not be executed any more is seldom looked up again, which is
 * how other blocks that have changed are found. */
static void bury_lost(struct engine *engine)
{
    for (size_t i = 0; i < engine->arena.count; i++) {
        struct block *block = engine->arena.order[i];
        if (block->state == BLOCK_SUSPECT &&
            !memory_allows(engine->memory, block->pc, block->bytes, PAGE_EXECUTE)) {
            make_dead(engine, block);
        }
    }
}

/* To grow while most blocks are of use, and to start again otherwise, keeps a
 * program that runs more code than fits from decoding it again in each turn, and
 * one that changes its code from filling the host's memory. */
static void make_room(struct engine *engine)
{
    bury_lost(engine);
    if (engine->arena.dead < engine->arena.used / 2 && arena_grow(&engine->arena)) {
        return;
    }
    forget_all(engine);
    engine->statistics.flushes++;
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
    if (arena_next(&engine->arena) == NULL) {
        make_room(engine);
    }
    block = (struct block *)(void *)arena_next(&engine->arena);
    const size_t used = build_block(engine, (uint8_t *)block, pc, BLOCK_INSTRUCTIONS);
    if (used == 0) {
        return NULL;
    }
    arena_add(&engine->arena, block, used);
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
    return arena_block_of(&engine->arena, op);
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
    const struct watch_run *run = NULL;
    for (const struct op *at = block->ops; at < op; at++) {
        if (at->handler == engine->handlers[HANDLER_watch_run] ||
            at->handler == engine->handlers[HANDLER_watch_course]) {
            run = at->pointer;
        } else if (at->handler == engine->handlers[HANDLER_watch_total]) {
            uint64_t *total = at->pointer;
            const uint64_t end = block->notes[at - block->ops].retired + at[1].value;
            *total -= end > retired ? end - retired : 0;
            at++;
        }
    }
    if (run != NULL) {
        run->unit->kind->cut(run->unit, run, blocks_pc_of(block, op));
    }
}

static void make_suspect(struct block *block)
{
    block->state = BLOCK_SUSPECT;
    block->cost = COST_LOOK;
}

/* Blocks with code from address `start` up to `end`. */
struct range {
    guest_addr start, end;
    bool rewatch; /* they die; else they are to be compared */
};

static void mark(struct engine *engine, struct block *block, const struct range *range)
{
    engine->statistics.blocks_marked++;
    if (block->pc >= range->end || range->start >= block->pc + block->bytes) {
        return;
    }
    if (range->rewatch) {
        make_dead(engine, block);
    } else if (block->state == BLOCK_LIVE) {
        make_suspect(block);
    }
}

static void mark_granule(struct engine *engine, guest_addr granule, const struct range *range)
{
    struct block_link *next;
    for (struct block_link *link = *index_bucket(&engine->by_granule, granule); link != NULL;
         link = next) {
        next = link->next; /* also right where it is of the same block, and goes with this one */
        if (index_key(link) == granule) {
            mark(engine, link->block, range);
        }
    }
}

/* Takes those that are no longer live out of the list: a program that says again
 * and again that all has changed pays for what it has entered since. */
static void mark_verified(struct engine *engine, const struct range *range)
{
    struct block **place = &engine->verified;
    while (*place != NULL) {
        struct block *block = *place;
        mark(engine, block, range);
        if (block->state == BLOCK_LIVE) {
            place = &block->verified_next;
        } else {
            *place = block->verified_next;
            block->verified = false;
            engine->verified_count--;
        }
    }
}

static void mark_all(struct engine *engine, const struct range *range)
{
    for (size_t i = 0; i < (size_t)1 << engine->by_pc.bits; i++) {
        struct block_link *next;
        for (struct block_link *link = engine->by_pc.buckets[i]; link != NULL; link = next) {
            next = link->next;
            mark(engine, link->block, range);
        }
    }
}

/* Small ranges are found through their granules; for a range with more granules
 * than there are blocks, it is cheaper to look at every block. */
static void mark_range(struct engine *engine, guest_addr start, uint64_t bytes, bool rewatch)
{
    if (bytes == 0 || start >= GUEST_SPACE_BYTES) {
        return;
    }
    const struct range range = {.start = start,
                                .end = bytes < GUEST_SPACE_BYTES - start ? start + bytes
                                                                         : GUEST_SPACE_BYTES,
                                .rewatch = rewatch};
    const guest_addr first = range.start >> GRANULE_BITS;
    const guest_addr last = (range.end - 1) >> GRANULE_BITS;
    if (!rewatch && last - first > engine->verified_count) {
        mark_verified(engine, &range);
        return;
    }
    if (rewatch && (last - first) >> engine->by_pc.bits != 0) {
        mark_all(engine, &range);
        return;
    }
    for (guest_addr granule = first; granule <= last; granule++) {
        mark_granule(engine, granule, &range);
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
    const struct range all = {.end = GUEST_SPACE_BYTES};
    mark_verified(engine, &all);
}
