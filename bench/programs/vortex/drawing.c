/* Drawings: who designed them, and which parts are on them. */
#include <string.h>
#include "database.h"

enum status drawing_find(struct database *database, uint32_t id, handle *at,
                         struct drawing *drawing)
{
    TRY(btree_find(&database->drawing_by_id, id, at));
    TRY(object_get(&database->store, *at, TYPE_DRAWING, drawing));
    return drawing->id == id ? STATUS_OK : STATUS_DAMAGED;
}

enum status drawing_create(struct database *database, uint32_t id, const char *name,
                           uint32_t designer_id)
{
    struct drawing drawing;
    struct person designer;
    handle at;
    if (btree_find(&database->drawing_by_id, id, &at) == STATUS_OK) {
        return STATUS_DUPLICATE;
    }
    memset(&drawing, 0, sizeof drawing);
    drawing.id = id;
    strncpy(drawing.name, name, NAME_BYTES - 1);
    TRY(person_find(database, designer_id, &drawing.designer, &designer));
    TRY(object_create(&database->store, TYPE_DRAWING, &drawing, &at));
    TRY(list_add(&database->store, &designer.designs, at));
    TRY(object_put(&database->store, drawing.designer, TYPE_PERSON, &designer));
    return btree_insert(&database->drawing_by_id, id, at);
}

static enum status delete_parts(struct database *database, handle at, struct drawing *drawing,
                                uint32_t *parts)
{
    while (drawing->parts != HANDLE_NONE) {
        struct part part;
        handle part_at;
        TRY(list_get(&database->store, drawing->parts, 0, &part_at));
        TRY(object_get(&database->store, part_at, TYPE_PART, &part));
        TRY(part_delete(database, part.id));
        TRY(object_get(&database->store, at, TYPE_DRAWING, drawing));
        (*parts)++;
    }
    return drawing->part_count == 0 ? STATUS_OK : STATUS_DAMAGED;
}

enum status drawing_delete(struct database *database, uint32_t id, uint32_t *parts)
{
    struct drawing drawing;
    struct person designer;
    handle at;
    TRY(drawing_find(database, id, &at, &drawing));
    TRY(delete_parts(database, at, &drawing, parts));
    TRY(object_get(&database->store, drawing.designer, TYPE_PERSON, &designer));
    TRY(list_remove(&database->store, &designer.designs, at));
    TRY(object_put(&database->store, drawing.designer, TYPE_PERSON, &designer));
    TRY(btree_delete(&database->drawing_by_id, id));
    return store_free(&database->store, at, TYPE_DRAWING);
}
