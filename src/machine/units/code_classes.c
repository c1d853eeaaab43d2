/* Counts retired instructions by what ic.sync said their bytes are. */
#include "machine/units/code_classes.h"

#include "base/check.h"
#include "base/spread.h"

#include <stdlib.h>
#include <string.h>

/* From its address up to the next boundary's, all bytes are of its class. */
struct boundary {
    guest_addr address;
    struct boundary *below, *above; /* subtrees of lower and of higher addresses */
    unsigned class;
};

/* Neighbouring boundaries never have the same class: code of one class that is
 * written side by side has one.  But a translator that mixes classes makes as
 * many as it makes fragments, and begins again in front of them when its cache is
 * full.  So they are a tree, in which each costs the logarithm of their number
 * wherever it is put. */
struct code_classes {
    struct unit unit;
    struct boundary *root; /* before the first boundary, all bytes are of class 0 */
    uint64_t totals[CODE_CLASSES];
};

/* What makes the tree a treap: no boundary has a subtree with a greater rank than
 * its own.  As good as random, and the same in each run. */
static uint64_t rank(const struct boundary *boundary)
{
    return spread_mix(boundary->address);
}

unsigned code_classes_of(const struct code_classes *classes, guest_addr pc)
{
    unsigned class = 0;
    for (const struct boundary *at = classes->root; at != NULL;) {
        if (at->address <= pc) {
            class = at->class;
            at = at->above;
        } else {
            at = at->below;
        }
    }
    return class;
}

/* The first boundary behind `address`. */
static guest_addr next_boundary(const struct code_classes *classes, guest_addr address)
{
    guest_addr next = UINT64_MAX;
    for (const struct boundary *at = classes->root; at != NULL;) {
        if (at->address > address) {
            next = at->address;
            at = at->below;
        } else {
            at = at->above;
        }
    }
    return next;
}

/* Cuts `tree` in two: boundaries before `address`, and others. */
static void split(struct boundary *tree, guest_addr address, struct boundary **low,
                  struct boundary **high)
{
    while (tree != NULL) {
        if (tree->address < address) {
            *low = tree;
            low = &tree->above;
            tree = tree->above;
        } else {
            *high = tree;
            high = &tree->below;
            tree = tree->below;
        }
    }
    *low = *high = NULL;
}

/* All boundaries of `low` are before those of `high`. */
static struct boundary *join(struct boundary *low, struct boundary *high)
{
    struct boundary *tree;
    struct boundary **place = &tree;
    while (low != NULL && high != NULL) {
        if (rank(low) > rank(high)) {
            *place = low;
            place = &low->above;
            low = low->above;
        } else {
            *place = high;
            place = &high->below;
            high = high->below;
        }
    }
    *place = low != NULL ? low : high;
    return tree;
}

static void free_tree(struct boundary *tree)
{
    while (tree != NULL) {
        struct boundary *above = tree->above;
        free_tree(tree->below);
        free(tree);
        tree = above;
    }
}

static struct boundary *make_boundary(guest_addr address, unsigned class)
{
    struct boundary *boundary = malloc(sizeof *boundary);
    ASSERT(boundary != NULL);
    *boundary = (struct boundary){.address = address, .class = class};
    return boundary;
}

/* All bytes from `start` up to `end` are of `class` now. */
static void set_class(struct code_classes *classes, guest_addr start, guest_addr end,
                      unsigned class)
{
    struct boundary *low, *old, *high;
    const unsigned before = start > 0 ? code_classes_of(classes, start - 1) : 0;
    const unsigned after = code_classes_of(classes, end);
    split(classes->root, start, &low, &high);
    split(high, end + 1, &old, &high);
    free_tree(old);
    if (before != class) {
        low = join(low, make_boundary(start, class));
    }
    if (after != class) {
        low = join(low, make_boundary(end, after));
    }
    classes->root = join(low, high);
}

void code_classes_name(struct code_classes *classes, guest_addr start, uint64_t bytes,
                       unsigned class)
{
    ASSERT(class < CODE_CLASSES);
    if (bytes == 0 || start >= GUEST_SPACE_BYTES) {
        return;
    }
    const guest_addr end = bytes < GUEST_SPACE_BYTES - start ? start + bytes : GUEST_SPACE_BYTES;
    if (code_classes_of(classes, start) == class && next_boundary(classes, start) >= end) {
        return; /* a patch of code that is there, or code that was never of another class */
    }
    set_class(classes, start, end, class);
    unit_rewatch(&classes->unit, start, end - start);
}

static unsigned depth(const struct boundary *tree)
{
    if (tree == NULL) {
        return 0;
    }
    const unsigned below = depth(tree->below), above = depth(tree->above);
    return 1 + (below > above ? below : above);
}

unsigned code_classes_depth(const struct code_classes *classes)
{
    return depth(classes->root);
}

void code_classes_take_back(struct code_classes *classes, guest_addr pc)
{
    classes->totals[code_classes_of(classes, pc)]--;
}

void code_classes_keep(const struct code_classes *classes, uint64_t totals[CODE_CLASSES])
{
    memcpy(totals, classes->totals, sizeof classes->totals);
}

void code_classes_put_back(struct code_classes *classes, const uint64_t totals[CODE_CLASSES])
{
    memcpy(classes->totals, totals, sizeof classes->totals);
}

uint64_t code_classes_total(const struct code_classes *classes, unsigned class)
{
    ASSERT(class < CODE_CLASSES);
    return classes->totals[class];
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    struct code_classes *classes = (struct code_classes *)(void *)unit;
    const unsigned class = code_classes_of(classes, instruction->pc);
    return (struct watch_request){.events = WATCH_TOTAL, .total = &classes->totals[class]};
}

static void destroy(struct unit *unit)
{
    struct code_classes *classes = (struct code_classes *)(void *)unit;
    free_tree(classes->root);
    free(classes);
}

static const struct unit_kind kind = {
    .name = "code_classes", .watches = watches, .destroy = destroy};

struct code_classes *code_classes_create(struct unit_host host)
{
    struct code_classes *classes = calloc(1, sizeof *classes);
    if (classes == NULL) {
        return NULL;
    }
    classes->unit.kind = &kind;
    classes->unit.host = host;
    return classes;
}

struct unit *code_classes_unit(struct code_classes *classes)
{
    return &classes->unit;
}
