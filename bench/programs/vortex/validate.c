/* Looks at everything in the database from every side, and at whether the sides agree. */
#include <string.h>
#include "database.h"

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return STATUS_DAMAGED;                                                                 \
        }                                                                                          \
    } while (0)

static enum status validate_person(struct database *database, uint32_t id, handle at)
{
    struct person person;
    handle other;
    uint32_t designs;
    TRY(object_get(&database->store, at, TYPE_PERSON, &person));
    TRY(schema_check(TYPE_PERSON, &person));
    EXPECT(person.id == id);
    TRY(btree_find(&database->person_by_department, key_of_pair(person.department, id), &other));
    EXPECT(other == at);
    TRY(person_find_by_name(database, person.name, &other));
    EXPECT(other == at);
    TRY(list_count(&database->store, person.designs, &designs));
    for (uint32_t i = 0; i < designs; i++) {
        struct drawing drawing;
        TRY(list_get(&database->store, person.designs, i, &other));
        TRY(object_get(&database->store, other, TYPE_DRAWING, &drawing));
        EXPECT(drawing.designer == at);
    }
    return STATUS_OK;
}

static enum status validate_drawing(struct database *database, uint32_t id, handle at)
{
    struct drawing drawing;
    struct person designer;
    uint32_t parts;
    TRY(object_get(&database->store, at, TYPE_DRAWING, &drawing));
    TRY(schema_check(TYPE_DRAWING, &drawing));
    EXPECT(drawing.id == id);
    TRY(list_count(&database->store, drawing.parts, &parts));
    EXPECT(parts == drawing.part_count);
    TRY(object_get(&database->store, drawing.designer, TYPE_PERSON, &designer));
    return list_contains(&database->store, designer.designs, at);
}

static enum status validate_connections(struct database *database, handle at,
                                        const struct part *part)
{
    uint32_t incoming;
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        struct part target;
        if (part->to[i] != HANDLE_NONE) {
            TRY(object_get(&database->store, part->to[i], TYPE_PART, &target));
            TRY(list_contains(&database->store, target.from, at));
        }
    }
    TRY(list_count(&database->store, part->from, &incoming));
    for (uint32_t i = 0; i < incoming; i++) {
        struct part source;
        handle other;
        TRY(list_get(&database->store, part->from, i, &other));
        TRY(object_get(&database->store, other, TYPE_PART, &source));
        EXPECT(source.to[0] == at || source.to[1] == at || source.to[2] == at);
    }
    return STATUS_OK;
}

static enum status validate_part(struct database *database, uint32_t id, handle at)
{
    struct part part, same;
    struct drawing drawing;
    handle other;
    TRY(object_get(&database->store, at, TYPE_PART, &part));
    TRY(schema_check(TYPE_PART, &part));
    EXPECT(part.id == id);
    TRY(btree_find(&database->part_by_kind, key_of_pair(part.kind, id), &other));
    EXPECT(other == at);
    TRY(part_find_by_name(database, part.name, &other, &same));
    EXPECT(other == at);
    TRY(object_get(&database->store, part.drawing, TYPE_DRAWING, &drawing));
    TRY(list_contains(&database->store, drawing.parts, at));
    return validate_connections(database, at, &part);
}

static enum status validate_each(struct database *database, const struct btree *tree,
                                 enum status (*validate)(struct database *, uint32_t, handle))
{
    struct cursor cursor;
    uint64_t key;
    handle at;
    uint32_t count = 0;
    TRY(btree_seek(tree, 0, &cursor));
    while (btree_next(tree, &cursor, &key, &at) == STATUS_OK) {
        TRY(validate(database, (uint32_t)key, at));
        count++;
    }
    EXPECT(count == tree->count);
    return STATUS_OK;
}

/* One entry for each object in each index; with every object found in each, none is left over. */
static enum status validate_counts(const struct database *database)
{
    const uint32_t *live = database->store.live;
    EXPECT(live[TYPE_PERSON] == database->person_by_id.count);
    EXPECT(live[TYPE_PERSON] == database->person_by_department.count);
    EXPECT(live[TYPE_PERSON] == database->person_by_name.count);
    EXPECT(live[TYPE_PART] == database->part_by_id.count);
    EXPECT(live[TYPE_PART] == database->part_by_kind.count);
    EXPECT(live[TYPE_PART] == database->part_by_name.count);
    EXPECT(live[TYPE_DRAWING] == database->drawing_by_id.count);
    return STATUS_OK;
}

enum status database_validate(struct database *database)
{
    TRY(store_validate(&database->store));
    TRY(btree_validate(&database->person_by_id));
    TRY(btree_validate(&database->person_by_department));
    TRY(hash_validate(&database->person_by_name));
    TRY(btree_validate(&database->part_by_id));
    TRY(btree_validate(&database->part_by_kind));
    TRY(hash_validate(&database->part_by_name));
    TRY(btree_validate(&database->drawing_by_id));
    TRY(validate_each(database, &database->person_by_id, validate_person));
    TRY(validate_each(database, &database->drawing_by_id, validate_drawing));
    TRY(validate_each(database, &database->part_by_id, validate_part));
    return validate_counts(database);
}
