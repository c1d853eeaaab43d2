/* The database itself, and persons: who they are, where they work, who manages them. */
#include <string.h>
#include "database.h"

enum { RANK_MAX = 1000 };

enum status database_create(struct database *database, unsigned frames)
{
    store_init(&database->store, frames);
    TRY(btree_create(&database->person_by_id, &database->store));
    TRY(btree_create(&database->person_by_department, &database->store));
    TRY(hash_create(&database->person_by_name, &database->store));
    TRY(btree_create(&database->part_by_id, &database->store));
    TRY(btree_create(&database->part_by_kind, &database->store));
    TRY(hash_create(&database->part_by_name, &database->store));
    return btree_create(&database->drawing_by_id, &database->store);
}

void database_destroy(struct database *database)
{
    hash_destroy(&database->person_by_name);
    hash_destroy(&database->part_by_name);
    store_destroy(&database->store);
}

enum status person_find(struct database *database, uint32_t id, handle *at, struct person *person)
{
    TRY(btree_find(&database->person_by_id, id, at));
    TRY(object_get(&database->store, *at, TYPE_PERSON, person));
    return person->id == id ? STATUS_OK : STATUS_DAMAGED;
}

enum status person_find_by_name(struct database *database, const char *name, handle *at)
{
    handle candidates[HASH_CANDIDATES];
    unsigned count;
    TRY(hash_find(&database->person_by_name, hash_of_name(name), candidates, &count));
    for (unsigned i = 0; i < count; i++) {
        struct person person;
        TRY(object_get(&database->store, candidates[i], TYPE_PERSON, &person));
        if (strcmp(person.name, name) == 0) {
            *at = candidates[i];
            return STATUS_OK;
        }
    }
    return STATUS_NOT_FOUND;
}

static enum status count_report(struct database *database, handle manager, int change)
{
    struct person person;
    TRY(object_get(&database->store, manager, TYPE_PERSON, &person));
    person.reports += (uint32_t)change;
    return object_put(&database->store, manager, TYPE_PERSON, &person);
}

enum status person_create(struct database *database, struct person *person, uint32_t manager_id)
{
    handle at, existing;
    if (btree_find(&database->person_by_id, person->id, &existing) == STATUS_OK) {
        return STATUS_DUPLICATE;
    }
    if (manager_id != 0) {
        struct person manager;
        TRY(person_find(database, manager_id, &person->manager, &manager));
        TRY(count_report(database, person->manager, 1));
    }
    TRY(object_create(&database->store, TYPE_PERSON, person, &at));
    TRY(btree_insert(&database->person_by_id, person->id, at));
    TRY(btree_insert(&database->person_by_department, key_of_pair(person->department, person->id),
                     at));
    return hash_insert(&database->person_by_name, hash_of_name(person->name), at);
}

enum status person_delete(struct database *database, uint32_t id)
{
    struct person person;
    handle at;
    TRY(person_find(database, id, &at, &person));
    if (person.reports != 0 || person.designs != HANDLE_NONE) {
        return STATUS_IN_USE;
    }
    if (person.manager != HANDLE_NONE) {
        TRY(count_report(database, person.manager, -1));
    }
    TRY(btree_delete(&database->person_by_id, id));
    TRY(btree_delete(&database->person_by_department, key_of_pair(person.department, id)));
    TRY(hash_delete(&database->person_by_name, hash_of_name(person.name), at));
    return store_free(&database->store, at, TYPE_PERSON);
}

static enum status raise_one(struct database *database, handle at, uint32_t department,
                             uint32_t amount)
{
    struct person person;
    TRY(object_get(&database->store, at, TYPE_PERSON, &person));
    if (person.department != department) {
        return STATUS_DAMAGED;
    }
    person.salary = person.salary + amount > 900000 ? 900000 : person.salary + amount;
    return object_put(&database->store, at, TYPE_PERSON, &person);
}

enum status department_raise(struct database *database, uint32_t department, uint32_t amount,
                             uint32_t *raised)
{
    struct cursor cursor;
    uint64_t key;
    handle at;
    if (department >= DEPARTMENTS) {
        return STATUS_BAD_ARGUMENT;
    }
    *raised = 0;
    TRY(btree_seek(&database->person_by_department, key_of_pair(department, 0), &cursor));
    while (btree_next(&database->person_by_department, &cursor, &key, &at) == STATUS_OK &&
           key >> 32 == department) {
        TRY(raise_one(database, at, department, amount));
        (*raised)++;
    }
    return STATUS_OK;
}

enum status person_rank(struct database *database, uint32_t id, uint32_t *rank)
{
    struct person person;
    handle at;
    TRY(person_find(database, id, &at, &person));
    for (*rank = 0; person.manager != HANDLE_NONE; (*rank)++) {
        if (*rank == RANK_MAX) {
            return STATUS_DAMAGED;
        }
        TRY(object_get(&database->store, person.manager, TYPE_PERSON, &person));
    }
    return STATUS_OK;
}
