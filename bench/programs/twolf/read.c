/* Reads a circuit from text into cells, terminals and nets; signals are found by name. */
#include "twolf.h"

#include <ctype.h>

struct reader {
    const char *next;
    int line;
    char word[NAME_BYTES];
};

static void reader_fail(const struct reader *reader, const char *what)
{
    fprintf(stderr, "circuit, line %d: %s\n", reader->line, what);
    exit(4);
}

static void reader_skip(struct reader *reader)
{
    for (;;) {
        char c = *reader->next;
        if (c == '#') {
            while (*reader->next != '\0' && *reader->next != '\n') {
                reader->next++;
            }
        } else if (c == '\n') {
            reader->line++;
            reader->next++;
        } else if (c == ' ' || c == '\t') {
            reader->next++;
        } else {
            return;
        }
    }
}

static bool reader_word(struct reader *reader)
{
    reader_skip(reader);
    int length = 0;
    while (*reader->next != '\0' && !isspace((unsigned char)*reader->next)) {
        if (length == NAME_BYTES - 1) {
            reader_fail(reader, "a word that is too long");
        }
        reader->word[length++] = *reader->next++;
    }
    reader->word[length] = '\0';
    return length > 0;
}

static void reader_expect(struct reader *reader, const char *word)
{
    if (!reader_word(reader) || strcmp(reader->word, word) != 0) {
        reader_fail(reader, "another word was expected");
    }
}

static int reader_number(struct reader *reader)
{
    if (!reader_word(reader)) {
        reader_fail(reader, "a number is missing");
    }
    const char *digit = reader->word;
    bool negative = *digit == '-';
    digit += negative;
    int value = 0;
    do {
        if (!isdigit((unsigned char)*digit)) {
            reader_fail(reader, "a bad number");
        }
        value = value * 10 + (*digit - '0');
    } while (*++digit != '\0');
    return negative ? -value : value;
}

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
    memcpy(net->name, name, NAME_BYTES);
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

static struct cell *read_cell(struct circuit *circuit, struct reader *reader, enum cell_kind kind)
{
    if (kind == CELL_STANDARD && circuit->pads > 0) {
        reader_fail(reader, "a cell behind a pad");
    }
    struct cell *cell = circuit_add_cell(circuit, kind, 0);
    if (!reader_word(reader)) {
        reader_fail(reader, "a name is missing");
    }
    memcpy(cell->name, reader->word, NAME_BYTES);
    if (kind == CELL_STANDARD) {
        reader_expect(reader, "width");
        cell->width = reader_number(reader);
    }
    return cell;
}

static void read_pin(struct circuit *circuit, struct reader *reader, struct cell *cell)
{
    if (cell == NULL) {
        reader_fail(reader, "a pin without a cell");
    }
    if (!reader_word(reader)) {
        reader_fail(reader, "a signal is missing");
    }
    struct net *net = find_net(circuit, reader->word);
    reader_expect(reader, "at");
    int offset = reader_number(reader);
    if (2 * abs(offset) > cell->width) {
        reader_fail(reader, "a pin outside its cell");
    }
    circuit_add_terminal(circuit, cell, net, offset);
}

void read_circuit(struct circuit *circuit, const char *text)
{
    struct reader reader = {.next = text, .line = 1};
    struct cell *cell = NULL;
    while (reader_word(&reader)) {
        if (strcmp(reader.word, "pin") == 0) {
            read_pin(circuit, &reader, cell);
        } else if (strcmp(reader.word, "cell") == 0) {
            cell = read_cell(circuit, &reader, CELL_STANDARD);
        } else if (strcmp(reader.word, "pad") == 0) {
            cell = read_cell(circuit, &reader, CELL_PAD);
        } else if (strcmp(reader.word, "end") == 0) {
            return;
        } else {
            reader_fail(&reader, "an unknown word");
        }
    }
    reader_fail(&reader, "no end");
}
