/* Bench kernel: a dictionary compressor.
 *
 * LZSS with hash chains over a 32 KiB window, lazy matching and bit-packed Elias-gamma lengths,
 * CRC-32 of input and output, and decompression checked against the input.  Exercises byte loads,
 * short unpredictable loops (match search), table lookups and shifts.  The scale is the number of
 * 128 KiB texts that are generated, compressed and decompressed. */
#include "kernel.h"

#define SCALE_DEFAULT 20u
#define TEXT_BYTES (128u * 1024u)
#define WINDOW_BITS 15u
#define WINDOW (1u << WINDOW_BITS)
#define HASH_BITS 14u
#define MATCH_MIN 3u
#define MATCH_MAX 258u
#define CHAIN_LIMIT 48u /* candidates tried per position */
#define GOOD_MATCH 32u  /* long enough not to look for a better one a byte later */
#define WORDS 2000u
#define NO_POSITION UINT32_MAX

struct match {
    uint32_t length;
    uint32_t distance;
};

struct dictionary {
    uint32_t head[1u << HASH_BITS]; /* latest position of each hash */
    uint32_t previous[WINDOW];      /* earlier position with the same hash, by position % WINDOW */
};

struct bit_writer {
    uint8_t *bytes;
    size_t used;
    uint64_t pending;
    unsigned pending_bits;
};

struct bit_reader {
    const uint8_t *bytes;
    size_t size;
    size_t next;
    uint64_t pending;
    unsigned pending_bits;
};

static uint32_t crc_table[256];

static void crc_build_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
        }
        crc_table[byte] = crc;
    }
}

static uint32_t crc_of(const uint8_t *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc = (crc >> 8) ^ crc_table[(crc ^ bytes[i]) & 0xff];
    }
    return ~crc;
}

/* Words of a made-up language; frequent words are short, as in real text, and drawn with a
 * probability that falls with their rank. */
static void text_build_words(char words[WORDS][16], uint64_t *random)
{
    static const char consonants[] = "tnshrdlcmwfgypbvk";
    static const char vowels[] = "eaoiu";
    for (uint32_t w = 0; w < WORDS; w++) {
        uint32_t syllables = (w > 300 ? 3 : w > 20 ? 2 : 1) + program_random(random) % 2;
        size_t length = 0;
        for (uint32_t s = 0; s < syllables; s++) {
            words[w][length++] = consonants[program_random(random) % (sizeof(consonants) - 1)];
            words[w][length++] = vowels[program_random(random) % (sizeof(vowels) - 1)];
            if (program_random(random) % 3 == 0) {
                words[w][length++] = consonants[program_random(random) % (sizeof(consonants) - 1)];
            }
        }
        words[w][length] = '\0';
    }
}

static void text_generate(uint8_t *text, size_t size, char words[WORDS][16], uint64_t *random)
{
    size_t used = 0;
    uint32_t in_sentence = 0;
    while (used < size) {
        uint32_t draw = program_random(random) % WORDS;
        uint32_t rank = program_random(random) % (draw + 1);
        rank = program_random(random) % (rank + 1);
        const char *word = words[rank];
        for (size_t i = 0; word[i] != '\0' && used < size; i++) {
            text[used++] = (uint8_t)(in_sentence == 0 && i == 0 ? word[i] - 'a' + 'A' : word[i]);
        }
        in_sentence++;
        int ends = in_sentence > 4 && program_random(random) % 9 == 0;
        const char *gap = !ends ? " " : program_random(random) % 5 == 0 ? ".\n" : ". ";
        for (size_t i = 0; gap[i] != '\0' && used < size; i++) {
            text[used++] = (uint8_t)gap[i];
        }
        in_sentence = ends ? 0 : in_sentence;
    }
}

static void bits_put(struct bit_writer *out, uint32_t value, unsigned count)
{
    out->pending |= (uint64_t)value << out->pending_bits;
    out->pending_bits += count;
    while (out->pending_bits >= 8) {
        out->bytes[out->used++] = (uint8_t)out->pending;
        out->pending >>= 8;
        out->pending_bits -= 8;
    }
}

static uint32_t bits_get(struct bit_reader *in, unsigned count)
{
    while (in->pending_bits < count) {
        uint64_t byte = in->next < in->size ? in->bytes[in->next] : 0;
        in->next++;
        in->pending |= byte << in->pending_bits;
        in->pending_bits += 8;
    }
    uint32_t value = (uint32_t)(in->pending & ((UINT64_C(1) << count) - 1));
    in->pending >>= count;
    in->pending_bits -= count;
    return value;
}

/* Elias gamma: as many zeros as bits follow the leading one. */
static void bits_put_gamma(struct bit_writer *out, uint32_t value)
{
    unsigned extra = 0;
    while (value >> (extra + 1) != 0) {
        extra++;
    }
    bits_put(out, 0, extra);
    bits_put(out, 1, 1);
    bits_put(out, value & ((1u << extra) - 1), extra);
}

static uint32_t bits_get_gamma(struct bit_reader *in)
{
    unsigned extra = 0;
    while (bits_get(in, 1) == 0) {
        extra++;
        program_check(extra < 24, "damaged length");
    }
    return (1u << extra) | bits_get(in, extra);
}

static uint32_t dictionary_hash(const uint8_t *at)
{
    uint32_t key = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    return (key * UINT32_C(2654435761)) >> (32 - HASH_BITS);
}

