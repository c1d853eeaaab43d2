/* Well-known functions of the generated source, with varied constants. */
#include "generate.h"

static void open_routine(struct generator *g, int index, const char *parameters, int count)
{
    struct routine *routine = &g->routines[index];
    routine->parameter_count = count;
    routine->takes_pointer = strstr(parameters, "int *p") != NULL;
    routine->takes_item = strstr(parameters, "struct item *") != NULL;
    emit_line(g, "int f%d(%s)", index, parameters);
    emit_line(g, "{");
    g->indent++;
}

static void close_routine(struct generator *g, int index, int cost)
{
    g->indent--;
    emit_line(g, "}");
    g->routines[index].cost = cost;
}

static void template_sort(struct generator *g, int index)
{
    int length = 6 + roll(g, 3);
    open_routine(g, index, "int *p, int a1", 2);
    emit_line(g, "int i, j, swaps = 0;");
    emit_line(g, "for (i = 1; i < %d; i++) {", length);
    emit_line(g, "    int key = p[i] ^ (a1 & %d);", roll(g, 16));
    emit_line(g, "    for (j = i - 1; j >= 0 && p[j] > key; j--) {");
    emit_line(g, "        p[j + 1] = p[j];");
    emit_line(g, "        swaps++;");
    emit_line(g, "    }");
    emit_line(g, "    p[j + 1] = key;");
    emit_line(g, "}");
    emit_line(g, "return swaps;");
    close_routine(g, index, 500);
}

static void template_gcd(struct generator *g, int index)
{
    open_routine(g, index, "int a0, int a1", 2);
    emit_line(g, "a0 = (a0 & %d) + 1;", 0xfff);
    emit_line(g, "a1 = (a1 & %d) + %d;", 0x3ff, 1 + roll(g, 9));
    emit_line(g, "while (a1 != 0) {");
    emit_line(g, "    int rest = a0 %% a1;");
    emit_line(g, "    a0 = a1;");
    emit_line(g, "    a1 = rest;");
    emit_line(g, "}");
    emit_line(g, "return a0;");
    close_routine(g, index, 120);
}

static void template_hash(struct generator *g, int index)
{
    open_routine(g, index, "int a0, int a1", 2);
    emit_line(g, "unsigned hash = 0x%xu;", roll(g, 1 << 30) | 1);
    emit_line(g, "int i;");
    emit_line(g, "for (i = 0; i < %d; i++) {", 8 + roll(g, 9));
    emit_line(g, "    hash = (hash ^ bytes[(i + a0) & 63]) * %du;", roll(g, 1 << 20) | 1);
    emit_line(g, "    hash ^= hash >> %d;", 3 + roll(g, 12));
    emit_line(g, "}");
    emit_line(g, "bytes[a1 & 63] = hash + %d;", roll(g, 64));
    emit_line(g, "return hash & 0x%x;", 0xffff);
    close_routine(g, index, 250);
}

static void template_matrix(struct generator *g, int index)
{
    int side = 3 + roll(g, 2);
    int from = roll(g, 2);
    open_routine(g, index, "int a0", 1);
    emit_line(g, "int i, j, k, trace = 0;");
    emit_line(g, "for (i = 0; i < %d; i++) {", side);
    emit_line(g, "    for (j = 0; j < %d; j++) {", side);
    emit_line(g, "        int sum = a0;");
    emit_line(g, "        for (k = 0; k < %d; k++) {", side);
    emit_line(g, "            sum += grid[i][k] * t%d[k * %d + j];", from, side);
    emit_line(g, "        }");
    emit_line(g, "        grid[j][i] = sum >> 2;");
    emit_line(g, "    }");
    emit_line(g, "    trace += grid[i][i];");
    emit_line(g, "}");
    emit_line(g, "return trace;");
    close_routine(g, index, 1100);
}

static void template_search(struct generator *g, int index)
{
    int table = roll(g, TABLES);
    open_routine(g, index, "int a0, int a1", 2);
    emit_line(g, "int low = 0, high = %d;", table_length(table) - 1);
    emit_line(g, "while (low < high) {");
    emit_line(g, "    int middle = (low + high) >> 1;");
    emit_line(g, "    if (t%d[middle] < a0) {", table);
    emit_line(g, "        low = middle + 1;");
    emit_line(g, "    } else {");
    emit_line(g, "        high = middle;");
    emit_line(g, "    }");
    emit_line(g, "}");
    emit_line(g, "t%d[low] += a1 & %d;", table, 7);
    emit_line(g, "return low;");
    close_routine(g, index, 100);
}

