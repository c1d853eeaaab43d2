/* Bit streams, most significant bit first, written to and read from memory. */
#ifndef BZIP_BITS_H
#define BZIP_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bit_writer {
    uint8_t *bytes;
    size_t capacity;
    size_t used;
    uint64_t pending; /* its low bits */
    unsigned pending_bits;
    bool full; /* bytes were dropped */
};

struct bit_reader {
    const uint8_t *bytes;
    size_t size;
    size_t next;
    uint64_t pending;
    unsigned pending_bits;
    bool overrun; /* zeros were read behind the end */
};

static inline void bits_write(struct bit_writer *writer, uint32_t value, unsigned count)
{
    writer->pending = writer->pending << count | value;
    writer->pending_bits += count;
    while (writer->pending_bits >= 8) {
        writer->pending_bits -= 8;
        if (writer->used == writer->capacity) {
            writer->full = true;
        } else {
            writer->bytes[writer->used++] = (uint8_t)(writer->pending >> writer->pending_bits);
        }
    }
}

static inline void bits_write_long(struct bit_writer *writer, uint64_t value, unsigned count)
{
    bits_write(writer, (uint32_t)(value >> 24), count - 24);
    bits_write(writer, (uint32_t)(value & 0xffffff), 24);
}

static inline void bits_write_align(struct bit_writer *writer)
{
    if (writer->pending_bits > 0) {
        bits_write(writer, 0, 8 - writer->pending_bits);
    }
}

static inline uint32_t bits_read(struct bit_reader *reader, unsigned count)
{
    while (reader->pending_bits < count) {
        uint8_t byte = 0;
        if (reader->next < reader->size) {
            byte = reader->bytes[reader->next++];
        } else {
            reader->overrun = true;
        }
        reader->pending = reader->pending << 8 | byte;
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
