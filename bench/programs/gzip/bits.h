/* Bit streams, least significant bit first, written to and read from memory. */
#ifndef GZIP_BITS_H
#define GZIP_BITS_H

#include "bit_stream.h"

static inline void bits_write(struct bit_writer *writer, unsigned value, unsigned count)
{
    writer->pending |= (uint64_t)value << writer->pending_bits;
    writer->pending_bits += count;
    while (writer->pending_bits >= 8) {
        bits_put_byte(writer, writer->pending);
        writer->pending >>= 8;
        writer->pending_bits -= 8;
    }
}

static inline void bits_write_align(struct bit_writer *writer)
{
    bits_write(writer, 0, bits_to_align(writer));
}

static inline void bits_need(struct bit_reader *reader, unsigned count)
{
    while (reader->pending_bits < count) {
        reader->pending |= (uint64_t)bits_take_byte(reader) << reader->pending_bits;
        reader->pending_bits += 8;
    }
}

/* So many bits as the reader was told to need before, and no more. */
static inline unsigned bits_peek(const struct bit_reader *reader, unsigned count)
{
    return (unsigned)(reader->pending & ((UINT64_C(1) << count) - 1));
}

static inline void bits_drop(struct bit_reader *reader, unsigned count)
{
    reader->pending >>= count;
    reader->pending_bits -= count;
}

static inline unsigned bits_read(struct bit_reader *reader, unsigned count)
{
    bits_need(reader, count);
    unsigned value = bits_peek(reader, count);
    bits_drop(reader, count);
    return value;
}

/* Some of the bits that were used up came from behind the end. */
static inline bool bits_overrun(const struct bit_reader *reader)
{
    return reader->behind > reader->pending_bits / 8;
}

static inline void bits_read_align(struct bit_reader *reader)
{
    bits_drop(reader, reader->pending_bits % 8);
}

#endif
