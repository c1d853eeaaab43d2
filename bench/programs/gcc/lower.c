/* Lowers trees to blocks of three-address code; loops are tested at their end, so that their bodies may be hoisted from. */
#include "ir.h"

struct lowering {
    struct function *f;
    struct block *block;
    struct block *break_to;
    struct block *continue_to;
};

typedef struct insn *lower_hook(struct lowering *l, const struct tree *tree);

#define TREE(code, text, op, interpret, lower) static lower_hook lower_##lower;
#include "tree.def"
#undef TREE

static const struct {
    lower_hook *hook;
    enum op op;
} lowerings[TREE_CODES] = {
#define TREE(code, text, op, interpret, lower) [TREE_##code] = {lower_##lower, OP_##op},
#include "tree.def"
#undef TREE
};

static struct insn *lower(struct lowering *l, const struct tree *tree)
{
    return lowerings[tree->code].hook(l, tree);
}

static struct insn *add_insn(struct lowering *l, enum op op, struct insn *left, struct insn *right)
{
    struct insn *insn = ir_insn(l->f, op, right != NULL ? 2 : left != NULL ? 1 : 0);
    if (left != NULL) {
        insn->args[0] = left;
    }
    if (right != NULL) {
        insn->args[1] = right;
    }
    ir_append(l->block, insn);
    return insn;
}

static struct insn *add_constant(struct lowering *l, int value)
{
    struct insn *insn = add_insn(l, OP_CONST, NULL, NULL);
    insn->value = value;
    return insn;
}

static void jump_to(struct lowering *l, struct block *target)
{
    add_insn(l, OP_JUMP, NULL, NULL);
    ir_link(l->f, l->block, target);
}

static void branch_on(struct lowering *l, struct insn *condition, struct block *yes,
                      struct block *no)
{
    if (yes == no) {
        jump_to(l, yes);
        return;
    }
    add_insn(l, OP_BRANCH, condition, NULL);
    ir_link(l->f, l->block, yes);
    ir_link(l->f, l->block, no);
}

static bool in_register(const struct symbol *symbol)
{
    return !symbol->is_global && !symbol->address_taken && type_is_scalar(symbol->type);
}

static int new_slot(struct function *f, int size)
{
    struct slot slot = {f->frame_bytes, size};
    f->frame_bytes += (size + 3) & ~3;
    list_push(f->arena, &f->slots, slot);
    return f->slots.count - 1;
}

static struct insn *symbol_address(struct lowering *l, struct symbol *symbol, int offset)
{
    struct insn *insn;
    if (symbol->is_global) {
        insn = add_insn(l, OP_GLOBAL, NULL, NULL);
        insn->symbol = symbol;
        insn->value = offset;
        return insn;
    }
    if (symbol->slot < 0) {
        symbol->slot = new_slot(l->f, symbol->type->size);
    }
    insn = add_insn(l, OP_SLOT, NULL, NULL);
    insn->value = symbol->slot;
    return offset == 0 ? insn : add_insn(l, OP_ADD, insn, add_constant(l, offset));
}

static struct insn *add_load(struct lowering *l, const struct type *type, struct insn *address)
{
    return add_insn(l, type->size == 1 ? OP_LOAD_BYTE : OP_LOAD, address, NULL);
}

static void add_store(struct lowering *l, const struct type *type, struct insn *address,
                      struct insn *value)
{
    add_insn(l, type->size == 1 ? OP_STORE_BYTE : OP_STORE, address, value);
}

static struct insn *get_variable(struct lowering *l, const struct symbol *symbol)
{
    struct insn *insn = add_insn(l, OP_GET, NULL, NULL);
    insn->value = symbol->number;
    return insn;
}

static void set_variable(struct lowering *l, const struct symbol *symbol, struct insn *value)
{
    add_insn(l, OP_SET, value, NULL)->value = symbol->number;
}

static struct insn *lower_constant(struct lowering *l, const struct tree *tree)
{
    return add_constant(l, tree->value);
}

static struct insn *lower_variable(struct lowering *l, const struct tree *tree)
{
    if (in_register(tree->symbol)) {
        return get_variable(l, tree->symbol);
    }
    return add_load(l, tree->type, symbol_address(l, tree->symbol, 0));
}

static struct insn *lower_address(struct lowering *l, const struct tree *tree)
{
    return symbol_address(l, tree->symbol, tree->value);
}

