/* Reads the circuit's text into blocks and nets; nets are found by name. */
#include "vpr.h"

static uint32_t symbol_hash(const char *name)
{
    uint32_t hash = 5381;
    while (*name != '\0') {
        hash = hash * 33 ^ (unsigned char)*name++;
    }
    return hash % SYMBOLS;
}

static int find_net(struct fpga *fpga, const char *name)
{
    int *slot = &fpga->symbols[symbol_hash(name)];
    for (int net = *slot - 1; net != NONE; net = fpga->nets[net].next_symbol) {
        if (strcmp(fpga->nets[net].name, name) == 0) {
            return net;
        }
    }
    if (fpga->net_count == fpga->net_space) {
        fpga->net_space = fpga->net_space * 2 + 64;
        fpga->nets = realloc(fpga->nets, (size_t)fpga->net_space * sizeof *fpga->nets);
        program_check(fpga->nets != NULL, "memory for nets");
    }
    struct net *net = &fpga->nets[fpga->net_count];
    memset(net, 0, sizeof *net);
    memcpy(net->name, name, WORD_BYTES);
    net->next_symbol = *slot - 1;
    *slot = ++fpga->net_count;
    return fpga->net_count - 1;
}

static struct block *add_block(struct fpga *fpga, enum block_kind kind, const char *name)
{
    if (fpga->block_count == fpga->block_space) {
        fpga->block_space = fpga->block_space * 2 + 64;
        fpga->blocks = realloc(fpga->blocks, (size_t)fpga->block_space * sizeof *fpga->blocks);
        program_check(fpga->blocks != NULL, "memory for blocks");
    }
    struct block *block = &fpga->blocks[fpga->block_count++];
    memset(block, 0, sizeof *block);
    block->kind = kind;
    memcpy(block->name, name, WORD_BYTES);
    for (int pin = 0; pin < BLOCK_PINS; pin++) {
        block->nets[pin] = NONE;
    }
    return block;
}

static void read_block(struct fpga *fpga, struct words *words, enum block_kind kind)
{
    words_need(words);
    struct block *block = add_block(fpga, kind, words->word);
    words_expect(words, "pinlist:");
    for (int pin = 0; pin < (kind == BLOCK_LOGIC ? BLOCK_PINS : 1); pin++) {
        words_need(words);
        if (!words_are_at(words, "open")) {
            block->nets[pin] = find_net(fpga, words->word);
        }
    }
    block->registered = block->nets[PIN_CLOCK] != NONE;
}

static bool drives(const struct block *block, int pin)
{
    return block->kind == BLOCK_INPUT || (block->kind == BLOCK_LOGIC && pin == PIN_OUT);
}

static void add_terminal(struct net *net, int place, int block, int pin)
{
    net->blocks[place] = block;
    net->pins[place] = pin;
}

static void count_terminals(struct fpga *fpga)
{
    for (int b = 0; b < fpga->block_count; b++) {
        for (int pin = 0; pin < BLOCK_PINS; pin++) {
            if (fpga->blocks[b].nets[pin] != NONE) {
                fpga->nets[fpga->blocks[b].nets[pin]].terminals++;
            }
        }
    }
}

static void fill_net(struct fpga *fpga, int b, int pin, int *sinks)
{
    struct net *net = &fpga->nets[fpga->blocks[b].nets[pin]];
    if (drives(&fpga->blocks[b], pin)) {
        program_check(net->blocks[0] == NONE, "a net has one driver");
        add_terminal(net, 0, b, pin);
    } else {
        add_terminal(net, ++sinks[fpga->blocks[b].nets[pin]], b, pin);
    }
}

static void connect_nets(struct fpga *fpga)
{
    count_terminals(fpga);
    int *sinks = program_allocate((size_t)fpga->net_count, sizeof *sinks);
    for (int n = 0; n < fpga->net_count; n++) {
        struct net *net = &fpga->nets[n];
        net->blocks = program_allocate((size_t)net->terminals + 1, sizeof *net->blocks);
        net->pins = program_allocate((size_t)net->terminals + 1, sizeof *net->pins);
        net->blocks[0] = NONE;
    }
    for (int b = 0; b < fpga->block_count; b++) {
        for (int pin = 0; pin < BLOCK_PINS; pin++) {
            if (fpga->blocks[b].nets[pin] != NONE) {
                fill_net(fpga, b, pin, sinks);
            }
        }
    }
    for (int n = 0; n < fpga->net_count; n++) {
        program_check(fpga->nets[n].blocks[0] != NONE, "a net has a driver");
        program_check(sinks[n] == fpga->nets[n].terminals - 1, "a net has all its sinks");
        program_check(sinks[n] > 0, "a net has a sink");
    }
    free(sinks);
}

void netlist_read(struct fpga *fpga, const char *text)
{
    struct words words = words_of(text);
    while (words_take(&words)) {
        if (words_are_at(&words, ".clb")) {
            read_block(fpga, &words, BLOCK_LOGIC);
        } else if (words_are_at(&words, ".input")) {
            read_block(fpga, &words, BLOCK_INPUT);
        } else if (words_are_at(&words, ".output")) {
            read_block(fpga, &words, BLOCK_OUTPUT);
        } else if (words_are_at(&words, ".global")) {
            words_need(&words);
            int net = find_net(fpga, words.word);
            fpga->nets[net].global = true;
        } else {
            words_fail(&words, "an unknown keyword");
        }
    }
    connect_nets(fpga);
}

void netlist_free(struct fpga *fpga)
{
    for (int n = 0; n < fpga->net_count; n++) {
        free(fpga->nets[n].blocks);
        free(fpga->nets[n].pins);
    }
    free(fpga->nets);
    free(fpga->blocks);
}
