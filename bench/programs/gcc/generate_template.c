/* Well-known functions of the generated source, with varied constants. */
#include "generate.h"

static void template_sort(struct generator *g)
{
    int length = 6 + roll(g, 3);
    int mask = roll(g, 16);
    emit_lines(g,
               "int i, j, swaps = 0;\n"
               "for (i = 1; i < %d; i++) {\n"
               "    int key = p[i] ^ (a1 & %d);\n"
               "    for (j = i - 1; j >= 0 && p[j] > key; j--) {\n"
               "        p[j + 1] = p[j];\n"
               "        swaps++;\n"
               "    }\n"
               "    p[j + 1] = key;\n"
               "}\n"
               "return swaps;\n",
               length, mask);
}

static void template_gcd(struct generator *g)
{
    emit_lines(g,
               "a0 = (a0 & 4095) + 1;\n"
               "a1 = (a1 & 1023) + %d;\n"
               "while (a1 != 0) {\n"
               "    int rest = a0 %% a1;\n"
               "    a0 = a1;\n"
               "    a1 = rest;\n"
               "}\n"
               "return a0;\n",
               1 + roll(g, 9));
}

static void template_hash(struct generator *g)
{
    int start = roll(g, 1 << 30) | 1;
    int turns = 8 + roll(g, 9);
    int factor = roll(g, 1 << 20) | 1;
    int shift = 3 + roll(g, 12);
    int added = roll(g, 64);
    emit_lines(g,
               "unsigned hash = 0x%xu;\n"
               "int i;\n"
               "for (i = 0; i < %d; i++) {\n"
               "    hash = (hash ^ bytes[(i + a0) & 63]) * %du;\n"
               "    hash ^= hash >> %d;\n"
               "}\n"
               "bytes[a1 & 63] = hash + %d;\n"
               "return hash & 0xffff;\n",
               start, turns, factor, shift, added);
}

static void template_matrix(struct generator *g)
{
    int side = 3 + roll(g, 2);
    int from = roll(g, 2);
    emit_lines(g,
               "int i, j, k, trace = 0;\n"
               "for (i = 0; i < %d; i++) {\n"
               "    for (j = 0; j < %d; j++) {\n"
               "        int sum = a0;\n"
               "        for (k = 0; k < %d; k++) {\n"
               "            sum += grid[i][k] * t%d[k * %d + j];\n"
               "        }\n"
               "        grid[j][i] = sum >> 2;\n"
               "    }\n"
               "    trace += grid[i][i];\n"
               "}\n"
               "return trace;\n",
               side, side, side, from, side);
}

static void template_search(struct generator *g)
{
    int table = roll(g, TABLES);
    emit_lines(g,
               "int low = 0, high = %d;\n"
               "while (low < high) {\n"
               "    int middle = (low + high) >> 1;\n"
               "    if (t%d[middle] < a0) {\n"
               "        low = middle + 1;\n"
               "    } else {\n"
               "        high = middle;\n"
               "    }\n"
               "}\n"
               "t%d[low] += a1 & 7;\n"
               "return low;\n",
               table_length(table) - 1, table, table);
}

static void template_list(struct generator *g)
{
    int turns = 6 + roll(g, 10);
    int mask = roll(g, 32);
    emit_lines(g,
               "int left = %d, sum = 0;\n"
               "while (item->next != 0 && left-- > 0) {\n"
               "    if (item->key == (a1 & %d)) {\n"
               "        return sum;\n"
               "    }\n"
               "    sum += item->value ^ item->marks[left & 3];\n"
               "    item->flags |= 1u << (left & 15);\n"
               "    item = item->next;\n"
               "}\n"
               "item->value = sum & 65535;\n"
               "return sum;\n",
               turns, mask);
}

static void template_recursive(struct generator *g)
{
    int self = g->routine_count;
    int added = roll(g, 30);
    int mask = roll(g, 99);
    emit_lines(g,
               "if (a0 < 2 || a0 > 6) {\n"
               "    return a1 + %d;\n"
               "}\n"
               "return f%d(a0 - 1, a1 ^ %d) + f%d(a0 - 2, a1 + a0);\n",
               added, self, mask, self);
}

