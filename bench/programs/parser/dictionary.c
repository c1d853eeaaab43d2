/* Reads the dictionary: words and macros with connector expressions, kept in balanced trees. */
#include "parser.h"

#include <ctype.h>

/* How far the connectors of a name may reach. */
struct length_rule {
    struct length_rule *next;
    const char *prefix;
    int limit;
};

struct reader {
    struct dictionary *dict;
    const char *at;
    int line;
    int special; /* the token is one of the characters of the notation */
    char token[MAX_TOKEN];
};

static void fail(const struct reader *reader, const char *what)
{
    fprintf(stderr, "dictionary line %d, at '%s': %s\n", reader->line, reader->token, what);
    exit(4);
}

static int is_special(char c)
{
    return c != '\0' && strchr(":;()[]{}&@", c) != NULL;
}

static void skip_blanks(struct reader *reader)
{
    for (;;) {
        if (*reader->at == '%') {
            while (*reader->at != '\n' && *reader->at != '\0') {
                reader->at++;
            }
        }
        if (!isspace((unsigned char)*reader->at)) {
            return;
        }
        reader->line += *reader->at == '\n';
        reader->at++;
    }
}

static void advance(struct reader *reader)
{
    skip_blanks(reader);
    int length = 0;
    reader->special = is_special(*reader->at);
    if (reader->special) {
        reader->token[length++] = *reader->at++;
    } else {
        while (*reader->at != '\0' && !isspace((unsigned char)*reader->at) &&
               !is_special(*reader->at)) {
            if (length == MAX_TOKEN - 1) {
                reader->token[length] = '\0';
                fail(reader, "too long");
            }
            reader->token[length++] = *reader->at++;
        }
    }
    reader->token[length] = '\0';
}

static int is_token(const struct reader *reader, char c)
{
    return reader->special && reader->token[0] == c;
}

static void expect(struct reader *reader, char c)
{
    if (!is_token(reader, c)) {
        fail(reader, "another token expected");
    }
    advance(reader);
}

static struct exp *new_exp(struct dictionary *dict, enum exp_kind kind)
{
    struct exp *exp = pool_take(&dict->pool, sizeof *exp);
    exp->kind = kind;
    return exp;
}

static struct exp_list *new_item(struct dictionary *dict, struct exp *exp)
{
    struct exp_list *item = pool_take(&dict->pool, sizeof *item);
    item->exp = exp;
    return item;
}

/* {x} is x or nothing, and nothing is an empty conjunction. */
static struct exp *make_optional(struct dictionary *dict, struct exp *exp)
{
    struct exp *either = new_exp(dict, EXP_OR);
    either->list = new_item(dict, new_exp(dict, EXP_AND));
    either->list->next = new_item(dict, exp);
    return either;
}

static struct dict_entry *find_exact(struct dict_entry *entry, const char *word)
{
    while (entry != NULL) {
        int order = strcmp(word, entry->word);
        if (order == 0) {
            return entry;
        }
        entry = order < 0 ? entry->left : entry->right;
    }
    return NULL;
}

/* The rules stand before the words, so that a connector gets its limit once, when it is read. */
static int find_length_limit(const struct dictionary *dict, const char *connector)
{
    for (const struct length_rule *rule = dict->lengths; rule != NULL; rule = rule->next) {
        size_t length = strlen(rule->prefix);
        if (strncmp(rule->prefix, connector, length) == 0 &&
            !isupper((unsigned char)connector[length])) {
            return rule->limit;
        }
    }
    return UNLIMITED_LENGTH;
}

static struct exp *read_connector(struct reader *reader, int multi)
{
    size_t length = strlen(reader->token);
    if (length < 2 || strchr("+-", reader->token[length - 1]) == NULL) {
        fail(reader, "not a connector");
    }
    struct exp *exp = new_exp(reader->dict, EXP_CONNECTOR);
    exp->direction = reader->token[length - 1];
    exp->multi = (char)multi;
    reader->token[length - 1] = '\0';
    for (size_t i = 0; i + 1 < length; i++) {
        char c = reader->token[i];
        if (!isalpha((unsigned char)c) && c != '*') {
            fail(reader, "a bad character in a connector");
        }
    }
    if (!isupper((unsigned char)reader->token[0])) {
        fail(reader, "a connector without a capital");
    }
    exp->name = string_set_add(&reader->dict->strings, reader->token);
    exp->length_limit = (short)find_length_limit(reader->dict, exp->name);
    advance(reader);
    return exp;
}

