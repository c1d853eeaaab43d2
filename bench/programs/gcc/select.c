/* Instruction selection: covers the trees of a block with the cheapest set of patterns. */
#include "machine.h"

/* What a subtree can be made into. */
enum form { FORM_NONE, FORM_REG, FORM_ZERO, FORM_IMM, FORM_ADDR, FORM_COND, FORMS };

enum { INFINITE = 9999, RULE_LEAF = -1, RULE_MISSING = -2 };

struct value {
    int reg;
    int imm;
    enum machine_op branch;
    int second;
};

struct label {
    short cost[FORMS];
    short rule[FORMS];
};

struct selector {
    struct function *f;
    struct block *block;
    /* By the number of the instruction; made anew for the trees of each root. */
    struct label *labels;
};

struct rule {
    enum op op;
    enum form kids[3];
    enum form result;
    int cost;
    bool (*guard)(const struct insn *insn);
    struct value (*emit)(struct selector *s, struct insn *insn, const struct rule *rule,
                         const struct value *kids, int rd);
    enum machine_op machine;
};

static int new_register(struct selector *s)
{
    return s->f->register_count++;
}

static int register_of(struct selector *s, struct insn *insn)
{
    if (insn->reg < 0) {
        insn->reg = new_register(s);
    }
    return insn->reg;
}

static struct value emit_machine(struct selector *s, enum machine_op op, int rd, int rs1, int rs2,
                                 int imm)
{
    machine_emit(s->f, s->block, machine_make(op, rd, rs1, rs2, imm));
    return (struct value){.reg = rd};
}

static bool fits(int value)
{
    return value >= -32768 && value <= 32767;
}

static int constant_of(const struct insn *insn)
{
    return insn->op == OP_GLOBAL ? insn->symbol->offset + insn->value : insn->value;
}

static bool guard_zero(const struct insn *insn)
{
    return insn->value == 0;
}

static bool guard_fits(const struct insn *insn)
{
    return fits(constant_of(insn));
}

static bool guard_negative_fits(const struct insn *insn)
{
    return is_const(insn->args[1]) && insn->args[1]->value > -32768;
}

static struct value value_zero(struct selector *s, struct insn *insn, const struct rule *rule,
                               const struct value *kids, int rd)
{
    (void)s, (void)insn, (void)rule, (void)kids, (void)rd;
    return (struct value){.reg = R_ZERO};
}

static struct value value_imm(struct selector *s, struct insn *insn, const struct rule *rule,
                              const struct value *kids, int rd)
{
    (void)s, (void)rule, (void)kids, (void)rd;
    return (struct value){.reg = R_ZERO, .imm = constant_of(insn)};
}

static struct value value_constant(struct selector *s, struct insn *insn, const struct rule *rule,
                                   const struct value *kids, int rd)
{
    (void)rule, (void)kids;
    int value = constant_of(insn);
    if (fits(value)) {
        return emit_machine(s, M_ADDI, rd, R_ZERO, -1, value);
    }
    /* The low half is added with its sign. */
    int low = (int16_t)(uint16_t)(value & 0xffff);
    int high = (int)((uint32_t)(value - low) >> 16);
    if (low == 0) {
        return emit_machine(s, M_LUI, rd, -1, -1, high);
    }
    int upper = new_register(s);
    emit_machine(s, M_LUI, upper, -1, -1, high);
    return emit_machine(s, M_ADDI, rd, upper, -1, low);
}

static struct value value_slot(struct selector *s, struct insn *insn, const struct rule *rule,
                               const struct value *kids, int rd)
{
    (void)kids;
    int offset = s->f->slots.items[insn->value].offset;
    if (rule->result == FORM_ADDR) {
        return (struct value){.reg = R_SP, .imm = offset};
    }
    return emit_machine(s, M_ADDI, rd, R_SP, -1, offset);
}

static struct value value_address(struct selector *s, struct insn *insn, const struct rule *rule,
                                  const struct value *kids, int rd)
{
    (void)s, (void)insn, (void)rd;
    int imm = rule->kids[0] == FORM_IMM ? 0 : 1;
    return (struct value){.reg = kids[1 - imm].reg, .imm = kids[imm].imm};
}

static struct value value_registers(struct selector *s, struct insn *insn, const struct rule *rule,
                                    const struct value *kids, int rd)
{
    (void)insn;
    return emit_machine(s, rule->machine, rd, kids[0].reg, kids[1].reg, 0);
}

