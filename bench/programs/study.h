/* What the programs of the study share: their size, and the line that says what they found. */
#ifndef BENCH_STUDY_H
#define BENCH_STUDY_H

#include "program.h"

/* About 10 million, 200 million, and 2 thousand million instructions and more. */
enum study_size { SIZE_TEST, SIZE_SMALL, SIZE_FULL, SIZES };

static const char *const study_size_names[SIZES] = {"test", "small", "full"};

static inline enum study_size study_read_size(int argc, char **argv)
{
    if (argc == 1) {
        return SIZE_TEST;
    }
    for (int size = 0; argc == 2 && size < SIZES; size++) {
        if (strcmp(argv[1], study_size_names[size]) == 0) {
            return (enum study_size)size;
        }
    }
    fprintf(stderr, "usage: %s [test|small|full]\n", argv[0]);
    exit(2);
}

/* The last line of the output; results.list has what it must be. */
static inline void study_report(const char *name, enum study_size size, uint64_t digest)
{
    printf("%s %s digest %016" PRIx64 "\n", name, study_size_names[size], digest);
}

#endif
