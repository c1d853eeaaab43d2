/* What a fragment is before it is bytes: the steps of the program from one address on.
 *
 * A plan is a value.  It holds a copy of the program's code that it was made from, so nothing in it depends
 * on memory that somebody else may change; it can be printed, compared, and made without a cache.
 * The target fills it with steps (target_scan), build.c decides what becomes of jumps, passes make other
 * plans of it, and the target writes it into the cache (target_emit). */
#ifndef STRATA_TRANSLATOR_FRAGMENT_PLAN_H
#define STRATA_TRANSLATOR_FRAGMENT_PLAN_H

#include "translator/fragment/context.h"

#include <stdbool.h>

/* Straight code is cut here, so that one fragment always fits an empty chunk of the cache. */
#define PLAN_INSTRUCTIONS 128
/* A trace may be longer: so many instructions, branches that leave it from its middle, indirect jumps that it goes on
 * behind, and blocks. */
#define TRACE_INSTRUCTIONS 384
#define TRACE_SIDES 64
#define TRACE_TARGETS 24
#define TRACE_BLOCKS 48
/* Registers that are compared where a trace is entered. */
#define TRACE_COMPARISONS 8
/* Of a fragment each instruction can be a step, and the plan's end another; sides are steps more. */
#define FRAGMENT_STEPS (PLAN_INSTRUCTIONS + TARGET_SIDES + 1)
#define PLAN_CODE_BYTES (TRACE_INSTRUCTIONS * TARGET_LONGEST_INSTRUCTION)
/* Second targets and blocks are steps more. */
#define PLAN_STEPS (TRACE_INSTRUCTIONS + TARGET_SIDES + TRACE_TARGETS + TRACE_BLOCKS + 1)

enum step_kind {
#define STEP(id, name, exits, ends) STEP_##id,
#include "translator/fragment/step.def"
#undef STEP
    STEP_KINDS
};

enum step_flags {
    STEP_LEAVES = 1,   /* of a jump or call: it is not followed, and ends the plan with an exit */
    STEP_TURNED = 2,   /* of a branch: laid out so that the way not taken is the short one */
    STEP_MARKED = 4,   /* of an indirect call: it is looked up with TARGET_CALL_MARK */
    STEP_STORES = 8,   /* of the last step of a careful scan: it may write to memory */
    STEP_ALWAYS = 16,  /* of a side: it is a jump, no branch */
    STEP_KNOWN = 32,   /* of a guarded target: it certainly leads there */
    STEP_RETURNS = 64, /* of a guarded target: it is a return */
    STEP_CALLS = 128,  /* of a guarded target: it is a call */
};

struct step {
    uint8_t kind;    /* enum step_kind */
    uint8_t flags;   /* enum step_flags */
    uint16_t bytes;  /* how many it has of the program's code */
    uint32_t detail; /* the target's own: which registers, which condition */
    guest_addr pc;   /* of its first instruction */
    uint64_t value;  /* where a direct way leads; the value of a constant */
};

struct plan {
    guest_addr start;
    guest_addr pc;           /* where the program's code goes on behind the last step */
    struct step *end;        /* behind the last step */
    uint8_t *code_end;       /* behind the last byte of `code` that is used */
    guest_addr readable_end; /* where a scan begins, code can be read up to here */
    uint64_t instructions;   /* of the program's */
    uint64_t limit;          /* the most of them */
    uint64_t side_count;     /* steps of the kinds STEP_SIDE, STEP_GUARD and STEP_SECOND_TARGET */
    bool
        careful; /* each scan reads one instruction, or a whole, and says whether it may write to memory */
    bool
        scratch; /* the target has its scratch register (target_take_scratch): what names it is rewritten */
    /* The program's code, in the order of the steps.  An instruction may be read as if it were the longest. */
    _Alignas(8) uint8_t code[PLAN_CODE_BYTES + TARGET_LONGEST_INSTRUCTION];
    struct step steps[PLAN_STEPS];
};

static inline void plan_begin(struct plan *plan, guest_addr start)
{
    plan->start = plan->pc = start;
    plan->end = plan->steps;
    plan->code_end = plan->code;
    plan->instructions = plan->side_count = 0;
    plan->limit = PLAN_INSTRUCTIONS;
    plan->careful = false;
}

/* Adds a step; whoever does moves plan->pc, plan->code_end and plan->instructions on, too. */
static inline struct step *plan_add(struct plan *plan, enum step_kind kind, guest_addr pc,
                                    unsigned bytes)
{
    struct step *step = plan->end;

    step->kind = (uint8_t)kind;
    step->flags = 0;
    step->bytes = (uint16_t)bytes;
    step->detail = 0;
    step->pc = pc;
    step->value = 0;
    plan->end = step + 1;
    return step;
}

/* Ends a plan that is long enough: the program goes on at plan->pc. */
static inline void plan_go_on(struct plan *plan)
{
    plan_add(plan, STEP_ON, plan->pc, 0)->value = plan->pc;
}

/* Where the program goes on behind a step that does not lead elsewhere: the return address of a call. */
static inline guest_addr step_end(const struct step *step)
{
    return step->pc + step->bytes;
}

/* How many ways out of the fragment the step has. */
unsigned step_exits(const struct step *step);
/* Whether nothing of a plan can follow it. */
bool step_ends(const struct step *step);
const char *step_name(enum step_kind kind);

/* Whether both do the same, from the same code of the program. */
bool plan_equals(const struct plan *a, const struct plan *b);

#endif
