/* Random functions of the generated source, and the unit around them. */
#include "generate.h"

void emit(struct generator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_print_list(&g->text, format, arguments);
    va_end(arguments);
}

static void emit_indent(struct generator *g)
{
    for (int i = 0; i < g->indent; i++) {
        emit(g, "    ");
    }
}

void emit_line(struct generator *g, const char *format, ...)
{
    va_list arguments;
    emit_indent(g);
    va_start(arguments, format);
    text_print_list(&g->text, format, arguments);
    va_end(arguments);
    emit(g, "\n");
    g->line_count++;
}

void emit_lines(struct generator *g, const char *format, ...)
{
    char lines[512];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(lines, sizeof lines, format, arguments);
    va_end(arguments);
    program_check(written >= 0 && (size_t)written < sizeof lines, "the lines fit");
    for (const char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        emit_line(g, "%.*s", (int)(end - line), line);
    }
}

int roll(struct generator *g, int limit)
{
    return (int)program_random_below(&g->random, (uint32_t)limit);
}

int table_length(int table)
{
    return 16 << (table % 3);
}

void generate_kind(struct generator *g, const struct kind *kinds, int shares, int depth)
{
    for (int left = roll(g, shares) - kinds->share; left >= 0; left -= kinds->share) {
        kinds++;
    }
    kinds->write(g, depth);
}

static void write_statement(struct generator *g, int depth);

static void write_block(struct generator *g, int depth, int statements)
{
    g->indent++;
    for (int i = 0; i < statements; i++) {
        write_statement(g, depth);
    }
    g->indent--;
}

static void statement_assign(struct generator *g, int depth)
{
    (void)depth;
    static const char *const operators[] = {"=", "=", "=", "+=", "-=", "^=", "|=", "*=", "&="};
    emit_indent(g);
    generate_place(g);
    emit(g, " %s ", operators[roll(g, 9)]);
    generate_expression(g, 2 + roll(g, 3));
    emit(g, ";\n");
    g->line_count++;
}

static void statement_step(struct generator *g, int depth)
{
    (void)depth;
    emit_indent(g);
    if (roll(g, 2) == 0) {
        emit(g, "%s", roll(g, 2) == 0 ? "++" : "--");
        generate_place(g);
    } else {
        generate_place(g);
        emit(g, "%s", roll(g, 2) == 0 ? "++" : "--");
    }
    emit(g, ";\n");
    g->line_count++;
}

static void statement_if(struct generator *g, int depth)
{
    emit_indent(g);
    emit(g, "if (");
    generate_condition(g, 3);
    emit(g, ") {\n");
    g->line_count++;
    write_block(g, depth - 1, 1 + roll(g, 2));
    while (roll(g, 3) == 0) {
        emit_indent(g);
        emit(g, "} else if (");
        generate_condition(g, 2);
        emit(g, ") {\n");
        write_block(g, depth - 1, 1);
    }
    if (roll(g, 2) == 0) {
        emit_line(g, "} else {");
        write_block(g, depth - 1, 1 + roll(g, 2));
    }
    emit_line(g, "}");
}

static bool open_loop(struct generator *g, int trips)
{
    if (g->open_loop_count == 3 || g->weight * trips > 120) {
        return false;
    }
    g->weight *= trips;
    g->open_loops[g->open_loop_count++] = g->loop_count;
    return true;
}

static void close_loop(struct generator *g, int weight)
{
    g->open_loop_count--;
    g->weight = weight;
    emit_line(g, "}");
}

static void statement_for(struct generator *g, int depth)
{
    int trips = 2 + roll(g, 12);
    int step = 1 + (roll(g, 4) == 0);
    int weight = g->weight;
    int number = g->loop_count;
    if (!open_loop(g, trips)) {
        statement_assign(g, depth);
        return;
    }
    g->loop_count++;
    if (roll(g, 4) == 0) {
        emit_line(g, "for (int i%d = %d; i%d >= 0; i%d -= %d) {", number, trips * step, number,
                  number, step);
    } else {
        emit_line(g, "for (int i%d = 0; i%d < %d; i%d += %d) {", number, number, trips * step,
                  number, step);
    }
    bool outer = g->in_for;
    bool outer_switch = g->in_switch;
    g->in_for = true;
    g->in_switch = false;
    write_block(g, depth - 1, 1 + roll(g, 4));
    g->in_for = outer;
    g->in_switch = outer_switch;
    close_loop(g, weight);
}

static void statement_while(struct generator *g, int depth)
{
    int trips = 2 + roll(g, 8);
    int weight = g->weight;
    int number = g->loop_count;
    bool is_do = roll(g, 3) == 0;
    if (!open_loop(g, trips)) {
        statement_assign(g, depth);
        return;
    }
    g->loop_count++;
    bool outer = g->in_for;
    bool outer_switch = g->in_switch;
    g->in_for = true;
    g->in_switch = false;
    emit_line(g, "int i%d = %d;", number, trips);
    if (is_do) {
        emit_line(g, "do {");
        write_block(g, depth - 1, 1 + roll(g, 3));
        g->open_loop_count--;
        g->weight = weight;
        emit_line(g, "} while (--i%d > 0);", number);
    } else {
        emit_indent(g);
        emit(g, "while (i%d-- > 0 && ", number);
        generate_condition(g, 2);
        emit(g, ") {\n");
        write_block(g, depth - 1, 1 + roll(g, 3));
        close_loop(g, weight);
    }
    g->in_for = outer;
    g->in_switch = outer_switch;
}

