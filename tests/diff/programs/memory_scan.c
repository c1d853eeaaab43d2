/* Reads all of its memory by /proc/self/maps, as a conservative garbage collector does. */
#include "common.h"
#include <fcntl.h>

static uint64_t *hidden;
static uint64_t sum;

struct totals {
    unsigned found, stacks, writable_code, unordered;
};

static void scan(uint64_t start, uint64_t end, struct totals *totals)
{
    for (uint64_t at = start; at < end; at += sizeof(uint64_t)) {
        const uint64_t word = *(volatile uint64_t *)at;
        totals->found += word == (uint64_t)hidden && at != (uint64_t)&hidden;
        sum += word;
    }
}

static struct totals read_all(const char *path)
{
    struct totals totals = {0, 0, 0, 0};
    char *text = malloc(1 << 20);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got = 0;
    uint64_t last = 0;

    REQUIRE(text != NULL && file >= 0);
    while ((got = read(file, text + length, (1 << 20) - length - 1)) > 0) {
        length += (size_t)got;
    }
    text[length] = '\0';
    REQUIRE(close(file) == 0);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        uint64_t start = 0;
        uint64_t end = 0;
        char permissions[5] = "";
        char name[4096] = "";
        if (sscanf(line, "%lx-%lx %4s %*x %*x:%*x %*u %4095s", &start, &end, permissions, name) <
            3) {
            continue;
        }
        totals.unordered += start < last || end <= start;
        totals.stacks += strcmp(name, "[stack]") == 0;
        totals.writable_code += permissions[1] == 'w' && permissions[2] == 'x';
        last = end;
        if (permissions[0] == 'r' && permissions[1] == 'w') {
            scan(start, end, &totals);
        }
    }
    return totals;
}

static void show(const char *what, const char *path)
{
    const struct totals totals = read_all(path);

    printf("%s: found %d, stacks %u, writable code %u, unordered %u\n", what, totals.found >= 1,
           totals.stacks, totals.writable_code, totals.unordered);
}

int main(void)
{
    uint64_t **holder = malloc(sizeof(*holder));
    char path[64];

    hidden = malloc(4096);
    REQUIRE(holder != NULL && hidden != NULL);
    *holder = hidden;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)getpid());
    show("by name", "/proc/self/maps");
    show("by number", path);
    free(hidden);
    return 0;
}
