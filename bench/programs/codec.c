/* Tries a compressor together with its decompressor. */
#include "codec.h"
#include "program.h"

static const char foreign_text[] =
    "a rose is a rose is a rose, and a hose is no rose; "
    "a rose is a rose is a rose, and a hose is no rose; "
    "a rose is a rose is a rose, and a hose is no rose; the end of it.";

void codec_begin(struct codec_trial *trial, const size_t *sizes, unsigned count)
{
    size_t largest = sizes[0];
    for (unsigned i = 1; i < count; i++) {
        largest = sizes[i] > largest ? sizes[i] : largest;
    }
    trial->input = program_allocate(largest, 1);
    trial->packed_capacity = trial->codec->bound(largest);
    trial->packed = program_allocate(trial->packed_capacity, 1);
    trial->output.capacity = largest;
    trial->output.bytes = program_allocate(largest, 1);
}

void codec_end(struct codec_trial *trial)
{
    free(trial->input);
    free(trial->packed);
    free(trial->output.bytes);
}

static bool decompress(struct codec_trial *trial, const uint8_t *packed, size_t size)
{
    trial->output.size = 0;
    return trial->codec->decompress(trial->state, packed, size, &trial->output);
}

static bool output_is(const struct codec_trial *trial, const void *bytes, size_t size)
{
    return trial->output.size == size && memcmp(trial->output.bytes, bytes, size) == 0;
}

void codec_check_foreign(struct codec_trial *trial, const uint8_t *packed, size_t size)
{
    program_check(decompress(trial, packed, size), "what another program packed is read");
    program_check(output_is(trial, foreign_text, sizeof foreign_text - 1),
                  "decompression gives the other program's input");
}

size_t codec_round_trip(struct codec_trial *trial, size_t size, unsigned level)
{
    size_t used = trial->codec->compress(trial->state, trial->input, size, level, trial->packed,
                                         trial->packed_capacity);
    program_check(used != 0, "what is packed fits its bound");
    program_check(decompress(trial, trial->packed, used), "what is packed is read");
    program_check(output_is(trial, trial->input, size), "decompression gives the input");
    return used;
}

/* A changed byte or a missing end must be noticed, whatever the changed bits come to mean. */
void codec_check_damage(struct codec_trial *trial, size_t packed_size, size_t first,
                        unsigned places)
{
    for (size_t at = first; at < packed_size; at += packed_size / places) {
        trial->packed[at] ^= 0x10;
        program_check(!decompress(trial, trial->packed, packed_size), "damage is noticed");
        trial->packed[at] ^= 0x10;
    }
    program_check(!decompress(trial, trial->packed, packed_size / 2), "a missing half is noticed");
}
