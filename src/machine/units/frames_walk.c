/* The frames of one hardware context: that which is being built, and that which runs. */
#include "machine/units/frames_walk.h"

#include "machine/units/bits.h"

void frames_walk_break(struct frames_walk *walk, struct frames_shared *shared)
{
    shared->counts.broken += walk->state != FRAMES_IDLE;
    walk->state = FRAMES_IDLE;
    walk->at = FRAME_ANYWHERE;
    walk->near = 0;
}

static bool is_direct(const struct watch_event *event)
{
    return (event->instruction->flags & (WATCHED_CONDITIONAL | WATCHED_INDIRECT)) == 0;
}

/* At `head`: the frame of the cache that begins there, or a new one. */
static void begin(struct frames_walk *walk, struct frames_shared *shared, uint64_t head)
{
    struct frame *frame = frames_cache_find(&shared->cache, head);

    walk->instructions = 0;
    if (frame != NULL) {
        frames_cache_use(&shared->cache, frame);
        walk->state = FRAMES_RUNNING;
        walk->running = frame;
        walk->running_number = frame->number;
        walk->position = 0;
    } else if (walk->near > 0 || finds_wants(shared->finds, head)) {
        walk->state = FRAMES_BUILDING;
        walk->frame.head = head;
        walk->frame.count = walk->asserted = walk->frame.path.count = 0;
        walk->path_ended = false;
        walk->at_block = true;
    }
}

/* The frame that is being built is whole. */
static void finish(struct frames_walk *walk, struct frames_shared *shared,
                   const struct watch_event *event)
{
    struct frames_counts *counts = &shared->counts;

    walk->state = FRAMES_IDLE;
    if (walk->instructions < shared->sizes.shortest || walk->asserted < shared->sizes.asserted ||
        walk->frame.path.count == 0) {
        counts->dropped += walk->frame.count > 0;
        return;
    }
    walk->frame.fires = walk->frame.completed = 0;
    frames_cache_add(&shared->cache, &walk->frame);
    counts->built++;
    counts->built_instructions += walk->instructions;
    counts->built_assertions += walk->asserted;
    if (shared->sizes.completed == 0) {
        finds_add(shared->finds, event, &walk->frame.path);
    }
}

static void extend_path(struct frames_walk *walk, const struct watch_event *event, bool holds)
{
    struct find *path = &walk->frame.path;
    const uint64_t next = blocks_next(event);

    if (walk->path_ended) {
        return;
    }
    if (walk->at_block) {
        path->blocks[path->count++] = walk->at;
    }
    const enum flow flow = blocks_advance(path, event);
    const bool home = path->count > 0 && path->blocks[0] == next;
    const bool inner = flow == FLOW_BACK && blocks_include(path, next);

    walk->at_block = flow != FLOW_WITHIN;
    path->next = walk->at_block && holds ? next : 0;
    walk->path_ended = walk->at_block && (!holds || home || inner || path->count == FIND_BLOCKS);
}

static void build(struct frames_walk *walk, struct frames_shared *shared,
                  const struct watch_event *event, uint64_t instructions, bool holds)
{
    const struct frames_sizes *sizes = &shared->sizes;
    struct frame *frame = &walk->frame;

    extend_path(walk, event, holds);
    walk->instructions += instructions;
    walk->asserted += holds && !is_direct(event);
    frame->steps[frame->count++] = holds ? blocks_next(event) : FRAME_ANYWHERE;
    if (!holds || frame->count == sizes->steps || walk->instructions == sizes->longest) {
        finish(walk, shared, event);
    }
}

static void complete(struct frames_walk *walk, struct frames_shared *shared,
                     const struct watch_event *event)
{
    struct frame *frame = walk->running;

    walk->state = FRAMES_IDLE;
    frame->fires = 0;
    frame->completed++;
    if (shared->sizes.completed != 0 &&
        finds_is_due(shared->finds, frame->head, frame->completed, shared->sizes.completed)) {
        finds_add(shared->finds, event, &frame->path);
    }
    shared->counts.completed++;
    shared->counts.covered += walk->instructions;
}

