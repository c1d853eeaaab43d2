/* A program of a study that is over quickly: what it does, well or not, is its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned mix(unsigned seed, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        seed = seed * 1664525 + 1013904223;
        if (seed & 64) {
            seed ^= seed >> 7;
        }
    }
    return seed;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash != NULL ? slash + 1 : argv[0];
    const char *size = argc > 1 ? argv[1] : "test";
    unsigned digest = 1;
    if (strcmp(name, "crash") == 0) {
        abort();
    }
    if (strcmp(name, "status") == 0) {
        fprintf(stderr, "this is what went wrong\n");
        return 9;
    }
    for (unsigned i = 1; i < 40; i++) {
        digest = mix(digest, i * i);
    }
    while (strcmp(name, "endless") == 0) {
        digest = mix(digest, 1000);
    }
    for (int c; (c = getchar()) != EOF;) {
        digest = mix(digest + (unsigned)c, 10);
    }
    printf("%s %s digest %08x\n", name, size, digest);
    return 0;
}
