/* Divides a procedure into traces along its most frequent forks, as Kistler and Franz do, until every block is covered. */
#include "translator/detect/procedure.h"

#include "translator/fragment/build.h"
#include "translator/fragment/translator.h"

/* The number of the first procedure behind `pc`. */
static unsigned number_behind(const struct procedures *procedures, guest_addr pc)
{
    unsigned low = 0, high = procedures->count;

    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (procedures->of[middle].entry <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void procedures_note(struct procedures *procedures, guest_addr entry)
{
    const unsigned behind = number_behind(procedures, entry);

    if ((behind != 0 && procedures->of[behind - 1].entry == entry) ||
        procedures->count == PROCEDURES) {
        return;
    }
    for (unsigned i = procedures->count++; i > behind; i--) {
        procedures->of[i] = procedures->of[i - 1];
    }
    procedures->of[behind] = (struct procedure){.entry = entry};
}

struct procedure *procedures_find(struct procedures *procedures, guest_addr pc)
{
    const unsigned behind = number_behind(procedures, pc);

    return behind != 0 ? &procedures->of[behind - 1] : NULL;
}

/* The block that begins at `start`; NULL if that is none of this procedure, or was not executed. */
static struct procedure_block *find(struct procedure_blocks *blocks, guest_addr start)
{
    unsigned low = 0, high = blocks->count;

    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (blocks->blocks[middle].fragment->start < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    struct procedure_block *block = &blocks->blocks[low];
    return low < blocks->count && block->fragment->start == start ? block : NULL;
}

/* Where the block leads, by the program's code that is there. */
static void read_ways(struct context *context, struct procedure_block *block)
{
    struct plan *plan = &context->translator->plan;

    if (!build_plan(context, block->fragment->start, plan)) {
        return;
    }
    const struct step *last = plan->end - 1;
    switch (last->kind) {
    case STEP_BRANCH:
        block->ways[0] = last->value;
        block->ways[1] = step_end(last);
        block->branches = true;
        break;
    case STEP_JUMP:
    case STEP_ON:
        block->ways[0] = last->value;
        break;
    case STEP_CALL:
        block->call = last->value;
        block->ways[0] = step_end(last);
        break;
    case STEP_INDIRECT_CALL:
    case STEP_SYSTEM_CALL:
    case STEP_SYNC:
        block->ways[0] = step_end(last);
        block->returns = true; /* for a trace it is over here, all the same */
        break;
    default:
        block->returns = true;
        break;
    }
}

struct fragment *procedure_next(const struct translator *translator,
                                const struct procedures *procedures,
                                const struct procedure *procedure, const struct fragment *fragment)
{
    const struct index *index = &translator->index;
    const struct procedure *behind = procedure + 1;
    const guest_addr end = behind < procedures->of + procedures->count ? behind->entry : UINT64_MAX;
    struct fragment *next = fragment == NULL ? index->last : fragment->before;

    while (next != NULL && (next->start < procedure->entry || next->start >= end || next->guarded ||
                            index_find(index, next->start) != next)) {
        next = next->before;
    }
    return next;
}

static bool is_covered(const struct fragment *fragment)
{
    return fragment->loop == NULL || fragment->loop->profiled || fragment->holders != NULL;
}

/* Into `count` fragments in falling order of their addresses, since they mostly come in that order: the last ones that were
 * built come first. */
static void insert(struct fragment **fragments, unsigned count, struct fragment *fragment)
{
    for (; count > 0 && fragments[count - 1]->start < fragment->start; count--) {
        fragments[count] = fragments[count - 1];
    }
    fragments[count] = fragment;
}

/* Puts the fragments that procedure_read looks at in order. */
static void choose(const struct translator *translator, const struct procedures *procedures,
                   const struct procedure *procedure, struct procedure_blocks *blocks)
{
    struct fragment *at = NULL;
    unsigned count = 0;

    while ((at = procedure_next(translator, procedures, procedure, at)) != NULL) {
        count++;
    }
    blocks->count = 0;
    while (blocks->count < PROCEDURE_BLOCKS &&
           (at = procedure_next(translator, procedures, procedure, at)) != NULL) {
        if (count <= PROCEDURE_BLOCKS || !is_covered(at)) {
            insert(blocks->fragments, blocks->count++, at);
        }
    }
}

/* Follows all ways from the block to blocks that were not seen before, depth first.  One that comes to a block that it led
 * through is a loop's last. */
static void find_heads_from(struct procedure_blocks *blocks, struct procedure_block *first)
{
    unsigned depth = 0;

    if (first == NULL || first->seen) {
        return;
    }
    first->seen = first->open = true;
    blocks->way[depth++] = first;
    while (depth > 0) {
        struct procedure_block *block = blocks->way[depth - 1];
        if (block->followed == 2) {
            block->open = false;
            depth--;
            continue;
        }
        struct procedure_block *to = find(blocks, block->ways[block->followed++]);
        if (to != NULL && to->seen) {
            to->head |= to->open;
        } else if (to != NULL) {
            to->seen = to->open = true;
            blocks->way[depth++] = to;
        }
    }
}

void procedure_find_heads(struct procedure_blocks *blocks)
{
    find_heads_from(blocks, find(blocks, blocks->entry));
    for (unsigned i = 0; i < blocks->count; i++) {
        find_heads_from(blocks, &blocks->blocks[i]);
    }
}

void procedure_read(struct context *context, const struct procedures *procedures,
                    const struct procedure *procedure, struct procedure_blocks *blocks)
{
    struct translator *translator = context->translator;

    blocks->entry = procedure->entry;
    choose(translator, procedures, procedure, blocks);
    for (unsigned i = 0; i < blocks->count; i++) {
        struct procedure_block *block = &blocks->blocks[i];
        *block = (struct procedure_block){.fragment = blocks->fragments[blocks->count - 1 - i]};
        const struct loop *loop = block->fragment->loop;
        if (loop != NULL) {
            const uint64_t all = translator->counts->kind->read(translator, loop).executions;
            const bool lost = all < loop->executions_alone; /* with a counter that was evicted */
            block->executions = lost ? 0 : all - loop->executions_alone;
        }
        block->covered = is_covered(block->fragment);
        read_ways(context, block);
    }
    for (unsigned i = 0; i < blocks->count; i++) {
        for (unsigned way = 0; way < 2; way++) {
            struct procedure_block *to = find(blocks, blocks->blocks[i].ways[way]);
            if (to != NULL) {
                to->before++;
            }
        }
    }
    procedure_find_heads(blocks);
}

/* How often the block went on to `to`.  Blocks are counted, not ways: where another block leads to `to`, too, the other way
 * of the branch says it, unless that has several blocks before it as well. */
static uint64_t forked(const struct procedure_block *block, const struct procedure_block *to,
                       const struct procedure_block *other)
{
    if (to == NULL) {
        return other == NULL || other->executions > block->executions
                   ? 0
                   : block->executions - other->executions;
    }
    if (to->before > 1 && (other == NULL || other->before == 1)) {
        const uint64_t others = other != NULL ? other->executions : 0;
        return block->executions > others ? block->executions - others : 0;
    }
    return to->executions < block->executions ? to->executions : block->executions;
}

/* Where the block goes on most often: 0 if its trace is over. */
static guest_addr most_frequent(struct procedure_blocks *blocks,
                                const struct procedure_block *block)
{
    if (block->returns || block->call != 0) {
        return 0;
    }
    if (!block->branches) {
        return block->ways[0];
    }
    const struct procedure_block *first = find(blocks, block->ways[0]);
    const struct procedure_block *second = find(blocks, block->ways[1]);
    const bool takes_first = forked(block, first, second) >= forked(block, second, first);

    return block->ways[takes_first ? 0 : 1];
}

/* By which the block comes before others: a head before the other blocks of its loop, which are executed about as often. */
static uint64_t weight_of(const struct procedure_block *block)
{
    return block->head ? 2 * block->executions : block->executions;
}

static struct procedure_block *choose_start(struct procedure_blocks *blocks)
{
    struct procedure_block *most = find(blocks, blocks->entry);

    if (most != NULL && !most->covered) {
        return most;
    }
    most = NULL;
    for (unsigned i = 0; i < blocks->count; i++) {
        struct procedure_block *block = &blocks->blocks[i];
        if (!block->covered && (most == NULL || weight_of(block) > weight_of(most))) {
            most = block;
        }
    }
    return most;
}

/* As trace scheduling has it, no trace goes on over the head of a loop: a program that is in the loop already would never
 * come to where such a trace begins. */
struct procedure_block *procedure_cover(struct procedure_blocks *blocks, struct path *path)
{
    struct procedure_block *const start = choose_start(blocks);
    struct procedure_block *block = start;

    *path = (struct path){.turns = 1};
    while (block != NULL && !block->covered && path->count < PATH_BLOCKS &&
           (block == start || !block->head)) {
        block->covered = true;
        path->blocks[path->count++] = block->fragment->start;
        path->next = most_frequent(blocks, block);
        block = find(blocks, path->next);
    }
    return start;
}
