/* Turns the translator's first stack into the program's, in place: the strings stay where they are. */
#include "translator/process/stack.h"

#include "target_facts.h"

#include <asm/auxvec.h>
#include <linux/auxvec.h>

/* Copies up to and including the zero that ends a vector of pointers. */
static void move_pointers(uint64_t **to, const uint64_t **from)
{
    uint64_t word;

    do {
        word = *(*from)++;
        *(*to)++ = word;
    } while (word != 0);
}

static uint64_t rewrite_value(uint64_t type, uint64_t value, const struct stack_facts *facts)
{
    switch (type) {
    case AT_PHDR:
        return facts->headers;
    case AT_PHENT:
        return facts->header_bytes;
    case AT_PHNUM:
        return facts->header_count;
    case AT_BASE:
        return facts->interpreter;
    case AT_ENTRY:
        return facts->entry;
    case AT_EXECFN:
        return (uintptr_t)facts->path;
    default:
        return value;
    }
}

/* The entry of the auxiliary vector of this type, or the one that ends it. */
static const uint64_t *find_entry(const uint64_t *stack, uint64_t type)
{
    const uint64_t *at = stack + 1 + stack[0] + 1;

    while (*at++ != 0) { /* the environment */
    }
    while (at[0] != AT_NULL && at[0] != type) {
        at += 2;
    }
    return at;
}

bool stack_has_hardware(const uint64_t *stack)
{
    return find_entry(stack, TARGET_HARDWARE_AUXV)[0] == TARGET_HARDWARE_AUXV;
}

uint64_t stack_find_vdso(const uint64_t *stack)
{
    const uint64_t *entry = find_entry(stack, AT_SYSINFO_EHDR);

    return entry[0] == AT_SYSINFO_EHDR ? entry[1] : 0;
}

uint64_t stack_rewrite(uint64_t *stack, unsigned skip, const struct stack_facts *facts,
                       bool *has_hardware, uint64_t auxiliary[2])
{
    /* By an even number of words, to stay aligned; what is kept moves down by one
     * word or not at all, so that it can be copied from the first word to the last. */
    const uint64_t count = stack[0] - skip;
    uint64_t *start = stack + skip / 2 * 2;
    uint64_t *to = start;
    const uint64_t *from = stack + 1 + skip;

    *to++ = count;
    move_pointers(&to, &from);
    move_pointers(&to, &from);
    auxiliary[0] = (uintptr_t)to;
    for (bool more = true; more;) {
        const uint64_t type = *from++;
        const uint64_t value = *from++;
        more = type != AT_NULL;
        if (type == TARGET_HARDWARE_AUXV) {
            *has_hardware = true;
            continue;
        }
        *to++ = type;
        *to++ = rewrite_value(type, value, facts);
    }
    auxiliary[1] = (uintptr_t)to;
    return (uintptr_t)start;
}
