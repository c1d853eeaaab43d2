/* Parts: what they are, where they are, and what they are connected to. */
#include <string.h>
#include "database.h"

enum status part_find(struct database *database, uint32_t id, handle *at, struct part *part)
{
    TRY(btree_find(&database->part_by_id, id, at));
    TRY(object_get(&database->store, *at, TYPE_PART, part));
    return part->id == id ? STATUS_OK : STATUS_DAMAGED;
}

enum status part_find_by_name(struct database *database, const char *name, handle *at,
                              struct part *part)
{
    handle candidates[HASH_CANDIDATES];
    unsigned count;
    TRY(hash_find(&database->part_by_name, hash_of_name(name), candidates, &count));
    for (unsigned i = 0; i < count; i++) {
        TRY(object_get(&database->store, candidates[i], TYPE_PART, part));
        if (strcmp(part->name, name) == 0) {
            *at = candidates[i];
            return STATUS_OK;
        }
    }
    return STATUS_NOT_FOUND;
}

static enum status enter_drawing(struct database *database, handle drawing_at, handle part)
{
    struct drawing drawing;
    TRY(object_get(&database->store, drawing_at, TYPE_DRAWING, &drawing));
    TRY(list_add(&database->store, &drawing.parts, part));
    drawing.part_count++;
    return object_put(&database->store, drawing_at, TYPE_DRAWING, &drawing);
}

static enum status leave_drawing(struct database *database, handle drawing_at, handle part)
{
    struct drawing drawing;
    TRY(object_get(&database->store, drawing_at, TYPE_DRAWING, &drawing));
    TRY(list_remove(&database->store, &drawing.parts, part));
    drawing.part_count--;
    return object_put(&database->store, drawing_at, TYPE_DRAWING, &drawing);
}

enum status part_create(struct database *database, struct part *part, uint32_t drawing_id)
{
    struct drawing drawing;
    handle at, existing;
    if (btree_find(&database->part_by_id, part->id, &existing) == STATUS_OK) {
        return STATUS_DUPLICATE;
    }
    TRY(drawing_find(database, drawing_id, &part->drawing, &drawing));
    TRY(object_create(&database->store, TYPE_PART, part, &at));
    TRY(enter_drawing(database, part->drawing, at));
    TRY(btree_insert(&database->part_by_id, part->id, at));
    TRY(btree_insert(&database->part_by_kind, key_of_pair(part->kind, part->id), at));
    return hash_insert(&database->part_by_name, hash_of_name(part->name), at);
}

static enum status disconnect(struct database *database, handle from, struct part *part,
                              unsigned connection)
{
    struct part target;
    handle to = part->to[connection];
    if (to == HANDLE_NONE) {
        return STATUS_OK;
    }
    TRY(object_get(&database->store, to, TYPE_PART, &target));
    TRY(list_remove(&database->store, &target.from, from));
    TRY(object_put(&database->store, to, TYPE_PART, &target));
    part->to[connection] = HANDLE_NONE;
    part->length[connection] = 0;
    return object_put(&database->store, from, TYPE_PART, part);
}

enum status part_connect(struct database *database, uint32_t from_id, unsigned connection,
                         uint32_t to_id, uint32_t length)
{
    struct part part, target;
    handle from, to;
    if (connection >= CONNECTIONS || from_id == to_id) {
        return STATUS_BAD_ARGUMENT;
    }
    TRY(part_find(database, from_id, &from, &part));
    TRY(disconnect(database, from, &part, connection));
    TRY(part_find(database, to_id, &to, &target));
    TRY(list_add(&database->store, &target.from, from));
    TRY(object_put(&database->store, to, TYPE_PART, &target));
    part.to[connection] = to;
    part.length[connection] = length;
    return object_put(&database->store, from, TYPE_PART, &part);
}

enum status part_change_kind(struct database *database, uint32_t id, uint32_t kind)
{
    struct part part;
    handle at;
    if (kind >= PART_KINDS) {
        return STATUS_BAD_ARGUMENT;
    }
    TRY(part_find(database, id, &at, &part));
    if (part.kind == kind) {
        return STATUS_OK;
    }
    TRY(btree_delete(&database->part_by_kind, key_of_pair(part.kind, id)));
    part.kind = kind;
    TRY(object_put(&database->store, at, TYPE_PART, &part));
    return btree_insert(&database->part_by_kind, key_of_pair(kind, id), at);
}

/* Those that point here point nowhere now. */
static enum status cut_incoming(struct database *database, handle at, struct part *part)
{
    while (part->from != HANDLE_NONE) {
        struct part source;
        handle source_at;
        unsigned connection = 0;
        TRY(list_get(&database->store, part->from, 0, &source_at));
        TRY(object_get(&database->store, source_at, TYPE_PART, &source));
        while (source.to[connection] != at) {
            if (++connection == CONNECTIONS) {
                return STATUS_DAMAGED;
            }
        }
        TRY(disconnect(database, source_at, &source, connection));
        TRY(object_get(&database->store, at, TYPE_PART, part));
    }
    return STATUS_OK;
}

enum status part_delete(struct database *database, uint32_t id)
{
    struct part part;
    handle at;
    TRY(part_find(database, id, &at, &part));
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        TRY(disconnect(database, at, &part, i));
    }
    TRY(cut_incoming(database, at, &part));
    TRY(leave_drawing(database, part.drawing, at));
    TRY(btree_delete(&database->part_by_id, id));
    TRY(btree_delete(&database->part_by_kind, key_of_pair(part.kind, id)));
    TRY(hash_delete(&database->part_by_name, hash_of_name(part.name), at));
    return store_free(&database->store, at, TYPE_PART);
}

enum status part_traverse(struct database *database, handle at, unsigned depth, uint32_t *visited,
                          uint64_t *sum)
{
    struct part part;
    TRY(object_get(&database->store, at, TYPE_PART, &part));
    (*visited)++;
    *sum += part.x ^ part.y;
    for (unsigned i = 0; depth > 0 && i < CONNECTIONS; i++) {
        if (part.to[i] != HANDLE_NONE) {
            *sum += part.length[i];
            TRY(part_traverse(database, part.to[i], depth - 1, visited, sum));
        }
    }
    return STATUS_OK;
}

enum status part_scan_kind(struct database *database, uint32_t kind, uint32_t *count, uint64_t *sum)
{
    struct cursor cursor;
    struct part part;
    uint64_t key;
    handle at;
    TRY(btree_seek(&database->part_by_kind, key_of_pair(kind, 0), &cursor));
    while (btree_next(&database->part_by_kind, &cursor, &key, &at) == STATUS_OK &&
           key >> 32 == kind) {
        TRY(object_get(&database->store, at, TYPE_PART, &part));
        if (part.kind != kind) {
            return STATUS_DAMAGED;
        }
        (*count)++;
        *sum += part.build;
    }
    return STATUS_OK;
}
