/* A trace as passes see it: its instructions one by one, what each reads and writes, and what is known of the values.
 *
 * A value is a *root* plus a constant.  Root 0 is zero, so that constants are values like others; roots 1 to 31 are what
 * the program's registers hold where the trace begins; the others are results of ops.  So a copy, an address and what
 * it was computed from, and two loads that certainly give the same are recognized by looking at two numbers.
 *
 * The target opens a plan (target_open), number.c walks over the ops and lets the passes say what each result is, and
 * place.c decides what is executed, and in which registers.  Stores, and what may fault, stay in their order. */
#ifndef STRATA_TRANSLATOR_PASSES_OPS_H
#define STRATA_TRANSLATOR_PASSES_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPS_REGISTERS 32
#define NO_REGISTER 255
/* A trace's instructions, and what blocks and guarded calls are more. */
#define OPS_MAX 512
/* Roots: one for each register, and for each op; some ops write several registers. */
#define ROOTS_MAX (OPS_REGISTERS + OPS_MAX + 128)
/* Of a register that holds nothing. */
#define ROOT_NONE ROOTS_MAX

/* The passes by name, for --opt. */
enum pass {
#define PASS(id, name, all, help) PASS_##id,
#include "translator/passes/passes.def"
#undef PASS
    PASS_COUNT
};
#define NO_PASS PASS_COUNT
#define PASSES_EACH ((1u << PASS_COUNT) - 1)
/* Those that --opt all names. */
enum {
    PASSES_ALL = 0
#define PASS(id, name, all, help) | (all) << PASS_##id
#include "translator/passes/passes.def"
#undef PASS
};

enum op_kind {
    OP_CONSTANT, /* rd = constant */
    OP_ADD,      /* rd = rs[0] + constant */
    OP_COMPUTE,  /* rd depends on `word`, rs[0] and rs[1] alone, and nothing else happens */
    OP_LOAD,     /* rd = memory at rs[0] + constant */
    OP_STORE,    /* memory at rs[0] + constant = rs[1] */
    OP_OTHER,    /* stays as it is, but for which registers stand for rs and rd */
    OP_BARRIER,  /* stays as OP_OTHER does; what was known of memory is not known behind it */
    OP_STEP, /* a step of the plan that the target writes itself; all registers are where the program has them */
    OP_GUARD,   /* a branch: the trace goes on if it is not taken */
    OP_TARGET,  /* the trace goes on if rs[0] is `constant` */
    OP_NOTHING, /* an instruction that takes no code */
    OP_BLOCK,   /* no instruction: another block begins */
    OP_END,     /* the last step of the plan; all registers are where the program has them */
};

enum op_flags {
    OP_SIGNED = 1,  /* of a load: the value is sign-extended, else zero-extended */
    OP_ADDS = 2,    /* of OP_COMPUTE: rs[0] + rs[1] */
    OP_EXTENDS = 4, /* of OP_COMPUTE: the low 32 bits of rs[0], sign-extended */
    OP_WORD = 8,    /* the result is 32 bits, sign-extended */
    OP_BYTE = 16,   /* the result is zero-extended from 8 bits */
    OP_FLOATS = 32, /* of OP_LOAD and OP_STORE: to or from a register that is none of these */
    OP_KNOWN = 64,  /* of a guard: the trace certainly goes on */
    /* Of OP_COMPUTE: the result is OP_WORD, or OP_BYTE, if each register that it reads is.  The latter is no load. */
    OP_KEEPS_WORD = 128,
    OP_KEEPS_BYTE = OP_SIGNED,
};

/* The number of the lowest bit of a mask that has one.  Not all RISC-V processors have an instruction for that. */
static inline unsigned lowest_bit(uint32_t mask)
{
    static const uint8_t places[32] = {0,  1,  28, 2,  29, 14, 24, 3,  30, 22, 20,
                                       15, 25, 17, 4,  8,  31, 27, 13, 23, 21, 19,
                                       16, 7,  26, 12, 18, 6,  11, 5,  10, 9};

    return places[(mask & -mask) * UINT32_C(0x077cb531) >> 27];
}

static inline unsigned count_bits(uint32_t mask)
{
    unsigned count = 0;

    for (; mask != 0; mask &= mask - 1) {
        count++;
    }
    return count;
}

/* A root plus a constant. */
struct value {
    int64_t offset;
    uint16_t root;
};

/* What an instruction of the program is, whatever stands around it. */
struct meaning {
    uint8_t kind;  /* enum op_kind */
    uint8_t flags; /* enum op_flags */
    uint8_t rd;    /* the program's registers; NO_REGISTER if there is none */
    uint8_t rs[2];
    uint8_t bytes;      /* of memory */
    uint8_t code_bytes; /* in the program */
    uint32_t word;      /* the target's own */
    int64_t constant;
};

/* In which an OP_COMPUTE is executed: that of the program, or a simpler one (simpler.h) of the same result. */
struct form {
    uint32_t word;
    uint8_t rs[2];
    uint8_t flags;
};

struct op {
    union {
        struct meaning meaning;
        struct { /* the members of struct meaning, for short */
            uint8_t kind, flags, rd, rs[2], bytes, code_bytes;
            uint32_t word;
            int64_t constant;
        };
    };
    uint64_t pc;
    const uint8_t *code; /* its bytes in the plan */
    bool older;          /* `out` is a value that there was before the op */
    uint8_t pass;        /* then, which pass knows that; of a guard that is known, too */
    uint16_t step;       /* of the plan, which it is of */
    struct form form;    /* `in` is what it reads */
    struct value in[2], out;
};

