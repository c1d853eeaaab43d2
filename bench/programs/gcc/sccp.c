/* Sparse conditional constant propagation: values and reachable edges at the same time. */
#include "ir.h"

enum state { STATE_UNKNOWN, STATE_CONSTANT, STATE_VARYING };

struct cell {
    enum state state;
    int value;
};

struct propagation {
    struct function *f;
    struct cell *cells;
    bool *edge_done;
    bool *reached;
    int *first_user;
    struct insn **users;
    LIST_OF(struct edge {
        struct block *from;
        int way;
    })
    edges;
    LIST_OF(struct insn *) values;
};

static void find_users(struct propagation *p)
{
    struct function *f = p->f;
    int total = 0;
    p->first_user = arena_array(f->arena, f->insn_ids + 2, sizeof(int));
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            for (int i = 0; i < insn->arg_count; i++) {
                p->first_user[insn->args[i]->id + 2]++;
                total++;
            }
        }
    }
    for (int i = 2; i < f->insn_ids + 2; i++) {
        p->first_user[i] += p->first_user[i - 1];
    }
    p->users = arena_array(f->arena, total, sizeof(struct insn *));
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            for (int i = 0; i < insn->arg_count; i++) {
                p->users[p->first_user[insn->args[i]->id + 1]++] = insn;
            }
        }
    }
}

static struct cell meet(struct cell a, struct cell b)
{
    if (a.state == STATE_UNKNOWN) {
        return b;
    }
    if (b.state == STATE_UNKNOWN) {
        return a;
    }
    if (a.state == STATE_CONSTANT && b.state == STATE_CONSTANT && a.value == b.value) {
        return a;
    }
    return (struct cell){STATE_VARYING, 0};
}

static bool edge_reached(const struct propagation *p, const struct block *from,
                         const struct block *to)
{
    for (int way = 0; way < from->succ_count; way++) {
        if (from->succs[way] == to && p->edge_done[from->order * 2 + way]) {
            return true;
        }
    }
    return false;
}

static struct cell evaluate_phi(const struct propagation *p, const struct insn *phi)
{
    struct cell result = {STATE_UNKNOWN, 0};
    for (int i = 0; i < phi->arg_count; i++) {
        if (edge_reached(p, phi->block->preds.items[i], phi->block)) {
            result = meet(result, p->cells[phi->args[i]->id]);
        }
    }
    return result;
}

/* A zero decides some operations whatever the other operand is. */
static bool decided_by_zero(const struct insn *insn, const struct cell *cell)
{
    return (insn->op == OP_MUL || insn->op == OP_AND) && cell->state == STATE_CONSTANT &&
           cell->value == 0;
}

static struct cell evaluate_binary(const struct propagation *p, const struct insn *insn)
{
    const struct cell *left = &p->cells[insn->args[0]->id];
    const struct cell *right = &p->cells[insn->args[1]->id];
    if (decided_by_zero(insn, left) || decided_by_zero(insn, right)) {
        return (struct cell){STATE_CONSTANT, 0};
    }
    if (left->state == STATE_UNKNOWN || right->state == STATE_UNKNOWN) {
        return (struct cell){STATE_UNKNOWN, 0};
    }
    if (left->state == STATE_VARYING || right->state == STATE_VARYING) {
        return (struct cell){STATE_VARYING, 0};
    }
    return (struct cell){STATE_CONSTANT, ir_evaluate(insn->op, left->value, right->value)};
}

static struct cell evaluate_select(const struct propagation *p, const struct insn *insn)
{
    const struct cell *condition = &p->cells[insn->args[0]->id];
    if (condition->state == STATE_UNKNOWN) {
        return *condition;
    }
    if (condition->state == STATE_CONSTANT) {
        return p->cells[insn->args[condition->value != 0 ? 1 : 2]->id];
    }
    return meet(p->cells[insn->args[1]->id], p->cells[insn->args[2]->id]);
}

