/* Values by their keys, for many threads at once. */
#ifndef SERVER_STORE_H
#define SERVER_STORE_H

#include <stdbool.h>
#include <stddef.h>

#define KEY_BYTES 128
#define VALUE_BYTES 65536

struct store;

struct store *store_create(void);
/* Copies at most VALUE_BYTES to `value`; the number of bytes, or -1 if there is no such key. */
long store_get(struct store *store, const char *key, char *value);
enum store_result { STORE_NEW, STORE_REPLACED, STORE_NO_MEMORY };
enum store_result store_put(struct store *store, const char *key, const char *value, size_t bytes);
bool store_remove(struct store *store, const char *key);
size_t store_count(struct store *store);

#endif
