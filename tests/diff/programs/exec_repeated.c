/* Shows a program that replaces itself thirty times, from a thread every third time. */
#include "common.h"
#include <pthread.h>

static char *arguments[5];
static const char *self;

static void *replace(void *unused)
{
    const char *file = NULL;
    char **words = exec_arguments(self, arguments, &file);

    (void)unused;
    execv(file, words);
    _exit(98);
}

int main(int argc, char **argv)
{
    long left = argc > 1 ? strtol(argv[1], NULL, 10) : 30;
    uint64_t hash = argc > 2 ? strtoull(argv[2], NULL, 16) : CHECKSUM_START;
    char count[32];
    char sum[32];
    pthread_t thread;

    if (left == 0) {
        printf("replaced: %016lx\n", hash);
        return 6;
    }
    snprintf(count, sizeof(count), "%ld", left - 1);
    snprintf(sum, sizeof(sum), "%016lx", checksum_word(hash, (uint64_t)left));
    self = argv[0];
    arguments[0] = argv[0];
    arguments[1] = count;
    arguments[2] = sum;
    if (left % 3 == 0) {
        REQUIRE(pthread_create(&thread, NULL, replace, NULL) == 0);
        pthread_join(thread, NULL);
    }
    replace(NULL);
    return 97;
}
