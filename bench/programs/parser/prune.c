/* Removes what can never link, first from expressions, then from disjuncts, by names alone. */
#include "parser.h"

enum { NAME_BUCKETS = 64 };

/* The connector names of all words passed so far, by the hash of their capitals. */
struct name_node {
    struct name_node *next;
    const char *name;
};

struct name_table {
    struct pool *pool;
    struct name_node *bucket[NAME_BUCKETS];
};

static void table_insert(struct name_table *table, const char *name)
{
    struct name_node **bucket = &table->bucket[connector_hash(name) % NAME_BUCKETS];
    for (const struct name_node *node = *bucket; node != NULL; node = node->next) {
        if (node->name == name) {
            return;
        }
    }
    struct name_node *node = pool_take(table->pool, sizeof *node);
    node->name = name;
    node->next = *bucket;
    *bucket = node;
}

static int table_matches(const struct name_table *table, const char *name)
{
    const struct name_node *node = table->bucket[connector_hash(name) % NAME_BUCKETS];
    while (node != NULL && !connector_names_match(node->name, name)) {
        node = node->next;
    }
    return node != NULL;
}

/* Counts and names nothing any more the connectors of one direction that match nothing. */
static int mark_dead(struct exp *exp, char direction, const struct name_table *table)
{
    if (exp->kind == EXP_CONNECTOR) {
        if (exp->direction != direction || exp->name == NULL || table_matches(table, exp->name)) {
            return 0;
        }
        exp->name = NULL;
        return 1;
    }
    int dead = 0;
    for (struct exp_list *item = exp->list; item != NULL; item = item->next) {
        dead += mark_dead(item->exp, direction, table);
    }
    return dead;
}

/* What is left of an expression without its dead connectors, or NULL. */
static struct exp *purge(struct exp *exp)
{
    if (exp->kind == EXP_CONNECTOR) {
        return exp->name == NULL ? NULL : exp;
    }
    struct exp_list **at = &exp->list;
    while (*at != NULL) {
        struct exp *kept = purge((*at)->exp);
        if (kept == NULL) {
            if (exp->kind == EXP_AND) {
                return NULL;
            }
            *at = (*at)->next;
            continue;
        }
        (*at)->exp = kept;
        at = &(*at)->next;
    }
    return exp->kind == EXP_OR && exp->list == NULL ? NULL : exp;
}

static void insert_names(const struct exp *exp, char direction, struct name_table *table)
{
    if (exp->kind == EXP_CONNECTOR) {
        if (exp->direction == direction) {
            table_insert(table, exp->name);
        }
        return;
    }
    for (const struct exp_list *item = exp->list; item != NULL; item = item->next) {
        insert_names(item->exp, direction, table);
    }
}

static int purge_word(struct word *word, char direction, const struct name_table *table)
{
    int dead = 0;
    struct meaning **at = &word->meanings;
    while (*at != NULL) {
        int found = mark_dead((*at)->exp, direction, table);
        dead += found;
        if (found > 0) {
            (*at)->exp = purge((*at)->exp);
        }
        if ((*at)->exp == NULL) {
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    }
    return dead;
}

static int pass_over_expressions(struct parser *parser, int forward)
{
    struct name_table table = {.pool = &parser->pool};
    int dead = 0;
    for (int i = 0; i < parser->words; i++) {
        struct word *word = &parser->word[forward ? i : parser->words - 1 - i];
        dead += purge_word(word, forward ? '-' : '+', &table);
        for (const struct meaning *m = word->meanings; m != NULL; m = m->next) {
            insert_names(m->exp, forward ? '+' : '-', &table);
        }
    }
    return dead;
}

/* A pass says how much it removed: forth and back until neither finds anything. */
static void repeat_pass(struct parser *parser, int (*pass)(struct parser *parser, int forward))
{
    int forward = 1;
    int quiet = 0;
    while (quiet < 2) {
        int dead = pass(parser, forward);
        quiet = dead == 0 ? quiet + 1 : 0;
        forward = !forward;
    }
}

void prune_expressions(struct parser *parser)
{
    repeat_pass(parser, pass_over_expressions);
}

static int all_match(const struct connector *c, const struct name_table *table)
{
    while (c != NULL && table_matches(table, c->name)) {
        c = c->next;
    }
    return c == NULL;
}

static void insert_list(const struct connector *c, struct name_table *table)
{
    for (; c != NULL; c = c->next) {
        table_insert(table, c->name);
    }
}

static int pass_over_disjuncts(struct parser *parser, int forward)
{
    struct name_table table = {.pool = &parser->pool};
    int dead = 0;
    for (int i = 0; i < parser->words; i++) {
        struct word *word = &parser->word[forward ? i : parser->words - 1 - i];
        struct disjunct **at = &word->disjuncts;
        while (*at != NULL) {
            if (all_match(forward ? (*at)->left : (*at)->right, &table)) {
                at = &(*at)->next;
            } else {
                *at = (*at)->next;
                dead++;
            }
        }
        for (const struct disjunct *d = word->disjuncts; d != NULL; d = d->next) {
            insert_list(forward ? d->right : d->left, &table);
        }
    }
    return dead;
}

void prune_by_names(struct parser *parser)
{
    repeat_pass(parser, pass_over_disjuncts);
}
