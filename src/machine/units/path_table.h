/* The ways through a program that were executed, each with how often: for units that follow paths.
 *
 * A path begins where a direct branch or jump leads backward, calls excepted, and ends where the next one does, or where
 * it would have more blocks than a path may.  Then nothing is a path until the next one begins. */
#ifndef STRATA_MACHINE_UNITS_PATH_TABLE_H
#define STRATA_MACHINE_UNITS_PATH_TABLE_H

#include "machine/units/blocks.h"
#include "machine/units/pc_table.h"

/* A path is hot with more than one in so many executions of all paths: 0.1 %. */
#define PATH_HOT_SHARE 1000
/* Blocks of a path, unless somebody says otherwise. */
#define PATH_BLOCKS 48

/* A path that was executed; its key in the table is a digest of it.  What a unit knows of it begins with this. */
struct known_path {
    struct pc_item item;
    uint64_t executions;
    uint64_t next; /* where it leads */
    unsigned count;
    uint64_t *blocks; /* behind what the unit knows */
};

struct path_table {
    struct pc_table known;
    size_t bytes; /* of what the unit knows of a path */
    uint64_t executions;
};

/* False if memory runs out. */
bool path_table_create(struct path_table *table, size_t bytes);
void path_table_destroy(struct path_table *table);
/* The path has been executed once more; what the unit knows of a new one is all zero. */
struct known_path *path_table_count(struct path_table *table, const struct find *path);

/* The hot ones, the most executed first: to be freed. */
struct hot_paths {
    uint64_t executions; /* of all of them */
    size_t count;
    const struct known_path **paths;
};
struct hot_paths path_table_hot(const struct path_table *table);
bool path_table_is_hot(const struct path_table *table, const struct known_path *known);

/* Which path a hart is on. */
struct path_walk {
    bool under_way;
    uint64_t at; /* where control went last */
    struct find path;
};

/* What the branch or jump of an event does to the path. */
enum path_step {
    PATH_NONE,    /* there was none */
    PATH_GOES_ON, /* it has more blocks, perhaps */
    PATH_ENDS,    /* it leads to where the event does: path.next */
    PATH_CUT,     /* the same, since it may not have more blocks */
    PATH_DROPPED, /* it was left other than by a branch, or for code that is not looked at */
};
/* Whoever looks at the path that has ended does it before the next one begins. */
enum path_step path_walk_on(struct path_walk *walk, const struct watch_event *event, unsigned most,
                            bool included);
/* Whether a path begins where the event leads. */
static inline bool path_walk_begins(const struct watch_event *event)
{
    return blocks_flow(event) == FLOW_BACK;
}
void path_walk_begin(struct path_walk *walk, uint64_t head);

#endif
