/* Shows a dictionary compressor and a Huffman coder that give back what they were given. */
#include "common.h"

#define SIZE 60000

static size_t compress(const unsigned char *in, size_t size, unsigned char *out)
{
    static int heads[4096];
    size_t used = 0;

    memset(heads, 0xff, sizeof(heads));
    for (size_t at = 0; at < size;) {
        size_t length = 0;
        size_t distance = 0;

        if (at + 3 < size) {
            unsigned hash = (in[at] * 31u * 31u + in[at + 1] * 31u + in[at + 2]) % 4096;
            int found = heads[hash];

            heads[hash] = (int)at;
            if (found >= 0 && at - (size_t)found < 65536) {
                while (length < 255 && at + length < size &&
                       in[(size_t)found + length] == in[at + length]) {
                    length++;
                }
                distance = at - (size_t)found;
            }
        }
        if (length > 4) {
            out[used++] = 1;
            out[used++] = (unsigned char)length;
            out[used++] = (unsigned char)distance;
            out[used++] = (unsigned char)(distance >> 8);
            at += length;
        } else {
            out[used++] = 0;
            out[used++] = in[at++];
        }
    }
    return used;
}

static size_t expand(const unsigned char *in, size_t size, unsigned char *out)
{
    size_t used = 0;

    for (size_t at = 0; at < size;) {
        if (in[at] == 0) {
            out[used++] = in[at + 1];
            at += 2;
        } else {
            size_t distance = in[at + 2] | (size_t)in[at + 3] << 8;

            for (size_t i = 0; i < in[at + 1]; i++, used++) {
                out[used] = out[used - distance];
            }
            at += 4;
        }
    }
    return used;
}

static uint64_t huffman_bits(const unsigned char *in, size_t size)
{
    uint64_t weights[512] = {0};
    int live[512];
    int count = 0;
    int next = 256;
    uint64_t total = 0;

    for (size_t i = 0; i < size; i++) {
        weights[in[i]]++;
    }
    for (int i = 0; i < 256; i++) {
        if (weights[i] != 0) {
            live[count++] = i;
        }
    }
    while (count > 1) {
        for (int pick = 0; pick < 2; pick++) {
            int least = pick;

            for (int i = pick; i < count; i++) {
                least = weights[live[i]] < weights[live[least]] ? i : least;
            }
            int kept = live[pick];

            live[pick] = live[least];
            live[least] = kept;
        }
        weights[next] = weights[live[0]] + weights[live[1]];
        total += weights[next];
        live[0] = next++;
        live[1] = live[--count];
    }
    return total;
}

int main(void)
{
    static unsigned char source[SIZE];
    static unsigned char packed[2 * SIZE];
    static unsigned char unpacked[SIZE + 300];
    static const char *const words[] = {"counter ", "table ", "fragment ", "trampoline ",
                                        "loop ",    "hot ",   "path "};
    uint64_t state = 17;
    size_t size = 0;
    size_t length = 0;

    while (size + 20 < SIZE) {
        const char *word = words[next_random(&state) % 7];

        memcpy(source + size, word, strlen(word));
        size += strlen(word);
        if (next_random(&state) % 5 == 0) {
            source[size++] = (unsigned char)next_random(&state);
        }
    }
    length = compress(source, size, packed);
    printf("%zu to %zu bytes %016lx\n", size, length, checksum(CHECKSUM_START, packed, length));
    printf("back %d\n",
           expand(packed, length, unpacked) == size && memcmp(source, unpacked, size) == 0);
    printf("coded bits %lu\n", huffman_bits(source, size));
    return 0;
}