/* Instructions that were read before, by their code: programs repeat themselves. */
#define MEANINGS_KEPT 512
struct kept_meaning {
    uint32_t code; /* 0: none */
    struct meaning meaning;
};

static inline bool value_equals(struct value a, struct value b)
{
    return a.root == b.root && a.offset == b.offset;
}

static inline bool value_is_constant(struct value value)
{
    return value.root == 0;
}

static inline struct value value_add(struct value value, int64_t more)
{
    return (struct value){.offset = (int64_t)((uint64_t)value.offset + (uint64_t)more),
                          .root = value.root};
}

/* What is known of memory: a value that was loaded from there, or stored. */
struct memory_fact {
    struct value address, value;
    uint8_t bytes;
    bool stored;    /* by a store: memory has the low bytes of `value` */
    bool is_signed; /* of a load */
};
#define MEMORY_FACTS 32

/* Results of OP_COMPUTE, by what they are computed from. */
#define COMMON_BUCKETS 64
/* Guards that are looked back at. */
#define GUARDS_KEPT 16

/* Loads that are fetched ahead in one trace, and what is computed between two loads of one. */
#define AHEAD_MOST 8
#define AHEAD_CHAIN 3

/* A line that is touched before a load of it is due, so many turns later; in the place of the op `at`. */
struct ahead {
    uint16_t at;
    bool indirect;
    /* What is touched; if it is indirect, what the load reads that is done ahead. */
    struct value address;
    /* If the loop moves by what a register has: that, so many times as the shift says, is still to be added to it. */
    bool moves_by_value;
    uint8_t shift;
    struct value step;
    /* Of an indirect one: that load, and what is computed from what it loads, one from the other; which operand of each is
     * that, and what is added to it before. */
    uint16_t load;
    unsigned chain_count;
    struct {
        uint16_t op;
        uint8_t operand;
        int64_t add;
    } chain[AHEAD_CHAIN];
    int64_t add; /* to the result of the last one, before it is touched */
};

struct ops {
    unsigned count;
    unsigned passes;  /* one bit for each enum pass */
    bool loops;       /* the trace goes on at its own beginning */
    bool alone;       /* nobody else writes to the program's memory */
    bool adds_loads;  /* a load that the program does not do has no effect but on who waits */
    bool plain_sides; /* it has ways out that are not written here: no register may be put away */
    uint32_t named;   /* registers that are named anywhere, one bit each */
    uint32_t
        assumed; /* registers that are taken for constants, of these values, where the trace begins */
    int64_t assumption[OPS_REGISTERS];
    unsigned roots;
    uint8_t root_flags[ROOTS_MAX];     /* OP_WORD and OP_BYTE */
    uint16_t last_use[ROOTS_MAX];      /* the number of the last op that wants to have it */
    struct value guest[OPS_REGISTERS]; /* what the program's registers hold */
    unsigned fact_count, next_fact;
    struct memory_fact facts[MEMORY_FACTS];
    uint16_t common[COMMON_BUCKETS]; /* the number of an op, plus one */
    unsigned guard_count;
    uint16_t guards[GUARDS_KEPT]; /* the numbers of the last ones that compare */
    unsigned ahead_count;
    struct ahead ahead[AHEAD_MOST]; /* in the order of the ops */
    struct kept_meaning meanings[MEANINGS_KEPT];
    struct op list[OPS_MAX];
};

/* number.c: tells what each op reads and writes, with what the passes know.  False if there are too many roots. */
bool number_run(struct ops *ops);
/* A root that nothing was known of. */
struct value number_new_root(struct ops *ops, unsigned flags);

static inline bool pass_is_on(const struct ops *ops, enum pass pass)
{
    return (ops->passes >> pass & 1) != 0;
}

/* The passes, one file each.  They are asked in the order of the ops; each says what the result of an op is, if it knows
 * a value that was there before: `out` then.  ops->guest is what registers hold before the op. */
bool values_know(struct ops *ops, const struct op *op, struct value *out);
/* OP_WORD and OP_BYTE of the result of an OP_COMPUTE that is not known. */
unsigned values_flags(const struct ops *ops, const struct op *op);
bool loads_know(struct ops *ops, const struct op *op, struct value *out);
/* The op, which was not known, will have the result `out`. */
void loads_note(struct ops *ops, const struct op *op, struct value out);
void loads_forget(struct ops *ops);
/* May give the op a simpler form. */
bool strength_know(struct ops *ops, struct op *op, struct value *out);
bool common_know(struct ops *ops, const struct op *op, struct value *out);
void common_note(struct ops *ops, const struct op *op);
/* Whether the guard certainly holds; and what is known behind it. */
bool guards_know(struct ops *ops, const struct op *op);
void guards_note(struct ops *ops, const struct op *op);
/* Whether a guarded target makes a constant of each value with its root, and of which. */
bool guards_tell_value(const struct ops *ops, const struct op *op);
struct value guards_value_behind(const struct op *op, struct value value);

/* Numbers the ops, which are numbered already, once more, with registers for constants that hold the same where the trace
 * begins and where it goes around: those of `same`, of these values.  Only ones of which something follows that was not
 * known are in ops->assumed then.  False if there are none: then nothing is known of the ops. */
bool specialize_run(struct ops *ops, uint32_t same, const uint64_t values[OPS_REGISTERS]);

/* What the target says of its words. */

/* The result of an OP_COMPUTE; false if that is not known. */
bool target_fold(uint32_t word, uint64_t a, uint64_t b, uint64_t *result);
/* Whether the branch of an OP_GUARD would be taken. */
bool target_takes(uint32_t word, uint64_t a, uint64_t b);

#endif
