/* Relations to many: lists of handles in objects of the store. */
#ifndef VORTEX_LIST_H
#define VORTEX_LIST_H

#include "store.h"

/* A list is the handle of its first object, HANDLE_NONE if it is empty. */
enum status list_add(struct store *store, handle *list, handle value);
enum status list_remove(struct store *store, handle *list, handle value);
enum status list_contains(struct store *store, handle list, handle value);
enum status list_count(struct store *store, handle list, uint32_t *count);

/* STATUS_NOT_FOUND behind the last. */
enum status list_get(struct store *store, handle list, uint32_t place, handle *value);

#endif
