/* Reads a bzip2 stream block by block: codes, positions, the sorting undone, runs made long. */
#include "decompress.h"
#include "bits.h"
#include "huffman.h"
#include "program.h"

struct decompressor {
    const struct crc *crc;
    struct bit_reader reader;
    struct codec_output *output;
    uint32_t block_limit;
    uint32_t stream_crc;
    uint32_t size;   /* of the block */
    uint32_t *links; /* a byte below, and above it where the next one is */
    uint32_t origin;
    unsigned used_bytes;
    uint8_t recent[256];
    unsigned tables;
    unsigned selectors;
    uint8_t selector[SELECTORS_MAX + 1];
    struct decoder decoders[TABLES_MAX];
    unsigned group; /* whose selector is in force */
    unsigned left;  /* symbols of it */
};

static bool read_used_bytes(struct decompressor *decompressor)
{
    uint32_t parts = bits_read(&decompressor->reader, 16);
    decompressor->used_bytes = 0;
    for (unsigned part = 0; part < 16; part++) {
        if ((parts << part & 0x8000) == 0) {
            continue;
        }
        uint32_t bits = bits_read(&decompressor->reader, 16);
        for (unsigned i = 0; i < 16; i++) {
            if ((bits << i & 0x8000) != 0) {
                decompressor->recent[decompressor->used_bytes++] = (uint8_t)(16 * part + i);
            }
        }
    }
    return decompressor->used_bytes > 0;
}

static bool read_selectors(struct decompressor *decompressor)
{
    uint8_t recent[TABLES_MAX] = {0, 1, 2, 3, 4, 5};
    decompressor->tables = bits_read(&decompressor->reader, 3);
    decompressor->selectors = bits_read(&decompressor->reader, 15);
    if (decompressor->tables < TABLES_MIN || decompressor->tables > TABLES_MAX ||
        decompressor->selectors == 0 || decompressor->selectors > SELECTORS_MAX) {
        return false;
    }
    for (unsigned i = 0; i < decompressor->selectors; i++) {
        unsigned position = 0;
        while (bits_read(&decompressor->reader, 1) != 0) {
            if (++position == decompressor->tables) {
                return false;
            }
        }
        uint8_t table = recent[position];
        memmove(recent + 1, recent, position);
        recent[0] = table;
        decompressor->selector[i] = table;
    }
    return true;
}

static bool read_table(struct decompressor *decompressor, struct decoder *decoder)
{
    uint8_t lengths[SYMBOLS_MAX];
    unsigned alphabet = decompressor->used_bytes + 2;
    unsigned current = bits_read(&decompressor->reader, 5);
    for (unsigned i = 0; i < alphabet; i++) {
        while (bits_read(&decompressor->reader, 1) != 0) {
            current += bits_read(&decompressor->reader, 1) != 0 ? -1u : 1u;
            if (current < 1 || current > CODE_BITS_MAX) {
                return false;
            }
        }
        lengths[i] = (uint8_t)current;
    }
    return current >= 1 && huffman_decoder(decoder, lengths, alphabet);
}

static bool read_tables(struct decompressor *decompressor)
{
    if (!read_used_bytes(decompressor) || !read_selectors(decompressor)) {
        return false;
    }
    for (unsigned table = 0; table < decompressor->tables; table++) {
        if (!read_table(decompressor, &decompressor->decoders[table])) {
            return false;
        }
    }
    decompressor->group = 0;
    decompressor->left = 0;
    return true;
}

/* Returns -1 where no code fits or the selectors are used up. */
static int read_symbol(struct decompressor *decompressor)
{
    if (decompressor->left == 0) {
        if (decompressor->group == decompressor->selectors) {
            return -1;
        }
        decompressor->group++;
        decompressor->left = GROUP_SYMBOLS;
    }
    decompressor->left--;
    const struct decoder *decoder =
        &decompressor->decoders[decompressor->selector[decompressor->group - 1]];
    unsigned bits = decoder->shortest;
    int32_t code = (int32_t)bits_read(&decompressor->reader, bits);
    while (code > decoder->limit[bits]) {
        if (++bits > CODE_BITS_MAX) {
            return -1;
        }
        code = code << 1 | (int32_t)bits_read(&decompressor->reader, 1);
    }
    return decoder->symbols[code + decoder->base[bits]];
}

static uint8_t take_recent(struct decompressor *decompressor, unsigned position)
{
    uint8_t byte = decompressor->recent[position];
    for (; position > 0; position--) {
        decompressor->recent[position] = decompressor->recent[position - 1];
    }
    decompressor->recent[0] = byte;
    return byte;
}

static bool put_sorted(struct decompressor *decompressor, uint8_t byte, uint32_t count)
{
    if (count > decompressor->block_limit - decompressor->size) {
        return false;
    }
    for (; count > 0; count--) {
        decompressor->links[decompressor->size++] = byte;
    }
    return true;
}

