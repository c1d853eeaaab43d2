/* Reads what --region says, and answers whether an address of the program is in a region. */
#include "translator/detect/regions.h"

#include "translator/fragment/translator.h"

#include "base/number.h"

enum region_key {
#define REGION_KEY(id, key, value, meaning) REGION_##id,
#define REGION_NAME(id, key, value, meaning) REGION_##id,
#include "translator/detect/regions.def"
#undef REGION_KEY
#undef REGION_NAME
    REGION_KEYS
};

static const char *const keys[REGION_KEYS] = {
#define REGION_KEY(id, key, value, meaning) key,
#define REGION_NAME(id, key, value, meaning) key,
#include "translator/detect/regions.def"
#undef REGION_KEY
#undef REGION_NAME
};

static const char expected[] = ": expected one of these, or several with commas between them:"
#define REGION_KEY(id, key, value, meaning) " " key "=" value
#define REGION_NAME(id, key, value, meaning)
#include "translator/detect/regions.def"
#undef REGION_KEY
#undef REGION_NAME
                               "; strata run also takes"
#define REGION_KEY(id, key, value, meaning)
#define REGION_NAME(id, key, value, meaning) " " key "=" value
#include "translator/detect/regions.def"
#undef REGION_KEY
#undef REGION_NAME
    ;

static const char no_range[] = ": expected LOW-HIGH, as 0x1000-0x2000, HIGH excluded";
static const char no_room[] = ": there are too many places";

/* A part of a value, between commas. */
struct term {
    const char *start, *end;
};

/* What is behind KEY= in the text; NULL if it begins otherwise. */
static const char *behind_key(const char *text, enum region_key key)
{
    const char *name = keys[key];

    while (*name != '\0' && *text == *name) {
        text++;
        name++;
    }
    return *name == '\0' && *text == '=' ? text + 1 : NULL;
}

/* The key that the text begins with; REGION_KEYS if there is no such key. */
static enum region_key find_key(const char *text)
{
    enum region_key key = (enum region_key)0;

    while (key < REGION_KEYS && behind_key(text, key) == NULL) {
        key++;
    }
    return key;
}

/* Where the term ends that begins at `at`: at a comma.  A name may have commas of its own, and ends where another key
 * follows. */
static const char *find_end(const char *at)
{
    const enum region_key key = find_key(at);
    const bool name =
        key != REGION_KEYS && key != REGION_ADDRESS && key != REGION_FROM && key != REGION_UNTIL;

    for (; *at != '\0'; at++) {
        if (*at == ',' && (!name || find_key(at + 1) != REGION_KEYS)) {
            break;
        }
    }
    return at;
}

/* Of the term LOW-HIGH: false if it is anything else. */
static bool take_bounds(const struct term *term, uint64_t *low, uint64_t *high)
{
    const char *at = number_take(term->start, NUMBER_PLAIN, low);

    return at != NULL && *at == '-' && number_take(at + 1, NUMBER_PLAIN, high) == term->end;
}

static const char *add_place(struct regions *regions, struct term file, uint64_t low, uint64_t high)
{
    if (high <= low) {
        return ": HIGH must be above LOW";
    }
    if (regions->place_count == REGION_PLACES) {
        return no_room;
    }
    regions->places[regions->place_count++] =
        (struct region_place){.file = file.start,
                              .length = (unsigned)(file.end - file.start),
                              .word = regions->word_count,
                              .low = low,
                              .high = high};
    return NULL;
}

static const char *take_address(struct regions *regions, const struct term *term)
{
    uint64_t low, high;

    return take_bounds(term, &low, &high) ? add_place(regions, (struct term){NULL, NULL}, low, high)
                                          : no_range;
}

/* One range behind a '+', or several; the file's name may have a '+', too. */
static const char *take_bytes(struct regions *regions, const struct term *term)
{
    struct term file = *term, part = *term;
    uint64_t low, high;
    unsigned count = 0;

    for (const char *at = term->end; at > term->start; at--) {
        if (at[-1] == '+') {
            part = (struct term){at, part.end};
            if (!take_bounds(&part, &low, &high)) {
                break;
            }
            file.end = part.end = at - 1;
            count++;
        }
    }
    if (count == 0 || file.end == file.start) {
        return ": expected FILE+LOW-HIGH, as libm.so.6+0x1000-0x2000, HIGH excluded";
    }
    for (const char *at = file.end; at < term->end;) {
        const char *behind = number_take(at + 1, NUMBER_PLAIN, &low);
        at = number_take(behind + 1, NUMBER_PLAIN, &high);
        const char *wrong = add_place(regions, file, low, high);
        if (wrong != NULL) {
            return wrong;
        }
    }
    return NULL;
}