static void dictionary_add(struct dictionary *dictionary, const uint8_t *text, uint32_t position,
                           uint32_t size)
{
    if (position + MATCH_MIN <= size) {
        uint32_t *head = &dictionary->head[dictionary_hash(text + position)];
        dictionary->previous[position % WINDOW] = *head;
        *head = position;
    }
}

static struct match dictionary_find(const struct dictionary *dictionary, const uint8_t *text,
                                    uint32_t position, uint32_t size)
{
    struct match best = {0, 0};
    if (position + MATCH_MIN > size) {
        return best;
    }
    uint32_t limit = size - position < MATCH_MAX ? size - position : MATCH_MAX;
    const uint8_t *here = text + position;
    uint32_t candidate = dictionary->head[dictionary_hash(here)];
    for (uint32_t tried = 0; tried < CHAIN_LIMIT && candidate != NO_POSITION; tried++) {
        if (position - candidate >= WINDOW) {
            break;
        }
        const uint8_t *there = text + candidate;
        /* A longer match must agree in the byte that ends the best one so far. */
        if (there[best.length] == here[best.length]) {
            uint32_t length = 0;
            while (length < limit && there[length] == here[length]) {
                length++;
            }
            if (length > best.length) {
                best.length = length;
                best.distance = position - candidate;
                if (length == limit) {
                    break;
                }
            }
        }
        uint32_t older = dictionary->previous[candidate % WINDOW];
        /* A slot that a newer position has taken over no longer belongs to this chain. */
        if (older >= candidate) {
            break;
        }
        candidate = older;
    }
    if (best.length < MATCH_MIN) {
        best.length = 0;
    }
    return best;
}

static size_t compress_text(const uint8_t *text, uint32_t size, uint8_t *packed,
                            struct dictionary *dictionary)
{
    struct bit_writer out = {packed, 0, 0, 0};
    memset(dictionary->head, 0xff, sizeof(dictionary->head));
    uint32_t position = 0;
    struct match match = dictionary_find(dictionary, text, 0, size);
    while (position < size) {
        dictionary_add(dictionary, text, position, size);
        struct match next = {0, 0};
        if (match.length < GOOD_MATCH) {
            next = dictionary_find(dictionary, text, position + 1, size);
        }
        if (match.length == 0 || next.length > match.length) {
            bits_put(&out, 0, 1);
            bits_put(&out, text[position], 8);
            position++;
            match = next;
            continue;
        }
        bits_put(&out, 1, 1);
        bits_put(&out, match.distance, WINDOW_BITS);
        bits_put_gamma(&out, match.length - MATCH_MIN + 1);
        for (uint32_t i = 1; i < match.length; i++) {
            dictionary_add(dictionary, text, position + i, size);
        }
        position += match.length;
        match = dictionary_find(dictionary, text, position, size);
    }
    bits_put(&out, 0, 7);
    return out.used;
}

static void decompress_text(const uint8_t *packed, size_t packed_size, uint8_t *text, uint32_t size)
{
    struct bit_reader in = {packed, packed_size, 0, 0, 0};
    uint32_t position = 0;
    while (position < size) {
        if (bits_get(&in, 1) == 0) {
            text[position++] = (uint8_t)bits_get(&in, 8);
            continue;
        }
        uint32_t distance = bits_get(&in, WINDOW_BITS);
        uint32_t length = bits_get_gamma(&in) + MATCH_MIN - 1;
        program_check(distance != 0 && distance <= position && length <= size - position,
                      "damaged match");
        for (uint32_t i = 0; i < length; i++) {
            text[position] = text[position - distance];
            position++;
        }
    }
}

int main(int argc, char **argv)
{
    uint32_t scale = kernel_scale(argc, argv, SCALE_DEFAULT);
    static char words[WORDS][16];
    uint64_t random = 1977;
    uint64_t sum = 0;
    uint64_t packed_total = 0;
    uint8_t *text = kernel_alloc(TEXT_BYTES);
    uint8_t *unpacked = kernel_alloc(TEXT_BYTES);
    /* The worst case is 9 bits for each byte. */
    uint8_t *packed = kernel_alloc(TEXT_BYTES + TEXT_BYTES / 8 + 8);
    struct dictionary *dictionary = kernel_alloc(sizeof(*dictionary));

    crc_build_table();
    program_check(crc_of((const uint8_t *)"123456789", 9) == UINT32_C(0xcbf43926), "CRC-32");
    text_build_words(words, &random);
    for (uint32_t round = 0; round < scale; round++) {
        text_generate(text, TEXT_BYTES, words, &random);
        size_t packed_size = compress_text(text, TEXT_BYTES, packed, dictionary);
        decompress_text(packed, packed_size, unpacked, TEXT_BYTES);
        uint32_t crc = crc_of(text, TEXT_BYTES);
        program_check(crc_of(unpacked, TEXT_BYTES) == crc, "CRC of the decompressed text");
        program_check(memcmp(text, unpacked, TEXT_BYTES) == 0, "decompressed text");
        sum = program_mix(sum, crc);
        sum = program_mix(sum, crc_of(packed, packed_size));
        packed_total += packed_size;
    }
    printf("compress %" PRIu64 " bytes to %" PRIu64 "\n", (uint64_t)scale * TEXT_BYTES,
           packed_total);
    kernel_report("compress", scale, sum);
    free(dictionary);
    free(packed);
    free(unpacked);
    free(text);
    return 0;
}
