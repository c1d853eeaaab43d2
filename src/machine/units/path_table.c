/* The ways through a program that were executed, each with how often: for units that follow paths. */
#include "machine/units/path_table.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

bool path_table_create(struct path_table *table, size_t bytes)
{
    ASSERT(bytes >= sizeof(struct known_path) && bytes % sizeof(uint64_t) == 0);
    *table = (struct path_table){.bytes = bytes};
    return pc_table_create(&table->known);
}

void path_table_destroy(struct path_table *table)
{
    pc_table_destroy(&table->known);
}

static uint64_t digest_of(const struct find *path)
{
    uint64_t digest = spread_mix(path->next);

    for (unsigned i = 0; i < path->count; i++) {
        digest = spread_mix(digest ^ path->blocks[i]);
    }
    return digest;
}

static bool is_same(const struct known_path *known, const struct find *path, uint64_t digest)
{
    return known->item.pc == digest && known->count == path->count && known->next == path->next &&
           memcmp(known->blocks, path->blocks, path->count * sizeof *path->blocks) == 0;
}

static struct known_path *find_path(struct path_table *table, const struct find *path)
{
    const uint64_t digest = digest_of(path);

    for (struct pc_item *item = pc_table_first(&table->known, digest); item != NULL;
         item = item->next) {
        struct known_path *known = (struct known_path *)(void *)item;
        if (is_same(known, path, digest)) {
            return known;
        }
    }
    struct known_path *known = calloc(1, table->bytes + path->count * sizeof known->blocks[0]);
    ASSERT(known != NULL);
    known->item.pc = digest;
    known->count = path->count;
    known->next = path->next;
    known->blocks = (uint64_t *)(void *)((char *)known + table->bytes);
    memcpy(known->blocks, path->blocks, path->count * sizeof *path->blocks);
    pc_table_add(&table->known, &known->item);
    return known;
}

struct known_path *path_table_count(struct path_table *table, const struct find *path)
{
    struct known_path *known = find_path(table, path);

    table->executions++;
    known->executions++;
    return known;
}

bool path_table_is_hot(const struct path_table *table, const struct known_path *known)
{
    return known->executions > table->executions / PATH_HOT_SHARE;
}

struct gathering {
    const struct path_table *table;
    struct hot_paths *hot;
};

/* Each has more than a thousandth of all executions, and is executed at least once: there are fewer than a thousand. */
static void add_hot(struct pc_item *item, void *context)
{
    const struct gathering *gathering = context;
    const struct known_path *known = (const struct known_path *)(const void *)item;

    if (path_table_is_hot(gathering->table, known)) {
        ASSERT(gathering->hot->count < PATH_HOT_SHARE);
        gathering->hot->executions += known->executions;
        gathering->hot->paths[gathering->hot->count++] = known;
    }
}

/* The most executed first, and those executed as often in the order of their addresses. */
static int by_executions(const void *a, const void *b)
{
    const struct known_path *left = *(const struct known_path *const *)a;
    const struct known_path *right = *(const struct known_path *const *)b;

    if (left->executions != right->executions) {
        return left->executions < right->executions ? 1 : -1;
    }
    const unsigned common = left->count < right->count ? left->count : right->count;
    for (unsigned i = 0; i < common; i++) {
        if (left->blocks[i] != right->blocks[i]) {
            return left->blocks[i] < right->blocks[i] ? -1 : 1;
        }
    }
    return left->count != right->count ? (left->count < right->count ? -1 : 1)
                                       : (left->next > right->next) - (left->next < right->next);
}

struct hot_paths path_table_hot(const struct path_table *table)
{
    struct hot_paths hot = {.paths = calloc(PATH_HOT_SHARE, sizeof *hot.paths)};
    struct gathering gathering = {.table = table, .hot = &hot};

    ASSERT(hot.paths != NULL);
    pc_table_each(&table->known, add_hot, &gathering);
    qsort(hot.paths, hot.count, sizeof *hot.paths, by_executions);
    return hot;
}

static enum path_step drop(struct path_walk *walk)
{
    const bool under_way = walk->under_way;

    walk->under_way = false;
    return under_way ? PATH_DROPPED : PATH_NONE;
}

/* The path under way goes on at `next`, or ends there. */
static enum path_step go_on(struct path_walk *walk, const struct watch_event *event, unsigned most,
                            uint64_t next)
{
    struct find *path = &walk->path;
    const enum flow flow = blocks_advance(path, event);

    if (flow == FLOW_WITHIN) {
        return PATH_GOES_ON;
    }
    if (flow == FLOW_BLOCK && path->count < most) {
        path->blocks[path->count++] = next;
        return PATH_GOES_ON;
    }
    if (path->count == 0) { /* a jump was all of it, and it leads back */
        return PATH_GOES_ON;
    }
    walk->under_way = false;
    path->next = next;
    return flow == FLOW_BLOCK ? PATH_CUT : PATH_ENDS;
}

enum path_step path_walk_on(struct path_walk *walk, const struct watch_event *event, unsigned most,
                            bool included)
{
    const uint64_t next = blocks_next(event);
    const bool jumped = event->instruction->pc < walk->at;

    walk->at = next;
    if (jumped || !included) {
        return drop(walk);
    }
    return walk->under_way ? go_on(walk, event, most, next) : PATH_NONE;
}

void path_walk_begin(struct path_walk *walk, uint64_t head)
{
    walk->under_way = true;
    blocks_begin(&walk->path, head);
}
