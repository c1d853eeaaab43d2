/* parser: reads a large dictionary and parses generated sentences by link grammar. */
#include "parser.h"
#include "study.h"

static const struct scale {
    int stems;
    int sentences;
    int budget;
} scales[SIZES] = {
    [SIZE_TEST] = {.stems = 300, .sentences = 8, .budget = 4},
    [SIZE_SMALL] = {.stems = 4000, .sentences = 150, .budget = 7},
    [SIZE_FULL] = {.stems = 18000, .sentences = 1500, .budget = 9},
};

static void print_totals(const struct parser *parser)
{
    const struct totals *t = &parser->totals;
    printf("sentences %d: complete %d, with unused words %d, failed %d; guessed words %d, "
           "bad commands %d\n",
           t->sentences, t->complete, t->with_nulls, t->failed, t->guessed, t->bad_commands);
    printf("disjuncts built %" PRId64 ", power pruned %" PRId64 ", left %" PRId64
           ", memo entries %" PRId64 "\n",
           t->disjuncts_built, t->disjuncts_pruned, t->disjuncts_left, t->memo_entries);
    printf("linkages %" PRId64 ", extracted %" PRId64 ", with violations %" PRId64
           ", links %" PRId64 ", counts checked by enumeration %d\n",
           t->linkages, t->extracted, t->violations, t->links, t->checked_by_enumeration);
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    const struct scale *scale = &scales[size];
    uint64_t random = 1977;
    struct lexicon lexicon;
    struct text text = {0};
    struct parser *parser = program_allocate(1, sizeof *parser);
    lexicon_create(&lexicon, scale->stems, &random);
    lexicon_write(&lexicon, &text);
    dictionary_read(&parser->dict, text.data);
    printf("dictionary: %d entries, %d lines, %d bytes, depth %d\n", parser->dict.entries,
           parser->dict.lines, (int)text.length, dictionary_depth(parser->dict.root));
    parser->rules = rules_read(&parser->dict.strings);
    parser->digest = text_digest(&text);
    text_destroy(&text);
    batch_write(&lexicon, &random, scale->sentences, scale->budget, &text);
    batch_run(parser, text.data);
    text_destroy(&text);
    print_totals(parser);
    uint64_t digest = parser->digest;
    rules_destroy(parser->rules);
    pool_destroy(&parser->pool);
    pool_destroy(&parser->parse_pool);
    dictionary_destroy(&parser->dict);
    lexicon_destroy(&lexicon);
    free(parser);
    study_report("parser", size, digest);
    return 0;
}