static struct value value_immediate(struct selector *s, struct insn *insn, const struct rule *rule,
                                    const struct value *kids, int rd)
{
    (void)insn;
    return emit_machine(s, rule->machine, rd, kids[0].reg, -1, kids[1].imm);
}

static struct value value_immediate_left(struct selector *s, struct insn *insn,
                                         const struct rule *rule, const struct value *kids, int rd)
{
    (void)insn;
    return emit_machine(s, rule->machine, rd, kids[1].reg, -1, kids[0].imm);
}

static struct value value_subtract(struct selector *s, struct insn *insn, const struct rule *rule,
                                   const struct value *kids, int rd)
{
    (void)insn, (void)rule;
    return emit_machine(s, M_ADDI, rd, kids[0].reg, -1, -kids[1].imm);
}

/* a <= b is not (b < a). */
static struct value value_less_equal(struct selector *s, struct insn *insn, const struct rule *rule,
                                     const struct value *kids, int rd)
{
    (void)insn;
    int less = new_register(s);
    emit_machine(s, rule->machine, less, kids[1].reg, kids[0].reg, 0);
    return emit_machine(s, M_XORI, rd, less, -1, 1);
}

static struct value value_equal(struct selector *s, struct insn *insn, const struct rule *rule,
                                const struct value *kids, int rd)
{
    int reg = kids[0].reg;
    if (rule->kids[1] == FORM_IMM) {
        reg = new_register(s);
        emit_machine(s, M_XORI, reg, kids[0].reg, -1, kids[1].imm);
    } else if (rule->kids[1] == FORM_REG) {
        reg = new_register(s);
        emit_machine(s, M_XOR, reg, kids[0].reg, kids[1].reg, 0);
    }
    if (insn->op == OP_EQ) {
        return emit_machine(s, M_SLTIU, rd, reg, -1, 1);
    }
    return emit_machine(s, M_SLTU, rd, R_ZERO, reg, 0);
}

static struct value value_select(struct selector *s, struct insn *insn, const struct rule *rule,
                                 const struct value *kids, int rd)
{
    (void)insn, (void)rule;
    emit_machine(s, M_ADDI, rd, kids[2].reg, -1, 0);
    return emit_machine(s, M_CMOV, rd, kids[1].reg, kids[0].reg, 0);
}

static struct value value_load(struct selector *s, struct insn *insn, const struct rule *rule,
                               const struct value *kids, int rd)
{
    (void)insn;
    return emit_machine(s, rule->machine, rd, kids[0].reg, -1, kids[0].imm);
}

static struct value value_store(struct selector *s, struct insn *insn, const struct rule *rule,
                                const struct value *kids, int rd)
{
    (void)insn, (void)rd;
    return emit_machine(s, rule->machine, -1, kids[0].reg, kids[1].reg, kids[0].imm);
}

static struct value value_condition(struct selector *s, struct insn *insn, const struct rule *rule,
                                    const struct value *kids, int rd)
{
    (void)s, (void)rd;
    bool swap = insn->op == OP_LE || insn->op == OP_LEU;
    return (struct value){
        .reg = kids[swap].reg, .branch = rule->machine, .second = kids[!swap].reg};
}

static struct value value_branch(struct selector *s, struct insn *insn, const struct rule *rule,
                                 const struct value *kids, int rd)
{
    (void)rd;
    bool fused = rule->kids[0] == FORM_COND;
    struct machine_insn branch = machine_make(fused ? kids[0].branch : M_BNE, -1, kids[0].reg,
                                              fused ? kids[0].second : 0, 0);
    branch.target = insn->block->succs[0];
    machine_emit(s->f, s->block, branch);
    return (struct value){.reg = R_ZERO};
}

