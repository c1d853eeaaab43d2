/* Owns what the differential programs share: a running checksum, a fatal check, self-execution. */
#ifndef DIFF_COMMON_H
#define DIFF_COMMON_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A broken precondition ends the program with a status that no program chooses itself. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            fflush(NULL);                                                                          \
            _exit(99);                                                                             \
        }                                                                                          \
    } while (0)

#define CHECKSUM_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t checksum(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static inline uint64_t checksum_word(uint64_t hash, uint64_t word)
{
    return checksum(hash, &word, sizeof(word));
}

/* A fixed sequence, so that every run works on the same data. */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The name of an error, since its number and text are not part of what is compared. */
static inline const char *error_name(int error)
{
    const char *name = strerrorname_np(error);

    return error == 0 ? "OK" : name != NULL ? name : "?";
}

/* What a call returned: its value, or the name of the error. */
static inline const char *outcome(long result)
{
    static _Thread_local char text[32];

    if (result == -1) {
        return error_name(errno);
    }
    snprintf(text, sizeof(text), "%ld", result);
    return text;
}

/* The arguments that execute `path` anew.  qemu-riscv64 passes execve on to the host's kernel, so
 * there DIFF_EXEC names the emulator, which has to stand in front; argv[0] is kept with -0. */
static inline char **exec_arguments(const char *path, char *const argv[], const char **file)
{
    static char *words[64];
    const char *prefix = getenv("DIFF_EXEC");
    size_t count = 0;

    *file = path;
    if (prefix != NULL) {
        *file = prefix;
        words[count++] = (char *)prefix;
        words[count++] = (char *)"-0";
        words[count++] = argv[0];
        words[count++] = (char *)path;
        argv++;
    }
    while (*argv != NULL && count + 1 < sizeof(words) / sizeof(words[0])) {
        words[count++] = *argv++;
    }
    words[count] = NULL;
    return words;
}

#endif
