/* Writes symbols with several Huffman codes, each group with the one that suits it best. */
#ifndef BZIP_TABLES_H
#define BZIP_TABLES_H

#include "bits.h"
#include "format.h"
#include "front.h"

struct tables {
    unsigned count;
    unsigned alphabet;
    unsigned selectors;
    uint8_t selector[SELECTORS_MAX];
    uint8_t lengths[TABLES_MAX][SYMBOLS_MAX];
    uint32_t codes[TABLES_MAX][SYMBOLS_MAX];
    uint32_t frequencies[TABLES_MAX][SYMBOLS_MAX];
};

void tables_fit(struct tables *tables, const struct front *front);
void tables_write(const struct tables *tables, const struct front *front,
                  struct bit_writer *writer);

#endif
