/* Runs trees directly: the reference that the target code is compared with. */
#include "memory.h"

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };

struct interpreter {
    struct memory *memory;
    int frame;
    int top;
    int result;
    uint64_t steps;
};

typedef int evaluate_hook(struct interpreter *run, const struct tree *tree);
typedef enum flow execute_hook(struct interpreter *run, const struct tree *statement);

#define TREE(code, text, op, interpret, lower) static evaluate_hook evaluate_##interpret;
#include "tree.def"
#undef TREE

static evaluate_hook *const evaluate_hooks[TREE_CODES] = {
#define TREE(code, text, op, interpret, lower) [TREE_##code] = evaluate_##interpret,
#include "tree.def"
#undef TREE
};

static int evaluate(struct interpreter *run, const struct tree *tree)
{
    run->steps++;
    return evaluate_hooks[tree->code](run, tree);
}

static int evaluate_constant(struct interpreter *run, const struct tree *tree)
{
    (void)run;
    return tree->value;
}

static int symbol_address(const struct interpreter *run, const struct symbol *symbol)
{
    return symbol->is_global ? symbol->offset : run->frame + symbol->offset;
}

static int load_typed(struct interpreter *run, const struct type *type, int address)
{
    return type->size == 1 ? memory_load_byte(run->memory, address)
                           : memory_load(run->memory, address);
}

static void store_typed(struct interpreter *run, const struct type *type, int address, int value)
{
    if (type->size == 1) {
        memory_store_byte(run->memory, address, value);
    } else {
        memory_store(run->memory, address, value);
    }
}

static int evaluate_variable(struct interpreter *run, const struct tree *tree)
{
    return load_typed(run, tree->type, symbol_address(run, tree->symbol));
}

static int evaluate_address(struct interpreter *run, const struct tree *tree)
{
    return symbol_address(run, tree->symbol) + tree->value;
}

static int evaluate_deref(struct interpreter *run, const struct tree *tree)
{
    return load_typed(run, tree->type, evaluate(run, tree->kids[0]));
}

static int evaluate_binary(struct interpreter *run, const struct tree *tree)
{
    int left = evaluate(run, tree->kids[0]);
    int right = evaluate(run, tree->kids[1]);
    return fold_binary(tree->code, left, right);
}

static int evaluate_negate(struct interpreter *run, const struct tree *tree)
{
    return wrap(-(int64_t)evaluate(run, tree->kids[0]));
}

static int evaluate_complement(struct interpreter *run, const struct tree *tree)
{
    return ~evaluate(run, tree->kids[0]);
}

static int evaluate_not(struct interpreter *run, const struct tree *tree)
{
    return evaluate(run, tree->kids[0]) == 0;
}

static int evaluate_narrow(struct interpreter *run, const struct tree *tree)
{
    return evaluate(run, tree->kids[0]) & 255;
}

static int evaluate_and_and(struct interpreter *run, const struct tree *tree)
{
    return evaluate(run, tree->kids[0]) != 0 && evaluate(run, tree->kids[1]) != 0;
}

static int evaluate_or_or(struct interpreter *run, const struct tree *tree)
{
    return evaluate(run, tree->kids[0]) != 0 || evaluate(run, tree->kids[1]) != 0;
}

static int evaluate_choose(struct interpreter *run, const struct tree *tree)
{
    return evaluate(run, tree->kids[evaluate(run, tree->kids[0]) != 0 ? 1 : 2]);
}

static int evaluate_comma(struct interpreter *run, const struct tree *tree)
{
    int value = evaluate(run, tree->kids[0]);
    return tree->kids[1] == NULL ? value : evaluate(run, tree->kids[1]);
}

static int lvalue_address(struct interpreter *run, const struct tree *tree)
{
    return tree->code == TREE_VARIABLE ? symbol_address(run, tree->symbol)
                                       : evaluate(run, tree->kids[0]);
}

static int evaluate_assign(struct interpreter *run, const struct tree *tree)
{
    int address = lvalue_address(run, tree->kids[0]);
    int value = evaluate(run, tree->kids[1]);
    store_typed(run, tree->type, address, value);
    return value;
}

static int narrowed(const struct type *type, int value)
{
    return type->size == 1 ? value & 255 : value;
}

static int evaluate_update(struct interpreter *run, const struct tree *tree)
{
    int address = lvalue_address(run, tree->kids[0]);
    int right = evaluate(run, tree->kids[1]);
    int left = load_typed(run, tree->type, address);
    int value = narrowed(tree->type, fold_binary((enum tree_code)tree->value, left, right));
    store_typed(run, tree->type, address, value);
    return value;
}

static int evaluate_postfix(struct interpreter *run, const struct tree *tree)
{
    int address = lvalue_address(run, tree->kids[0]);
    int old = load_typed(run, tree->type, address);
    store_typed(run, tree->type, address, wrap((int64_t)old + tree->value));
    return old;
}

static enum flow execute_block(struct interpreter *run, const struct tree *statement);

