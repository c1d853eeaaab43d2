/* Huffman codes of bounded length, in the order that the format gives them. */
#ifndef BZIP_HUFFMAN_H
#define BZIP_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>
#include "format.h"

/* Codes of each length are consecutive: by length, the last code and where its symbols start. */
struct decoder {
    int32_t limit[CODE_BITS_MAX + 2];
    int32_t base[CODE_BITS_MAX + 2];
    uint16_t symbols[SYMBOLS_MAX];
    unsigned shortest;
};

void huffman_lengths(const uint32_t *frequencies, unsigned symbols, unsigned limit,
                     uint8_t *lengths);
void huffman_codes(const uint8_t *lengths, unsigned symbols, uint32_t *codes);

/* False if there are more codes than the lengths leave room for. */
bool huffman_decoder(struct decoder *decoder, const uint8_t *lengths, unsigned symbols);

#endif
