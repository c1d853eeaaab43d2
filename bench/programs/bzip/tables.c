/* Fits several Huffman codes to the symbols of a block in a few rounds, and writes all of it. */
#include "tables.h"
#include <string.h>
#include "huffman.h"

enum { ROUNDS = 4, WRITTEN_BITS_MAX = 17, UNLIKELY_BITS = 15, LIKELY_BITS = 0 };

static unsigned choose_count(uint32_t symbols)
{
    static const uint32_t least[] = {200, 600, 1200, 2400};
    unsigned count = TABLES_MIN;
    for (unsigned i = 0; i < sizeof least / sizeof *least; i++) {
        count += symbols >= least[i];
    }
    return count;
}

/* At first each table likes a range of symbols, all ranges about equally frequent. */
static void guess_lengths(struct tables *tables, const struct front *front)
{
    uint32_t left = front->count;
    unsigned first = 0;
    for (unsigned table = 0; table < tables->count; table++) {
        uint32_t share = left / (tables->count - table), taken = 0;
        unsigned end = first;
        while (end < tables->alphabet && (taken < share || end == first)) {
            taken += front->frequencies[end++];
        }
        for (unsigned i = 0; i < tables->alphabet; i++) {
            tables->lengths[table][i] = i >= first && i < end ? LIKELY_BITS : UNLIKELY_BITS;
        }
        first = end;
        left -= taken;
    }
}

static unsigned cheapest_table(const struct tables *tables, const uint16_t *symbols, unsigned count)
{
    uint32_t cost[TABLES_MAX] = {0};
    unsigned best = 0;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned table = 0; table < tables->count; table++) {
            cost[table] += tables->lengths[table][symbols[i]];
        }
    }
    for (unsigned table = 1; table < tables->count; table++) {
        if (cost[table] < cost[best]) {
            best = table;
        }
    }
    return best;
}

static unsigned group_size(const struct front *front, uint32_t start)
{
    return front->count - start < GROUP_SYMBOLS ? front->count - start : GROUP_SYMBOLS;
}

static void select_tables(struct tables *tables, const struct front *front)
{
    memset(tables->frequencies, 0, sizeof tables->frequencies);
    tables->selectors = 0;
    for (uint32_t start = 0; start < front->count; start += GROUP_SYMBOLS) {
        unsigned count = group_size(front, start);
        unsigned table = cheapest_table(tables, front->symbols + start, count);
        tables->selector[tables->selectors++] = (uint8_t)table;
        for (unsigned i = 0; i < count; i++) {
            tables->frequencies[table][front->symbols[start + i]]++;
        }
    }
}

void tables_fit(struct tables *tables, const struct front *front)
{
    tables->count = choose_count(front->count);
    tables->alphabet = front->used_bytes + 2;
    guess_lengths(tables, front);
    for (unsigned round = 0; round < ROUNDS; round++) {
        select_tables(tables, front);
        for (unsigned table = 0; table < tables->count; table++) {
            huffman_lengths(tables->frequencies[table], tables->alphabet, WRITTEN_BITS_MAX,
                            tables->lengths[table]);
        }
    }
    for (unsigned table = 0; table < tables->count; table++) {
        huffman_codes(tables->lengths[table], tables->alphabet, tables->codes[table]);
    }
}

static void write_used_bytes(const struct front *front, struct bit_writer *writer)
{
    uint32_t parts[16] = {0}, some = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        parts[byte / 16] = parts[byte / 16] << 1 | front->in_use[byte];
    }
    for (unsigned i = 0; i < 16; i++) {
        some = some << 1 | (parts[i] != 0);
    }
    bits_write(writer, some, 16);
    for (unsigned i = 0; i < 16; i++) {
        if (parts[i] != 0) {
            bits_write(writer, parts[i], 16);
        }
    }
}

static void write_selectors(const struct tables *tables, struct bit_writer *writer)
{
    uint8_t recent[TABLES_MAX] = {0, 1, 2, 3, 4, 5};
    bits_write(writer, tables->count, 3);
    bits_write(writer, tables->selectors, 15);
    for (unsigned i = 0; i < tables->selectors; i++) {
        unsigned position = 0;
        while (recent[position] != tables->selector[i]) {
            position++;
        }
        memmove(recent + 1, recent, position);
        recent[0] = tables->selector[i];
        for (; position > 0; position--) {
            bits_write(writer, 1, 1);
        }
        bits_write(writer, 0, 1);
    }
}

/* Each length as steps from the one before. */
static void write_lengths(const uint8_t *lengths, unsigned alphabet, struct bit_writer *writer)
{
    unsigned current = lengths[0];
    bits_write(writer, current, 5);
    for (unsigned i = 0; i < alphabet; i++) {
        for (; current < lengths[i]; current++) {
            bits_write(writer, 2, 2);
        }
        for (; current > lengths[i]; current--) {
            bits_write(writer, 3, 2);
        }
        bits_write(writer, 0, 1);
    }
}

void tables_write(const struct tables *tables, const struct front *front, struct bit_writer *writer)
{
    write_used_bytes(front, writer);
    write_selectors(tables, writer);
    for (unsigned table = 0; table < tables->count; table++) {
        write_lengths(tables->lengths[table], tables->alphabet, writer);
    }
    for (uint32_t start = 0, group = 0; start < front->count; start += GROUP_SYMBOLS, group++) {
        unsigned table = tables->selector[group], count = group_size(front, start);
        for (unsigned i = 0; i < count; i++) {
            unsigned symbol = front->symbols[start + i];
            bits_write(writer, tables->codes[table][symbol], tables->lengths[table][symbol]);
        }
    }
}
