/* Indirect sums: the slides' C[B[j]], with a table of records, one line each. */
#include "kernels.h"
#include "program.h"

struct sums_record {
    uint64_t value, rest[7];
};

struct sums {
    struct kernel_plan plan;
    struct sums_record *c;
    uint32_t *b;
    uint64_t sum;
};

static void *sums_make(const struct kernel_plan *plan)
{
    struct sums *sums = program_allocate(1, sizeof *sums);
    const size_t count = kernel_line_count(plan);
    uint64_t random = 1;
    sums->plan = *plan;
    sums->c = kernel_lines(count);
    sums->b = program_allocate(plan->items + plan->ahead + 1, sizeof *sums->b);
    for (size_t i = 0; i < count; i++) {
        sums->c[i].value = i * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (size_t i = 0; i < plan->items; i++) {
        sums->b[i] = program_random_below(&random, (uint32_t)count);
    }
    return sums;
}

static void sums_work(void *data, size_t begin, size_t end)
{
    struct sums *sums = data;
    const struct sums_record *c = sums->c;
    const uint32_t *b = sums->b;
    const unsigned work = sums->plan.work;
    uint64_t sum = sums->sum;
    for (size_t j = begin; j < end; j++) {
        sum = kernel_compute(sum, c[b[j]].value, work);
    }
    sums->sum = sum;
}

static void sums_work_inline(void *data, size_t begin, size_t end)
{
    struct sums *sums = data;
    const struct sums_record *c = sums->c;
    const uint32_t *b = sums->b, *ahead = b + sums->plan.ahead;
    const unsigned work = sums->plan.work;
    uint64_t sum = sums->sum;
    for (size_t j = begin; j < end; j++) {
        kernel_prefetch(&c[ahead[j]]);
        sum = kernel_compute(sum, c[b[j]].value, work);
    }
    sums->sum = sum;
}

static void sums_help(void *data, const struct spr_ahead *ahead)
{
    const struct sums *sums = data;
    const struct sums_record *c = sums->c;
    const uint32_t *b = sums->b;
    const bool loads = sums->plan.loads;
    for (size_t j = ahead->begin; j < ahead->end; j++) {
        kernel_touch(&c[b[j]], loads);
    }
}

static uint64_t sums_digest(const void *data)
{
    return ((const struct sums *)data)->sum;
}

const struct kernel kernel_sums = {.name = "sums",
                                   .what = "indirect sums, C[B[j]]",
                                   .make = sums_make,
                                   .work = sums_work,
                                   .work_inline = sums_work_inline,
                                   .help = sums_help,
                                   .digest = sums_digest};
