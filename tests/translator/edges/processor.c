/* Shows what the system says that the processor can do. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RISCV_HWPROBE 258

struct pair {
    int64_t key;
    uint64_t value;
};

static void ask(const char *name, struct pair *pairs, size_t count, size_t bytes, const void *set,
                unsigned flags)
{
    const long result = syscall(RISCV_HWPROBE, pairs, count, bytes, set, flags);

    printf("%s:", name);
    if (result != 0) {
        printf(" %s\n", strerrorname_np(errno));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        printf(" %ld=%lu", (long)pairs[i].key, (unsigned long)pairs[i].value);
    }
    printf("\n");
}

int main(void)
{
    struct pair pairs[] = {{0, 1}, {1, 1}, {2, 1}, {3, 0}, {4, 0}, {5, 0}, {1000, 1}};
    struct pair extensions = {4, 0};
    const uint64_t first = 1, second = 2;

    ask("all", pairs, sizeof pairs / sizeof *pairs, 0, NULL, 0);
    ask("no pairs", NULL, 0, 0, NULL, 0);
    ask("the first processor", &extensions, 1, sizeof first, &first, 0);
    ask("the second processor", &extensions, 1, sizeof second, &second, 0);
    ask("an empty set", &extensions, 1, 0, &first, 0);
    ask("no set", &extensions, 1, 8, NULL, 0);
    ask("unknown flags", &extensions, 1, 0, NULL, 1u << 31);
    ask("nowhere", NULL, 1, 0, NULL, 0);
    return 0;
}
