/* Decoded blocks: how they are laid out, found, linked, and taken out of use.
 *
 * A block is a run of instructions that ends at the first jump, branch or
 * system instruction, at a page's end, or at BLOCK_INSTRUCTIONS.  Entering one
 * costs its number of instructions out of the engine's budget; that single
 * subtraction is also how a block is stopped from being entered: one that must
 * be looked at first costs more than any budget (COST_LOOK).
 *
 *   live     cost = instructions; links lead straight to it
 *   suspect  its bytes may have changed: compare them at the next entry
 *   dead     replaced or no longer valid: whoever comes here looks it up again
 *
 * Dead blocks stay where they are until everything is flushed, so that a link
 * never points to freed memory.  A full arena is flushed if at least half of it
 * is dead; otherwise it grows.  So each block that is decoded again after a
 * flush is paid for by one that had died, and the time that blocks take is
 * linear in how many the program's code makes, however many these are. */
#ifndef STRATA_MACHINE_ENGINE_BLOCK_H
#define STRATA_MACHINE_ENGINE_BLOCK_H

#include "base/spread.h"
#include "machine/engine/engine.h"
#include "machine/exec/op.h"

#define BLOCK_INSTRUCTIONS 64
#define COST_LOOK (INT64_C(1) << 40)

enum block_state { BLOCK_LIVE, BLOCK_SUSPECT, BLOCK_DEAD };

/* Which instruction an op belongs to: for faults and for links not yet made. */
struct op_note {
    uint8_t halfwords; /* from the block's pc */
    uint8_t retired;   /* instructions of the block that have retired before this op */
};

/* Where a block is found: in an index's chain. */
struct block_link {
    struct block *block;
    struct block_link *next;
};

enum { LINK_PC, LINK_GRANULE, LINK_NEXT_GRANULE, BLOCK_LINKS };

struct block {
    int64_t cost;
    struct op *ops;
    guest_addr pc;
    struct block_link links[BLOCK_LINKS]; /* the last one has no block if one granule is enough */
    uint16_t bytes;                       /* of guest code */
    uint16_t instructions;
    uint16_t op_count;
    uint8_t state;         /* enum block_state */
    bool verified;         /* is in engine->verified */
    struct op_note *notes; /* one per op */
    uint8_t *copy;         /* the guest bytes it was decoded from */
    struct block *verified_next;
};

/* What stands after a branch, jal, or block end: where it leads. */
struct links {
    struct block *taken; /* also of jal and of a block's end */
    struct block *not_taken;
};

#define JUMP_CACHE_ENTRIES 4096
struct jump_cache_entry {
    guest_addr pc;
    struct block *block;
};

#define GRANULE_BITS 8 /* 256 bytes: a block of 64 instructions spans two at the most */

/* Blocks that are not dead, hashed by one of their links' keys.  It has at least
 * as many buckets as links while the host has memory for them. */
struct block_index {
    struct block_link **buckets;
    unsigned bits; /* there are 2^bits buckets */
    size_t count;
};
#define INDEX_FIRST_BITS 14

/* Memory for blocks, at addresses that never change.  24 MB of blocks are a few
 * MB of guest code: more than most programs touch. */
#define ARENA_FIRST_BYTES (UINT64_C(24) << 20)
#define ARENA_MOST_BYTES (ARENA_FIRST_BYTES << 8) /* 6 GB: some 30 million blocks */
struct block_arena {
    uint8_t *memory;
    size_t used;
    size_t dead; /* of `used`: what dead blocks hold */
    size_t room; /* of `most`: what the host has given memory for */
    size_t most;
    struct block **order; /* all blocks in it, by their addresses */
    size_t count;
};

struct engine {
    int64_t budget;
    int64_t held;          /* of the budget: taken away so that the running block is the last one */
    int64_t given;         /* the budget of this run at its beginning */
    struct record *record; /* where the next one goes */
    int64_t whole_below;   /* with less budget than this, no block is cut short */
    const struct op *at;   /* the op whose memory access may fault; NULL: reading guest code */
    guest_addr reading;    /* the block whose code is read then */
    struct memory *memory;
    struct unit_set *units;
    const void *const *handlers; /* by enum handler */
    struct watch_event told;     /* what was told last; what only a pipeline says stays zero */

    struct jump_cache_entry jump_cache[JUMP_CACHE_ENTRIES];
    struct block_index by_pc;
    struct block_index by_granule;
    struct block *verified; /* all that are live, and some that no longer are */
    size_t verified_count;

    struct block_arena arena;
    uint8_t *scratch;      /* a block that is cut short by the budget */
    struct block *partial; /* the block in scratch */