static void template_list(struct generator *g, int index)
{
    open_routine(g, index, "struct item *item, int a1", 2);
    emit_line(g, "int left = %d, sum = 0;", 6 + roll(g, 10));
    emit_line(g, "while (item->next != 0 && left-- > 0) {");
    emit_line(g, "    if (item->key == (a1 & %d)) {", roll(g, 32));
    emit_line(g, "        return sum;");
    emit_line(g, "    }");
    emit_line(g, "    sum += item->value ^ item->marks[left & 3];");
    emit_line(g, "    item->flags |= 1u << (left & 15);");
    emit_line(g, "    item = item->next;");
    emit_line(g, "}");
    emit_line(g, "item->value = sum & %d;", 0xffff);
    emit_line(g, "return sum;");
    close_routine(g, index, 300);
}

static void template_recursive(struct generator *g, int index)
{
    open_routine(g, index, "int a0, int a1", 2);
    emit_line(g, "if (a0 < 2 || a0 > %d) {", 6);
    emit_line(g, "    return a1 + %d;", roll(g, 30));
    emit_line(g, "}");
    emit_line(g, "return f%d(a0 - 1, a1 ^ %d) + f%d(a0 - 2, a1 + a0);", index, roll(g, 99), index);
    close_routine(g, index, 200);
}

static void template_tail(struct generator *g, int index)
{
    open_routine(g, index, "int a0, int a1, int a2", 3);
    emit_line(g, "if (a0 <= 0 || a0 > %d) {", 12 + roll(g, 8));
    emit_line(g, "    return a1 - a2;");
    emit_line(g, "}");
    int first = roll(g, 2);
    int second = roll(g, 9);
    emit_line(g, "return f%d(a0 - %d, a2 + %d, a1 ^ a0);", index, 1 + first, second);
    close_routine(g, index, 150);
}

static void template_state(struct generator *g, int index)
{
    int states = 4 + roll(g, 5);
    open_routine(g, index, "int a0, int a1", 2);
    emit_line(g, "int state = a0 & 3, count = 0, i;");
    emit_line(g, "for (i = 0; i < %d; i++) {", 8 + roll(g, 8));
    emit_line(g, "    switch (state) {");
    for (int i = 0; i < states; i++) {
        emit_line(g, "    case %d:", i);
        int first = roll(g, states);
        int second = roll(g, states + 1);
        emit_line(g, "        state = ODD(bytes[(i + a1) & 63]) ? %d : %d;", first, second);
        if (roll(g, 3) != 0) {
            emit_line(g, "        break;");
        }
    }
    emit_line(g, "    default:");
    emit_line(g, "        count += state;");
    emit_line(g, "        state = %d;", roll(g, states));
    emit_line(g, "    }");
    emit_line(g, "}");
    emit_line(g, "return count * %d + state;", states);
    close_routine(g, index, 300);
}

static void template_small(struct generator *g, int index)
{
    static const char *const bodies[] = {
        "return a0 < a1 ? a0 : a1;", "return (a0 & a1) + (a0 | a1) * 3;",
        "return a0 * a0 + a1;",      "if (a0 < 0) return -a0; return a0 + (a1 & 1);",
        "g0 += a0; return g0 ^ a1;", "return t0[a0 & 15] - t1[a1 & 15];",
    };
    open_routine(g, index, "int a0, int a1", 2);
    emit_line(g, "%s", bodies[roll(g, 6)]);
    close_routine(g, index, 12);
}

static void template_pointers(struct generator *g, int index)
{
    int table = roll(g, TABLES);
    open_routine(g, index, "int a0", 1);
    emit_line(g, "int *from = t%d, *to = t%d + %d;", table, table, 12);
    emit_line(g, "int *best = from;");
    emit_line(g, "while (from < to) {");
    emit_line(g, "    if (*from * %d - a0 > *best) {", 1 + roll(g, 5));
    emit_line(g, "        best = from;");
    emit_line(g, "    }");
    emit_line(g, "    *from++ += a0 & 3;");
    emit_line(g, "}");
    emit_line(g, "return best - t%d;", table);
    close_routine(g, index, 300);
}

void generate_template(struct generator *g, int index)
{
    static void (*const templates[])(struct generator * g, int index) = {
        template_sort,  template_gcd,       template_hash,  template_matrix,   template_search,
        template_list,  template_recursive, template_tail,  template_state,    template_small,
        template_small, template_small,     template_small, template_pointers,
    };
    templates[roll(g, (int)(sizeof templates / sizeof templates[0]))](g, index);
}
