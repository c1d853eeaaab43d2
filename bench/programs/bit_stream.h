/* Streams of bits in memory, whichever bit of a byte comes first. */
#ifndef BENCH_BIT_STREAM_H
#define BENCH_BIT_STREAM_H

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
    unsigned behind; /* zero bytes that were taken from behind the end */
};

static inline void bits_put_byte(struct bit_writer *writer, uint64_t byte)
{
    if (writer->used == writer->capacity) {
        writer->full = true;
        return;
    }
    writer->bytes[writer->used++] = (uint8_t)byte;
}

/* How many bits the last byte lacks. */
static inline unsigned bits_to_align(const struct bit_writer *writer)
{
    return -writer->pending_bits % 8;
}

static inline uint8_t bits_take_byte(struct bit_reader *reader)
{
    if (reader->next < reader->size) {
        return reader->bytes[reader->next++];
    }
    reader->behind++;
    return 0;
}

#endif
