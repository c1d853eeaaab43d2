/* What the programs that compress are tried on: inputs that must come back as they were, and damage
 * that must be noticed. */
#ifndef BENCH_CODEC_H
#define BENCH_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codec_output {
    uint8_t *bytes;
    size_t capacity;
    size_t size;
};

struct codec {
    /* Never more than this many bytes for `size` bytes of input. */
    size_t (*bound)(size_t size);

    /* Returns the size of what it packed, or 0 if `capacity` is too small. */
    size_t (*compress)(void *state, const uint8_t *input, size_t size, unsigned level,
                       uint8_t *packed, size_t capacity);

    /* False if nothing that is compressed can come out so. */
    bool (*decompress)(void *state, const uint8_t *packed, size_t size,
                       struct codec_output *output);
};

struct codec_trial {
    const struct codec *codec;
    void *state; /* for the codec */
    uint8_t *input;
    uint8_t *packed;
    size_t packed_capacity;
    struct codec_output output;
};

/* The input has room for the largest of `count` sizes. */
void codec_begin(struct codec_trial *trial, const size_t *sizes, unsigned count);
void codec_end(struct codec_trial *trial);

/* What another program made of a text that it knows: compressor and decompressor could agree on
 * an error. */
void codec_check_foreign(struct codec_trial *trial, const uint8_t *packed, size_t size);

/* Returns the size of what the first `size` bytes of input were packed into. */
size_t codec_round_trip(struct codec_trial *trial, size_t size, unsigned level);

/* In as many places, from `first` on, which is behind what may change without harm. */
void codec_check_damage(struct codec_trial *trial, size_t packed_size, size_t first,
                        unsigned places);

#endif
