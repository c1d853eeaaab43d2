/* Lists of handles, a few in each object; only the first object may have room. */
#include "list.h"
#include <string.h>

enum { LIST_ENTRIES = 12 };

struct list_node {
    uint32_t count;
    handle next;
    handle values[LIST_ENTRIES];
};

static enum status list_read(struct store *store, handle at, struct list_node *node)
{
    TRY(store_read(store, at, TYPE_LIST, node, sizeof *node));
    return node->count > 0 && node->count <= LIST_ENTRIES ? STATUS_OK : STATUS_DAMAGED;
}

static enum status list_write(struct store *store, handle at, const struct list_node *node)
{
    return store_write(store, at, TYPE_LIST, node, sizeof *node);
}

enum status list_add(struct store *store, handle *list, handle value)
{
    struct list_node node;
    if (*list != HANDLE_NONE) {
        TRY(list_read(store, *list, &node));
        if (node.count < LIST_ENTRIES) {
            node.values[node.count++] = value;
            return list_write(store, *list, &node);
        }
    }
    memset(&node, 0, sizeof node);
    node.count = 1;
    node.next = *list;
    node.values[0] = value;
    return store_allocate(store, TYPE_LIST, &node, sizeof node, list);
}

/* Takes the last value of the first object, which goes when it is empty. */
static enum status take_last(struct store *store, handle *list, handle *value)
{
    struct list_node node;
    handle first = *list;
    TRY(list_read(store, first, &node));
    *value = node.values[--node.count];
    if (node.count > 0) {
        return list_write(store, first, &node);
    }
    *list = node.next;
    return store_free(store, first, TYPE_LIST);
}

static enum status find(struct store *store, handle list, handle value, handle *at, unsigned *place)
{
    struct list_node node;
    for (*at = list; *at != HANDLE_NONE; *at = node.next) {
        TRY(list_read(store, *at, &node));
        for (*place = 0; *place < node.count; (*place)++) {
            if (node.values[*place] == value) {
                return STATUS_OK;
            }
        }
    }
    return STATUS_NOT_FOUND;
}

enum status list_remove(struct store *store, handle *list, handle value)
{
    struct list_node node;
    handle at, last;
    unsigned place;
    TRY(find(store, *list, value, &at, &place));
    TRY(take_last(store, list, &last));
    if (last == value) {
        return STATUS_OK;
    }
    TRY(list_read(store, at, &node));
    node.values[place] = last;
    return list_write(store, at, &node);
}

enum status list_contains(struct store *store, handle list, handle value)
{
    handle at;
    unsigned place;
    return find(store, list, value, &at, &place);
}

enum status list_count(struct store *store, handle list, uint32_t *count)
{
    struct list_node node;
    *count = 0;
    for (handle at = list; at != HANDLE_NONE; at = node.next) {
        TRY(list_read(store, at, &node));
        *count += node.count;
    }
    return STATUS_OK;
}

enum status list_get(struct store *store, handle list, uint32_t place, handle *value)
{
    struct list_node node;
    for (handle at = list; at != HANDLE_NONE; at = node.next) {
        TRY(list_read(store, at, &node));
        if (place < node.count) {
            *value = node.values[place];
            return STATUS_OK;
        }
        place -= node.count;
    }
    return STATUS_NOT_FOUND;
}
