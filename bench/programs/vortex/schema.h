/* The three schemas of the database: what objects hold, and which values are valid. */
#ifndef VORTEX_SCHEMA_H
#define VORTEX_SCHEMA_H

#include "store.h"

enum { CONNECTIONS = 3, DEPARTMENTS = 40, PART_KINDS = 64, EXTENT = 100000, NAME_BYTES = 20 };

struct person {
    uint32_t id;
    uint32_t department;
    uint32_t salary;
    handle manager; /* none for the first */
    uint32_t reports;
    handle designs; /* list of drawings */
    char name[NAME_BYTES];
};

struct part {
    uint32_t id;
    uint32_t kind;
    uint32_t x;
    uint32_t y;
    uint32_t build;
    handle drawing;
    handle to[CONNECTIONS];
    uint32_t length[CONNECTIONS];
    handle from; /* list of the parts that are connected to this one, once for each connection */
    char name[NAME_BYTES];
};

struct drawing {
    uint32_t id;
    uint32_t part_count;
    handle parts; /* list */
    handle designer;
    char name[NAME_BYTES];
};

size_t schema_size(enum object_type type);

/* Every attribute of the object within its bounds. */
enum status schema_check(enum object_type type, const void *object);

enum status object_create(struct store *store, enum object_type type, const void *object,
                          handle *result);
enum status object_get(struct store *store, handle at, enum object_type type, void *object);
enum status object_put(struct store *store, handle at, enum object_type type, const void *object);

#endif