static struct exp *read_macro(struct reader *reader)
{
    struct dict_entry *macro = find_exact(reader->dict->macros, reader->token);
    if (macro == NULL) {
        fail(reader, "an unknown macro");
    }
    advance(reader);
    struct exp *exp = new_exp(reader->dict, EXP_AND);
    exp->list = new_item(reader->dict, macro->exp);
    return exp;
}

static struct exp *read_alternatives(struct reader *reader);

static struct exp *read_factor(struct reader *reader)
{
    struct exp *exp;
    if (is_token(reader, '(')) {
        advance(reader);
        if (is_token(reader, ')')) {
            advance(reader);
            return new_exp(reader->dict, EXP_AND);
        }
        exp = read_alternatives(reader);
        expect(reader, ')');
        return exp;
    }
    if (is_token(reader, '{')) {
        advance(reader);
        exp = make_optional(reader->dict, read_alternatives(reader));
        expect(reader, '}');
        return exp;
    }
    if (is_token(reader, '[')) {
        advance(reader);
        exp = new_exp(reader->dict, EXP_AND);
        exp->list = new_item(reader->dict, read_alternatives(reader));
        exp->cost = 1;
        expect(reader, ']');
        return exp;
    }
    if (is_token(reader, '@')) {
        advance(reader);
        return read_connector(reader, 1);
    }
    return reader->token[0] == '<' ? read_macro(reader) : read_connector(reader, 0);
}

static struct exp *read_list(struct reader *reader, enum exp_kind kind,
                             struct exp *(*read_part)(struct reader *),
                             int (*goes_on)(const struct reader *))
{
    struct exp *first = read_part(reader);
    if (!goes_on(reader)) {
        return first;
    }
    struct exp *whole = new_exp(reader->dict, kind);
    struct exp_list *last = whole->list = new_item(reader->dict, first);
    while (goes_on(reader)) {
        advance(reader);
        last->next = new_item(reader->dict, read_part(reader));
        last = last->next;
    }
    return whole;
}

static int is_and(const struct reader *reader)
{
    return is_token(reader, '&');
}

static int is_or(const struct reader *reader)
{
    return strcmp(reader->token, "or") == 0;
}

static struct exp *read_conjunction(struct reader *reader)
{
    return read_list(reader, EXP_AND, read_factor, is_and);
}

static struct exp *read_alternatives(struct reader *reader)
{
    return read_list(reader, EXP_OR, read_conjunction, is_or);
}

static void insert(const struct reader *reader, struct dict_entry **root, struct dict_entry *entry)
{
    while (*root != NULL) {
        int order = strcmp(entry->word, (*root)->word);
        if (order == 0) {
            fail(reader, "a word is there twice");
        }
        root = order < 0 ? &(*root)->left : &(*root)->right;
    }
    *root = entry;
}

/* "LENGTH n A B C;" says how far connectors that start with A, B or C may reach. */
static void read_lengths(struct reader *reader)
{
    advance(reader);
    int limit = atoi(reader->token);
    for (advance(reader); !is_token(reader, ';'); advance(reader)) {
        struct length_rule *rule = pool_take(&reader->dict->pool, sizeof *rule);
        rule->prefix = string_set_add(&reader->dict->strings, reader->token);
        rule->limit = limit;
        rule->next = reader->dict->lengths;
        reader->dict->lengths = rule;
    }
    advance(reader);
}