static struct insn *lower_deref(struct lowering *l, const struct tree *tree)
{
    return add_load(l, tree->type, lower(l, tree->kids[0]));
}

static struct insn *lower_call(struct lowering *l, const struct tree *tree)
{
    struct insn *insn = ir_insn(l->f, OP_CALL, tree->value);
    int count = 0;
    insn->symbol = tree->symbol;
    for (const struct tree *kid = tree->kids[0]; kid != NULL; kid = kid->next) {
        insn->args[count++] = lower(l, kid->kids[0]);
    }
    ir_append(l->block, insn);
    return insn;
}

static struct insn *lower_binary(struct lowering *l, const struct tree *tree)
{
    struct insn *left = lower(l, tree->kids[0]);
    struct insn *right = lower(l, tree->kids[1]);
    return add_insn(l, lowerings[tree->code].op, left, right);
}

static struct insn *lower_negate(struct lowering *l, const struct tree *tree)
{
    struct insn *kid = lower(l, tree->kids[0]);
    return add_insn(l, OP_SUB, add_constant(l, 0), kid);
}

static struct insn *lower_complement(struct lowering *l, const struct tree *tree)
{
    struct insn *kid = lower(l, tree->kids[0]);
    return add_insn(l, OP_XOR, kid, add_constant(l, -1));
}

static struct insn *lower_not(struct lowering *l, const struct tree *tree)
{
    struct insn *kid = lower(l, tree->kids[0]);
    return add_insn(l, OP_EQ, kid, add_constant(l, 0));
}

static struct insn *lower_narrow(struct lowering *l, const struct tree *tree)
{
    struct insn *kid = lower(l, tree->kids[0]);
    return add_insn(l, OP_AND, kid, add_constant(l, 255));
}

static void lower_condition(struct lowering *l, const struct tree *tree, struct block *yes,
                            struct block *no)
{
    if (tree->code == TREE_AND_AND || tree->code == TREE_OR_OR) {
        struct block *second = ir_block(l->f);
        bool is_and = tree->code == TREE_AND_AND;
        lower_condition(l, tree->kids[0], is_and ? second : yes, is_and ? no : second);
        l->block = second;
        lower_condition(l, tree->kids[1], yes, no);
    } else if (tree->code == TREE_NOT) {
        lower_condition(l, tree->kids[0], no, yes);
    } else {
        branch_on(l, lower(l, tree), yes, no);
    }
}

/* The value of a conditional expression is a variable that both ways set. */
static void set_temporary(struct lowering *l, int number, struct insn *value)
{
    add_insn(l, OP_SET, value, NULL)->value = number;
}

static struct insn *lower_ways(struct lowering *l, const struct tree *condition,
                               const struct tree *yes_tree, const struct tree *no_tree)
{
    struct block *yes = ir_block(l->f);
    struct block *no = ir_block(l->f);
    struct block *join = ir_block(l->f);
    int number = l->f->variable_count++;
    lower_condition(l, condition, yes, no);
    l->block = yes;
    set_temporary(l, number, yes_tree != NULL ? lower(l, yes_tree) : add_constant(l, 1));
    jump_to(l, join);
    l->block = no;
    set_temporary(l, number, no_tree != NULL ? lower(l, no_tree) : add_constant(l, 0));
    jump_to(l, join);
    l->block = join;
    struct insn *insn = add_insn(l, OP_GET, NULL, NULL);
    insn->value = number;
    return insn;
}

static struct insn *lower_short_circuit(struct lowering *l, const struct tree *tree)
{
    return lower_ways(l, tree, NULL, NULL);
}

static struct insn *lower_choose(struct lowering *l, const struct tree *tree)
{
    return lower_ways(l, tree->kids[0], tree->kids[1], tree->kids[2]);
}

static struct insn *lower_comma(struct lowering *l, const struct tree *tree)
{
    struct insn *insn = lower(l, tree->kids[0]);
    return tree->kids[1] == NULL ? insn : lower(l, tree->kids[1]);
}

static struct insn *place_address(struct lowering *l, const struct tree *place)
{
    if (place->code == TREE_DEREF) {
        return lower(l, place->kids[0]);
    }
    return in_register(place->symbol) ? NULL : symbol_address(l, place->symbol, 0);
}

static struct insn *load_place(struct lowering *l, const struct tree *place, struct insn *address)
{
    return address == NULL ? get_variable(l, place->symbol) : add_load(l, place->type, address);
}

