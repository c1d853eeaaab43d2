/* The four functions that the compiler may call though there is no libc. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *left, const void *right, size_t bytes);

/* A word of memory whatever its type is. */
typedef uint64_t __attribute__((may_alias)) word;

static int words_fit(const void *a, const void *b)
{
    return (((uintptr_t)a | (uintptr_t)b) & (sizeof(word) - 1)) == 0;
}

/* From the first byte up: right for moves downwards, too. */
static void copy_up(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (words_fit(to, from)) {
        for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
            *(word *)(void *)to = *(const word *)(const void *)from;
            to += sizeof(word);
            from += sizeof(word);
        }
    }
    for (; bytes > 0; bytes--) {
        *to++ = *from++;
    }
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    copy_up(to, from, bytes);
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to <= (uintptr_t)from) {
        copy_up(to, from, bytes);
        return to;
    }
    for (size_t i = bytes; i > 0; i--) {
        ((uint8_t *)to)[i - 1] = ((const uint8_t *)from)[i - 1];
    }
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    uint8_t *at = to;
    const word pattern = (uint8_t)value * UINT64_C(0x0101010101010101);

    for (; bytes > 0 && !words_fit(at, at); bytes--) {
        *at++ = (uint8_t)value;
    }
    for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
        *(word *)(void *)at = pattern;
        at += sizeof(word);
    }
    for (; bytes > 0; bytes--) {
        *at++ = (uint8_t)value;
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t bytes)
{
    const uint8_t *a = left;
    const uint8_t *b = right;

    for (size_t i = 0; i < bytes; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}