static void read_entry(struct reader *reader)
{
    struct dict_entry *group = NULL;
    struct dictionary *dict = reader->dict;
    while (!is_token(reader, ':')) {
        if (reader->special || reader->token[0] == '\0') {
            fail(reader, "a word expected");
        }
        struct dict_entry *entry = pool_take(&dict->pool, sizeof *entry);
        entry->word = string_set_add(&dict->strings, reader->token);
        entry->left = group;
        group = entry;
        advance(reader);
    }
    advance(reader);
    struct exp *exp = read_alternatives(reader);
    expect(reader, ';');
    while (group != NULL) {
        struct dict_entry *entry = group;
        group = entry->left;
        entry->left = NULL;
        entry->exp = exp;
        insert(reader, entry->word[0] == '<' ? &dict->macros : &dict->root, entry);
        dict->entries++;
    }
}

/* Rotates a tree into a list over `right` and returns how long it is. */
static int make_vine(struct dict_entry **root)
{
    int size = 0;
    while (*root != NULL) {
        struct dict_entry *entry = *root;
        if (entry->left == NULL) {
            size++;
            root = &entry->right;
            continue;
        }
        struct dict_entry *left = entry->left;
        entry->left = left->right;
        left->right = entry;
        *root = left;
    }
    return size;
}

static void compress_vine(struct dict_entry **root, int count)
{
    for (int i = 0; i < count; i++) {
        struct dict_entry *child = *root;
        *root = child->right;
        child->right = (*root)->left;
        (*root)->left = child;
        root = &(*root)->right;
    }
}

/* Day, Stout and Warren: words come in order of classes, and the tree would be lopsided. */
static void balance(struct dict_entry **root)
{
    int size = make_vine(root);
    int full = 1;
    while (full <= size) {
        full = 2 * full + 1;
    }
    full /= 2;
    compress_vine(root, size - full);
    while (full > 1) {
        full /= 2;
        compress_vine(root, full);
    }
}

int dictionary_depth(const struct dict_entry *entry)
{
    if (entry == NULL) {
        return 0;
    }
    int left = dictionary_depth(entry->left);
    int right = dictionary_depth(entry->right);
    return 1 + (left > right ? left : right);
}

void dictionary_read(struct dictionary *dict, const char *text)
{
    struct reader reader = {.dict = dict, .at = text, .line = 1};
    memset(dict, 0, sizeof *dict);
    string_set_create(&dict->strings);
    advance(&reader);
    while (reader.token[0] != '\0') {
        if (strcmp(reader.token, "LENGTH") == 0) {
            read_lengths(&reader);
        } else {
            read_entry(&reader);
        }
    }
    dict->lines = reader.line;
    balance(&dict->root);
    balance(&dict->macros);
}

void dictionary_destroy(struct dictionary *dict)
{
    string_set_destroy(&dict->strings);
    pool_destroy(&dict->pool);
}

/* Compares a word with an entry up to the entry's subscript. */
static int compare_bare(const char *word, const char *entry)
{
    while (*word != '\0' && *word == *entry) {
        word++;
        entry++;
    }
    if (*word == '\0' && (*entry == '\0' || *entry == '.')) {
        return 0;
    }
    /* '.' sorts as the end of the word, as it does when whole entries are compared. */
    return (unsigned char)*word < (unsigned char)*entry ? -1 : 1;
}

static void lookup_below(struct dict_entry *entry, const char *word, struct lookup *lookup)
{
    if (entry == NULL) {
        return;
    }
    int order = compare_bare(word, entry->word);
    if (order <= 0) {
        lookup_below(entry->left, word, lookup);
    }
    if (order == 0 && lookup->count < (int)(sizeof lookup->found / sizeof lookup->found[0])) {
        lookup->found[lookup->count++] = entry;
    }
    if (order >= 0) {
        lookup_below(entry->right, word, lookup);
    }
}

/* All entries of a word, whatever their subscripts. */
void dictionary_lookup(const struct dictionary *dict, const char *word, struct lookup *lookup)
{
    lookup->count = 0;
    lookup_below(dict->root, word, lookup);
}

int dictionary_has(const struct dictionary *dict, const char *word)
{
    struct lookup lookup;
    dictionary_lookup(dict, word, &lookup);
    return lookup.count > 0;
}
