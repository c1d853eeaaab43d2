/* Decompresses the deflate format through a window that is flushed and checked when it is full. */
#include "inflate.h"
#include "program.h"
#include "huffman.h"

enum { LITERAL_ROOT_BITS = 9, DISTANCE_ROOT_BITS = 6 };

struct inflater {
    struct bit_reader *reader;
    const struct crc *crc;
    struct inflate_output *output;
    unsigned at; /* in the window */
    bool full;   /* the output had no room for a flushed window */
    uint64_t produced;
    uint8_t window[WINDOW_BYTES];
    struct decoder literals;
    struct decoder distances;
};

static void flush(struct inflater *inflater)
{
    struct inflate_output *output = inflater->output;
    if (inflater->at > output->capacity - output->size) {
        inflater->full = true;
    } else {
        memcpy(output->bytes + output->size, inflater->window, inflater->at);
        output->size += inflater->at;
        output->crc = crc_update(inflater->crc, output->crc, inflater->window, inflater->at);
    }
    inflater->at = 0;
}

static void put_byte(struct inflater *inflater, unsigned byte)
{
    inflater->window[inflater->at++] = (uint8_t)byte;
    inflater->produced++;
    if (inflater->at == WINDOW_BYTES) {
        flush(inflater);
    }
}

/* Copies in pieces that end where the source or the target wraps round; they may overlap. */
static void copy_match(struct inflater *inflater, unsigned length, unsigned distance)
{
    unsigned from = (inflater->at - distance) & (WINDOW_BYTES - 1);
    inflater->produced += length;
    while (length > 0) {
        unsigned later = from > inflater->at ? from : inflater->at;
        unsigned piece = WINDOW_BYTES - later < length ? WINDOW_BYTES - later : length;
        length -= piece;
        for (; piece > 0; piece--) {
            inflater->window[inflater->at++] = inflater->window[from++];
        }
        from &= WINDOW_BYTES - 1;
        if (inflater->at == WINDOW_BYTES) {
            flush(inflater);
        }
    }
}

/* Returns a symbol, or a number that is none where no code fits. */
static unsigned decode(struct bit_reader *reader, const struct decoder *decoder)
{
    bits_need(reader, CODE_BITS_MAX);
    const struct decoder_entry *entry = &decoder->entries[bits_peek(reader, decoder->root_bits)];
    if (entry->is_table) {
        bits_drop(reader, decoder->root_bits);
        entry = &decoder->entries[entry->symbol + bits_peek(reader, entry->bits)];
    }
    bits_drop(reader, entry->bits);
    return entry->bits == 0 ? UINT16_MAX : entry->symbol;
}

static enum inflate_status inflate_match(struct inflater *inflater, unsigned code)
{
    struct bit_reader *reader = inflater->reader;
    unsigned length = format_length_base[code] + bits_read(reader, format_length_extra[code]);
    code = decode(reader, &inflater->distances);
    if (code >= DISTANCE_CODES) {
        return INFLATE_BAD_CODE;
    }
    unsigned distance = format_distance_base[code] + bits_read(reader, format_distance_extra[code]);
    if (distance > inflater->produced) {
        return INFLATE_BAD_DISTANCE;
    }
    copy_match(inflater, length, distance);
    return INFLATE_OK;
}

static enum inflate_status inflate_symbols(struct inflater *inflater)
{
    for (;;) {
        unsigned symbol = decode(inflater->reader, &inflater->literals);
        if (bits_overrun(inflater->reader)) {
            return INFLATE_TRUNCATED;
        }
        if (symbol < LITERALS) {
            put_byte(inflater, symbol);
            continue;
        }
        if (symbol == END_OF_BLOCK) {
            return INFLATE_OK;
        }
        if (symbol >= LITERAL_CODES) {
            return INFLATE_BAD_CODE;
        }
        enum inflate_status status = inflate_match(inflater, symbol - LITERALS - 1);
        if (status != INFLATE_OK) {
            return status;
        }
    }
}

static enum inflate_status inflate_stored(struct inflater *inflater)
{
    struct bit_reader *reader = inflater->reader;
    bits_read_align(reader);
    unsigned count = bits_read(reader, 16), complement = bits_read(reader, 16);
    if (count != (~complement & 0xffff)) {
        return INFLATE_BAD_STORED_LENGTH;
    }
    for (; count > 0; count--) {
        put_byte(inflater, bits_read(reader, 8));
    }
    return INFLATE_OK;
}

