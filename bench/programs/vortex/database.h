/* The database: three schemas, their indices and the relations between their objects. */
#ifndef VORTEX_DATABASE_H
#define VORTEX_DATABASE_H

#include "btree.h"
#include "hash.h"
#include "list.h"
#include "schema.h"

struct database {
    struct store store;
    struct btree person_by_id;
    struct btree person_by_department; /* keys: department, then id */
    struct hash person_by_name;
    struct btree part_by_id;
    struct btree part_by_kind; /* keys: kind, then id */
    struct hash part_by_name;
    struct btree drawing_by_id;
};

static inline uint64_t key_of_pair(uint32_t first, uint32_t second)
{
    return (uint64_t)first << 32 | second;
}

enum status database_create(struct database *database, unsigned frames);
void database_destroy(struct database *database);

enum status person_find(struct database *database, uint32_t id, handle *at, struct person *person);
enum status person_find_by_name(struct database *database, const char *name, handle *at);
enum status person_create(struct database *database, struct person *person, uint32_t manager_id);
enum status person_delete(struct database *database, uint32_t id);
enum status department_raise(struct database *database, uint32_t department, uint32_t amount,
                             uint32_t *raised);

/* How many managers a person has above. */
enum status person_rank(struct database *database, uint32_t id, uint32_t *rank);

enum status drawing_find(struct database *database, uint32_t id, handle *at,
                         struct drawing *drawing);
enum status drawing_create(struct database *database, uint32_t id, const char *name,
                           uint32_t designer_id);

/* With all of its parts; adds how many they were. */
enum status drawing_delete(struct database *database, uint32_t id, uint32_t *parts);

enum status part_find(struct database *database, uint32_t id, handle *at, struct part *part);
enum status part_find_by_name(struct database *database, const char *name, handle *at,
                              struct part *part);
enum status part_create(struct database *database, struct part *part, uint32_t drawing_id);
enum status part_connect(struct database *database, uint32_t from_id, unsigned connection,
                         uint32_t to_id, uint32_t length);
enum status part_change_kind(struct database *database, uint32_t id, uint32_t kind);
enum status part_delete(struct database *database, uint32_t id);

/* Visits what a part is connected to, and so on; a part counts as often as it is reached. */
enum status part_traverse(struct database *database, handle at, unsigned depth, uint32_t *visited,
                          uint64_t *sum);
enum status part_scan_kind(struct database *database, uint32_t kind, uint32_t *count,
                           uint64_t *sum);

/* Every index, relation and attribute of everything. */
enum status database_validate(struct database *database);

#endif