#define BOTH_FORMS(op, machine, machine_immediate)                                                 \
    {OP_##op, {FORM_REG, FORM_REG}, FORM_REG, 1, NULL, value_registers, machine},                  \
    {                                                                                              \
        OP_##op, {FORM_REG, FORM_IMM}, FORM_REG, 1, NULL, value_immediate, machine_immediate       \
    }
#define REGISTER_FORM(op, machine, cost)                                                           \
    {                                                                                              \
        OP_##op, {FORM_REG, FORM_REG}, FORM_REG, cost, NULL, value_registers, machine              \
    }
#define CONDITION(op, machine)                                                                     \
    {                                                                                              \
        OP_##op, {FORM_REG, FORM_REG}, FORM_COND, 0, NULL, value_condition, machine                \
    }

/* In the order of the operations; of equally cheap rules the first wins. */
static const struct rule rules[] = {
    {OP_CONST, {0}, FORM_ZERO, 0, guard_zero, value_zero, 0},
    {OP_CONST, {0}, FORM_IMM, 0, guard_fits, value_imm, 0},
    {OP_CONST, {0}, FORM_REG, 1, NULL, value_constant, 0},
    {OP_GLOBAL, {0}, FORM_IMM, 0, guard_fits, value_imm, 0},
    {OP_GLOBAL, {0}, FORM_ADDR, 0, guard_fits, value_imm, 0},
    {OP_GLOBAL, {0}, FORM_REG, 1, NULL, value_constant, 0},
    {OP_SLOT, {0}, FORM_ADDR, 0, NULL, value_slot, 0},
    {OP_SLOT, {0}, FORM_REG, 1, NULL, value_slot, 0},
    {OP_ADD, {FORM_REG, FORM_IMM}, FORM_ADDR, 0, NULL, value_address, 0},
    {OP_ADD, {FORM_IMM, FORM_REG}, FORM_ADDR, 0, NULL, value_address, 0},
    {OP_ADD, {FORM_IMM, FORM_REG}, FORM_REG, 1, NULL, value_immediate_left, M_ADDI},
    BOTH_FORMS(ADD, M_ADD, M_ADDI),
    {OP_SUB, {FORM_REG, FORM_IMM}, FORM_REG, 1, guard_negative_fits, value_subtract, 0},
    REGISTER_FORM(SUB, M_SUB, 1),
    REGISTER_FORM(MUL, M_MUL, 4),
    REGISTER_FORM(DIV, M_DIV, 12),
    REGISTER_FORM(MOD, M_MOD, 12),
    REGISTER_FORM(DIVU, M_DIVU, 12),
    REGISTER_FORM(MODU, M_MODU, 12),
    BOTH_FORMS(AND, M_AND, M_ANDI),
    BOTH_FORMS(OR, M_OR, M_ORI),
    BOTH_FORMS(XOR, M_XOR, M_XORI),
    BOTH_FORMS(SHL, M_SLL, M_SLLI),
    BOTH_FORMS(SHR, M_SRA, M_SRAI),
    BOTH_FORMS(SHRU, M_SRL, M_SRLI),
    CONDITION(EQ, M_BEQ),
    {OP_EQ, {FORM_REG, FORM_ZERO}, FORM_REG, 1, NULL, value_equal, 0},
    {OP_EQ, {FORM_REG, FORM_IMM}, FORM_REG, 2, NULL, value_equal, 0},
    {OP_EQ, {FORM_REG, FORM_REG}, FORM_REG, 2, NULL, value_equal, 0},
    CONDITION(NE, M_BNE),
    {OP_NE, {FORM_REG, FORM_ZERO}, FORM_REG, 1, NULL, value_equal, 0},
    {OP_NE, {FORM_REG, FORM_IMM}, FORM_REG, 2, NULL, value_equal, 0},
    {OP_NE, {FORM_REG, FORM_REG}, FORM_REG, 2, NULL, value_equal, 0},
    CONDITION(LT, M_BLT),
    BOTH_FORMS(LT, M_SLT, M_SLTI),
    CONDITION(LE, M_BGE),
    {OP_LE, {FORM_REG, FORM_REG}, FORM_REG, 2, NULL, value_less_equal, M_SLT},
    CONDITION(LTU, M_BLTU),
    BOTH_FORMS(LTU, M_SLTU, M_SLTIU),
    CONDITION(LEU, M_BGEU),
    {OP_LEU, {FORM_REG, FORM_REG}, FORM_REG, 2, NULL, value_less_equal, M_SLTU},
    {OP_SELECT, {FORM_REG, FORM_REG, FORM_REG}, FORM_REG, 2, NULL, value_select, 0},
    {OP_LOAD, {FORM_ADDR}, FORM_REG, 3, NULL, value_load, M_LW},
    {OP_LOAD_BYTE, {FORM_ADDR}, FORM_REG, 3, NULL, value_load, M_LBU},
    {OP_STORE, {FORM_ADDR, FORM_REG}, FORM_REG, 1, NULL, value_store, M_SW},
    {OP_STORE_BYTE, {FORM_ADDR, FORM_REG}, FORM_REG, 1, NULL, value_store, M_SB},
    {OP_BRANCH, {FORM_COND}, FORM_REG, 1, NULL, value_branch, 0},
    {OP_BRANCH, {FORM_REG}, FORM_REG, 1, NULL, value_branch, 0},
};

enum { RULES = sizeof rules / sizeof rules[0] };

static short first_rule[OPS + 1];

static void index_rules(void)
{
    int rule = 0;
    for (int op = 0; op <= OPS; op++) {
        while (rule < RULES && (int)rules[rule].op < op) {
            rule++;
        }
        first_rule[op] = (short)rule;
    }
}

static bool is_remade(const struct insn *insn)
{
    return insn->op == OP_CONST || insn->op == OP_GLOBAL || insn->op == OP_SLOT;
}

/* Part of its user's tree: computed there and nowhere else. */
static bool is_inner(const struct insn *user, const struct insn *insn)
{
    if (is_remade(insn)) {
        return true;
    }
    return insn->uses == 1 && has_flag(insn, PURE) && insn->block == user->block &&
           user->op != OP_PHI && user->op != OP_CALL && user->op != OP_RETURN;
}

static void improve(struct label *label, enum form form, int cost, int rule)
{
    if (cost < label->cost[form]) {
        label->cost[form] = (short)cost;
        label->rule[form] = (short)rule;
    }
}

static void label_tree(struct selector *s, struct insn *insn)
{
    static const struct label leaf = {
        {INFINITE, 0, INFINITE, INFINITE, 0, INFINITE},
        {RULE_MISSING, RULE_LEAF, RULE_MISSING, RULE_MISSING, RULE_LEAF, RULE_MISSING}};
    const struct label *kids[3] = {NULL};
    struct label *label = &s->labels[insn->id];
    for (int i = 0; i < FORMS; i++) {
        label->cost[i] = INFINITE;
        label->rule[i] = RULE_MISSING;
    }
    for (int i = 0; i < insn->arg_count; i++) {
        if (is_inner(insn, insn->args[i])) {
            label_tree(s, insn->args[i]);
            kids[i] = &s->labels[insn->args[i]->id];
        } else {
            kids[i] = &leaf;
        }
    }
    for (int r = first_rule[insn->op]; r < first_rule[insn->op + 1]; r++) {
        int cost = rules[r].cost;
        for (int i = 0; i < insn->arg_count && cost < INFINITE; i++) {
            cost += kids[i]->cost[rules[r].kids[i]];
        }
        if (cost < label->cost[rules[r].result] &&
            (rules[r].guard == NULL || rules[r].guard(insn))) {
            improve(label, rules[r].result, cost, r);
        }
    }
    if (label->cost[FORM_ZERO] < label->cost[FORM_REG]) {
        improve(label, FORM_REG, 0, label->rule[FORM_ZERO]);
    }
    improve(label, FORM_ADDR, label->cost[FORM_REG], label->rule[FORM_REG]);
}

static struct value reduce(struct selector *s, struct insn *insn, enum form form, bool root)
{
    struct value kids[3] = {{0}};
    int number = s->labels[insn->id].rule[form];
    program_check(number >= 0, "every tree has a pattern");
    const struct rule *rule = &rules[number];
    for (int i = 0; i < insn->arg_count; i++) {
        struct insn *arg = insn->args[i];
        if (is_inner(insn, arg)) {
            kids[i] = reduce(s, arg, rule->kids[i], false);
        } else {
            kids[i] = (struct value){.reg = register_of(s, arg)};
        }
    }
    int rd = -1;
    if (rule->result == FORM_REG) {
        rd = root ? register_of(s, insn) : new_register(s);
    }
    return rule->emit(s, insn, rule, kids, rd);
}

static struct value cover(struct selector *s, struct insn *insn, bool root)
{
    label_tree(s, insn);
    return reduce(s, insn, FORM_REG, root);
}

static int value_register(struct selector *s, struct insn *insn)
{
    return is_remade(insn) ? cover(s, insn, false).reg : register_of(s, insn);
}

static void select_call(struct selector *s, struct insn *insn)
{
    int values[PARAMETER_LIMIT];
    for (int i = 0; i < insn->arg_count; i++) {
        values[i] = value_register(s, insn->args[i]);
    }
    for (int i = 0; i < insn->arg_count; i++) {
        emit_machine(s, M_ADDI, R_ARGUMENT + i, values[i], -1, 0);
    }
    struct machine_insn call = machine_make(M_JAL, -1, -1, -1, insn->arg_count);
    call.symbol = insn->symbol;
    machine_emit(s->f, s->block, call);
    s->f->calls = true;
    if (insn->uses > 0) {
        emit_machine(s, M_ADDI, register_of(s, insn), R_RESULT, -1, 0);
    }
}

static void select_return(struct selector *s, struct insn *insn)
{
    emit_machine(s, M_ADDI, R_RESULT, value_register(s, insn->args[0]), -1, 0);
    emit_machine(s, M_JR, -1, R_RA, -1, 0);
}

struct copy {
    int to;
    int from;
    bool done;
};

static bool is_read(const struct copy *copies, int count, int reg, int except)
{
    for (int i = 0; i < count; i++) {
        if (i != except && !copies[i].done && copies[i].from == reg) {
            return true;
        }
    }
    return false;
}

/* All copies happen at once: one goes when nobody needs its target any more; a cycle is broken by a fresh register. */
static void sequence_copies(struct selector *s, struct copy *copies, int count)
{
    int left = count;
    while (left > 0) {
        bool progress = false;
        for (int i = 0; i < count; i++) {
            if (!copies[i].done && !is_read(copies, count, copies[i].to, i)) {
                emit_machine(s, M_ADDI, copies[i].to, copies[i].from, -1, 0);
                copies[i].done = progress = true;
                left--;
            }
        }
        for (int i = 0; i < count && !progress; i++) {
            if (!copies[i].done) {
                int saved = new_register(s);
                emit_machine(s, M_ADDI, saved, copies[i].from, -1, 0);
                copies[i].from = saved;
                progress = true;
            }
        }
    }
}

static void select_phis(struct selector *s, struct block *to)
{
    struct block *from = s->block;
    int index = ir_pred_index(to, from);
    int total = 0;
    for_each_phi(to, phi)
    {
        total++;
    }
    struct copy *copies = arena_array(s->f->arena, total, sizeof *copies);
    int count = 0;
    for_each_phi(to, phi)
    {
        struct insn *arg = phi->args[index];
        if (!is_remade(arg) && register_of(s, arg) != register_of(s, phi)) {
            copies[count++] = (struct copy){register_of(s, phi), register_of(s, arg), false};
        }
    }
    sequence_copies(s, copies, count);
    for_each_phi(to, phi)
    {
        struct insn *arg = phi->args[index];
        if (is_remade(arg)) {
            int reg = cover(s, arg, false).reg;
            emit_machine(s, M_ADDI, register_of(s, phi), reg, -1, 0);
        }
    }
}

static void select_jump(struct selector *s, struct block *target)
{
    struct machine_insn jump = machine_make(M_J, -1, -1, -1, 0);
    jump.target = target;
    machine_emit(s->f, s->block, jump);
}

static void select_insn(struct selector *s, struct insn *insn)
{
    switch ((int)insn->op) {
    case OP_PHI:
    case OP_PARAMETER:
        break;
    case OP_CALL:
        select_call(s, insn);
        break;
    case OP_RETURN:
        select_return(s, insn);
        break;
    case OP_JUMP:
        select_phis(s, insn->block->succs[0]);
        select_jump(s, insn->block->succs[0]);
        break;
    case OP_BRANCH:
        cover(s, insn, false);
        select_jump(s, insn->block->succs[1]);
        break;
    default: {
        bool root = !has_flag(insn, EFFECT);
        struct value value = cover(s, insn, root);
        if (root && value.reg != insn->reg) {
            emit_machine(s, M_ADDI, register_of(s, insn), value.reg, -1, 0);
        }
        break;
    }
    }
}

/* Roots are what no tree contains: marked 0. */
static void mark_inner(struct block *block)
{
    for_each_insn(block, insn)
    {
        insn->mark = is_remade(insn);
    }
    for_each_insn(block, insn)
    {
        for (int i = 0; i < insn->arg_count; i++) {
            if (is_inner(insn, insn->args[i])) {
                insn->args[i]->mark = 1;
            }
        }
    }
}

static void select_parameters(struct selector *s)
{
    for_each_insn(s->f->entry, insn)
    {
        if (insn->op == OP_PARAMETER && insn->uses > 0) {
            emit_machine(s, M_ADDI, register_of(s, insn), R_ARGUMENT + insn->value, -1, 0);
        }
    }
}

void select_function(struct function *f)
{
    struct selector s = {.f = f};
    if (first_rule[OPS] == 0) {
        index_rules();
    }
    flow_split_edges(f);
    flow_loops(f);
    ir_count_uses(f);
    f->register_count = REGISTER_COUNT;
    s.labels = arena_array(f->arena, f->insn_ids, sizeof *s.labels);
    for_each_block(f, block)
    {
        s.block = block;
        block->code.count = 0;
        if (block == f->entry) {
            select_parameters(&s);
        }
        mark_inner(block);
        for_each_insn(block, insn)
        {
            if (insn->mark == 0 && (insn->uses > 0 || has_flag(insn, EFFECT))) {
                select_insn(&s, insn);
            }
        }
    }
}