static void statement_switch(struct generator *g, int depth)
{
    int cases = 2 + roll(g, 6);
    int stride = roll(g, 3) == 0 ? 7 : 1;
    bool outer = g->in_switch;
    emit_indent(g);
    emit(g, "switch (");
    generate_expression(g, 2);
    emit(g, " & %d) {\n", stride == 1 ? 7 : 63);
    g->line_count++;
    g->in_switch = true;
    for (int i = 0; i < cases; i++) {
        emit_line(g, "case %d: {", i * stride);
        write_block(g, depth - 1, 1 + roll(g, 2));
        emit_line(g, "}");
        if (roll(g, 4) != 0) {
            emit_line(g, "break;");
        }
    }
    if (roll(g, 2) == 0) {
        emit_line(g, "default: {");
        write_block(g, depth - 1, 1);
        emit_line(g, "}");
    }
    emit_line(g, "}");
    g->in_switch = outer;
}

static void statement_leave(struct generator *g, int depth)
{
    if (!g->in_for || g->in_switch) {
        statement_step(g, depth);
        return;
    }
    emit_indent(g);
    emit(g, "if (");
    generate_condition(g, 2);
    emit(g, ") {\n");
    g->indent++;
    switch (roll(g, 4)) {
    case 0:
        emit_indent(g);
        emit(g, "return ");
        generate_expression(g, 1);
        emit(g, ";\n");
        break;
    case 1:
        emit_line(g, "break;");
        break;
    default:
        emit_line(g, "continue;");
        break;
    }
    g->indent--;
    emit_line(g, "}");
}

static void statement_call(struct generator *g, int depth)
{
    emit_indent(g);
    generate_place(g);
    emit(g, " = ");
    if (!generate_call(g, depth)) {
        generate_expression(g, 2);
    }
    emit(g, ";\n");
    g->line_count++;
}

static void statement_pointer(struct generator *g, int depth)
{
    if (g->has_item) {
        emit_line(g, "item = item->next;");
    } else if (g->has_pointer) {
        int first = roll(g, TABLES);
        int second = roll(g, 8);
        emit_line(g, "p = &t%d[%d];", first, second);
    } else {
        statement_assign(g, depth);
    }
}

static const struct kind statement_kinds[] = {
    {34, statement_assign}, {6, statement_step},  {18, statement_if},
    {14, statement_for},    {6, statement_while}, {6, statement_switch},
    {5, statement_leave},   {9, statement_call},  {2, statement_pointer},
};

static void write_statement(struct generator *g, int depth)
{
    g->statements_left--;
    if (depth <= 0 || g->statements_left < 0 || g->cost > 2000) {
        statement_assign(g, depth);
        return;
    }
    generate_kind(g, statement_kinds, 100, depth);
}

static void write_signature(struct generator *g, int index, struct routine *routine)
{
    emit(g, "int f%d(", index);
    for (int i = 0; i < routine->parameter_count; i++) {
        emit(g, "%s", i == 0 ? "" : ", ");
        if (i == 0 && routine->takes_pointer) {
            emit(g, "int *p");
        } else if (i == 0 && routine->takes_item) {
            emit(g, "struct item *item");
        } else {
            emit(g, "int a%d", i - (routine->takes_pointer || routine->takes_item));
        }
    }
    emit(g, ")\n{\n");
    g->line_count += 2;
}

static void write_locals(struct generator *g)
{
    for (int i = 0; i < g->local_count; i++) {
        if (i < g->parameter_count) {
            int first = roll(g, 4);
            int second = roll(g, 20);
            emit_line(g, "%s v%d = a%d + %d;", first == 0 ? "unsigned" : "int", i, i, second);
        } else {
            emit_line(g, "int v%d = %d;", i, roll(g, 100));
        }
    }
    if (g->has_buffer) {
        emit_line(g, "int buffer[16];");
        emit_line(g, "for (int k = 0; k < 16; k++) {");
        {
            int first = roll(g, TABLES);
            int second = roll(g, 9);
            emit_line(g, "    buffer[k] = t%d[k] + k * %d;", first, second);
        }
        emit_line(g, "}");
        g->cost += 160;
    }
}

