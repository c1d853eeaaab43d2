/* Writes one block of deflate: stored, with the fixed codes or with its own, the shortest. */
#include "block.h"
#include <string.h>
#include "huffman.h"

struct block_codes {
    uint8_t literal_lengths[FIXED_LITERAL_CODES];
    uint8_t distance_lengths[DISTANCE_CODES];
    uint16_t literals[FIXED_LITERAL_CODES];
    uint16_t distances[DISTANCE_CODES];
};

/* The code lengths of a dynamic block, run-length coded, and the code that these are sent in. */
struct block_header {
    unsigned literal_count;
    unsigned distance_count;
    unsigned order_count;
    unsigned used;
    uint8_t symbols[LITERAL_CODES + DISTANCE_CODES];
    uint8_t repeats[LITERAL_CODES + DISTANCE_CODES];
    uint32_t counts[LENGTH_ORDER_CODES];
    uint8_t lengths[LENGTH_ORDER_CODES];
    uint16_t codes[LENGTH_ORDER_CODES];
};

static void block_reset(struct block *block)
{
    block->source += block->source_bytes;
    block->source_bytes = 0;
    block->used = 0;
    memset(block->literal_counts, 0, sizeof block->literal_counts);
    memset(block->distance_counts, 0, sizeof block->distance_counts);
    block->literal_counts[END_OF_BLOCK] = 1;
}

void block_init(struct block *block, struct bit_writer *writer, const uint8_t *source)
{
    memset(block, 0, sizeof *block);
    block->writer = writer;
    block->source = source;
    for (unsigned code = 0; code < LENGTH_CODES; code++) {
        unsigned first = format_length_base[code] - MATCH_MIN;
        for (unsigned i = 0; i < 1u << format_length_extra[code] && first + i < 256; i++) {
            block->length_code[first + i] = (uint8_t)code;
        }
    }
    for (unsigned code = 0; code < DISTANCE_CODES; code++) {
        unsigned first = format_distance_base[code] - 1u;
        unsigned end = first + (1u << format_distance_extra[code]);
        for (unsigned i = first; i < end && i < 256; i++) {
            block->distance_code_near[i] = (uint8_t)code;
        }
        for (unsigned i = first >> 7; i < end >> 7; i++) {
            block->distance_code_far[i] = (uint8_t)code;
        }
    }
    format_fixed_lengths(block->fixed_literal_lengths, block->fixed_distance_lengths);
    block_reset(block);
}

static unsigned extra_bits_of_repeat(unsigned symbol)
{
    return symbol == REPEAT_PREVIOUS ? 2 : symbol == REPEAT_ZERO_SHORT ? 3 : 7;
}

static void header_add(struct block_header *header, unsigned symbol, unsigned repeat)
{
    header->symbols[header->used] = (uint8_t)symbol;
    header->repeats[header->used++] = (uint8_t)repeat;
    header->counts[symbol]++;
}

static void header_add_run(struct block_header *header, unsigned length, unsigned run)
{
    if (length != 0 && run > 0) {
        header_add(header, length, 0);
        run--;
    }
    while (run > 0) {
        if (run < 3) {
            header_add(header, length, 0);
            run--;
        } else if (length != 0) {
            unsigned repeat = run > 6 ? 6 : run;
            header_add(header, REPEAT_PREVIOUS, repeat - 3);
            run -= repeat;
        } else if (run <= 10) {
            header_add(header, REPEAT_ZERO_SHORT, run - 3);
            run = 0;
        } else {
            unsigned repeat = run > 138 ? 138 : run;
            header_add(header, REPEAT_ZERO_LONG, repeat - 11);
            run -= repeat;
        }
    }
}

static unsigned count_used(const uint8_t *lengths, unsigned count, unsigned least)
{
    while (count > least && lengths[count - 1] == 0) {
        count--;
    }
    return count;
}

static void header_build(struct block_header *header, const struct block_codes *codes)
{
    uint8_t all[LITERAL_CODES + DISTANCE_CODES];
    memset(header, 0, sizeof *header);
    header->literal_count = count_used(codes->literal_lengths, LITERAL_CODES, LITERALS + 1);
    header->distance_count = count_used(codes->distance_lengths, DISTANCE_CODES, 1);
    unsigned total = header->literal_count + header->distance_count;
    memcpy(all, codes->literal_lengths, header->literal_count);
    memcpy(all + header->literal_count, codes->distance_lengths, header->distance_count);
    for (unsigned start = 0, end; start < total; start = end) {
        for (end = start + 1; end < total && all[end] == all[start]; end++) {
        }
        header_add_run(header, all[start], end - start);
    }
    huffman_lengths(header->counts, LENGTH_ORDER_CODES, LENGTH_CODE_BITS_MAX, header->lengths);
    huffman_codes(header->lengths, LENGTH_ORDER_CODES, header->codes);
    header->order_count = LENGTH_ORDER_CODES;
    while (header->order_count > 4 &&
           header->lengths[format_length_order[header->order_count - 1]] == 0) {
        header->order_count--;
    }
}

static uint64_t header_bits(const struct block_header *header)
{
    uint64_t bits = 5 + 5 + 4 + 3 * header->order_count;
    for (unsigned i = 0; i < header->used; i++) {
        unsigned symbol = header->symbols[i];
        bits += header->lengths[symbol];
        bits += symbol >= REPEAT_PREVIOUS ? extra_bits_of_repeat(symbol) : 0;
    }
    return bits;
}

