/* Huffman codes of bounded length: made from frequencies, numbered, turned into tables. */
#ifndef GZIP_HUFFMAN_H
#define GZIP_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>
#include "format.h"

/* An entry that is a table names the second one: `symbol` is its start, `bits` its index bits. */
struct decoder_entry {
    uint16_t symbol;
    uint8_t bits;
    uint8_t is_table;
};

enum { DECODER_ROOT_BITS_MAX = 9, DECODER_ENTRIES = 2048 };

struct decoder {
    unsigned root_bits;
    unsigned used;
    struct decoder_entry entries[DECODER_ENTRIES];
};

/* The result is a complete code, with at least two symbols, none longer than `limit` bits. */
void huffman_lengths(const uint32_t *frequencies, unsigned symbols, unsigned limit,
                     uint8_t *lengths);

/* Canonical codes, their bits reversed as the format sends them. */
void huffman_codes(const uint8_t *lengths, unsigned symbols, uint16_t *codes);

/* False if the lengths ask for more codes than there are, or leave some out. */
bool huffman_decoder(struct decoder *decoder, const uint8_t *lengths, unsigned symbols,
                     unsigned root_bits);

#endif
