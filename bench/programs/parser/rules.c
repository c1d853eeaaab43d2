/* Post-processing: cuts a linkage into domains and tests rules on the links that belong together. */
#include "parser.h"

#include <ctype.h>

enum { MAX_RULES = 32, MAX_NAMES = 8, MAX_DOMAINS = MAX_LINKS };

enum rule_kind { RULE_DOMAIN, RULE_ONE, RULE_NONE, RULE_BOUNDED, RULE_KINDS };

static const char *const rule_kinds[RULE_KINDS] = {"DOMAIN", "ONE", "NONE", "BOUNDED"};

/* DOMAIN t: which links start a domain of type t.  ONE a: where a link a is, one of these must be
 * in the same group.  NONE a: none of them may.  BOUNDED t: its domains stay right of their start. */
static const char knowledge[] = "DOMAIN s: Cs ;\n"
                                "DOMAIN e: Ce TH ;\n"
                                "DOMAIN r: R ;\n"
                                "DOMAIN i: TO Mg Mv ;\n"
                                "DOMAIN q: Wq Wh ;\n"
                                "BOUNDED s: ;\n"
                                "BOUNDED e: ;\n"
                                "BOUNDED r: ;\n"
                                "ONE SI: Wq Qx ;\n"
                                "ONE Qx: SI ;\n"
                                "ONE RS: Bs Bp B ;\n"
                                "ONE DT: MVt CO ;\n"
                                "ONE PP: S SI RS I ;\n"
                                "ONE Pg: S SI RS I PP O MV Pa ;\n"
                                "ONE OX: O B ;\n"
                                "ONE AJl: AJr ;\n"
                                "ONE SJl: SJr ;\n"
                                "NONE TA: MVs ;\n"
                                "NONE Wq: CO Wh ;\n"
                                "NONE MVt: Pv ;\n"
                                "NONE MVs: TH ;\n"
                                "NONE Mg: Mv ;\n";

struct rule {
    enum rule_kind kind;
    const char *subject;
    const char *name[MAX_NAMES];
    int names;
};

struct rules {
    struct rule rule[MAX_RULES];
    int count;
};

struct domain {
    char type;
    int start; /* the link that starts it */
    int links;
    char holds[MAX_LINKS];
    int leftmost;
};

struct analysis {
    const struct linkage *linkage;
    int words;
    int first[MAX_WORDS]; /* of the links of each word, in `at` */
    int at[2 * MAX_LINKS];
    struct domain domain[MAX_DOMAINS];
    int domains;
    int group[MAX_LINKS]; /* the innermost domain of each link, or -1 */
};

static const char *next_token(const char *at, char *token)
{
    int length = 0;
    while (isspace((unsigned char)*at)) {
        at++;
    }
    while (*at != '\0' && !isspace((unsigned char)*at) && *at != ':') {
        program_check(length < MAX_TOKEN - 1, "a rule's name is too long");
        token[length++] = *at++;
    }
    if (length == 0 && *at != '\0') {
        token[length++] = *at++;
    }
    token[length] = '\0';
    return at;
}

static enum rule_kind read_kind(const char *token)
{
    int kind = 0;
    while (kind < RULE_KINDS && strcmp(rule_kinds[kind], token) != 0) {
        kind++;
    }
    program_check(kind < RULE_KINDS, "an unknown kind of rule");
    return (enum rule_kind)kind;
}

struct rules *rules_read(struct string_set *strings)
{
    struct rules *rules = program_allocate(1, sizeof *rules);
    char token[MAX_TOKEN];
    const char *at = next_token(knowledge, token);
    while (token[0] != '\0') {
        program_check(rules->count < MAX_RULES, "too many rules");
        struct rule *rule = &rules->rule[rules->count++];
        rule->kind = read_kind(token);
        at = next_token(at, token);
        rule->subject = string_set_add(strings, token);
        at = next_token(at, token);
        program_check(token[0] == ':', "a rule without a colon");
        for (at = next_token(at, token); token[0] != ';'; at = next_token(at, token)) {
            program_check(rule->names < MAX_NAMES && token[0] != '\0', "a bad rule");
            rule->name[rule->names++] = string_set_add(strings, token);
        }
        at = next_token(at, token);
    }
    return rules;
}

void rules_destroy(struct rules *rules)
{
    free(rules);
}

static int link_is_one_of(const struct link *link, const struct rule *rule)
{
    for (int i = 0; i < rule->names; i++) {
        if (link_has_name(link, rule->name[i])) {
            return 1;
        }
    }
    return 0;
}