static void fire(struct frames_walk *walk, struct frames_shared *shared)
{
    walk->state = FRAMES_IDLE;
    shared->counts.fired++;
    shared->counts.undone += walk->instructions;
    if (++walk->running->fires == shared->sizes.fires) {
        frames_cache_evict(walk->running);
        shared->counts.evicted++;
    }
}

static void run(struct frames_walk *walk, struct frames_shared *shared,
                const struct watch_event *event, uint64_t instructions)
{
    const struct frame *frame = walk->running;
    const uint64_t next = blocks_next(event);

    if (frame->number != walk->running_number) {
        frames_walk_break(walk, shared); /* another context has put it out of the cache */
        return;
    }
    const uint64_t step = frame->steps[walk->position++];
    walk->instructions += instructions;
    if (step != FRAME_ANYWHERE && step != next) {
        fire(walk, shared);
    } else if (walk->position == frame->count) {
        complete(walk, shared, event);
    }
}

/* Whether a frame that is being built ends at `next`, since another one begins there. */
static bool ends_at(const struct frames_walk *walk, const struct frames_shared *shared,
                    uint64_t next)
{
    const struct watch_orders *orders = shared->finds->unit.host.orders;

    return next != walk->frame.head && (frames_cache_find(&shared->cache, next) != NULL ||
                                        (orders->only_told && finds_wants(shared->finds, next)));
}

/* Control comes to `next`. */
static void approach(struct frames_walk *walk, const struct frames_shared *shared, uint64_t next)
{
    if (shared->finds->unit.host.orders->only_told && finds_wants(shared->finds, next)) {
        walk->near = shared->sizes.near;
    } else if (walk->near > 0) {
        walk->near--;
    }
}

void frames_walk_step(struct frames_walk *walk, struct frames_shared *shared,
                      const struct watch_event *event, uint64_t instructions, bool holds)
{
    const uint64_t next = blocks_next(event), longest = shared->sizes.longest;

    if (walk->state == FRAMES_BUILDING && walk->instructions + instructions > longest) {
        finish(walk, shared, event);
        if (instructions <= longest) {
            begin(walk, shared, walk->at);
        }
    }
    if (walk->state == FRAMES_BUILDING) {
        build(walk, shared, event, instructions, holds);
    } else if (walk->state == FRAMES_RUNNING) {
        run(walk, shared, event, instructions);
    }
    if (walk->state == FRAMES_BUILDING && ends_at(walk, shared, next)) {
        finish(walk, shared, event);
    }
    approach(walk, shared, next);
    if (walk->state == FRAMES_IDLE) {
        begin(walk, shared, next);
    }
    walk->at = next;
}

/* The head and the steps of the frame that is being built, the blocks of its path, where that leads and where control
 * is; the counts of steps, assertions, blocks and instructions; what it does, whether the path has ended and whether a
 * block begins; how many branches are to go behind a named address; which frame runs, and at which step.  Blocks are compared with where a branch leads, and so is the step
 * of the frame that runs; its position with its end, and the number of instructions with the least and the most. */
struct unit_cost frames_walk_cost(const struct frames_sizes *sizes, uint64_t frames)
{
    const uint64_t addresses = 1 + sizes->steps + FIND_BLOCKS + 2;
    const unsigned count_bits =
        2 * bits_for(sizes->steps) + bits_for(FIND_BLOCKS) + bits_for(sizes->longest);
    const unsigned state_bits = 2 + 2 + bits_for(sizes->near);
    const unsigned running_bits = bits_for(frames - 1) + bits_for(sizes->steps);

    return (struct unit_cost){.storage_bits =
                                  addresses * ADDRESS_BITS + count_bits + state_bits + running_bits,
                              .comparators = FIND_BLOCKS + 4,
                              .adders = 5};
}