    struct block unlinked; /* where links lead that are not made yet */
    guest_addr fetch_fault;
    struct engine_statistics statistics;
};

/* arena.c */
bool arena_create(struct block_arena *arena);
void arena_destroy(struct block_arena *arena);
/* Doubles the room; false if it may not be larger, or the host has no memory. */
bool arena_grow(struct block_arena *arena);
/* Where the next block goes; NULL if there is no room for the largest one. */
uint8_t *arena_next(const struct block_arena *arena);
void arena_add(struct block_arena *arena, struct block *block, size_t bytes);
void arena_bury(struct block_arena *arena, const struct block *block);
void arena_empty(struct block_arena *arena);
/* The block in it that `op` belongs to. */
struct block *arena_block_of(const struct block_arena *arena, const struct op *op);

/* index.c */
bool index_create(struct block_index *index);
void index_destroy(struct block_index *index);
void index_empty(struct block_index *index);
/* `key` is index_key(link). */
void index_insert(struct block_index *index, uint64_t key, struct block_link *link);
void index_remove(struct block_index *index, struct block_link *link);

static inline uint64_t index_key_of_pc(guest_addr pc)
{
    return pc / 2;
}

static inline uint64_t index_key(const struct block_link *link)
{
    const struct block *block = link->block;
    const size_t which = (size_t)(link - block->links);
    return which == LINK_PC ? index_key_of_pc(block->pc)
                            : (block->pc >> GRANULE_BITS) + which - LINK_GRANULE;
}

/* The chain in which all links with `key` are, among others. */
static inline struct block_link **index_bucket(const struct block_index *index, uint64_t key)
{
    return &index->buckets[spread_key(key, index->bits)];
}

/* blocks.c */
bool blocks_create(struct engine *engine);
void blocks_destroy(struct engine *engine);
/* The block at `pc`, decoded now if need be; NULL if nothing can be fetched
 * there (engine->fetch_fault).  May flush everything. */
struct block *blocks_get(struct engine *engine, guest_addr pc);
/* A block at `pc` of at most `limit` instructions, valid until the next call. */
struct block *blocks_get_partial(struct engine *engine, guest_addr pc, uint64_t limit);
/* Makes a suspect block live again if its bytes are still the same, else dead. */
void blocks_verify(struct engine *engine, struct block *block);
struct block *blocks_containing(struct engine *engine, const struct op *op);
guest_addr blocks_pc_of(const struct block *block, const struct op *op);
/* The guest instruction that `op` was made from. */
void blocks_instruction(const struct block *block, const struct op *op, struct rv64_insn *insn);

/* The instruction of `op` and what follows it in `block` do not retire after all:
 * takes them out of the totals and runs that have them already. */
void blocks_reduce_totals(const struct engine *engine, const struct block *block,
                          const struct op *op);

/* build.c: decodes at most `limit` instructions into `at`, which has room for
 * the largest block.  Returns the bytes used, 0 if nothing can be fetched. */
#define BLOCK_BYTES_MAX (sizeof(struct block) + BLOCK_INSTRUCTIONS * (512 + UNITS_MAX * 96))
size_t build_block(struct engine *engine, uint8_t *at, guest_addr pc, uint64_t limit);

/* run.c: the handlers' addresses, and the loop itself. */
const void *const *run_handlers(void);
enum engine_stop run_hart(struct engine *engine, struct hart *hart);

/* Handlers that are not one of the instruction set's operations. */
enum handler {
    HANDLER_FIRST_SPECIAL = RV64_OP_COUNT,
    HANDLER_block_end = HANDLER_FIRST_SPECIAL,
    HANDLER_stop_ecall,
    HANDLER_stop_ebreak,
    HANDLER_stop_illegal,
    HANDLER_stop_system,
    HANDLER_float_csr,
    HANDLER_watch_pc,
    HANDLER_watch_before,
    HANDLER_watch_after,
    HANDLER_watch_total,
    HANDLER_watch_run,
    HANDLER_watch_course,
    HANDLER_falls_beq, /* branches that count where they do not branch, in the order of the operations */
    HANDLER_falls_bne,
    HANDLER_falls_blt,
    HANDLER_falls_bge,
    HANDLER_falls_bltu,
    HANDLER_falls_bgeu,
    HANDLER_record,
    HANDLER_record_access,
    HANDLER_FIRST_PAIR,
#define PAIR(first, second, join) HANDLER_##first##_##second##_##join,
#define PAIR_BRANCH(first, second, join)                                                           \
    HANDLER_##first##_##second##_##join, HANDLER_##first##_##second##_##join##_falls,
#include "machine/engine/pairs.def"
#undef PAIR
#undef PAIR_BRANCH
    HANDLER_COUNT
};

#endif