static const char *take_library(struct regions *regions, const struct term *term)
{
    return term->start == term->end ? ": expected a file's name"
                                    : add_place(regions, *term, 0, UINT64_MAX);
}

static const char *take_time(const struct term *term, uint64_t *time, bool *given)
{
    if (*given) {
        return ": that is given twice";
    }
    *given = true;
    return number_take(term->start, NUMBER_COUNT, time) == term->end
               ? NULL
               : ": expected a number of 64 bits";
}

static const char *take_term(struct regions *regions, struct term term, bool last)
{
    const enum region_key key = find_key(term.start);

    if (key != REGION_KEYS) {
        term.start = behind_key(term.start, key);
    }
    switch (key) {
    case REGION_ADDRESS:
        return take_address(regions, &term);
    case REGION_BYTES:
        return take_bytes(regions, &term);
    case REGION_LIBRARY:
        return take_library(regions, &term);
    case REGION_FROM:
        return take_time(&term, &regions->from, &regions->from_given);
    case REGION_UNTIL:
        return take_time(&term, &regions->until, &regions->until_given);
    case REGION_FUNCTION:
    case REGION_FILE:
        return last
                   ? ": only strata run finds what has a name; the translator takes addresses, and "
                     "bytes of files"
                   : NULL;
    case REGION_KEYS:
        break;
    }
    return expected;
}

/* A name that `strata run` has put places behind is all that is shown of them. */
static unsigned shown_length(const char *value)
{
    const enum region_key key = find_key(value);
    const char *end = find_end(value);

    while (key != REGION_FUNCTION && key != REGION_FILE && *end != '\0') {
        end++;
    }
    return (unsigned)(end - value);
}

static const char *take_word(struct regions *regions, const char *value)
{
    const unsigned places = regions->place_count;
    const char *at = value;

    if (regions->word_count == REGION_WORDS) {
        return no_room;
    }
    for (;;) {
        const struct term term = {at, find_end(at)};
        const char *wrong = take_term(regions, term, *term.end == '\0');
        if (wrong != NULL) {
            return wrong;
        }
        if (*term.end == '\0') {
            break;
        }
        at = term.end + 1; /* behind the comma */
    }
    regions->words[regions->word_count++] = (struct region_word){
        .text = value, .length = shown_length(value), .times = regions->place_count == places};
    return NULL;
}

const char *regions_take(struct regions **regions, const char *value)
{
    if (*regions == NULL) {
        *regions = host_map(sizeof **regions, false);
    }
    if (*regions == NULL) {
        host_fail(STATUS_FAILED, "not enough memory for --region", NULL, NULL, NULL);
    }
    return take_word(*regions, value);
}

/* The list of mappings is right until one changes, which clears what it is known by.  A program may leave no descriptor to
 * read it with: then what was known stays, and it is tried again. */
void regions_look(struct translator *translator)
{
    struct changes *changes = &translator->changes;

    if (!changes->mapping.listed) {
        changes->mapping.listed = mapped_read(translator->options.regions);
    }
}

const struct region_range *regions_find(struct translator *translator, guest_addr pc)
{
    static const struct region_range everywhere = {.start = 0, .end = UINT64_MAX};
    const struct regions *regions = translator->options.regions;
    unsigned low = 0, high;

    if (regions->place_count == 0) {
        return &everywhere;
    }
    regions_look(translator);
    high = regions->range_count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (regions->ranges[middle].end <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < regions->range_count && pc >= regions->ranges[low].start ? &regions->ranges[low]
                                                                          : NULL;
}

struct head_count {
    struct translator *translator;
    unsigned word;
    uint64_t heads;
};

static void count_head(void *argument, const struct loop_counts *loop)
{
    struct head_count *count = argument;
    const struct region_range *range = regions_find(count->translator, loop->head);

    count->heads += range != NULL && range->word == count->word;
}

uint64_t regions_count_heads(struct translator *translator, unsigned word)
{
    struct head_count count = {.translator = translator, .word = word};

    count_each(translator, count_head, &count);
    return count.heads;
}
