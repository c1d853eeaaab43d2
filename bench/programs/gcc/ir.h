/* Functions as graphs of blocks of three-address code; every instruction is also its value. */
#ifndef GCC_IR_H
#define GCC_IR_H

#include "tree.h"

enum op {
#define OP(name, operands, flags) OP_##name,
#include "op.def"
#undef OP
    OPS
};

enum {
    PURE = 1,
    COMMUTES = 2,
    COMPARES = 4,
    READS = 8,
    WRITES = 16,
    EFFECT = 32,
    ENDS = 64,
    FIXED = 128
};

struct op_facts {
    const char *name;
    int operands;
    int flags;
};

extern const struct op_facts op_facts[OPS];

struct block;

struct insn {
    enum op op;
    int id;
    /* A constant, an offset, or the number of a parameter, variable or slot. */
    int value;
    int arg_count;
    struct insn **args;
    struct symbol *symbol;
    struct block *block;
    struct insn *prev;
    struct insn *next;
    /* What replaces this instruction; followed by ir_resolve. */
    struct insn *forward;
    int uses;
    int mark;
    int reg;
};

struct block_list {
    struct block **items;
    int count;
    int capacity;
};

struct loop {
    struct loop *outer;
    struct block *header;
    struct block *preheader;
    struct block_list blocks;
    struct block_list latches;
    struct bitset members;
    int depth;
    bool has_call;
};

struct block {
    int id;
    struct insn *first;
    struct insn *last;
    /* The operands of phis stand in the order of the predecessors. */
    struct block_list preds;
    struct block *succs[2];
    int succ_count;
    int order;
    struct block *idom;
    struct block_list children;
    struct block_list frontier;
    int tree_in;
    int tree_out;
    struct loop *loop;
    int mark;
    /* The target code of the block. */
    LIST_OF(struct machine_insn) code;
};

struct slot {
    int offset;
    int size;
};

struct function {
    struct unit *unit;
    struct procedure *procedure;
    struct arena *arena;
    struct block *entry;
    struct block_list blocks;
    int insn_ids;
    int block_ids;
    int variable_count;
    LIST_OF(struct slot) slots;
    int frame_bytes;
    LIST_OF(struct loop *) loops;
    int register_count;
    int insn_count;
    /* What the simplifying pass has done so far. */
    int changes;
    bool calls;
};

#define for_each_block(f, b)                                                                       \
    for (int b##_index = 0; b##_index < (f)->blocks.count; b##_index++)                            \
        for (struct block *b = (f)->blocks.items[b##_index]; b != NULL; b = NULL)
#define for_each_insn(b, i) for (struct insn *i = (b)->first; i != NULL; i = i->next)
#define for_each_phi(b, i)                                                                         \
    for (struct insn *i = (b)->first; i != NULL && i->op == OP_PHI; i = i->next)

static inline bool has_flag(const struct insn *insn, int flag)
{
    return (op_facts[insn->op].flags & flag) != 0;
}

static inline bool is_const(const struct insn *insn)
{
    return insn->op == OP_CONST;
}

struct block *ir_block(struct function *f);
struct insn *ir_insn(struct function *f, enum op op, int arg_count);
void ir_append(struct block *block, struct insn *insn);
void ir_prepend(struct block *block, struct insn *insn);
void ir_insert_before(struct insn *place, struct insn *insn);
void ir_remove(struct insn *insn);
/* Behind the phis. */
struct insn *ir_first_ordinary(struct block *block);
struct insn *ir_constant_before(struct function *f, struct insn *place, int value);
void ir_link(struct function *f, struct block *from, struct block *to);
bool ir_has_pred(const struct block *block, const struct block *pred);
int ir_pred_index(const struct block *block, const struct block *pred);
void ir_unlink_pred(struct block *block, int index);
/* Edges only; what ends the blocks is the caller's. */
void ir_move_succs(struct block *from, struct block *to);
void ir_replace_succ(struct block *block, struct block *old, struct block *replacement);
/* Makes the branch that ends the block a jump to its successor `taken`. */
void ir_make_jump(struct block *block, int taken);
struct insn *ir_final(struct insn *insn);
int ir_resolve(struct function *f);
void ir_count_uses(struct function *f);
/* Of the instructions. */
void ir_clear_marks(struct function *f);
int ir_evaluate(enum op op, int left, int right);
/* Stops the program when the graph is broken. */
void ir_verify(struct function *f, const char *pass);

/* The order of the blocks: reverse postorder; unreachable blocks go. */
void flow_order(struct function *f);
void flow_dominators(struct function *f);
void flow_frontiers(struct function *f);
bool flow_dominates(const struct block *a, const struct block *b);
void flow_loops(struct function *f);
void flow_split_edges(struct function *f);
struct block *flow_split_edge(struct function *f, struct block *from, struct block *to);

struct function *lower_procedure(struct unit *unit, struct procedure *procedure);

/* Each pass says how much it changed. */
int pass_cleanup(struct function *f);
int pass_ssa(struct function *f);
int pass_sccp(struct function *f);
int pass_simplify(struct function *f);
int pass_gvn(struct function *f);
int pass_memory(struct function *f);
int pass_dead(struct function *f);
int pass_invariant(struct function *f);
int pass_strength(struct function *f);
int pass_inline(struct function *f);
int pass_thread(struct function *f);
int pass_if_convert(struct function *f);
int pass_tail(struct function *f);
int pass_unroll(struct function *f);
int pass_reassociate(struct function *f);

void passes_run(struct function *f);
void passes_print(void);
uint64_t passes_digest(uint64_t digest);

#endif
