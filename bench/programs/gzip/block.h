/* One block of deflate: collects literals and matches and writes them in the shortest way. */
#ifndef GZIP_BLOCK_H
#define GZIP_BLOCK_H

#include "bits.h"
#include "format.h"

enum { BLOCK_SYMBOLS = 16384 };

struct block {
    struct bit_writer *writer;
    const uint8_t *source; /* the bytes that the collected symbols stand for */
    size_t source_bytes;
    unsigned used;
    uint16_t distances[BLOCK_SYMBOLS]; /* 0 for a literal */
    uint8_t values[BLOCK_SYMBOLS];     /* the literal, or the length less MATCH_MIN */
    uint32_t literal_counts[LITERAL_CODES];
    uint32_t distance_counts[DISTANCE_CODES];
    uint8_t length_code[MATCH_MAX - MATCH_MIN + 1];
    uint8_t distance_code_near[256];
    uint8_t distance_code_far[256]; /* by the distance less one, over 128 */
    uint8_t fixed_literal_lengths[FIXED_LITERAL_CODES];
    uint8_t fixed_distance_lengths[DISTANCE_CODES];
    uint32_t written[3]; /* by block type */
};

void block_init(struct block *block, struct bit_writer *writer, const uint8_t *source);

static inline unsigned block_distance_code(const struct block *block, unsigned distance)
{
    distance--;
    return distance < 256 ? block->distance_code_near[distance]
                          : block->distance_code_far[distance >> 7];
}

/* True if the block is full and must be written. */
static inline bool block_add_literal(struct block *block, uint8_t literal)
{
    block->distances[block->used] = 0;
    block->values[block->used++] = literal;
    block->literal_counts[literal]++;
    block->source_bytes++;
    return block->used == BLOCK_SYMBOLS;
}

static inline bool block_add_match(struct block *block, unsigned length, unsigned distance)
{
    block->distances[block->used] = (uint16_t)distance;
    block->values[block->used++] = (uint8_t)(length - MATCH_MIN);
    block->literal_counts[LITERALS + 1 + block->length_code[length - MATCH_MIN]]++;
    block->distance_counts[block_distance_code(block, distance)]++;
    block->source_bytes += length;
    return block->used == BLOCK_SYMBOLS;
}

void block_write(struct block *block, bool last);

#endif
