/* Bit streams, least significant bit first, written to and read from memory. */
#ifndef GZIP_BITS_H
#define GZIP_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bit_writer {
    uint8_t *bytes;
    size_t capacity;
    size_t used;
    uint64_t pending;
    unsigned pending_bits;
    bool full; /* bytes were dropped */
};

struct bit_reader {
    const uint8_t *bytes;
    size_t size;
    size_t next;
    uint64_t pending;
    unsigned pending_bits;
    unsigned behind; /* zero bytes that were taken from behind the end */
};

static inline void bits_write_byte(struct bit_writer *writer, unsigned byte)
{
    if (writer->used == writer->capacity) {
        writer->full = true;
        return;
    }
    writer->bytes[writer->used++] = (uint8_t)byte;
}

static inline void bits_write(struct bit_writer *writer, unsigned value, unsigned count)
{
    writer->pending |= (uint64_t)value << writer->pending_bits;
    writer->pending_bits += count;
    while (writer->pending_bits >= 8) {
        bits_write_byte(writer, (unsigned)writer->pending & 0xff);
        writer->pending >>= 8;
        writer->pending_bits -= 8;
    }
}

static inline void bits_write_align(struct bit_writer *writer)
{
    if (writer->pending_bits > 0) {
        bits_write(writer, 0, 8 - writer->pending_bits);
    }
}

static inline void bits_need(struct bit_reader *reader, unsigned count)
{
    while (reader->pending_bits < count) {
        uint64_t byte = 0;
        if (reader->next < reader->size) {
            byte = reader->bytes[reader->next++];
        } else {
            reader->behind++;
        }
        reader->pending |= byte << reader->pending_bits;
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