void generate_random_function(struct generator *g, int index, int statements)
{
    struct routine *routine = &g->routines[index];
    routine->parameter_count = 1 + roll(g, 4);
    routine->takes_pointer = roll(g, 5) == 0;
    routine->takes_item = !routine->takes_pointer && roll(g, 5) == 0;
    g->has_pointer = routine->takes_pointer;
    g->has_item = routine->takes_item;
    g->has_buffer = roll(g, 4) == 0;
    g->parameter_count = routine->parameter_count - (g->has_pointer || g->has_item);
    g->local_count = 2 + roll(g, 5);
    g->loop_count = g->open_loop_count = 0;
    g->in_for = g->in_switch = false;
    g->weight = 1;
    g->cost = 0;
    g->statements_left = statements;
    write_signature(g, index, routine);
    g->indent = 1;
    write_locals(g);
    while (g->statements_left > 0) {
        write_statement(g, 3);
    }
    emit_indent(g);
    emit(g, "return ");
    generate_expression(g, 2);
    for (int i = 0; i < g->local_count; i++) {
        emit(g, " %c v%d", "+^"[i & 1], i);
    }
    emit(g, ";\n}\n\n");
    g->indent = 0;
    routine->cost = g->cost;
}

static void write_macros(struct generator *g)
{
    emit_line(g, "/* A generated unit. */");
    emit_line(g, "#define MAX(a, b) ((a) > (b) ? (a) : (b))");
    emit_line(g, "#define MIN(a, b) ((a) < (b) ? (a) : (b))");
    emit_line(g, "#define ODD(x) (((x) & 1) != 0)");
    emit_line(g, "#define MIX(a, b) (((a) << 3) ^ ((b) >> 2) ^ %d)", roll(g, 1000));
    emit_line(g, "#define PICK(a, b) (ODD(a) ? MAX(a, b) : MIN(b, LIMIT_%d))", roll(g, 8));
    emit_line(g, "#define DELTA(a, b) ((a) - (b) + SHIFTED(%d))", roll(g, 9));
    emit_line(g, "#ifdef MISSING");
    emit_line(g, "#define SHIFTED(x) (x + 1)");
    emit_line(g, "int never(;");
    emit_line(g, "#else");
    emit_line(g, "#define SHIFTED(x) ((x) << 1)");
    emit_line(g, "#endif");
    for (int i = 0; i < 8; i++) {
        emit_line(g, "#define LIMIT_%d %d", i, 1 + roll(g, 60));
    }
    emit_line(g, "enum kind { KIND_A, KIND_B = %d, KIND_C, KIND_D };", 3 + roll(g, 9));
}

static void write_globals(struct generator *g)
{
    emit_line(g, "struct item { int key; int value; unsigned flags; struct item *next; int "
                 "marks[4]; char tag[3]; };");
    emit_line(g, "struct item pool[%d];", POOL_ITEMS);
    for (int i = 0; i < TABLES; i++) {
        emit(g, "int t%d[%d] = {", i, table_length(i));
        for (int k = 0; k < table_length(i); k++) {
            emit(g, "%s%d", k == 0 ? "" : ", ", roll(g, 1000) - 200);
        }
        emit(g, "};\n");
    }
    for (int i = 0; i < GLOBALS; i++) {
        emit_line(g, "int g%d = %d;", i, roll(g, 100));
        emit_line(g, "unsigned u%d = %d;", i, roll(g, 100));
    }
    emit_line(g, "char bytes[64];");
    emit_line(g, "int grid[4][4];");
}

/* Every item is linked, so that the generated code may follow next without looking. */
static void write_start(struct generator *g)
{
    emit_line(g, "void start(int seed)");
    emit_line(g, "{");
    emit_line(g, "    int i;");
    emit_line(g, "    for (i = 0; i < %d; i++) {", POOL_ITEMS);
    emit_line(g, "        pool[i].key = (seed + i * %d) & 31;", 1 + 2 * roll(g, 9));
    int first = roll(g, 7);
    int second = roll(g, 9);
    emit_line(g, "        pool[i].next = &pool[(i * %d + %d) & %d];", 1 + 4 * first, 1 + 2 * second,
              POOL_ITEMS - 1);
    emit_line(g, "        pool[i].tag[i %% 3] = seed + i;");
    emit_line(g, "        bytes[i * 2] = seed * (i + 3);");
    emit_line(g, "        bytes[i * 2 + 1] = pool[i].tag[i %% 3] ^ i;");
    emit_line(g, "    }");
    emit_line(g, "    for (i = 0; i < 16; i++) {");
    emit_line(g, "        grid[i >> 2][i & 3] = i * seed;");
    emit_line(g, "    }");
    emit_line(g, "}");
}

char *generate_unit(uint64_t seed, int functions, int statements, int *lines)
{
    struct generator *g = program_allocate(1, sizeof *g);
    g->random = seed;
    write_macros(g);
    write_globals(g);
    write_start(g);
    program_check(functions <= ROUTINE_LIMIT, "as many functions as fit");
    for (int i = 0; i < functions; i++) {
        if (roll(g, 4) == 0) {
            generate_template(g, i);
        } else {
            generate_random_function(g, i, 4 + roll(g, statements));
        }
        g->routine_count = i + 1;
    }
    char *text = g->text.bytes;
    *lines = g->line_count;
    free(g);
    return text;
}
