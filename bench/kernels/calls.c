/* Bench kernel: library and callback calls.
 *
 * qsort and bsearch of strings and structs through comparison callbacks, strings built piece by
 * piece, and a hash table of words with chains; most time is in strcmp, strlen, memcpy, malloc and
 * other small functions.  Exercises calls, returns and indirect calls.  The scale is the number of
 * rounds, each over 3000 new words. */
#include "kernel.h"

#define SCALE_DEFAULT 18u
#define WORDS 3000u
#define BUCKETS 1021u
#define NAME_BYTES 24u

struct text {
    char *bytes; /* always ends in a zero byte */
    size_t length;
    size_t room;
};

struct record {
    char name[NAME_BYTES];
    uint32_t id;
    uint16_t year;
    uint8_t grade;
};

struct entry {
    struct entry *next;
    uint32_t count;
    uint32_t first_seen;
    char word[];
};

struct table {
    struct entry *buckets[BUCKETS];
    uint32_t entries;
};

static void text_init(struct text *text)
{
    text->room = 16;
    text->bytes = kernel_alloc(text->room);
    text->bytes[0] = '\0';
    text->length = 0;
}

static void text_append_bytes(struct text *text, const char *bytes, size_t length)
{
    if (text->length + length + 1 > text->room) {
        while (text->length + length + 1 > text->room) {
            text->room *= 2;
        }
        char *bigger = kernel_alloc(text->room);
        memcpy(bigger, text->bytes, text->length);
        free(text->bytes);
        text->bytes = bigger;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

static void text_append(struct text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

static void text_append_number(struct text *text, uint32_t number)
{
    char digits[12];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    text_append_bytes(text, digits + at, sizeof(digits) - at);
}

/* Few distinct syllables, so that words repeat and long common prefixes occur. */
static char *make_word(uint64_t *random)
{
    static const char *const syllables[] = {"an", "ber", "cor", "da", "el",  "fin", "gra", "hol",
                                            "in", "jo",  "ka",  "lu", "mar", "no",  "or",  "pre"};
    struct text word;
    text_init(&word);
    uint32_t count = 1 + program_random(random) % 4;
    for (uint32_t i = 0; i < count; i++) {
        text_append(&word, syllables[program_random(random) % 16]);
    }
    return word.bytes;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_lengths(const void *a, const void *b)
{
    size_t length_a = strlen(*(char *const *)a);
    size_t length_b = strlen(*(char *const *)b);
    return length_a != length_b ? (length_a < length_b ? -1 : 1) : compare_strings(a, b);
}

/* Each order of records ends with the id, which is unique: an unstable qsort gives the same. */
static int compare_ids(const void *a, const void *b)
{
    uint32_t id_a = ((const struct record *)a)->id;
    uint32_t id_b = ((const struct record *)b)->id;
    return (id_a > id_b) - (id_a < id_b);
}

static int compare_years(const void *a, const void *b)
{
    int difference = ((const struct record *)a)->year - ((const struct record *)b)->year;
    return difference != 0 ? difference : compare_ids(a, b);
}

static int compare_grades(const void *a, const void *b)
{
    int difference = ((const struct record *)b)->grade - ((const struct record *)a)->grade;
    return difference != 0 ? difference : compare_years(a, b);
}

static int compare_names(const void *a, const void *b)
{
    int order = strcmp(((const struct record *)a)->name, ((const struct record *)b)->name);
    return order != 0 ? order : compare_ids(a, b);
}

static int (*const record_orders[])(const void *, const void *) = {compare_names, compare_grades,
                                                                   compare_years, compare_ids};

static uint32_t hash_word(const char *word)
{
    uint32_t hash = UINT32_C(2166136261);
    for (; *word != '\0'; word++) {
        hash = (hash ^ (uint8_t)*word) * UINT32_C(16777619);
    }
    return hash;
}

static struct entry *table_add(struct table *table, const char *word, uint32_t position)
{
    struct entry **link = &table->buckets[hash_word(word) % BUCKETS];
    for (; *link != NULL; link = &(*link)->next) {
        if (strcmp((*link)->word, word) == 0) {
            (*link)->count++;
            return *link;
        }
    }
    size_t size = strlen(word) + 1;
    struct entry *entry = kernel_alloc(sizeof(*entry) + size);
    memcpy(entry->word, word, size);
    entry->next = NULL;
    entry->count = 1;
    entry->first_seen = position;
    *link = entry;
    table->entries++;
    return entry;
}

static void table_each(const struct table *table, void (*visit)(const struct entry *, void *),
                       void *argument)
{
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        for (const struct entry *entry = table->buckets[bucket]; entry != NULL;
             entry = entry->next) {
            visit(entry, argument);
        }
    }
}

static void visit_sum(const struct entry *entry, void *argument)
{
    uint64_t *sum = argument;
    *sum = program_mix(*sum, entry->count ^ (uint64_t)entry->first_seen << 32);
    *sum = program_mix(*sum, strlen(entry->word));
}

static void visit_describe(const struct entry *entry, void *argument)
{
    struct text *text = argument;
    text_append(text, entry->word);
    text_append(text, "=");
    text_append_number(text, entry->count);
    text_append(text, ";");
}

static void table_free(struct table *table)
{
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        while (table->buckets[bucket] != NULL) {
            struct entry *entry = table->buckets[bucket];
            table->buckets[bucket] = entry->next;
            free(entry);
        }
    }
    free(table);
}

static uint64_t run_strings(char **words, char **order, uint64_t sum)
{
    memcpy(order, words, WORDS * sizeof(*order));
    qsort(order, WORDS, sizeof(*order), compare_lengths);
    for (uint32_t i = 1; i < WORDS; i++) {
        program_check(compare_lengths(&order[i - 1], &order[i]) <= 0, "order by length");
    }
    sum = program_mix(sum, hash_word(order[WORDS / 2]));
    qsort(order, WORDS, sizeof(*order), compare_strings);
    for (uint32_t i = 0; i < WORDS; i++) {
        char **found = bsearch(&words[i], order, WORDS, sizeof(*order), compare_strings);
        program_check(found != NULL && strcmp(*found, words[i]) == 0, "bsearch");
    }
    struct text joined;
    text_init(&joined);
    for (uint32_t i = 0; i < WORDS; i++) {
        text_append(&joined, order[i]);
        text_append(&joined, i % 10 == 9 ? "\n" : " ");
    }
    sum = program_mix(sum, hash_word(joined.bytes));
    free(joined.bytes);
    return sum;
}

static uint64_t run_records(char **words, struct record *records, uint64_t *random, uint64_t sum)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        memset(&records[i], 0, sizeof(records[i]));
        snprintf(records[i].name, NAME_BYTES, "%s-%03u", words[i],
                 (unsigned)(program_random(random) % 1000));
        records[i].id = i;
        records[i].year = (uint16_t)(1950 + program_random(random) % 60);
        records[i].grade = (uint8_t)(program_random(random) % 6);
    }
    for (size_t which = 0; which < sizeof(record_orders) / sizeof(record_orders[0]); which++) {
        qsort(records, WORDS, sizeof(*records), record_orders[which]);
        for (uint32_t i = 1; i < WORDS; i++) {
            program_check(record_orders[which](&records[i - 1], &records[i]) < 0, "record order");
        }
        for (uint32_t i = 0; i < WORDS; i += 50) {
            sum = program_mix(sum, records[i].id);
        }
    }
    return sum;
}