static struct cell evaluate(const struct propagation *p, const struct insn *insn)
{
    switch ((int)insn->op) {
    case OP_CONST:
        return (struct cell){STATE_CONSTANT, insn->value};
    case OP_PHI:
        return evaluate_phi(p, insn);
    case OP_SELECT:
        return evaluate_select(p, insn);
    default:
        if (insn->op >= OP_ADD && insn->op <= OP_LEU) {
            return evaluate_binary(p, insn);
        }
        return (struct cell){STATE_VARYING, 0};
    }
}

static void reach_edge(struct propagation *p, struct block *from, int way)
{
    struct edge edge = {from, way};
    list_push(p->f->arena, &p->edges, edge);
}

static void visit_end(struct propagation *p, struct insn *insn)
{
    if (insn->op == OP_JUMP) {
        reach_edge(p, insn->block, 0);
        return;
    }
    if (insn->op != OP_BRANCH) {
        return;
    }
    const struct cell *cell = &p->cells[insn->args[0]->id];
    if (cell->state == STATE_VARYING || (cell->state == STATE_CONSTANT && cell->value != 0)) {
        reach_edge(p, insn->block, 0);
    }
    if (cell->state == STATE_VARYING || (cell->state == STATE_CONSTANT && cell->value == 0)) {
        reach_edge(p, insn->block, 1);
    }
}

static void visit(struct propagation *p, struct insn *insn)
{
    if (has_flag(insn, ENDS)) {
        visit_end(p, insn);
        return;
    }
    struct cell cell = evaluate(p, insn);
    struct cell *old = &p->cells[insn->id];
    if (cell.state != old->state) {
        *old = cell;
        list_push(p->f->arena, &p->values, insn);
    }
}

static void follow_edge(struct propagation *p, struct edge edge)
{
    struct block *to = edge.from->succs[edge.way];
    if (p->edge_done[edge.from->order * 2 + edge.way]) {
        return;
    }
    p->edge_done[edge.from->order * 2 + edge.way] = true;
    for_each_insn(to, insn)
    {
        if (insn->op == OP_PHI || !p->reached[to->order]) {
            visit(p, insn);
        }
    }
    p->reached[to->order] = true;
}

static void follow_value(struct propagation *p, const struct insn *insn)
{
    for (int i = p->first_user[insn->id]; i < p->first_user[insn->id + 1]; i++) {
        if (p->reached[p->users[i]->block->order]) {
            visit(p, p->users[i]);
        }
    }
}

static int replace_constants(struct propagation *p)
{
    int changed = 0;
    for_each_block(p->f, block)
    {
        if (!p->reached[block->order]) {
            continue;
        }
        for_each_insn(block, insn)
        {
            const struct cell *cell = &p->cells[insn->id];
            if (cell->state != STATE_CONSTANT || is_const(insn)) {
                continue;
            }
            struct insn *constant = ir_insn(p->f, OP_CONST, 0);
            constant->value = cell->value;
            ir_prepend(p->f->entry, constant);
            insn->forward = constant;
            changed++;
        }
    }
    ir_resolve(p->f);
    return changed;
}

int pass_sccp(struct function *f)
{
    struct propagation p = {.f = f};
    flow_order(f);
    /* Room for the constants that replace values. */
    p.cells = arena_array(f->arena, f->insn_ids * 2 + 2, sizeof *p.cells);
    p.edge_done = arena_array(f->arena, f->blocks.count * 2, sizeof *p.edge_done);
    p.reached = arena_array(f->arena, f->blocks.count, sizeof *p.reached);
    find_users(&p);
    p.reached[0] = true;
    for_each_insn(f->entry, insn)
    {
        visit(&p, insn);
    }
    while (p.edges.count > 0 || p.values.count > 0) {
        if (p.edges.count > 0) {
            follow_edge(&p, p.edges.items[--p.edges.count]);
        } else {
            follow_value(&p, p.values.items[--p.values.count]);
        }
    }
    return replace_constants(&p);
}
