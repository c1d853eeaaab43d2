/* Random expressions of the generated source: all indexes are masked, so that every program is well defined. */
#include "generate.h"

enum { COST_LIMIT = 2500 };

static void expression_constant(struct generator *g, int depth)
{
    (void)depth;
    switch (roll(g, 8)) {
    case 0:
        emit(g, "0x%x", roll(g, 1 << 20));
        break;
    case 1:
        emit(g, "LIMIT_%d", roll(g, 8));
        break;
    case 2:
        emit(g, "'%c'", 'a' + roll(g, 26));
        break;
    case 3:
        emit(g, "KIND_%c", "ABCD"[roll(g, 4)]);
        break;
    case 4:
        emit(g, "%d", 1 << roll(g, 12));
        break;
    default:
        emit(g, "%d", roll(g, 40));
        break;
    }
}

static void expression_local(struct generator *g, int depth)
{
    (void)depth;
    int choice = roll(g, g->local_count + g->parameter_count + 2 * g->open_loop_count);
    if (choice < g->local_count) {
        emit(g, "v%d", choice);
    } else if (choice < g->local_count + g->parameter_count) {
        emit(g, "a%d", choice - g->local_count);
    } else {
        emit(g, "i%d", g->open_loops[(choice - g->local_count - g->parameter_count) / 2]);
    }
}

static void expression_global(struct generator *g, int depth)
{
    (void)depth;
    int first = roll(g, 4);
    int second = roll(g, GLOBALS);
    emit(g, "%s%d", first == 0 ? "u" : "g", second);
}

static void expression_element(struct generator *g, int depth)
{
    int table = roll(g, TABLES);
    if (roll(g, 3) == 0 && g->open_loop_count > 0) {
        int first = roll(g, g->open_loop_count);
        int second = roll(g, 4);
        emit(g, "t%d[(i%d + %d) & %d]", table, g->open_loops[first], second,
             table_length(table) - 1);
        return;
    }
    emit(g, "t%d[", table);
    generate_expression(g, depth - 1);
    emit(g, " & %d]", table_length(table) - 1);
}

static void expression_memory(struct generator *g, int depth)
{
    static const char *const fields[] = {"key",       "value",    "flags",
                                         "next->key", "marks[1]", "marks[3]"};
    if (g->has_item && roll(g, 2) == 0) {
        emit(g, "item->%s", fields[roll(g, 6)]);
    } else if (g->has_pointer && roll(g, 2) == 0) {
        emit(g, "p[");
        generate_expression(g, depth - 1);
        emit(g, " & 7]");
    } else if (g->has_buffer && roll(g, 2) == 0) {
        emit(g, "buffer[");
        generate_expression(g, depth - 1);
        emit(g, " & 15]");
    } else if (roll(g, 3) == 0) {
        emit(g, "bytes[");
        generate_expression(g, depth - 1);
        emit(g, " & 63]");
    } else {
        emit(g, "pool[");
        generate_expression(g, depth - 1);
        emit(g, " & %d].%s", POOL_ITEMS - 1, fields[roll(g, 6)]);
    }
}

static void expression_binary(struct generator *g, int depth)
{
    static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "+", "-", "+"};
    emit(g, "(");
    generate_expression(g, depth - 1);
    emit(g, " %s ", operators[roll(g, 9)]);
    generate_expression(g, depth - 1);
    emit(g, ")");
}

static void expression_shift(struct generator *g, int depth)
{
    emit(g, "(");
    generate_expression(g, depth - 1);
    int first = roll(g, 2);
    int second = roll(g, 7);
    emit(g, " %s %d)", first == 0 ? "<<" : ">>", 1 + second);
}

static void expression_divide(struct generator *g, int depth)
{
    emit(g, "(");
    generate_expression(g, depth - 1);
    if (roll(g, 2) == 0) {
        int first = roll(g, 2);
        int second = roll(g, 16);
        emit(g, " %s %d)", first == 0 ? "/" : "%", 1 + second);
        return;
    }
    emit(g, " %s ((", roll(g, 2) == 0 ? "/" : "%");
    generate_expression(g, depth - 1);
    emit(g, " & 15) + 1))");
}

static void expression_unary(struct generator *g, int depth)
{
    emit(g, "%s(", roll(g, 3) == 0 ? "-" : roll(g, 2) == 0 ? "~" : "!");
    generate_expression(g, depth - 1);
    emit(g, ")");
}

static void expression_choose(struct generator *g, int depth)
{
    emit(g, "(");
    generate_condition(g, depth - 1);
    emit(g, " ? ");
    generate_expression(g, depth - 1);
    emit(g, " : ");
    generate_expression(g, depth - 1);
    emit(g, ")");
}

