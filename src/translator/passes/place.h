/* What is executed of a trace, and in which registers: ops to items, which the target writes one behind the other. */
#ifndef STRATA_TRANSLATOR_PASSES_PLACE_H
#define STRATA_TRANSLATOR_PASSES_PLACE_H

#include "translator/passes/ops.h"

enum item_kind {
    ITEM_OP,       /* the op, from registers `src` to `dst`; its constant is `constant` here */
    ITEM_ADD,      /* dst = src[0] + constant */
    ITEM_CONSTANT, /* dst = constant */
    ITEM_NOTE,     /* no code: only what is known changes */
    ITEM_EMPTY,    /* the op takes no code */
    ITEM_AHEAD,    /* a part of what touches a line ahead */
};

/* The parts of an ITEM_AHEAD.  All but AHEAD_TOUCH write to a register of the translator's own. */
enum ahead_step {
    AHEAD_CONSTANT, /* dst = constant */
    AHEAD_ADD,      /* dst = src[0] + constant */
    AHEAD_SUM,      /* dst = src[0] + src[1] */
    AHEAD_SHIFT,    /* dst = src[0] shifted to the left by constant */
    AHEAD_COMPUTE,  /* the op `of` */
    AHEAD_LOAD,     /* the op `of`, at src[0] + constant; if it faults, dst is 0 */
    AHEAD_TOUCH,    /* the line at src[0] + constant, which need not be there */
};

/* A part of a trace.  Behind it `dst` holds `value`, and so does the program's register `guest`. */
struct item {
    uint8_t kind; /* enum item_kind */
    uint8_t dst, src[2];
    uint8_t guest;      /* NO_REGISTER: none */
    uint8_t move_count; /* of a guard's way out: moves[first_move] and behind it */
    /* Which knew what makes it less, or more, than the op; or NO_PASS.  Of ITEM_NOTE: which leaves out a constant from now
     * on, that `before` has left out. */
    uint8_t pass, before;
    uint16_t first_move;
    uint8_t step; /* of ITEM_AHEAD: enum ahead_step */
    uint16_t op;  /* whose it is; what comes before an op belongs to it */
    uint16_t of;  /* of ITEM_AHEAD */
    int64_t constant;
    struct value value;
};

/* dst = src + constant, or the constant alone if there is no src. */
struct move {
    uint8_t dst, src;
    int64_t constant;
};

#define ITEMS_MAX 1024
#define MOVES_MAX 2048
#define BEFORE_MAX 16

struct arranged {
    /* Registers of the program's that the trace does not name: put away before it, taken back on each way out. */
    uint32_t spares;
    /* Those that are compared before it: what they must hold is in the ops (assumption). */
    uint32_t compared;
    unsigned item_count, move_count, before_count;
    unsigned plain, executed;      /* instructions of the path, without passes and with them */
    unsigned plain_length, length; /* the same, with the constants that targets are compared with */
    unsigned touches; /* lines that are touched ahead; what that takes is in none of these */
    unsigned taken_out[PASS_COUNT]; /* instructions that are not executed, by the pass that knew */
    struct item before[BEFORE_MAX]; /* what is done once, before the loop */
    struct item items[ITEMS_MAX];
    struct move moves[MOVES_MAX];
};

/* What place.c works with. */
struct place {
    struct ops *ops;
    struct arranged *to;
    uint32_t full;   /* registers that hold something */
    uint32_t usable; /* that may be written to */
    uint32_t left;   /* spares that may still be taken */
    uint32_t
        reserved; /* registers that hold what does not change in the loop: spares, and what was compared */
    uint32_t astray;  /* the program's, that do not hold what they should */
    uint32_t pinned;  /* operands of the op that is placed now */
    uint32_t written; /* the program's, that are written to in the trace */
    unsigned now;     /* the op's number */
    bool stuck;       /* there is no register for what the op needs, as things are */
    bool failed;
    unsigned next_ahead;               /* of ops->ahead */
    struct value held[OPS_REGISTERS];  /* what each register holds */
    struct value guest[OPS_REGISTERS]; /* what each of the program's should hold */
    uint32_t holders[ROOTS_MAX + 1];   /* registers that hold the root plus something */
    uint8_t guests[ROOTS_MAX + 1];     /* the program's registers that should */
    uint8_t left_by[OPS_REGISTERS];    /* the pass that left out what that is, or NO_PASS */
};

/* False if it does not come out: then the trace is written as it is.  `spares` may be taken. */
bool place_run(struct place *place, struct ops *ops, uint32_t spares, struct arranged *to);

/* What the target says. */

/* Registers that are the translator's own, where a value can be for a moment. */
#define PLACE_SCRATCH TARGET_SCRATCH_REGISTER
/* Whether the constant can be added, or be the offset of an access to memory. */
bool target_adds(int64_t constant);
/* The part of an address that an access to memory cannot add itself. */
int64_t target_upper_part(int64_t address);

#endif
