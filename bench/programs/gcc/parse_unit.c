/* The grammar of declarations, and the unit as a whole. */
#include <stdarg.h>

#include "tree.h"

void unit_fail(struct unit *unit, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(unit->error, sizeof unit->error, format, arguments);
    va_end(arguments);
    unit->error_line = line;
    longjmp(unit->escape, 1);
}

void parse_advance(struct unit *unit)
{
    unit->token = preprocess_next(unit);
}

bool parse_accept(struct unit *unit, enum token_kind kind)
{
    if (unit->token.kind != kind) {
        return false;
    }
    parse_advance(unit);
    return true;
}

void parse_expect(struct unit *unit, enum token_kind kind)
{
    if (!parse_accept(unit, kind)) {
        unit_fail(unit, unit->token.line, "%s is expected before %s", token_spelling(kind),
                  token_spelling(unit->token.kind));
    }
}

struct name *parse_name(struct unit *unit)
{
    struct name *name = unit->token.name;
    parse_expect(unit, TOKEN_NAME);
    return name;
}

bool parse_starts_type(struct unit *unit)
{
    switch ((int)unit->token.kind) {
    case TOKEN_INT:
    case TOKEN_CHAR:
    case TOKEN_UNSIGNED:
    case TOKEN_VOID:
    case TOKEN_STRUCT:
    case TOKEN_ENUM:
    case TOKEN_STATIC:
        return true;
    default:
        return false;
    }
}

static struct type *parse_pointers(struct unit *unit, struct type *type)
{
    while (parse_accept(unit, TOKEN_STAR)) {
        type = type_pointer(unit, type);
    }
    return type;
}

static struct type *parse_dimensions(struct unit *unit, struct type *type)
{
    if (!parse_accept(unit, TOKEN_OPEN_BRACKET)) {
        return type;
    }
    int length = parse_constant(unit);
    parse_expect(unit, TOKEN_CLOSE_BRACKET);
    if (length <= 0 || length > 1 << 16) {
        unit_fail(unit, unit->token.line, "bad length of an array");
    }
    return type_array(unit, parse_dimensions(unit, type), length);
}

static void parse_fields(struct unit *unit, struct type *type)
{
    while (!parse_accept(unit, TOKEN_CLOSE_BRACE)) {
        struct type *base = parse_type(unit);
        do {
            struct type *field = parse_pointers(unit, base);
            struct name *name = parse_name(unit);
            field = parse_dimensions(unit, field);
            if (field->size == 0) {
                unit_fail(unit, unit->token.line, "field %.40s has no size", name->text);
            }
            type_add_field(unit, type, name, field);
        } while (parse_accept(unit, TOKEN_COMMA));
        parse_expect(unit, TOKEN_SEMICOLON);
    }
    type_finish_struct(type);
}

static struct type *parse_struct(struct unit *unit)
{
    struct name *tag = parse_name(unit);
    if (tag->tag == NULL) {
        scope_declare_tag(unit, tag, type_struct(unit, tag));
    }
    struct type *type = tag->tag->type;
    if (parse_accept(unit, TOKEN_OPEN_BRACE)) {
        parse_fields(unit, type);
    }
    return type;
}

static struct type *parse_enum(struct unit *unit)
{
    int value = 0;
    if (unit->token.kind == TOKEN_NAME) {
        parse_advance(unit);
    }
    parse_expect(unit, TOKEN_OPEN_BRACE);
    while (unit->token.kind == TOKEN_NAME) {
        struct symbol *symbol =
            scope_declare(unit, SYMBOL_ENUMERATOR, parse_name(unit), unit->int_type);
        if (parse_accept(unit, TOKEN_ASSIGN)) {
            value = parse_constant(unit);
        }
        symbol->enumerator = value++;
        if (!parse_accept(unit, TOKEN_COMMA)) {
            break;
        }
    }
    parse_expect(unit, TOKEN_CLOSE_BRACE);
    return unit->int_type;
}