static void expression_macro(struct generator *g, int depth)
{
    static const char *const macros[] = {"MAX", "MIN", "MIX", "PICK", "DELTA"};
    emit(g, "%s(", macros[roll(g, 5)]);
    generate_expression(g, depth > 2 ? 2 : depth - 1);
    emit(g, ", ");
    generate_expression(g, depth > 2 ? 1 : depth - 1);
    emit(g, ")");
}

static void expression_condition(struct generator *g, int depth)
{
    emit(g, "(");
    generate_condition(g, depth - 1);
    emit(g, ")");
}

static void emit_argument_list(struct generator *g, const struct routine *routine, int depth)
{
    for (int i = 0; i < routine->parameter_count; i++) {
        emit(g, "%s", i == 0 ? "" : ", ");
        if (i == 0 && routine->takes_pointer) {
            int first = roll(g, TABLES);
            int second = roll(g, 8);
            emit(g, "&t%d[%d]", first, second);
        } else if (i == 0 && routine->takes_item) {
            emit(g, "&pool[%d]", roll(g, POOL_ITEMS));
        } else {
            generate_expression(g, depth > 2 ? 2 : depth - 1);
        }
    }
}

bool generate_call(struct generator *g, int depth)
{
    if (g->routine_count == 0) {
        return false;
    }
    /* Mostly neighbours: the helpers of the same file. */
    int reach = g->routine_count < 12 || roll(g, 5) == 0 ? g->routine_count : 12;
    int index = g->routine_count - 1 - roll(g, reach);
    const struct routine *routine = &g->routines[index];
    if (g->cost + g->weight * routine->cost > COST_LIMIT) {
        return false;
    }
    g->cost += g->weight * routine->cost;
    emit(g, "f%d(", index);
    emit_argument_list(g, routine, depth);
    emit(g, ")");
    return true;
}

static void expression_call(struct generator *g, int depth)
{
    if (!generate_call(g, depth)) {
        expression_binary(g, depth);
    }
}

static const struct kind expression_kinds[] = {
    {20, expression_binary}, {14, expression_local},   {10, expression_element},
    {10, expression_memory}, {8, expression_shift},    {5, expression_divide},
    {5, expression_unary},   {6, expression_choose},   {6, expression_macro},
    {5, expression_global},  {7, expression_constant}, {4, expression_condition},
    {4, expression_call},
};

void generate_expression(struct generator *g, int depth)
{
    g->cost += g->weight;
    if (depth <= 0) {
        int choice = roll(g, 10);
        if (choice < 3) {
            expression_constant(g, 0);
        } else if (choice < 4) {
            expression_global(g, 0);
        } else {
            expression_local(g, 0);
        }
        return;
    }
    generate_kind(g, expression_kinds, 104, depth);
}

void generate_condition(struct generator *g, int depth)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    g->cost += g->weight;
    if (depth > 1 && roll(g, 4) == 0) {
        emit(g, "(");
        generate_condition(g, depth - 1);
        emit(g, " %s ", roll(g, 2) == 0 ? "&&" : "||");
        generate_condition(g, depth - 1);
        emit(g, ")");
        return;
    }
    if (roll(g, 8) == 0) {
        emit(g, "ODD(");
        generate_expression(g, depth - 1);
        emit(g, ")");
        return;
    }
    generate_expression(g, depth - 1);
    emit(g, " %s ", comparisons[roll(g, 6)]);
    generate_expression(g, roll(g, 2) == 0 ? 0 : depth - 1);
}

void generate_place(struct generator *g)
{
    switch (roll(g, 9)) {
    case 0: {
        int table = roll(g, TABLES);
        emit(g, "t%d[", table);
        generate_expression(g, 1);
        emit(g, " & %d]", table_length(table) - 1);
        break;
    }
    case 1: {
        int first = roll(g, 3);
        int second = roll(g, GLOBALS);
        emit(g, "%s%d", first == 0 ? "u" : "g", second);
    } break;
    case 2:
        if (g->has_item) {
            emit(g, "item->%s", roll(g, 2) == 0 ? "value" : "marks[2]");
        } else {
            emit(g, "pool[");
            generate_expression(g, 1);
            emit(g, " & %d].key", POOL_ITEMS - 1);
        }
        break;
    case 3:
        if (g->has_pointer) {
            emit(g, "p[%d]", roll(g, 8));
        } else if (g->has_buffer) {
            emit(g, "buffer[");
            generate_expression(g, 1);
            emit(g, " & 15]");
        } else {
            emit(g, "bytes[%d]", roll(g, 64));
        }
        break;
    default:
        emit(g, "v%d", roll(g, g->local_count));
        break;
    }
}
