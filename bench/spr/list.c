/* One long linked list, as health walks them: the address of a node is in the one before it. */
#include "kernels.h"
#include "program.h"

/* A multiplier and an increment with which i * FACTOR + STEP goes through all numbers of any power of two. */
#define LIST_FACTOR UINT64_C(0x5851f42d4c957f2d)
#define LIST_STEP UINT64_C(0x14057b7ef767814f)

struct list_node {
    const struct list_node *next;
    uint64_t value, rest[6];
};

/* An item is a node; the list is a ring of them. */
struct list {
    struct kernel_plan plan;
    const struct list_node *at;
    uint64_t sum;
    _Alignas(KERNEL_LINE) const struct list_node *ahead; /* the helper's; NULL: it has not begun */
};

static void *list_make(const struct kernel_plan *plan)
{
    struct list *list = kernel_lines(sizeof *list / KERNEL_LINE);
    const size_t count = kernel_line_count(plan);
    struct list_node *nodes = kernel_lines(count);
    list->plan = *plan;
    for (size_t i = 0; i < count; i++) {
        nodes[i].next = &nodes[(i * LIST_FACTOR + LIST_STEP) & (count - 1)];
        nodes[i].value = i;
    }
    list->at = nodes;
    return list;
}

static void list_work(void *data, size_t begin, size_t end)
{
    struct list *list = data;
    const struct list_node *node = list->at;
    const unsigned work = list->plan.work;
    uint64_t sum = list->sum;
    for (size_t j = begin; j < end; j++) {
        sum = kernel_compute(sum, node->value, work);
        node = node->next;
    }
    list->at = node;
    list->sum = sum;
}

/* Only the next node is known. */
static void list_work_inline(void *data, size_t begin, size_t end)
{
    struct list *list = data;
    const struct list_node *node = list->at;
    const unsigned work = list->plan.work;
    uint64_t sum = list->sum;
    for (size_t j = begin; j < end; j++) {
        const struct list_node *next = node->next;
        kernel_prefetch(next);
        sum = kernel_compute(sum, node->value, work);
        node = next;
    }
    list->at = node;
    list->sum = sum;
}

/* The helper cannot begin anywhere: its first node comes from the worker, and so does the one after it was
 * overtaken. */
static void list_help(void *data, const struct spr_ahead *ahead)
{
    struct list *list = data;
    const struct list_node *node = list->ahead;
    size_t j = ahead->begin;
    if (ahead->restart || node == NULL) {
        node = ahead->live_in;
        j = ahead->at;
    }
    for (; j < ahead->end; j++) {
        node = node->next;
    }
    list->ahead = node;
}

static const void *list_live_in(const void *data)
{
    return ((const struct list *)data)->at;
}

static uint64_t list_digest(const void *data)
{
    return ((const struct list *)data)->sum;
}

const struct kernel kernel_list = {.name = "list",
                                   .what = "one linked list",
                                   .make = list_make,
                                   .work = list_work,
                                   .work_inline = list_work_inline,
                                   .help = list_help,
                                   .live_in = list_live_in,
                                   .digest = list_digest};