static void index_links(struct analysis *analysis)
{
    int count[MAX_WORDS + 1] = {0};
    const struct linkage *linkage = analysis->linkage;
    for (int i = 0; i < linkage->links; i++) {
        count[linkage->link[i].left]++;
        count[linkage->link[i].right]++;
    }
    int sum = 0;
    for (int w = 0; w < analysis->words; w++) {
        analysis->first[w] = sum;
        sum += count[w];
        count[w] = analysis->first[w];
    }
    for (int i = 0; i < linkage->links; i++) {
        analysis->at[count[linkage->link[i].left]++] = i;
        analysis->at[count[linkage->link[i].right]++] = i;
    }
}

static int links_end(const struct analysis *analysis, int word)
{
    return word + 1 < analysis->words ? analysis->first[word + 1] : 2 * analysis->linkage->links;
}

/* Marks what can be reached from `word`; the word in which the domain starts is not passed. */
static void reach(const struct analysis *analysis, struct domain *domain, int word, int closed,
                  char *visited)
{
    visited[word] = 1;
    if (word < domain->leftmost) {
        domain->leftmost = word;
    }
    for (int i = analysis->first[word]; i < links_end(analysis, word); i++) {
        int which = analysis->at[i];
        const struct link *link = &analysis->linkage->link[which];
        int other = link->left == word ? link->right : link->left;
        if (!domain->holds[which]) {
            domain->holds[which] = 1;
            domain->links++;
        }
        if (other != closed && !visited[other]) {
            reach(analysis, domain, other, closed, visited);
        }
    }
}

static void build_domain(struct analysis *analysis, int start, char type)
{
    const struct link *link = &analysis->linkage->link[start];
    struct domain *domain = &analysis->domain[analysis->domains++];
    char visited[MAX_WORDS] = {0};
    memset(domain, 0, sizeof *domain);
    domain->type = type;
    domain->start = start;
    domain->leftmost = link->right;
    domain->holds[start] = 1;
    domain->links = 1;
    reach(analysis, domain, link->right, link->left, visited);
}

static void build_domains(const struct rules *rules, struct analysis *analysis)
{
    for (int i = 0; i < analysis->linkage->links; i++) {
        for (int r = 0; r < rules->count; r++) {
            const struct rule *rule = &rules->rule[r];
            if (rule->kind == RULE_DOMAIN && link_is_one_of(&analysis->linkage->link[i], rule)) {
                build_domain(analysis, i, rule->subject[0]);
                break;
            }
        }
    }
}

/* Smaller domains lie inside larger ones; insertion keeps those of one size in order. */
static void sort_domains(struct analysis *analysis)
{
    for (int i = 1; i < analysis->domains; i++) {
        struct domain moved = analysis->domain[i];
        int at = i;
        while (at > 0 && analysis->domain[at - 1].links > moved.links) {
            analysis->domain[at] = analysis->domain[at - 1];
            at--;
        }
        analysis->domain[at] = moved;
    }
}

static void find_groups(struct analysis *analysis)
{
    for (int i = 0; i < analysis->linkage->links; i++) {
        int d = 0;
        while (d < analysis->domains && !analysis->domain[d].holds[i]) {
            d++;
        }
        analysis->group[i] = d < analysis->domains ? d : -1;
    }
}

static int group_has(const struct analysis *analysis, int group, const struct rule *rule)
{
    for (int i = 0; i < analysis->linkage->links; i++) {
        int inside =
            analysis->group[i] == group || (group >= 0 && analysis->domain[group].start == i);
        if (inside && link_is_one_of(&analysis->linkage->link[i], rule)) {
            return 1;
        }
    }
    return 0;
}

static int test_contents(const struct analysis *analysis, const struct rule *rule)
{
    int broken = 0;
    for (int i = 0; i < analysis->linkage->links; i++) {
        if (link_has_name(&analysis->linkage->link[i], rule->subject)) {
            int has = group_has(analysis, analysis->group[i], rule);
            broken += has == (rule->kind == RULE_NONE);
        }
    }
    return broken;
}

static int test_bounded(const struct analysis *analysis, const struct rule *rule)
{
    int broken = 0;
    for (int d = 0; d < analysis->domains; d++) {
        const struct domain *domain = &analysis->domain[d];
        if (domain->type == rule->subject[0]) {
            broken += domain->leftmost < analysis->linkage->link[domain->start].left;
        }
    }
    return broken;
}

/* How often a linkage breaks a rule. */
int rules_violations(const struct parser *parser, const struct linkage *linkage)
{
    struct analysis analysis;
    analysis.linkage = linkage;
    analysis.words = parser->words;
    analysis.domains = 0;
    index_links(&analysis);
    build_domains(parser->rules, &analysis);
    sort_domains(&analysis);
    find_groups(&analysis);
    int broken = 0;
    for (int r = 0; r < parser->rules->count; r++) {
        const struct rule *rule = &parser->rules->rule[r];
        if (rule->kind == RULE_BOUNDED) {
            broken += test_bounded(&analysis, rule);
        } else if (rule->kind != RULE_DOMAIN) {
            broken += test_contents(&analysis, rule);
        }
    }
    return broken;
}
