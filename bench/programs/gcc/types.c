/* Types, and the scopes that say which symbol a name means. */
#include "tree.h"

static struct type *type_make(struct unit *unit, enum type_kind kind, int size, int align)
{
    struct type *type = arena_take(&unit->arena, sizeof *type);
    type->kind = kind;
    type->size = size;
    type->align = align;
    return type;
}

void types_start(struct unit *unit)
{
    unit->void_type = type_make(unit, TYPE_VOID, 0, 1);
    unit->int_type = type_make(unit, TYPE_INT, 4, 4);
    unit->unsigned_type = type_make(unit, TYPE_UNSIGNED, 4, 4);
    unit->char_type = type_make(unit, TYPE_CHAR, 1, 1);
    unit->function_type = type_make(unit, TYPE_FUNCTION, 0, 1);
}

struct type *type_pointer(struct unit *unit, struct type *base)
{
    if (base->pointer == NULL) {
        base->pointer = type_make(unit, TYPE_POINTER, 4, 4);
        base->pointer->base = base;
    }
    return base->pointer;
}

struct type *type_array(struct unit *unit, struct type *base, int length)
{
    for (struct type *type = base->arrays; type != NULL; type = type->next_array) {
        if (type->length == length) {
            return type;
        }
    }
    struct type *type = type_make(unit, TYPE_ARRAY, base->size * length, base->align);
    type->base = base;
    type->length = length;
    type->next_array = base->arrays;
    base->arrays = type;
    return type;
}

struct type *type_struct(struct unit *unit, struct name *tag)
{
    struct type *type = type_make(unit, TYPE_STRUCT, 0, 1);
    type->tag = tag;
    return type;
}

void type_add_field(struct unit *unit, struct type *type, struct name *name, struct type *field)
{
    struct field **place = &type->fields;
    while (*place != NULL) {
        if ((*place)->name == name) {
            unit_fail(unit, unit->token.line, "field %.40s twice", name->text);
        }
        place = &(*place)->next;
    }
    *place = arena_take(&unit->arena, sizeof **place);
    (*place)->name = name;
    (*place)->type = field;
    (*place)->offset = (type->size + field->align - 1) & -field->align;
    type->size = (*place)->offset + field->size;
    if (field->align > type->align) {
        type->align = field->align;
    }
}

void type_finish_struct(struct type *type)
{
    type->size = (type->size + type->align - 1) & -type->align;
}

const struct field *type_find_field(const struct type *type, const struct name *name)
{
    for (const struct field *field = type->fields; field != NULL; field = field->next) {
        if (field->name == name) {
            return field;
        }
    }
    return NULL;
}

bool type_is_integer(const struct type *type)
{
    return type->kind == TYPE_INT || type->kind == TYPE_UNSIGNED || type->kind == TYPE_CHAR;
}

bool type_is_scalar(const struct type *type)
{
    return type_is_integer(type) || type->kind == TYPE_POINTER;
}

void scope_enter(struct unit *unit)
{
    if (unit->depth == 63) {
        unit_fail(unit, unit->token.line, "blocks nested too deeply");
    }
    unit->scope[++unit->depth] = NULL;
}

void scope_leave(struct unit *unit)
{
    for (struct symbol *symbol = unit->scope[unit->depth]; symbol != NULL;
         symbol = symbol->next_in_scope) {
        if (symbol->kind == SYMBOL_TAG) {
            symbol->name->tag = symbol->shadowed;
        } else {
            symbol->name->symbol = symbol->shadowed;
        }
    }
    unit->depth--;
}

static struct symbol *symbol_make(struct unit *unit, enum symbol_kind kind, struct name *name,
                                  struct type *type, struct symbol **place)
{
    if (*place != NULL && (*place)->depth == unit->depth) {
        unit_fail(unit, unit->token.line, "%.40s declared twice", name->text);
    }
    struct symbol *symbol = arena_take(&unit->arena, sizeof *symbol);
    symbol->kind = kind;
    symbol->name = name;
    symbol->type = type;
    symbol->depth = unit->depth;
    symbol->is_global = unit->depth == 0;
    symbol->slot = -1;
    symbol->shadowed = *place;
    symbol->next_in_scope = unit->scope[unit->depth];
    unit->scope[unit->depth] = symbol;
    *place = symbol;
    return symbol;
}

struct symbol *scope_declare(struct unit *unit, enum symbol_kind kind, struct name *name,
                             struct type *type)
{
    return symbol_make(unit, kind, name, type, &name->symbol);
}

struct symbol *scope_declare_tag(struct unit *unit, struct name *name, struct type *type)
{
    return symbol_make(unit, SYMBOL_TAG, name, type, &name->tag);
}