static void header_write(const struct block_header *header, struct bit_writer *writer)
{
    bits_write(writer, header->literal_count - (LITERALS + 1), 5);
    bits_write(writer, header->distance_count - 1, 5);
    bits_write(writer, header->order_count - 4, 4);
    for (unsigned i = 0; i < header->order_count; i++) {
        bits_write(writer, header->lengths[format_length_order[i]], 3);
    }
    for (unsigned i = 0; i < header->used; i++) {
        unsigned symbol = header->symbols[i];
        bits_write(writer, header->codes[symbol], header->lengths[symbol]);
        if (symbol >= REPEAT_PREVIOUS) {
            bits_write(writer, header->repeats[i], extra_bits_of_repeat(symbol));
        }
    }
}

static uint64_t symbols_bits(const struct block *block, const uint8_t *literal_lengths,
                             const uint8_t *distance_lengths)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < LITERAL_CODES; i++) {
        unsigned extra = i > LITERALS ? format_length_extra[i - LITERALS - 1] : 0;
        bits += (uint64_t)block->literal_counts[i] * (literal_lengths[i] + extra);
    }
    for (unsigned i = 0; i < DISTANCE_CODES; i++) {
        bits += (uint64_t)block->distance_counts[i] *
                (distance_lengths[i] + (unsigned)format_distance_extra[i]);
    }
    return bits;
}

static void write_match(const struct block *block, const struct block_codes *codes,
                        unsigned length_less_min, unsigned distance)
{
    struct bit_writer *writer = block->writer;
    unsigned code = block->length_code[length_less_min];
    bits_write(writer, codes->literals[LITERALS + 1 + code],
               codes->literal_lengths[LITERALS + 1 + code]);
    if (format_length_extra[code] != 0) {
        bits_write(writer, length_less_min - (format_length_base[code] - MATCH_MIN),
                   format_length_extra[code]);
    }
    code = block_distance_code(block, distance);
    bits_write(writer, codes->distances[code], codes->distance_lengths[code]);
    if (format_distance_extra[code] != 0) {
        bits_write(writer, distance - format_distance_base[code], format_distance_extra[code]);
    }
}

static void write_symbols(const struct block *block, const struct block_codes *codes)
{
    for (unsigned i = 0; i < block->used; i++) {
        unsigned value = block->values[i];
        if (block->distances[i] == 0) {
            bits_write(block->writer, codes->literals[value], codes->literal_lengths[value]);
        } else {
            write_match(block, codes, value, block->distances[i]);
        }
    }
    bits_write(block->writer, codes->literals[END_OF_BLOCK], codes->literal_lengths[END_OF_BLOCK]);
}

static void begin_block(struct block *block, bool last, enum block_type type)
{
    bits_write(block->writer, last, 1);
    bits_write(block->writer, type, 2);
    block->written[type]++;
}

static void write_stored(struct block *block, bool last)
{
    const uint8_t *bytes = block->source;
    size_t left = block->source_bytes;
    do {
        unsigned count = left > STORED_MAX ? STORED_MAX : (unsigned)left;
        left -= count;
        begin_block(block, last && left == 0, BLOCK_STORED);
        bits_write_align(block->writer);
        bits_write(block->writer, count, 16);
        bits_write(block->writer, ~count & 0xffff, 16);
        for (; count > 0; count--) {
            bits_put_byte(block->writer, *bytes++);
        }
    } while (left > 0);
}

static void number_codes(struct block_codes *codes, unsigned literals)
{
    huffman_codes(codes->literal_lengths, literals, codes->literals);
    huffman_codes(codes->distance_lengths, DISTANCE_CODES, codes->distances);
}

static void write_fixed(struct block *block, struct block_codes *codes, bool last)
{
    memcpy(codes->literal_lengths, block->fixed_literal_lengths, FIXED_LITERAL_CODES);
    memcpy(codes->distance_lengths, block->fixed_distance_lengths, DISTANCE_CODES);
    number_codes(codes, FIXED_LITERAL_CODES);
    begin_block(block, last, BLOCK_FIXED);
    write_symbols(block, codes);
}

void block_write(struct block *block, bool last)
{
    struct block_codes codes;
    struct block_header header;
    huffman_lengths(block->literal_counts, LITERAL_CODES, CODE_BITS_MAX, codes.literal_lengths);
    huffman_lengths(block->distance_counts, DISTANCE_CODES, CODE_BITS_MAX, codes.distance_lengths);
    header_build(&header, &codes);
    uint64_t stored = 8 * (uint64_t)block->source_bytes + 32;
    uint64_t fixed =
        symbols_bits(block, block->fixed_literal_lengths, block->fixed_distance_lengths);
    uint64_t dynamic =
        header_bits(&header) + symbols_bits(block, codes.literal_lengths, codes.distance_lengths);
    if (stored <= fixed && stored <= dynamic) {
        write_stored(block, last);
    } else if (fixed <= dynamic) {
        write_fixed(block, &codes, last);
    } else {
        number_codes(&codes, LITERAL_CODES);
        begin_block(block, last, BLOCK_DYNAMIC);
        header_write(&header, block->writer);
        write_symbols(block, &codes);
    }
    block_reset(block);
}
