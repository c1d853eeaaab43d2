/* Turns input into literals and matches: greedily at the low levels, lazily at the others. */
#include "deflate.h"
#include "program.h"
#include "block.h"
#include "matcher.h"

enum { TOO_FAR_FOR_THREE = 4096 };

static const struct effort efforts[DEFLATE_LEVELS + 1] = {
    {0, 0, 0, 0, false},       {4, 4, 8, 4, false},     {4, 5, 16, 8, false},
    {4, 6, 32, 32, false},     {4, 4, 16, 16, true},    {8, 16, 32, 32, true},
    {8, 16, 128, 128, true},   {8, 32, 128, 256, true}, {32, 128, 258, 1024, true},
    {32, 258, 258, 4096, true}};

struct deflater {
    struct matcher matcher;
    struct block block;
    const struct effort *effort;
};

static void put_literal(struct deflater *deflater, uint8_t literal)
{
    if (block_add_literal(&deflater->block, literal)) {
        block_write(&deflater->block, false);
    }
}

static void put_match(struct deflater *deflater, unsigned length, unsigned distance)
{
    if (block_add_match(&deflater->block, length, distance)) {
        block_write(&deflater->block, false);
    }
}

static void step_over_match(struct deflater *deflater, unsigned length)
{
    struct matcher *matcher = &deflater->matcher;
    if (length > deflater->effort->lazy_length) {
        matcher_skip_unhashed(matcher, length);
        return;
    }
    matcher_advance(matcher);
    for (length--; length > 0; length--) {
        matcher_insert(matcher);
        matcher_advance(matcher);
    }
}

static void deflate_greedy(struct deflater *deflater)
{
    struct matcher *matcher = &deflater->matcher;
    while (matcher->ahead > 0) {
        unsigned candidate = matcher_insert(matcher), length = MATCH_MIN - 1;
        if (matcher_reaches(matcher, candidate)) {
            length = matcher_longest(matcher, candidate, length, deflater->effort);
        }
        if (length >= MATCH_MIN) {
            put_match(deflater, length, matcher->start - matcher->match_start);
            step_over_match(deflater, length);
        } else {
            put_literal(deflater, matcher->window[matcher->start]);
            matcher_advance(matcher);
        }
        matcher_fill(matcher);
    }
}

/* A short match that is far away costs more than its literals. */
static unsigned find_worthwhile(struct deflater *deflater, unsigned candidate, unsigned best)
{
    struct matcher *matcher = &deflater->matcher;
    unsigned length = matcher_longest(matcher, candidate, best, deflater->effort);
    if (length == MATCH_MIN && matcher->start - matcher->match_start > TOO_FAR_FOR_THREE) {
        return MATCH_MIN - 1;
    }
    return length;
}

/* Takes a match only if the next byte does not start a longer one. */
static void deflate_lazy(struct deflater *deflater)
{
    struct matcher *matcher = &deflater->matcher;
    unsigned length = MATCH_MIN - 1;
    bool literal_waits = false;
    while (matcher->ahead > 0) {
        unsigned before = length, before_start = matcher->match_start;
        unsigned candidate = matcher_insert(matcher);
        length = MATCH_MIN - 1;
        if (before < deflater->effort->lazy_length && matcher_reaches(matcher, candidate)) {
            length = find_worthwhile(deflater, candidate, before);
        }
        if (before >= MATCH_MIN && length <= before) {
            put_match(deflater, before, matcher->start - 1 - before_start);
            matcher_advance(matcher);
            for (unsigned left = before - 2; left > 0; left--) {
                matcher_insert(matcher);
                matcher_advance(matcher);
            }
            literal_waits = false;
            length = MATCH_MIN - 1;
        } else {
            if (literal_waits) {
                put_literal(deflater, matcher->window[matcher->start - 1]);
            }
            literal_waits = true;
            matcher_advance(matcher);
        }
        matcher_fill(matcher);
    }
    if (literal_waits) {
        put_literal(deflater, matcher->window[matcher->start - 1]);
    }
}

void deflate(struct bit_writer *writer, const uint8_t *input, size_t size, unsigned level,
             struct deflate_counts *counts)
{
    struct deflater *deflater = program_allocate(1, sizeof *deflater);
    deflater->effort = &efforts[level];
    matcher_init(&deflater->matcher, input, size);
    block_init(&deflater->block, writer, input);
    if (deflater->effort->lazy) {
        deflate_lazy(deflater);
    } else {
        deflate_greedy(deflater);
    }
    block_write(&deflater->block, true);
    bits_write_align(writer);
    memcpy(counts->blocks, deflater->block.written, sizeof counts->blocks);
    counts->candidates = deflater->matcher.candidates;
    free(deflater);
}
