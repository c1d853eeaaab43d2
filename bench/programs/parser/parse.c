/* Parses one sentence: prunes, counts, extracts linkages, and checks what it found. */
#include "parser.h"

enum { SHORT_SENTENCE = 12, ENUMERATION_STEPS = 20000, PRINTED = 2 };

/* Disjuncts as they are before the search, from what is left of the expressions. */
static void prepare(struct parser *parser, int null_links)
{
    pool_clear(&parser->parse_pool);
    parser->null_links = null_links;
    disjuncts_build(parser);
    prune_by_names(parser);
}

static void check_by_enumeration(struct parser *parser, int64_t count)
{
    int64_t found = enumerate_linkages(parser, ENUMERATION_STEPS);
    if (found >= 0) {
        program_check(found == count, "enumeration finds another number of linkages");
        parser->totals.checked_by_enumeration++;
    }
}

/* Weaker pruning must not change what is found. */
static void check_by_weak_pruning(struct parser *parser, int64_t count)
{
    prepare(parser, 1);
    struct matcher *matcher = matcher_create(parser);
    struct counting *counting = counting_create(parser, matcher);
    program_check(counting_run(counting, 0) == count, "pruning changes the number of linkages");
}

static int64_t try_complete(struct parser *parser, struct matcher **matcher,
                            struct counting **counting)
{
    prepare(parser, 0);
    prune_by_power(parser);
    *matcher = matcher_create(parser);
    *counting = counting_create(parser, *matcher);
    return counting_run(*counting, 0);
}

/* Returns how many linkages there are with the fewest unused words. */
static int64_t search(struct parser *parser, struct matcher **matcher, struct counting **counting,
                      int *nulls)
{
    int64_t count = try_complete(parser, matcher, counting);
    if (parser->words <= SHORT_SENTENCE) {
        check_by_enumeration(parser, count);
        check_by_weak_pruning(parser, count);
        count = try_complete(parser, matcher, counting);
    }
    *nulls = 0;
    if (count > 0) {
        return count;
    }
    prepare(parser, 1);
    prune_by_power(parser);
    *matcher = matcher_create(parser);
    *counting = counting_create(parser, *matcher);
    while (count == 0 && *nulls < parser->options.max_null) {
        ++*nulls;
        count = counting_run(*counting, *nulls);
    }
    return count;
}

/* All linkages, or evenly spread ones if there are too many, in order. */
static struct linkage *extract(struct parser *parser, const struct parse_set *set, int nulls,
                               int *extracted)
{
    int64_t count = parse_set_count(set);
    int64_t wanted = count < parser->options.max_linkages ? count : parser->options.max_linkages;
    struct linkage *linkages = program_allocate((size_t)wanted, sizeof *linkages);
    for (int64_t i = 0; i < wanted; i++) {
        parse_set_extract(set, i * count / wanted, &linkages[i]);
        linkage_finish(parser, &linkages[i]);
        linkage_check(parser, &linkages[i]);
        program_check(linkages[i].unused == nulls, "another number of unused words");
        parser->totals.violations += linkages[i].violations != 0;
        parser->totals.links += linkages[i].links;
    }
    qsort(linkages, (size_t)wanted, sizeof *linkages, linkage_compare);
    *extracted = (int)wanted;
    return linkages;
}

static void report_linkages(struct parser *parser, const struct linkage *linkages, int count)
{
    struct text text = {0};
    linkage_draw(parser, &linkages[0], &text);
    phrases_write(parser, &linkages[0], &text);
    if (parser->totals.sentences <= PRINTED) {
        printf("%s", text.data);
    }
    parser->digest = program_mix(parser->digest, text_digest(&text));
    for (int i = 0; i < count; i++) {
        parser->digest = program_mix(parser->digest, (uint64_t)linkages[i].index);
        parser->digest = program_mix(parser->digest, (uint64_t)linkages[i].length_cost);
    }
    text_destroy(&text);
}

void parse_sentence(struct parser *parser, const char *text)
{
    struct matcher *matcher;
    struct counting *counting;
    int nulls;
    pool_clear(&parser->pool);
    parser->totals.sentences++;
    if (!tokenize(parser, text)) {
        parser->totals.failed++;
        return;
    }
    prune_expressions(parser);
    int64_t count = search(parser, &matcher, &counting, &nulls);
    parser->totals.memo_entries += counting_entries(counting);
    for (int i = 0; i < parser->words; i++) {
        parser->totals.disjuncts_left += disjuncts_count(parser->word[i].disjuncts);
    }
    if (count == 0) {
        parser->totals.failed++;
        return;
    }
    const struct parse_set *set = parse_set_build(parser, matcher, counting, nulls);
    program_check(parse_set_count(set) == count, "the forest has another count");
    int extracted;
    struct linkage *linkages = extract(parser, set, nulls, &extracted);
    report_linkages(parser, linkages, extracted);
    free(linkages);
    parser->digest = program_mix(parser->digest, (uint64_t)count);
    parser->totals.linkages += count;
    parser->totals.extracted += extracted;
    if (nulls == 0) {
        parser->totals.complete++;
    } else {
        parser->totals.with_nulls++;
    }
}
