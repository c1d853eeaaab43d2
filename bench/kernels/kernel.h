/* What every bench kernel shares beyond what all programs do: its size argument and its checksum line. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include "../program.h"

/* Work grows linearly with the scale; memory use need not.  The limit keeps scale * constant
 * within 64 bits in every kernel. */
static inline uint32_t kernel_scale(int argc, char **argv, uint32_t scale_default)
{
    if (argc < 2) {
        return scale_default;
    }
    char *end = NULL;
    unsigned long scale = strtoul(argv[1], &end, 10);
    if (argc > 2 || *argv[1] < '0' || *argv[1] > '9' || *end != '\0' || scale == 0 ||
        scale > 1000000) {
        fprintf(stderr, "usage: %s [SCALE]   (1 to 1000000, default %" PRIu32 ")\n", argv[0],
                scale_default);
        exit(2);
    }
    return (uint32_t)scale;
}

static inline void *kernel_alloc(size_t size_bytes)
{
    void *memory = malloc(size_bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", size_bytes);
        exit(3);
    }
    return memory;
}

static inline void kernel_report(const char *name, uint32_t scale, uint64_t sum)
{
    printf("%s scale %" PRIu32 " checksum %016" PRIx64 "\n", name, scale, sum);
}

#endif
