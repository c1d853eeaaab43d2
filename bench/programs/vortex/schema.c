/* The attributes of each schema as a table, and the checks that every object passes on its way. */
#include "schema.h"
#include <string.h>

enum attribute_kind { ATTRIBUTE_NUMBER, ATTRIBUTE_HANDLE, ATTRIBUTE_NAME };

struct attribute {
    enum object_type type;
    enum attribute_kind kind;
    uint16_t offset;
    uint32_t least;
    uint32_t most;
};

#define NUMBER(type, object, field, least, most)                                                   \
    {                                                                                              \
        type, ATTRIBUTE_NUMBER, offsetof(struct object, field), least, most                        \
    }
#define HANDLE(type, object, field, needed)                                                        \
    {                                                                                              \
        type, ATTRIBUTE_HANDLE, offsetof(struct object, field), needed, 0                          \
    }
#define NAME(type, object)                                                                         \
    {                                                                                              \
        type, ATTRIBUTE_NAME, offsetof(struct object, name), 1, NAME_BYTES - 1                     \
    }

static const struct attribute attributes[] = {
    NUMBER(TYPE_PERSON, person, id, 1, UINT32_MAX),
    NUMBER(TYPE_PERSON, person, department, 0, DEPARTMENTS - 1),
    NUMBER(TYPE_PERSON, person, salary, 1000, 1000000),
    HANDLE(TYPE_PERSON, person, manager, 0),
    NUMBER(TYPE_PERSON, person, reports, 0, 1000000),
    HANDLE(TYPE_PERSON, person, designs, 0),
    NAME(TYPE_PERSON, person),
    NUMBER(TYPE_PART, part, id, 1, UINT32_MAX),
    NUMBER(TYPE_PART, part, kind, 0, PART_KINDS - 1),
    NUMBER(TYPE_PART, part, x, 0, EXTENT - 1),
    NUMBER(TYPE_PART, part, y, 0, EXTENT - 1),
    NUMBER(TYPE_PART, part, build, 0, UINT32_MAX),
    HANDLE(TYPE_PART, part, drawing, 1),
    HANDLE(TYPE_PART, part, to[0], 0),
    HANDLE(TYPE_PART, part, to[1], 0),
    HANDLE(TYPE_PART, part, to[2], 0),
    HANDLE(TYPE_PART, part, from, 0),
    NAME(TYPE_PART, part),
    NUMBER(TYPE_DRAWING, drawing, id, 1, UINT32_MAX),
    NUMBER(TYPE_DRAWING, drawing, part_count, 0, 1000000),
    HANDLE(TYPE_DRAWING, drawing, parts, 0),
    HANDLE(TYPE_DRAWING, drawing, designer, 1),
    NAME(TYPE_DRAWING, drawing)};

size_t schema_size(enum object_type type)
{
    switch (type) {
    case TYPE_PERSON:
        return sizeof(struct person);
    case TYPE_PART:
        return sizeof(struct part);
    case TYPE_DRAWING:
        return sizeof(struct drawing);
    default:
        return 0;
    }
}

static bool name_valid(const char *name)
{
    for (unsigned i = 0; i < NAME_BYTES; i++) {
        if (name[i] == '\0') {
            return i > 0;
        }
        if (name[i] <= ' ' || name[i] > '~') {
            return false;
        }
    }
    return false;
}

static bool attribute_valid(const struct attribute *attribute, const uint8_t *object)
{
    uint32_t value;
    if (attribute->kind == ATTRIBUTE_NAME) {
        return name_valid((const char *)object + attribute->offset);
    }
    memcpy(&value, object + attribute->offset, sizeof value);
    if (attribute->kind == ATTRIBUTE_HANDLE) {
        return attribute->least == 0 || value != HANDLE_NONE;
    }
    return value >= attribute->least && value <= attribute->most;
}

enum status schema_check(enum object_type type, const void *object)
{
    for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].type == type && !attribute_valid(&attributes[i], object)) {
            return STATUS_BAD_ATTRIBUTE;
        }
    }
    return STATUS_OK;
}

enum status object_create(struct store *store, enum object_type type, const void *object,
                          handle *result)
{
    TRY(schema_check(type, object));
    return store_allocate(store, type, object, schema_size(type), result);
}

enum status object_get(struct store *store, handle at, enum object_type type, void *object)
{
    return store_read(store, at, type, object, schema_size(type));
}

enum status object_put(struct store *store, handle at, enum object_type type, const void *object)
{
    TRY(schema_check(type, object));
    return store_write(store, at, type, object, schema_size(type));
}