struct type *parse_type(struct unit *unit)
{
    while (parse_accept(unit, TOKEN_STATIC)) {
    }
    struct token token = unit->token;
    parse_advance(unit);
    switch ((int)token.kind) {
    case TOKEN_INT:
        return unit->int_type;
    case TOKEN_CHAR:
        return unit->char_type;
    case TOKEN_UNSIGNED:
        parse_accept(unit, TOKEN_INT);
        return unit->unsigned_type;
    case TOKEN_VOID:
        return unit->void_type;
    case TOKEN_STRUCT:
        return parse_struct(unit);
    case TOKEN_ENUM:
        return parse_enum(unit);
    default:
        unit_fail(unit, token.line, "a type is expected before %s", token_spelling(token.kind));
    }
}

static struct symbol *declare_local(struct unit *unit, struct name *name, struct type *type)
{
    struct procedure *procedure = unit->procedure;
    if (type->size == 0) {
        unit_fail(unit, unit->token.line, "%.40s has no size", name->text);
    }
    struct symbol *symbol = scope_declare(unit, SYMBOL_VARIABLE, name, type);
    procedure->frame_bytes = (procedure->frame_bytes + 3) & ~3;
    symbol->offset = procedure->frame_bytes;
    procedure->frame_bytes += type->size;
    symbol->number = procedure->locals.count;
    list_push(&unit->arena, &procedure->locals, symbol);
    return symbol;
}

/* The initializers of the variables, as statements. */
struct tree *parse_local_declaration(struct unit *unit)
{
    struct tree *first = NULL;
    struct tree **place = &first;
    struct type *base = parse_type(unit);
    do {
        struct type *type = parse_pointers(unit, base);
        struct name *name = parse_name(unit);
        struct symbol *symbol = declare_local(unit, name, parse_dimensions(unit, type));
        if (parse_accept(unit, TOKEN_ASSIGN)) {
            struct tree *variable = tree_variable(unit, symbol);
            *place = tree_make(unit, STATEMENT_EXPRESSION, unit->void_type);
            (*place)->kids[0] = tree_assign(unit, variable, parse_assignment(unit));
            place = &(*place)->next;
        }
    } while (parse_accept(unit, TOKEN_COMMA));
    parse_expect(unit, TOKEN_SEMICOLON);
    return first;
}

static void grow_data(struct unit *unit, int size)
{
    if (size <= unit->data_capacity) {
        return;
    }
    int capacity = unit->data_capacity == 0 ? 1024 : unit->data_capacity;
    while (capacity < size) {
        capacity *= 2;
    }
    unsigned char *data = arena_array(&unit->arena, capacity, 1);
    if (unit->data_size != 0) {
        memcpy(data, unit->data, (size_t)unit->data_size);
    }
    unit->data = data;
    unit->data_capacity = capacity;
}

static void store_initial(struct unit *unit, int offset, const struct type *type, int value)
{
    for (int i = 0; i < type->size; i++) {
        unit->data[offset + i] = (unsigned char)((uint32_t)value >> (8 * i));
    }
}

static void parse_initializer(struct unit *unit, int offset, const struct type *type)
{
    if (type->kind != TYPE_ARRAY) {
        if (!type_is_integer(type)) {
            unit_fail(unit, unit->token.line, "this type cannot be initialized");
        }
        store_initial(unit, offset, type, parse_constant(unit));
        return;
    }
    parse_expect(unit, TOKEN_OPEN_BRACE);
    for (int i = 0; unit->token.kind != TOKEN_CLOSE_BRACE; i++) {
        if (i == type->length) {
            unit_fail(unit, unit->token.line, "too many initializers");
        }
        parse_initializer(unit, offset + i * type->base->size, type->base);
        if (!parse_accept(unit, TOKEN_COMMA)) {
            break;
        }
    }
    parse_expect(unit, TOKEN_CLOSE_BRACE);
}