static void template_tail(struct generator *g)
{
    int self = g->routine_count;
    int limit = 12 + roll(g, 8);
    int step = 1 + roll(g, 2);
    int added = roll(g, 9);
    emit_lines(g,
               "if (a0 <= 0 || a0 > %d) {\n"
               "    return a1 - a2;\n"
               "}\n"
               "return f%d(a0 - %d, a2 + %d, a1 ^ a0);\n",
               limit, self, step, added);
}

static void template_state(struct generator *g)
{
    int states = 4 + roll(g, 5);
    emit_lines(g,
               "int state = a0 & 3, count = 0, i;\n"
               "for (i = 0; i < %d; i++) {\n"
               "    switch (state) {\n",
               8 + roll(g, 8));
    for (int i = 0; i < states; i++) {
        int first = roll(g, states);
        int second = roll(g, states + 1);
        emit_lines(g,
                   "    case %d:\n"
                   "        state = ODD(bytes[(i + a1) & 63]) ? %d : %d;\n",
                   i, first, second);
        if (roll(g, 3) != 0) {
            emit_line(g, "        break;");
        }
    }
    emit_lines(g,
               "    default:\n"
               "        count += state;\n"
               "        state = %d;\n"
               "    }\n"
               "}\n"
               "return count * %d + state;\n",
               roll(g, states), states);
}

static void template_small(struct generator *g)
{
    static const char *const bodies[] = {
        "return a0 < a1 ? a0 : a1;", "return (a0 & a1) + (a0 | a1) * 3;",
        "return a0 * a0 + a1;",      "if (a0 < 0) return -a0; return a0 + (a1 & 1);",
        "g0 += a0; return g0 ^ a1;", "return t0[a0 & 15] - t1[a1 & 15];",
    };
    emit_line(g, "%s", bodies[roll(g, 6)]);
}

static void template_pointers(struct generator *g)
{
    int table = roll(g, TABLES);
    int factor = 1 + roll(g, 5);
    emit_lines(g,
               "int *from = t%d, *to = t%d + 12;\n"
               "int *best = from;\n"
               "while (from < to) {\n"
               "    if (*from * %d - a0 > *best) {\n"
               "        best = from;\n"
               "    }\n"
               "    *from++ += a0 & 3;\n"
               "}\n"
               "return best - t%d;\n",
               table, table, factor, table);
}

static const struct template
{
    const char *parameters;
    int parameter_count;
    int cost;
    int share;
    void (*write)(struct generator * g);
}
templates[] = {
    {"int *p, int a1", 2, 500, 1, template_sort},
    {"int a0, int a1", 2, 120, 1, template_gcd},
    {"int a0, int a1", 2, 250, 1, template_hash},
    {"int a0", 1, 1100, 1, template_matrix},
    {"int a0, int a1", 2, 100, 1, template_search},
    {"struct item *item, int a1", 2, 300, 1, template_list},
    {"int a0, int a1", 2, 200, 1, template_recursive},
    {"int a0, int a1, int a2", 3, 150, 1, template_tail},
    {"int a0, int a1", 2, 300, 1, template_state},
    {"int a0, int a1", 2, 12, 4, template_small},
    {"int a0", 1, 300, 1, template_pointers},
};

enum { SHARES = 14 };

void generate_template(struct generator *g, int index)
{
    const struct template *template = templates;
    for (int left = roll(g, SHARES) - template->share; left >= 0; left -= template->share) {
        template ++;
    }
    struct routine *routine = &g->routines[index];
    routine->parameter_count = template->parameter_count;
    routine->takes_pointer = strstr(template->parameters, "int *p") != NULL;
    routine->takes_item = strstr(template->parameters, "struct item *") != NULL;
    routine->cost = template->cost;
    emit_line(g, "int f%d(%s)", index, template->parameters);
    emit_line(g, "{");
    g->indent++;
    template->write(g);
    g->indent--;
    emit_line(g, "}");
}