static enum decompress_status read_positions(struct decompressor *decompressor)
{
    int end = (int)decompressor->used_bytes + 1;
    uint32_t zeros = 0, digit = 1;
    decompressor->size = 0;
    for (;;) {
        int symbol = read_symbol(decompressor);
        if (symbol == RUN_A || symbol == RUN_B) {
            if (digit > decompressor->block_limit) {
                return DECOMPRESS_BAD_DATA;
            }
            zeros += digit << symbol;
            digit <<= 1;
            continue;
        }
        if (symbol < 0 || !put_sorted(decompressor, decompressor->recent[0], zeros)) {
            return DECOMPRESS_BAD_DATA;
        }
        zeros = 0;
        digit = 1;
        if (symbol == end) {
            return DECOMPRESS_OK;
        }
        if (!put_sorted(decompressor, take_recent(decompressor, (unsigned)symbol - 1), 1)) {
            return DECOMPRESS_BAD_DATA;
        }
    }
}

/* The i-th occurrence of a byte in the last column is the i-th in the first one. */
static void link_block(struct decompressor *decompressor)
{
    uint32_t next[257] = {0}, *links = decompressor->links;
    for (uint32_t i = 0; i < decompressor->size; i++) {
        next[(links[i] & 0xff) + 1]++;
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        next[byte + 1] += next[byte];
    }
    for (uint32_t i = 0; i < decompressor->size; i++) {
        links[next[links[i] & 0xff]++] |= i << 8;
    }
}

/* Follows the links, lengthens runs, and returns the checksum of what it put out. */
static enum decompress_status put_block(struct decompressor *decompressor, uint32_t *crc)
{
    struct codec_output *output = decompressor->output;
    uint32_t at = decompressor->links[decompressor->origin] >> 8, value = CRC_START;
    unsigned equal = 0;
    int before = -1;
    for (uint32_t i = 0; i < decompressor->size; i++) {
        uint32_t link = decompressor->links[at];
        uint8_t byte = (uint8_t)link;
        unsigned count = 1;
        at = link >> 8;
        if (equal == RUN_MIN) {
            count = byte;
            byte = (uint8_t)before;
            equal = 0;
        } else {
            equal = byte == before ? equal + 1 : 1;
            before = byte;
        }
        if (count > output->capacity - output->size) {
            return DECOMPRESS_OUTPUT_FULL;
        }
        for (; count > 0; count--) {
            output->bytes[output->size++] = byte;
            value = crc_add(decompressor->crc, value, byte);
        }
    }
    *crc = crc_end(value);
    return DECOMPRESS_OK;
}

static enum decompress_status read_block(struct decompressor *decompressor)
{
    uint32_t wanted = bits_read(&decompressor->reader, 32), crc = 0;
    bool randomized = bits_read(&decompressor->reader, 1) != 0;
    decompressor->origin = bits_read(&decompressor->reader, 24);
    if (randomized || !read_tables(decompressor)) {
        return DECOMPRESS_BAD_TABLES;
    }
    enum decompress_status status = read_positions(decompressor);
    if (status != DECOMPRESS_OK) {
        return status;
    }
    if (decompressor->origin >= decompressor->size) {
        return DECOMPRESS_BAD_DATA;
    }
    link_block(decompressor);
    status = put_block(decompressor, &crc);
    if (status != DECOMPRESS_OK) {
        return status;
    }
    decompressor->stream_crc = crc_combine(decompressor->stream_crc, crc);
    return crc == wanted ? DECOMPRESS_OK : DECOMPRESS_WRONG_CRC;
}

static enum decompress_status read_blocks(struct decompressor *decompressor)
{
    for (;;) {
        uint64_t magic = bits_read_long(&decompressor->reader, 48);
        if (decompressor->reader.behind > 0) {
            return DECOMPRESS_TRUNCATED;
        }
        if (magic == END_MAGIC) {
            uint32_t wanted = bits_read(&decompressor->reader, 32);
            return wanted == decompressor->stream_crc ? DECOMPRESS_OK : DECOMPRESS_WRONG_CRC;
        }
        if (magic != BLOCK_MAGIC) {
            return DECOMPRESS_BAD_MAGIC;
        }
        enum decompress_status status = read_block(decompressor);
        if (status != DECOMPRESS_OK) {
            return status;
        }
    }
}

enum decompress_status decompress(const struct crc *crc, const uint8_t *stream, size_t size,
                                  struct codec_output *output)
{
    output->size = 0;
    if (size < 4 || memcmp(stream, "BZh", 3) != 0 || stream[3] < '1' || stream[3] > '9') {
        return DECOMPRESS_NOT_BZIP;
    }
    struct decompressor *decompressor = program_allocate(1, sizeof *decompressor);
    decompressor->crc = crc;
    decompressor->output = output;
    decompressor->reader = (struct bit_reader){.bytes = stream, .size = size, .next = 4};
    decompressor->block_limit = format_block_limit((unsigned)stream[3] - '0', output->capacity);
    decompressor->links = program_allocate(decompressor->block_limit, sizeof *decompressor->links);
    enum decompress_status status = read_blocks(decompressor);
    free(decompressor->links);
    free(decompressor);
    return status;
}