static int call_procedure(struct interpreter *run, const struct procedure *procedure,
                          const int *arguments)
{
    struct interpreter callee = *run;
    callee.frame = run->top;
    callee.top = callee.frame + ((procedure->frame_bytes + 7) & ~7);
    callee.result = 0;
    for (int i = 0; i < procedure->parameters.count; i++) {
        const struct symbol *parameter = procedure->parameters.items[i];
        store_typed(&callee, parameter->type, callee.frame + parameter->offset, arguments[i]);
    }
    execute_block(&callee, procedure->body);
    run->steps = callee.steps;
    return callee.result;
}

static int evaluate_call(struct interpreter *run, const struct tree *tree)
{
    int arguments[PARAMETER_LIMIT] = {0};
    int count = 0;
    for (const struct tree *kid = tree->kids[0]; kid != NULL; kid = kid->next) {
        arguments[count++] = evaluate(run, kid->kids[0]);
    }
    return call_procedure(run, tree->symbol->procedure, arguments);
}

static execute_hook *const execute_hooks[STATEMENT_LIMIT - TREE_CODES];

static enum flow execute(struct interpreter *run, const struct tree *statement)
{
    run->steps++;
    return execute_hooks[statement->code - TREE_CODES](run, statement);
}

static enum flow execute_chain(struct interpreter *run, const struct tree *statement)
{
    enum flow flow = FLOW_NEXT;
    for (; statement != NULL && flow == FLOW_NEXT; statement = statement->next) {
        flow = execute(run, statement);
    }
    return flow;
}

static enum flow execute_expression(struct interpreter *run, const struct tree *statement)
{
    evaluate(run, statement->kids[0]);
    return FLOW_NEXT;
}

static enum flow execute_if(struct interpreter *run, const struct tree *statement)
{
    const struct tree *way = statement->kids[evaluate(run, statement->kids[0]) != 0 ? 1 : 2];
    return way == NULL ? FLOW_NEXT : execute(run, way);
}

static enum flow execute_loop(struct interpreter *run, const struct tree *statement)
{
    bool test = !statement->flag;
    for (;;) {
        if (test && statement->kids[0] != NULL && evaluate(run, statement->kids[0]) == 0) {
            return FLOW_NEXT;
        }
        test = true;
        enum flow flow = execute(run, statement->kids[2]);
        if (flow == FLOW_BREAK) {
            return FLOW_NEXT;
        }
        if (flow == FLOW_RETURN) {
            return flow;
        }
        if (statement->kids[1] != NULL) {
            evaluate(run, statement->kids[1]);
        }
    }
}

static enum flow execute_switch(struct interpreter *run, const struct tree *statement)
{
    int value = evaluate(run, statement->kids[0]);
    const struct tree *found = NULL;
    for (const struct tree *label = statement->next_case; label != NULL; label = label->next_case) {
        if (!label->flag && label->value == value) {
            found = label;
            break;
        }
        if (label->flag) {
            found = label;
        }
    }
    enum flow flow = execute_chain(run, found);
    return flow == FLOW_BREAK ? FLOW_NEXT : flow;
}

static enum flow execute_empty(struct interpreter *run, const struct tree *statement)
{
    (void)run;
    (void)statement;
    return FLOW_NEXT;
}

static enum flow execute_break(struct interpreter *run, const struct tree *statement)
{
    (void)run;
    return statement->code == STATEMENT_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
}

static enum flow execute_return(struct interpreter *run, const struct tree *statement)
{
    if (statement->kids[0] != NULL) {
        run->result = evaluate(run, statement->kids[0]);
    }
    return FLOW_RETURN;
}

static enum flow execute_block(struct interpreter *run, const struct tree *statement)
{
    return execute_chain(run, statement->kids[0]);
}

static execute_hook *const execute_hooks[STATEMENT_LIMIT - TREE_CODES] = {
    [STATEMENT_EXPRESSION - TREE_CODES] = execute_expression,
    [STATEMENT_IF - TREE_CODES] = execute_if,
    [STATEMENT_LOOP - TREE_CODES] = execute_loop,
    [STATEMENT_SWITCH - TREE_CODES] = execute_switch,
    [STATEMENT_CASE - TREE_CODES] = execute_empty,
    [STATEMENT_BREAK - TREE_CODES] = execute_break,
    [STATEMENT_CONTINUE - TREE_CODES] = execute_break,
    [STATEMENT_RETURN - TREE_CODES] = execute_return,
    [STATEMENT_BLOCK - TREE_CODES] = execute_block,
    [STATEMENT_EMPTY - TREE_CODES] = execute_empty,
};

int interpret_procedure(struct unit *unit, struct memory *memory, struct procedure *procedure,
                        const int *arguments, uint64_t *steps)
{
    struct interpreter run = {.memory = memory};
    run.frame = DATA_START + ((unit->data_size + 63) & ~63);
    run.top = run.frame;
    int result = call_procedure(&run, procedure, arguments);
    *steps += run.steps;
    return result;
}