static void declare_global(struct unit *unit, struct name *name, struct type *type)
{
    type = parse_dimensions(unit, type);
    if (type->size == 0) {
        unit_fail(unit, unit->token.line, "%.40s has no size", name->text);
    }
    struct symbol *symbol = scope_declare(unit, SYMBOL_VARIABLE, name, type);
    int offset = (unit->data_size + 3) & ~3;
    grow_data(unit, offset + type->size);
    unit->data_size = offset + type->size;
    symbol->offset = DATA_START + offset;
    if (parse_accept(unit, TOKEN_ASSIGN)) {
        parse_initializer(unit, offset, type);
    }
}

static void parse_parameters(struct unit *unit, struct procedure *procedure, bool redeclared)
{
    int count = 0;
    while (unit->token.kind != TOKEN_CLOSE) {
        struct type *type = parse_pointers(unit, parse_type(unit));
        if (type->kind == TYPE_VOID) {
            break;
        }
        struct symbol *symbol = declare_local(unit, parse_name(unit), type);
        if (!type_is_scalar(type) || count == PARAMETER_LIMIT) {
            unit_fail(unit, unit->token.line, "bad parameter %.40s", symbol->name->text);
        }
        if (!redeclared) {
            list_push(&unit->arena, &procedure->parameters, symbol);
        } else if (count >= procedure->parameters.count ||
                   procedure->parameters.items[count]->type != type) {
            unit_fail(unit, unit->token.line, "parameters differ from the declaration");
        } else {
            procedure->parameters.items[count] = symbol;
        }
        count++;
        if (!parse_accept(unit, TOKEN_COMMA)) {
            break;
        }
    }
    parse_expect(unit, TOKEN_CLOSE);
}

static struct procedure *declare_procedure(struct unit *unit, struct name *name, struct type *type)
{
    if (name->symbol != NULL && name->symbol->procedure != NULL) {
        return name->symbol->procedure;
    }
    struct symbol *symbol = scope_declare(unit, SYMBOL_FUNCTION, name, unit->function_type);
    struct procedure *procedure = arena_take(&unit->arena, sizeof *procedure);
    procedure->symbol = symbol;
    procedure->result = type;
    symbol->procedure = procedure;
    symbol->number = unit->procedures.count;
    list_push(&unit->arena, &unit->procedures, procedure);
    return procedure;
}

static void parse_procedure(struct unit *unit, struct name *name, struct type *type)
{
    bool redeclared = name->symbol != NULL && name->symbol->procedure != NULL;
    struct procedure *procedure = declare_procedure(unit, name, type);
    procedure->locals.count = 0;
    procedure->frame_bytes = 0;
    unit->procedure = procedure;
    scope_enter(unit);
    parse_parameters(unit, procedure, redeclared);
    if (!parse_accept(unit, TOKEN_SEMICOLON)) {
        if (procedure->defined) {
            unit_fail(unit, unit->token.line, "%.40s defined twice", name->text);
        }
        procedure->defined = true;
        procedure->body = parse_block(unit);
    }
    scope_leave(unit);
    unit->procedure = NULL;
}

void parse_unit(struct unit *unit)
{
    parse_advance(unit);
    while (unit->token.kind != TOKEN_END) {
        struct type *base = parse_type(unit);
        if (parse_accept(unit, TOKEN_SEMICOLON)) {
            continue;
        }
        struct type *type = parse_pointers(unit, base);
        struct name *name = parse_name(unit);
        if (parse_accept(unit, TOKEN_OPEN)) {
            parse_procedure(unit, name, type);
            continue;
        }
        declare_global(unit, name, type);
        while (parse_accept(unit, TOKEN_COMMA)) {
            type = parse_pointers(unit, base);
            declare_global(unit, parse_name(unit), type);
        }
        parse_expect(unit, TOKEN_SEMICOLON);
    }
}
