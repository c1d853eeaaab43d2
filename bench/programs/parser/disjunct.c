/* Multiplies expressions out into disjuncts, and keeps each different one once. */
#include "parser.h"

/* Connectors in the order of the expression. */
struct item {
    struct item *next;
    const struct exp *connector;
};

struct clause {
    struct clause *next;
    struct item *items;
    int cost;
};

static struct clause *new_clause(struct parser *parser, struct item *items, int cost)
{
    struct clause *clause = pool_take(&parser->pool, sizeof *clause);
    clause->items = items;
    clause->cost = cost;
    return clause;
}

static struct item *join_items(struct parser *parser, const struct item *first, struct item *second)
{
    struct item *joined = second;
    struct item **last = &joined;
    for (; first != NULL; first = first->next) {
        struct item *copy = pool_take(&parser->pool, sizeof *copy);
        copy->connector = first->connector;
        copy->next = second;
        *last = copy;
        last = &copy->next;
    }
    return joined;
}

static struct clause *append_clauses(struct clause *first, struct clause *second)
{
    if (first == NULL) {
        return second;
    }
    struct clause *last = first;
    while (last->next != NULL) {
        last = last->next;
    }
    last->next = second;
    return first;
}

static struct clause *multiply(struct parser *parser, const struct clause *left,
                               const struct clause *right)
{
    struct clause *product = NULL;
    for (const struct clause *l = left; l != NULL; l = l->next) {
        for (const struct clause *r = right; r != NULL; r = r->next) {
            if (l->cost + r->cost > parser->options.max_cost) {
                continue;
            }
            struct clause *clause =
                new_clause(parser, join_items(parser, l->items, r->items), l->cost + r->cost);
            clause->next = product;
            product = clause;
        }
    }
    return product;
}

static struct clause *build_clauses(struct parser *parser, const struct exp *exp)
{
    struct clause *clauses = NULL;
    if (exp->kind == EXP_CONNECTOR) {
        struct item *item = pool_take(&parser->pool, sizeof *item);
        item->connector = exp;
        clauses = new_clause(parser, item, 0);
    } else if (exp->kind == EXP_AND) {
        clauses = new_clause(parser, NULL, 0);
        for (const struct exp_list *part = exp->list; part != NULL; part = part->next) {
            clauses = multiply(parser, clauses, build_clauses(parser, part->exp));
        }
    } else {
        for (const struct exp_list *part = exp->list; part != NULL; part = part->next) {
            clauses = append_clauses(build_clauses(parser, part->exp), clauses);
        }
    }
    if (exp->cost != 0) {
        for (struct clause *clause = clauses; clause != NULL; clause = clause->next) {
            clause->cost += exp->cost;
        }
    }
    return clauses;
}

/* The option does not hold for punctuation, which always reaches over the whole sentence. */
static short length_limit(const struct parser *parser, const struct exp *connector)
{
    if (connector->length_limit < UNLIMITED_LENGTH || connector->name[0] == 'X') {
        return connector->length_limit;
    }
    return (short)parser->options.short_length;
}

static struct connector *extract(struct parser *parser, const struct item *items, char direction,
                                 int word)
{
    struct connector *list = NULL;
    for (; items != NULL; items = items->next) {
        const struct exp *exp = items->connector;
        if (exp->direction != direction) {
            continue;
        }
        struct connector *c = pool_take(&parser->pool, sizeof *c);
        c->name = exp->name;
        c->multi = exp->multi;
        c->hash = connector_hash(exp->name);
        c->id = ++parser->connectors;
        c->word = (short)(direction == '+' ? word + 1 : word - 1);
        c->length_limit = length_limit(parser, exp);
        c->next = list;
        list = c;
    }
    return list;
}

static struct disjunct *build_meaning(struct parser *parser, const struct meaning *meaning, int at,
                                      struct disjunct *list)
{
    const struct clause *clause = build_clauses(parser, meaning->exp);
    for (; clause != NULL; clause = clause->next) {
        if (clause->cost > parser->options.max_cost) {
            continue;
        }
        struct disjunct *d = pool_take(&parser->pool, sizeof *d);
        d->word = meaning->word;
        d->cost = clause->cost;
        d->left = extract(parser, clause->items, '-', at);
        d->right = extract(parser, clause->items, '+', at);
        if (d->left == NULL && d->right == NULL) {
            continue;
        }
        d->next = list;
        list = d;
    }
    return list;
}

int disjuncts_count(const struct disjunct *d)
{
    int count = 0;
    for (; d != NULL; d = d->next) {
        count++;
    }
    return count;
}

static unsigned hash_list(const struct connector *c)
{
    unsigned hash = 17;
    for (; c != NULL; c = c->next) {
        for (const char *at = c->name; *at != '\0'; at++) {
            hash = hash * 33 + (unsigned char)*at;
        }
        hash = hash * 2 + (unsigned)c->multi;
    }
    return hash;
}

static int same_list(const struct connector *a, const struct connector *b)
{
    while (a != NULL && b != NULL && a->name == b->name && a->multi == b->multi) {
        a = a->next;
        b = b->next;
    }
    return a == NULL && b == NULL;
}

/* Of disjuncts that only differ in cost, keeps the cheapest.  Those of different meanings stay. */
struct disjunct *disjuncts_unique(struct parser *parser, struct disjunct *list)
{
    size_t buckets = 16;
    while (buckets < (size_t)disjuncts_count(list)) {
        buckets *= 2;
    }
    struct seen {
        struct seen *next;
        struct disjunct *d;
    } **table = pool_take(&parser->pool, buckets * sizeof *table);
    struct disjunct **at = &list;
    while (*at != NULL) {
        struct disjunct *d = *at;
        struct seen **bucket =
            &table[(hash_list(d->left) * 7 + hash_list(d->right)) & (buckets - 1)];
        struct seen *seen = *bucket;
        while (seen != NULL && !(seen->d->word == d->word && same_list(seen->d->left, d->left) &&
                                 same_list(seen->d->right, d->right))) {
            seen = seen->next;
        }
        if (seen != NULL) {
            if (d->cost < seen->d->cost) {
                seen->d->cost = d->cost;
            }
            *at = d->next;
            continue;
        }
        seen = pool_take(&parser->pool, sizeof *seen);
        seen->d = d;
        seen->next = *bucket;
        *bucket = seen;
        at = &d->next;
    }
    return list;
}

void disjuncts_build(struct parser *parser)
{
    parser->connectors = 0;
    for (int i = 0; i < parser->words; i++) {
        struct disjunct *list = NULL;
        for (const struct meaning *m = parser->word[i].meanings; m != NULL; m = m->next) {
            list = build_meaning(parser, m, i, list);
        }
        parser->word[i].disjuncts = disjuncts_unique(parser, list);
        parser->totals.disjuncts_built += disjuncts_count(parser->word[i].disjuncts);
    }
}
