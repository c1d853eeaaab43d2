/* Inputs for the programs that compress: five kinds of data, made from a seed. */
#ifndef BENCH_CORPUS_H
#define BENCH_CORPUS_H

#include <stddef.h>
#include <stdint.h>

enum corpus_kind {
    CORPUS_TEXT,
    CORPUS_SOURCE,
    CORPUS_RECORDS,
    CORPUS_RANDOM,
    CORPUS_IMAGE,
    CORPUS_KINDS
};

extern const char *const corpus_names[CORPUS_KINDS];

struct corpus;

/* The caller frees it. */
struct corpus *corpus_create(uint64_t seed);

void corpus_fill(struct corpus *corpus, enum corpus_kind kind, uint8_t *bytes, size_t size);

#endif