static enum inflate_status inflate_fixed(struct inflater *inflater)
{
    uint8_t literals[FIXED_LITERAL_CODES], distances[DISTANCE_CODES + 2];
    format_fixed_lengths(literals, distances);
    distances[DISTANCE_CODES] = distances[DISTANCE_CODES + 1] = 5;
    if (!huffman_decoder(&inflater->literals, literals, FIXED_LITERAL_CODES, LITERAL_ROOT_BITS) ||
        !huffman_decoder(&inflater->distances, distances, DISTANCE_CODES + 2, DISTANCE_ROOT_BITS)) {
        return INFLATE_BAD_CODE;
    }
    return inflate_symbols(inflater);
}

/* Reads `total` code lengths, which are themselves coded, with repetitions. */
static enum inflate_status read_lengths(struct inflater *inflater, uint8_t *lengths, unsigned total)
{
    struct bit_reader *reader = inflater->reader;
    unsigned have = 0;
    while (have < total) {
        unsigned symbol = decode(reader, &inflater->literals), repeat = 1;
        uint8_t value = 0;
        if (symbol < REPEAT_PREVIOUS) {
            value = (uint8_t)symbol;
        } else if (symbol == REPEAT_PREVIOUS && have > 0) {
            value = lengths[have - 1];
            repeat = 3 + bits_read(reader, 2);
        } else if (symbol == REPEAT_ZERO_SHORT) {
            repeat = 3 + bits_read(reader, 3);
        } else if (symbol == REPEAT_ZERO_LONG) {
            repeat = 11 + bits_read(reader, 7);
        } else {
            return INFLATE_BAD_CODE;
        }
        if (repeat > total - have) {
            return INFLATE_BAD_CODE;
        }
        memset(lengths + have, value, repeat);
        have += repeat;
    }
    return INFLATE_OK;
}

static enum inflate_status inflate_dynamic(struct inflater *inflater)
{
    struct bit_reader *reader = inflater->reader;
    uint8_t order[LENGTH_ORDER_CODES] = {0}, lengths[LITERAL_CODES + DISTANCE_CODES];
    unsigned literals = LITERALS + 1 + bits_read(reader, 5);
    unsigned distances = 1 + bits_read(reader, 5);
    unsigned count = 4 + bits_read(reader, 4);
    if (literals > LITERAL_CODES || distances > DISTANCE_CODES) {
        return INFLATE_BAD_CODE;
    }
    for (unsigned i = 0; i < count; i++) {
        order[format_length_order[i]] = (uint8_t)bits_read(reader, 3);
    }
    if (!huffman_decoder(&inflater->literals, order, LENGTH_ORDER_CODES, LENGTH_CODE_BITS_MAX)) {
        return INFLATE_BAD_CODE;
    }
    enum inflate_status status = read_lengths(inflater, lengths, literals + distances);
    if (status != INFLATE_OK) {
        return status;
    }
    if (!huffman_decoder(&inflater->literals, lengths, literals, LITERAL_ROOT_BITS) ||
        !huffman_decoder(&inflater->distances, lengths + literals, distances, DISTANCE_ROOT_BITS)) {
        return INFLATE_BAD_CODE;
    }
    return inflate_symbols(inflater);
}

static enum inflate_status inflate_block(struct inflater *inflater)
{
    switch (bits_read(inflater->reader, 2)) {
    case BLOCK_STORED:
        return inflate_stored(inflater);
    case BLOCK_FIXED:
        return inflate_fixed(inflater);
    case BLOCK_DYNAMIC:
        return inflate_dynamic(inflater);
    default:
        return INFLATE_BAD_BLOCK_TYPE;
    }
}

enum inflate_status inflate(struct bit_reader *reader, const struct crc *crc,
                            struct inflate_output *output)
{
    struct inflater *inflater = program_allocate(1, sizeof *inflater);
    enum inflate_status status;
    bool last;
    inflater->reader = reader;
    inflater->crc = crc;
    inflater->output = output;
    do {
        last = bits_read(reader, 1) != 0;
        status = inflate_block(inflater);
        if (status == INFLATE_OK && bits_overrun(reader)) {
            status = INFLATE_TRUNCATED;
        }
    } while (status == INFLATE_OK && !last);
    flush(inflater);
    if (status == INFLATE_OK && inflater->full) {
        status = INFLATE_OUTPUT_FULL;
    }
    free(inflater);
    return status;
}
