/* Bench program whose loops are the C library's: text is printed to memory, split, sorted and searched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 4000
#define TEXT_BYTES (WORDS * 16)

static char text[TEXT_BYTES], copy[TEXT_BYTES];
static const char *words[WORDS];

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int main(void)
{
    size_t length = 0;
    unsigned state = 1;
    for (unsigned i = 0; i < WORDS; i++) {
        state = state * 1103515245u + 12345u;
        length += (size_t)snprintf(text + length, TEXT_BYTES - length, "w%u.%03u ",
                                   state >> 16 & 1023, state >> 8 & 255);
    }
    memcpy(copy, text, length + 1);
    size_t count = 0;
    for (char *word = strtok(copy, " "); word != NULL && count < WORDS; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    qsort(words, count, sizeof words[0], compare);
    size_t different = 0, found = 0;
    for (size_t i = 0; i < count; i++) {
        different += i == 0 || strcmp(words[i - 1], words[i]) != 0;
        found += i % 64 == 0 && strstr(text, words[i]) != NULL;
    }
    printf("%zu words, %zu different, %zu found in %zu bytes\n", count, different, found,
           strlen(text));
    return 0;
}
