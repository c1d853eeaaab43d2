/* What tests of the translator's core share: one process of the toy, and short names to write its program. */
#ifndef TESTS_FRAGMENT_RIG_H
#define TESTS_FRAGMENT_RIG_H

#include "rig.h"

static struct rig rig;

static inline int create_default(void **state)
{
    const struct options options = rig_options();

    (void)state;
    rig_create(&rig, &options);
    return 0;
}

static inline int destroy(void **state)
{
    (void)state;
    if (rig.translator != NULL) {
        rig_destroy(&rig);
    }
    return 0;
}

/* With its own process. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, create_default, destroy)
/* One that makes processes itself. */
#define TEST_ALONE(name) cmocka_unit_test_teardown(name, destroy)

static inline guest_addr put(enum toy_op op, unsigned rd, unsigned rs, int64_t imm)
{
    return asm_put(&rig.code, op, rd, rs, imm);
}

static inline guest_addr put_to(enum toy_op op, unsigned rd, guest_addr target)
{
    return asm_put_to(&rig.code, op, rd, target);
}

/* The next instruction goes there. */
static inline void go(guest_addr at)
{
    rig.code.at = at;
}

static inline guest_addr here(void)
{
    return rig.code.at;
}

static inline uint64_t reg(unsigned number)
{
    return rig.threads[0].registers.r[number];
}

#endif
