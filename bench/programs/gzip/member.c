/* Writes and reads gzip members (RFC 1952). */
#include "member.h"

enum {
    MAGIC_FIRST = 0x1f,
    MAGIC_SECOND = 0x8b,
    METHOD_DEFLATE = 8,
    FLAG_HEADER_CRC = 2,
    FLAG_EXTRA = 4,
    FLAG_NAME = 8,
    FLAG_COMMENT = 16,
    HOST_UNKNOWN = 255,
    FRAME_BYTES = 18,
    STORED_BLOCK_BYTES = 8192
};

size_t member_bound(size_t size)
{
    return size + 5 * (size / STORED_BLOCK_BYTES + 2) + FRAME_BYTES;
}

static void write_word(struct bit_writer *writer, uint32_t word)
{
    for (unsigned shift = 0; shift < 32; shift += 8) {
        bits_put_byte(writer, word >> shift & 0xff);
    }
}

static void write_header(struct bit_writer *writer, unsigned level)
{
    bits_put_byte(writer, MAGIC_FIRST);
    bits_put_byte(writer, MAGIC_SECOND);
    bits_put_byte(writer, METHOD_DEFLATE);
    bits_put_byte(writer, 0);
    write_word(writer, 0);
    bits_put_byte(writer, level == 1 ? 4 : level == DEFLATE_LEVELS ? 2 : 0);
    bits_put_byte(writer, HOST_UNKNOWN);
}

size_t member_write(const struct crc *crc, const uint8_t *input, size_t size, unsigned level,
                    uint8_t *member, size_t capacity, struct deflate_counts *counts)
{
    struct bit_writer writer = {.bytes = member, .capacity = capacity};
    write_header(&writer, level);
    deflate(&writer, input, size, level, counts);
    write_word(&writer, crc_update(crc, 0, input, size));
    write_word(&writer, (uint32_t)size);
    return writer.full ? 0 : writer.used;
}

static uint32_t read_word(struct bit_reader *reader)
{
    uint32_t low = bits_read(reader, 16);
    return low | (uint32_t)bits_read(reader, 16) << 16;
}

static void skip_string(struct bit_reader *reader)
{
    while (bits_read(reader, 8) != 0) {
    }
}

static void skip_options(struct bit_reader *reader, unsigned flags)
{
    if ((flags & FLAG_EXTRA) != 0) {
        for (unsigned left = bits_read(reader, 16); left > 0; left--) {
            bits_read(reader, 8);
        }
    }
    if ((flags & FLAG_NAME) != 0) {
        skip_string(reader);
    }
    if ((flags & FLAG_COMMENT) != 0) {
        skip_string(reader);
    }
    if ((flags & FLAG_HEADER_CRC) != 0) {
        bits_read(reader, 16);
    }
}

static enum member_status read_header(struct bit_reader *reader)
{
    if (bits_read(reader, 8) != MAGIC_FIRST || bits_read(reader, 8) != MAGIC_SECOND) {
        return MEMBER_NOT_GZIP;
    }
    if (bits_read(reader, 8) != METHOD_DEFLATE) {
        return MEMBER_UNKNOWN_METHOD;
    }
    unsigned flags = bits_read(reader, 8);
    read_word(reader);
    bits_read(reader, 16);
    skip_options(reader, flags);
    return bits_overrun(reader) ? MEMBER_DAMAGED : MEMBER_OK;
}

enum member_status member_read(const struct crc *crc, const uint8_t *member, size_t size,
                               struct inflate_output *output)
{
    struct bit_reader reader = {.bytes = member, .size = size};
    output->size = 0;
    output->crc = 0;
    enum member_status status = read_header(&reader);
    if (status != MEMBER_OK) {
        return status;
    }
    if (inflate(&reader, crc, output) != INFLATE_OK) {
        return MEMBER_DAMAGED;
    }
    bits_read_align(&reader);
    if (read_word(&reader) != output->crc) {
        return MEMBER_WRONG_CRC;
    }
    return read_word(&reader) == (uint32_t)output->size ? MEMBER_OK : MEMBER_WRONG_SIZE;
}
