/* The sparse matrix-vector product: rows of small blocks, and a vector of nodes, one line each, as in equake. */
#include "kernels.h"
#include "program.h"

#define ROW_BLOCKS 8
#define UNKNOWNS 3

struct sparse_node {
    double u[UNKNOWNS], rest[5];
};

struct sparse_block {
    double a[UNKNOWNS];
};

/* An item is a block; a row ends after ROW_BLOCKS of them. */
struct sparse {
    struct kernel_plan plan;
    struct sparse_node *x;
    struct sparse_block *blocks;
    uint32_t *columns;
    double *y;
    double row; /* of the row that is under way */
};

static void *sparse_make(const struct kernel_plan *plan)
{
    struct sparse *sparse = program_allocate(1, sizeof *sparse);
    const size_t count = kernel_line_count(plan);
    uint64_t random = 2;
    sparse->plan = *plan;
    sparse->x = kernel_lines(count);
    sparse->blocks = program_allocate(plan->items + 1, sizeof *sparse->blocks);
    sparse->columns = program_allocate(plan->items + plan->ahead + 1, sizeof *sparse->columns);
    sparse->y = program_allocate(plan->items / ROW_BLOCKS + 1, sizeof *sparse->y);
    for (size_t i = 0; i < count; i++) {
        sparse->x[i].u[0] = sparse->x[i].u[1] = sparse->x[i].u[2] = (double)(i & 1023);
    }
    for (size_t i = 0; i < plan->items; i++) {
        sparse->columns[i] = program_random_below(&random, (uint32_t)count);
        for (unsigned k = 0; k < UNKNOWNS; k++) {
            sparse->blocks[i].a[k] = (double)(i + k) * 0.125;
        }
    }
    return sparse;
}

/* Further rounds are steps of a relaxation, so that the result stays finite. */
static inline double sparse_add(double row, const struct sparse_block *block,
                                const struct sparse_node *node, unsigned work)
{
    double part = block->a[0] * node->u[0] + block->a[1] * node->u[1] + block->a[2] * node->u[2];
    for (unsigned i = 0; i < work; i++) {
        part = part * 0.5 + node->u[0];
    }
    return row + part;
}

static inline double sparse_end_item(struct sparse *sparse, size_t j, double row)
{
    if (j % ROW_BLOCKS == ROW_BLOCKS - 1) {
        sparse->y[j / ROW_BLOCKS] = row;
        return 0;
    }
    return row;
}

static void sparse_work(void *data, size_t begin, size_t end)
{
    struct sparse *sparse = data;
    const struct sparse_node *x = sparse->x;
    const uint32_t *columns = sparse->columns;
    const unsigned work = sparse->plan.work;
    double row = sparse->row;
    for (size_t j = begin; j < end; j++) {
        row = sparse_add(row, &sparse->blocks[j], &x[columns[j]], work);
        row = sparse_end_item(sparse, j, row);
    }
    sparse->row = row;
}

static void sparse_work_inline(void *data, size_t begin, size_t end)
{
    struct sparse *sparse = data;
    const struct sparse_node *x = sparse->x;
    const uint32_t *columns = sparse->columns, *ahead = columns + sparse->plan.ahead;
    const unsigned work = sparse->plan.work;
    double row = sparse->row;
    for (size_t j = begin; j < end; j++) {
        kernel_prefetch(&x[ahead[j]]);
        row = sparse_add(row, &sparse->blocks[j], &x[columns[j]], work);
        row = sparse_end_item(sparse, j, row);
    }
    sparse->row = row;
}

static void sparse_help(void *data, const struct spr_ahead *ahead)
{
    const struct sparse *sparse = data;
    const struct sparse_node *x = sparse->x;
    const uint32_t *columns = sparse->columns;
    const bool loads = sparse->plan.loads;
    for (size_t j = ahead->begin; j < ahead->end; j++) {
        kernel_touch(&x[columns[j]], loads);
    }
}

static uint64_t sparse_digest(const void *data)
{
    const struct sparse *sparse = data;
    uint64_t digest = program_mix_double(0, sparse->row);
    for (size_t i = 0; i < sparse->plan.items / ROW_BLOCKS; i++) {
        digest = program_mix_double(digest, sparse->y[i]);
    }
    return digest;
}

const struct kernel kernel_sparse = {.name = "sparse",
                                     .what = "sparse matrix-vector product",
                                     .make = sparse_make,
                                     .work = sparse_work,
                                     .work_inline = sparse_work_inline,
                                     .help = sparse_help,
                                     .digest = sparse_digest};