static void store_place(struct lowering *l, const struct tree *place, struct insn *address,
                        struct insn *value)
{
    if (address == NULL) {
        set_variable(l, place->symbol, value);
    } else {
        add_store(l, place->type, address, value);
    }
}

static struct insn *lower_assign(struct lowering *l, const struct tree *tree)
{
    struct insn *address = place_address(l, tree->kids[0]);
    struct insn *value = lower(l, tree->kids[1]);
    store_place(l, tree->kids[0], address, value);
    return value;
}

static struct insn *narrow_value(struct lowering *l, const struct type *type, struct insn *value)
{
    return type->size == 1 ? add_insn(l, OP_AND, value, add_constant(l, 255)) : value;
}

static struct insn *lower_update(struct lowering *l, const struct tree *tree)
{
    struct insn *address = place_address(l, tree->kids[0]);
    struct insn *right = lower(l, tree->kids[1]);
    struct insn *left = load_place(l, tree->kids[0], address);
    struct insn *value = add_insn(l, lowerings[tree->value].op, left, right);
    value = narrow_value(l, tree->type, value);
    store_place(l, tree->kids[0], address, value);
    return value;
}

static struct insn *lower_postfix(struct lowering *l, const struct tree *tree)
{
    struct insn *address = place_address(l, tree->kids[0]);
    struct insn *old = load_place(l, tree->kids[0], address);
    struct insn *value = add_insn(l, OP_ADD, old, add_constant(l, tree->value));
    store_place(l, tree->kids[0], address, narrow_value(l, tree->type, value));
    return old;
}

static void lower_statement(struct lowering *l, const struct tree *statement);

static void lower_chain(struct lowering *l, const struct tree *statement)
{
    for (; statement != NULL; statement = statement->next) {
        lower_statement(l, statement);
    }
}

static void statement_expression(struct lowering *l, const struct tree *statement)
{
    lower(l, statement->kids[0]);
}

static void statement_if(struct lowering *l, const struct tree *statement)
{
    struct block *yes = ir_block(l->f);
    struct block *join = ir_block(l->f);
    struct block *no = statement->kids[2] != NULL ? ir_block(l->f) : join;
    lower_condition(l, statement->kids[0], yes, no);
    l->block = yes;
    lower_statement(l, statement->kids[1]);
    jump_to(l, join);
    if (statement->kids[2] != NULL) {
        l->block = no;
        lower_statement(l, statement->kids[2]);
        jump_to(l, join);
    }
    l->block = join;
}

static void lower_test(struct lowering *l, const struct tree *condition, struct block *yes,
                       struct block *no)
{
    if (condition == NULL) {
        jump_to(l, yes);
    } else {
        lower_condition(l, condition, yes, no);
    }
}

static void statement_loop(struct lowering *l, const struct tree *statement)
{
    struct lowering outer = *l;
    struct block *preheader = ir_block(l->f);
    struct block *body = ir_block(l->f);
    struct block *test = ir_block(l->f);
    struct block *exit = ir_block(l->f);
    if (statement->flag) {
        jump_to(l, preheader);
    } else {
        lower_test(l, statement->kids[0], preheader, exit);
    }
    l->block = preheader;
    jump_to(l, body);
    l->break_to = exit;
    l->continue_to = test;
    l->block = body;
    lower_statement(l, statement->kids[2]);
    jump_to(l, test);
    l->block = test;
    if (statement->kids[1] != NULL) {
        lower(l, statement->kids[1]);
    }
    lower_test(l, statement->kids[0], body, exit);
    *l = outer;
    l->block = exit;
}

struct case_target {
    int value;
    struct block *block;
};

