/* Shows message digests written out in C: SHA-256, MD5 and CRC-32 of known and large messages. */
#include "common.h"
#include <math.h>

static uint32_t rotate_right(uint32_t value, unsigned count)
{
    return value >> count | value << (32 - count);
}

/* Fractional bits of roots of primes, as FIPS 180-4 defines the constants. */
static uint32_t root_bits(int prime, int cubic)
{
    long double root = cubic ? cbrtl(prime) : sqrtl(prime);

    return (uint32_t)((root - floorl(root)) * 4294967296.0L);
}

static int next_prime(int number)
{
    for (number++;; number++) {
        int divisor = 2;

        while (divisor * divisor <= number && number % divisor != 0) {
            divisor++;
        }
        if (divisor * divisor > number) {
            return number;
        }
    }
}

static size_t pad(unsigned char *buffer, size_t size, int big_endian)
{
    size_t total = (size + 9 + 63) / 64 * 64;

    memset(buffer + size, 0, total - size);
    buffer[size] = 0x80;
    for (int i = 0; i < 8; i++) {
        buffer[total - 8 + i] = (unsigned char)(size * 8 >> (big_endian ? 56 - 8 * i : 8 * i));
    }
    return total;
}

static void sha256(unsigned char *buffer, size_t size)
{
    uint32_t k[64];
    uint32_t h[8];
    int prime = 1;

    for (int i = 0; i < 64; i++) {
        prime = next_prime(prime);
        k[i] = root_bits(prime, 1);
        if (i < 8) {
            h[i] = root_bits(prime, 0);
        }
    }
    size = pad(buffer, size, 1);
    for (unsigned char *at = buffer; at < buffer + size; at += 64) {
        uint32_t w[64];
        uint32_t s[8];

        for (int i = 0; i < 16; i++) {
            w[i] = (uint32_t)at[4 * i] << 24 | (uint32_t)at[4 * i + 1] << 16 |
                   (uint32_t)at[4 * i + 2] << 8 | at[4 * i + 3];
        }
        for (int i = 16; i < 64; i++) {
            uint32_t a = w[i - 15];
            uint32_t b = w[i - 2];

            w[i] = w[i - 16] + w[i - 7] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) +
                   (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
        }
        memcpy(s, h, sizeof(s));
        for (int i = 0; i < 64; i++) {
            uint32_t e = s[4];
            uint32_t a = s[0];
            uint32_t t1 = s[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                          ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
            uint32_t t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
                          ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

            memmove(s + 1, s, 7 * sizeof(s[0]));
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++) {
            h[i] += s[i];
        }
    }
    for (int i = 0; i < 8; i++) {
        printf("%08x", h[i]);
    }
    printf(" sha256\n");
}

static void md5(unsigned char *buffer, size_t size)
{
    static const unsigned char shifts[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

    size = pad(buffer, size, 0);
    for (unsigned char *at = buffer; at < buffer + size; at += 64) {
        uint32_t m[16];
        uint32_t a = h[0];
        uint32_t b = h[1];
        uint32_t c = h[2];
        uint32_t d = h[3];

        memcpy(m, at, 64);
        for (unsigned i = 0; i < 64; i++) {
            uint32_t f[] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
            unsigned index[] = {i, (5 * i + 1) % 16, (3 * i + 5) % 16, 7 * i % 16};
            uint32_t constant = (uint32_t)(int64_t)floor(fabs(sin(i + 1.0)) * 4294967296.0);
            uint32_t sum = a + f[i / 16] + constant + m[index[i / 16] % 16];

            a = d;
            d = c;
            c = b;
            b += rotate_right(sum, 32u - shifts[i / 16][i % 4]);
        }
        h[0] += a;
        h[1] += b;
        h[2] += c;
        h[3] += d;
    }
    for (int i = 0; i < 16; i++) {
        printf("%02x", h[i / 4] >> (i % 4 * 8) & 255);
    }
    printf(" md5\n");
}

static void crc32(const unsigned char *buffer, size_t size)
{
    uint32_t table[256];
    uint32_t crc = UINT32_MAX;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) {
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
        }
    }
    for (size_t i = 0; i < size; i++) {
        crc = crc >> 8 ^ table[(crc ^ buffer[i]) & 255];
    }
    printf("%08x crc32\n", ~crc);
}

int main(void)
{
    static unsigned char buffer[300100];
    static const size_t sizes[] = {0, 3, 55, 56, 64, 1000, 300000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (int kind = 0; kind < 3; kind++) {
            for (size_t k = 0; k < sizes[i]; k++) {
                buffer[k] = sizes[i] == 3 ? (unsigned char)("abc"[k]) : (unsigned char)(k * k >> 3);
            }
            kind == 0   ? sha256(buffer, sizes[i])
            : kind == 1 ? md5(buffer, sizes[i])
                        : crc32(buffer, sizes[i]);
        }
    }
    return 0;
}
