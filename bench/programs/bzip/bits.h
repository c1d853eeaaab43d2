/* Bit streams, most significant bit first, written to and read from memory. */
#ifndef BZIP_BITS_H
#define BZIP_BITS_H

#include "bit_stream.h"

static inline void bits_write(struct bit_writer *writer, uint32_t value, unsigned count)
{
    writer->pending = writer->pending << count | value;
    writer->pending_bits += count;
    while (writer->pending_bits >= 8) {
        writer->pending_bits -= 8;
        bits_put_byte(writer, writer->pending >> writer->pending_bits);
    }
}

static inline void bits_write_long(struct bit_writer *writer, uint64_t value, unsigned count)
{
    bits_write(writer, (uint32_t)(value >> 24), count - 24);
    bits_write(writer, (uint32_t)(value & 0xffffff), 24);
}

static inline void bits_write_align(struct bit_writer *writer)
{
    bits_write(writer, 0, bits_to_align(writer));
}

static inline uint32_t bits_read(struct bit_reader *reader, unsigned count)
{
    while (reader->pending_bits < count) {
        reader->pending = reader->pending << 8 | bits_take_byte(reader);
        reader->pending_bits += 8;
    }
    reader->pending_bits -= count;
    return (uint32_t)(reader->pending >> reader->pending_bits & ((UINT64_C(1) << count) - 1));
}

static inline uint64_t bits_read_long(struct bit_reader *reader, unsigned count)
{
    uint64_t high = bits_read(reader, count - 24);
    return high << 24 | bits_read(reader, 24);
}

#endif
