/* Reads a circuit from text into cells, terminals and nets; signals are found by name. */
#include "twolf.h"

static uint32_t symbol_hash(const char *name)
{
    uint32_t hash = 0;
    while (*name != '\0') {
        hash = hash * 31 + (unsigned char)*name++;
    }
    return hash % SYMBOLS;
}

static void *grow(void *old, int *space, int used)
{
    if (used < *space) {
        return old;
    }
    *space = *space * 2 + 64;
    void *array = realloc(old, (size_t)*space * sizeof(void *));
    program_check(array != NULL, "memory for the circuit");
    return array;
}

static struct net *find_net(struct circuit *circuit, const char *name)
{
    struct net **slot = &circuit->symbols[symbol_hash(name)];
    for (struct net *net = *slot; net != NULL; net = net->next_symbol) {
        if (strcmp(net->name, name) == 0) {
            return net;
        }
    }
    struct net *net = program_allocate(1, sizeof *net);
    memcpy(net->name, name, WORD_BYTES);
    net->index = circuit->net_count;
    net->next_symbol = *slot;
    *slot = net;
    circuit->nets = grow(circuit->nets, &circuit->net_space, circuit->net_count);
    circuit->nets[circuit->net_count++] = net;
    return net;
}

struct cell *circuit_add_cell(struct circuit *circuit, enum cell_kind kind, int width)
{
    int count = circuit->standard_cells + circuit->pads + circuit->feeds;
    circuit->cells = grow(circuit->cells, &circuit->cell_space, count);
    struct cell *cell = program_allocate(1, sizeof *cell);
    cell->kind = kind;
    cell->width = width;
    cell->index = count;
    circuit->cells[count] = cell;
    circuit->standard_cells += kind == CELL_STANDARD;
    circuit->pads += kind == CELL_PAD;
    circuit->feeds += kind == CELL_FEED;
    return cell;
}

struct terminal *circuit_add_terminal(struct circuit *circuit, struct cell *cell, struct net *net,
                                      int offset)
{
    struct terminal *terminal = program_allocate(1, sizeof *terminal);
    terminal->cell = cell;
    terminal->net = net;
    terminal->offset = offset;
    terminal->next_on_cell = cell->terminals;
    cell->terminals = terminal;
    terminal->next_on_net = net->terminals;
    net->terminals = terminal;
    net->pins++;
    circuit->terminal_count++;
    return terminal;
}

static struct cell *read_cell(struct circuit *circuit, struct words *words, enum cell_kind kind)
{
    if (kind == CELL_STANDARD && circuit->pads > 0) {
        words_fail(words, "a cell behind a pad");
    }
    struct cell *cell = circuit_add_cell(circuit, kind, 0);
    words_need(words);
    memcpy(cell->name, words->word, WORD_BYTES);
    if (kind == CELL_STANDARD) {
        words_expect(words, "width");
        cell->width = words_number(words);
    }
    return cell;
}

static void read_pin(struct circuit *circuit, struct words *words, struct cell *cell)
{
    if (cell == NULL) {
        words_fail(words, "a pin without a cell");
    }
    words_need(words);
    struct net *net = find_net(circuit, words->word);
    words_expect(words, "at");
    int offset = words_number(words);
    if (2 * abs(offset) > cell->width) {
        words_fail(words, "a pin outside its cell");
    }
    circuit_add_terminal(circuit, cell, net, offset);
}

void read_circuit(struct circuit *circuit, const char *text)
{
    struct words words = words_of(text);
    struct cell *cell = NULL;
    while (words_take(&words)) {
        if (words_are_at(&words, "pin")) {
            read_pin(circuit, &words, cell);
        } else if (words_are_at(&words, "cell")) {
            cell = read_cell(circuit, &words, CELL_STANDARD);
        } else if (words_are_at(&words, "pad")) {
            cell = read_cell(circuit, &words, CELL_PAD);
        } else if (words_are_at(&words, "end")) {
            return;
        } else {
            words_fail(&words, "an unknown word");
        }
    }
    words_fail(&words, "no end");
}
