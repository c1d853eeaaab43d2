/* The link grammar parser's data: dictionary, sentence, linkages, and what its parts offer each other. */
#ifndef PARSER_H
#define PARSER_H

#include <limits.h>
#include <stddef.h>
#include "program.h"

enum {
    MAX_WORDS = 48,
    MAX_TOKEN = 40,
    MAX_LINKS = 2 * MAX_WORDS,
    UNLIMITED_LENGTH = 100,
    MAX_SENTENCE_TEXT = 1024
};

/* A pool hands out memory that is only given back all at once. */
struct pool {
    struct pool_block *block;
    char *next;
    size_t left;
};

void pool_clear(struct pool *pool);
void pool_destroy(struct pool *pool);
void *pool_take(struct pool *pool, size_t bytes);

/* Each string once, so that equal names are equal pointers. */
struct string_set {
    struct pool pool;
    const char **slot;
    size_t slots;
    size_t count;
};

void string_set_create(struct string_set *set);
void string_set_destroy(struct string_set *set);
const char *string_set_add(struct string_set *set, const char *text);
const char *string_set_find(const struct string_set *set, const char *text);

/* Text that grows at its end. */
struct text {
    char *data;
    size_t length;
    size_t room;
};

void text_append(struct text *text, const char *more);
void text_append_char(struct text *text, char c);
void text_append_number(struct text *text, long number);
void text_destroy(struct text *text);
uint64_t text_digest(const struct text *text);

enum exp_kind { EXP_OR, EXP_AND, EXP_CONNECTOR };

struct exp {
    enum exp_kind kind;
    char direction; /* '+' or '-' */
    char multi;
    short length_limit;
    int cost;
    const char *name;
    struct exp_list *list;
};

struct exp_list {
    struct exp_list *next;
    struct exp *exp;
};

struct dict_entry {
    const char *word; /* with its subscript */
    struct exp *exp;
    struct dict_entry *left;
    struct dict_entry *right;
};

struct dictionary {
    struct pool pool;
    struct string_set strings;
    struct dict_entry *root;
    struct dict_entry *macros;
    struct length_rule *lengths;
    int entries;
    int lines;
};

struct lookup {
    struct dict_entry *found[16];
    int count;
};

void dictionary_read(struct dictionary *dict, const char *text);
void dictionary_destroy(struct dictionary *dict);
void dictionary_lookup(const struct dictionary *dict, const char *word, struct lookup *lookup);
int dictionary_has(const struct dictionary *dict, const char *word);
int dictionary_depth(const struct dict_entry *entry);

/* The words from which dictionary and sentences are made, by class. */
enum { CLASSES = 64 };

struct word_class {
    const char *name;
    const char *macro;
    const char **word;
    int count;
    int room;
};

struct lexicon {
    struct pool pool;
    struct word_class word_class[CLASSES];
    int classes;
};

void lexicon_create(struct lexicon *lexicon, int stems, uint64_t *random);
void lexicon_destroy(struct lexicon *lexicon);
void lexicon_write(const struct lexicon *lexicon, struct text *text);
const struct word_class *lexicon_find(const struct lexicon *lexicon, const char *name);
void sentence_generate(const struct lexicon *lexicon, uint64_t *random, int budget, char *text);

/* Connectors of one side of a disjunct, the farthest first. */
struct connector {
    const char *name;
    struct connector *next;
    unsigned hash; /* of the part in capitals */
    int id;
    short word; /* the nearest word that it can reach */
    short length_limit;
    char multi;
};

struct disjunct {
    struct disjunct *next;
    const char *word;
    struct connector *left;
    struct connector *right;
    int cost;
    int number;
    int mark;
};

/* What the dictionary has for one meaning of a word. */
struct meaning {
    struct meaning *next;
    const char *word;
    struct exp *exp;
};

struct word {
    char text[MAX_TOKEN];
    struct meaning *meanings;
    struct disjunct *disjuncts;
    int guessed;
};

struct options {
    int max_null;
    int max_cost;
    int max_linkages;
    int short_length; /* links of all but unlimited connectors are no longer */
};

struct link {
    short left;
    short right;
    const struct connector *from;
    const struct connector *to;
    char name[12];
};

struct linkage {
    int links;
    struct link link[MAX_LINKS];
    const struct disjunct *chosen[MAX_WORDS];
    int unused;
    int disjunct_cost;
    int length_cost;
    int violations;
    int64_t index;
};

struct totals {
    int sentences;
    int complete;
    int with_nulls;
    int failed;
    int guessed;
    int bad_commands;
    int checked_by_enumeration;
    int64_t linkages;
    int64_t extracted;
    int64_t violations;
    int64_t disjuncts_built;
    int64_t disjuncts_pruned;
    int64_t disjuncts_left;
    int64_t memo_entries;
    int64_t links;
};

struct parser {
    struct dictionary dict;
    struct options options;
    struct pool pool;       /* of one sentence */
    struct pool parse_pool; /* of one count and its parse sets */
    struct word word[MAX_WORDS];
    int words;
    int null_links;
    int connectors;
    struct rules *rules;
    struct totals totals;
    uint64_t digest;
};

int tokenize(struct parser *parser, const char *text);

int connector_matches(const struct connector *left, const struct connector *right, int distance);
int connector_names_match(const char *left, const char *right);
unsigned connector_hash(const char *name);

void prune_expressions(struct parser *parser);
void disjuncts_build(struct parser *parser);
int disjuncts_count(const struct disjunct *d);
struct disjunct *disjuncts_unique(struct parser *parser, struct disjunct *list);
void prune_by_names(struct parser *parser);
void prune_by_power(struct parser *parser);

struct matcher;
struct match_list {
    struct match_list *next;
    struct disjunct *d;
};
struct matcher *matcher_create(struct parser *parser);
struct match_list *matcher_find(struct matcher *matcher, int w, const struct connector *le, int lw,
                                const struct connector *re, int rw);
void matcher_release(struct matcher *matcher, struct match_list *list);

struct counting;
struct counting *counting_create(struct parser *parser, struct matcher *matcher);
int64_t counting_run(struct counting *counting, int null_count);
/* What was counted, or -1 if it never was. */
int64_t counting_known(const struct counting *counting, int lw, int rw, const struct connector *le,
                       const struct connector *re, int null_count);
int64_t counting_entries(const struct counting *counting);

struct parse_set;
struct parse_set *parse_set_build(struct parser *parser, struct matcher *matcher,
                                  struct counting *counting, int null_count);
void parse_set_extract(const struct parse_set *set, int64_t index, struct linkage *linkage);
int64_t parse_set_count(const struct parse_set *set);

int64_t enumerate_linkages(struct parser *parser, int64_t limit);

struct rules *rules_read(struct string_set *strings);
void rules_destroy(struct rules *rules);
int rules_violations(const struct parser *parser, const struct linkage *linkage);

int link_has_name(const struct link *link, const char *name);
void linkage_finish(struct parser *parser, struct linkage *linkage);
void linkage_check(const struct parser *parser, const struct linkage *linkage);
int linkage_compare(const void *left, const void *right);
void parse_sentence(struct parser *parser, const char *text);
void batch_run(struct parser *parser, const char *text);
void batch_write(const struct lexicon *lexicon, uint64_t *random, int sentences, int budget,
                 struct text *text);
void phrases_write(const struct parser *parser, const struct linkage *linkage, struct text *text);
void linkage_draw(const struct parser *parser, const struct linkage *linkage, struct text *text);

#endif