static int compare_cases(const void *left, const void *right)
{
    const struct case_target *a = left;
    const struct case_target *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

/* A balanced tree of comparisons. */
static void lower_search(struct lowering *l, struct insn *value, const struct case_target *cases,
                         int count, struct block *otherwise)
{
    if (count == 0) {
        jump_to(l, otherwise);
        return;
    }
    int middle = count / 2;
    struct block *next = ir_block(l->f);
    struct insn *key = add_constant(l, cases[middle].value);
    branch_on(l, add_insn(l, OP_EQ, value, key), cases[middle].block, next);
    l->block = next;
    if (count == 1) {
        jump_to(l, otherwise);
        return;
    }
    struct block *low = ir_block(l->f);
    struct block *high = ir_block(l->f);
    branch_on(l, add_insn(l, OP_LT, value, add_constant(l, cases[middle].value)), low, high);
    l->block = low;
    lower_search(l, value, cases, middle, otherwise);
    l->block = high;
    lower_search(l, value, cases + middle + 1, count - middle - 1, otherwise);
}

static void statement_switch(struct lowering *l, const struct tree *statement)
{
    struct block *outer = l->break_to;
    struct block *exit = ir_block(l->f);
    struct block *otherwise = exit;
    struct case_target *cases = arena_array(l->f->arena, statement->value, sizeof *cases);
    int count = 0;
    for (struct tree *label = statement->next_case; label != NULL; label = label->next_case) {
        struct block *block = ir_block(l->f);
        label->block = block;
        if (label->flag) {
            otherwise = block;
        } else {
            cases[count++] = (struct case_target){label->value, block};
        }
    }
    qsort(cases, (size_t)count, sizeof *cases, compare_cases);
    lower_search(l, lower(l, statement->kids[0]), cases, count, otherwise);
    l->break_to = exit;
    l->block = ir_block(l->f);
    lower_statement(l, statement->kids[1]);
    jump_to(l, exit);
    l->break_to = outer;
    l->block = exit;
}

static void statement_case(struct lowering *l, const struct tree *statement)
{
    struct block *block = statement->block;
    jump_to(l, block);
    l->block = block;
}

/* What follows a jump in the source is unreachable, but still needs a block. */
static void statement_break(struct lowering *l, const struct tree *statement)
{
    jump_to(l, statement->code == STATEMENT_BREAK ? l->break_to : l->continue_to);
    l->block = ir_block(l->f);
}

static void add_return(struct lowering *l, struct insn *value)
{
    add_insn(l, OP_RETURN, value, NULL);
}

static void statement_return(struct lowering *l, const struct tree *statement)
{
    add_return(l, statement->kids[0] != NULL ? lower(l, statement->kids[0]) : add_constant(l, 0));
    l->block = ir_block(l->f);
}

static void statement_block(struct lowering *l, const struct tree *statement)
{
    lower_chain(l, statement->kids[0]);
}

static void statement_empty(struct lowering *l, const struct tree *statement)
{
    (void)l;
    (void)statement;
}

static void lower_statement(struct lowering *l, const struct tree *statement)
{
    static void (*const hooks[STATEMENT_LIMIT - TREE_CODES])(struct lowering *,
                                                             const struct tree *) = {
        [STATEMENT_EXPRESSION - TREE_CODES] = statement_expression,
        [STATEMENT_IF - TREE_CODES] = statement_if,
        [STATEMENT_LOOP - TREE_CODES] = statement_loop,
        [STATEMENT_SWITCH - TREE_CODES] = statement_switch,
        [STATEMENT_CASE - TREE_CODES] = statement_case,
        [STATEMENT_BREAK - TREE_CODES] = statement_break,
        [STATEMENT_CONTINUE - TREE_CODES] = statement_break,
        [STATEMENT_RETURN - TREE_CODES] = statement_return,
        [STATEMENT_BLOCK - TREE_CODES] = statement_block,
        [STATEMENT_EMPTY - TREE_CODES] = statement_empty,
    };
    hooks[statement->code - TREE_CODES](l, statement);
}

static void lower_parameters(struct lowering *l)
{
    const struct symbol_list *parameters = &l->f->procedure->parameters;
    for (int i = 0; i < parameters->count; i++) {
        struct symbol *symbol = parameters->items[i];
        struct insn *insn = add_insn(l, OP_PARAMETER, NULL, NULL);
        insn->value = i;
        if (in_register(symbol)) {
            set_variable(l, symbol, narrow_value(l, symbol->type, insn));
        } else {
            add_store(l, symbol->type, symbol_address(l, symbol, 0), insn);
        }
    }
}

struct function *lower_procedure(struct unit *unit, struct procedure *procedure)
{
    struct function *f = arena_take(&unit->arena, sizeof *f);
    struct lowering l = {.f = f};
    f->unit = unit;
    f->procedure = procedure;
    f->arena = &unit->arena;
    f->variable_count = procedure->locals.count;
    f->entry = ir_block(f);
    l.block = f->entry;
    lower_parameters(&l);
    lower_statement(&l, procedure->body);
    add_return(&l, add_constant(&l, 0));
    procedure->function = f;
    return f;
}