static uint64_t run_table(char **words, uint64_t sum)
{
    struct table *table = kernel_alloc(sizeof(*table));
    memset(table, 0, sizeof(*table));
    for (uint32_t pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            struct entry *entry = table_add(table, words[i], i);
            program_check(strcmp(entry->word, words[i]) == 0, "hash table");
        }
    }
    table_each(table, visit_sum, &sum);
    struct text description;
    text_init(&description);
    table_each(table, visit_describe, &description);
    sum = program_mix(sum, hash_word(description.bytes));
    sum = program_mix(sum, table->entries);
    free(description.bytes);
    table_free(table);
    return sum;
}

int main(int argc, char **argv)
{
    uint32_t scale = kernel_scale(argc, argv, SCALE_DEFAULT);
    uint64_t random = 1729;
    uint64_t sum = 0;
    char **words = kernel_alloc(WORDS * sizeof(*words));
    char **order = kernel_alloc(WORDS * sizeof(*order));
    struct record *records = kernel_alloc(WORDS * sizeof(*records));
    for (uint32_t round = 0; round < scale; round++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            words[i] = make_word(&random);
        }
        sum = run_strings(words, order, sum);
        sum = run_records(words, records, &random, sum);
        sum = run_table(words, sum);
        for (uint32_t i = 0; i < WORDS; i++) {
            free(words[i]);
        }
    }
    kernel_report("calls", scale, sum);
    free(records);
    free(order);
    free(words);
    return 0;
}
