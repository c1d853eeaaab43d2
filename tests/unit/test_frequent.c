/* Tests the table of frequent things: beside a table that searches all its entries, and its bound beside exact counts of ten
 * million random, adversarial and phased updates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/spread.h"
#include "machine/units/frequent_table.h"

#define UPDATES 10000000
#define KEYS 100000

/* What was really counted, by the number of the key. */
static uint64_t exact[KEYS];
static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state++;
    return (spread_mix(state) >> 16) % below;
}

/* Keys are addresses. */
static uint64_t key_of(uint64_t number)
{
    return 0x10000 + 4 * number;
}

static uint64_t number_of(uint64_t key)
{
    return (key - 0x10000) / 4;
}

static struct frequent_table start(uint32_t size)
{
    struct frequent_table table;

    memset(exact, 0, sizeof exact);
    state = size;
    assert_true(frequent_create(&table, size));
    return table;
}

static void check_entry(const struct frequent_table *table, const struct frequent_entry *entry)
{
    const uint64_t truth = exact[number_of(entry->key)];

    assert_true(entry->count - entry->error <= truth);
    assert_true(truth <= entry->count);
    assert_true(entry->error <= table->counted / table->size);
}

static void add(struct frequent_table *table, uint64_t number)
{
    exact[number]++;
    const struct frequent_entry *entry = frequent_count(table, key_of(number));
    assert_int_equal(entry->key, key_of(number));
    check_entry(table, entry);
}

/* All counts together are as many as were counted: that is what the bound rests on. */
static void check_all(const struct frequent_table *table)
{
    const uint64_t least = frequent_least(table);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < table->used; i++) {
        check_entry(table, &table->entries[i]);
        assert_ptr_equal(frequent_find(table, table->entries[i].key), &table->entries[i]);
        assert_true(table->entries[i].count >= least);
        sum += table->entries[i].count;
    }
    assert_int_equal(sum, table->counted);
    assert_true(least <= table->counted / table->size);
    for (uint64_t number = 0; number < KEYS; number++) {
        if (frequent_find(table, key_of(number)) == NULL) {
            assert_true(exact[number] <= least);
        }
    }
}

/* One that searches all entries for the key and for the least count. */
static void is_what_a_search_of_all_entries_finds(void **unused)
{
    (void)unused;
    for (uint32_t size = 1; size <= 9; size++) {
        struct frequent_table table = start(size);
        struct frequent_entry entries[9] = {{0}};
        uint32_t used = 0;
        for (unsigned i = 0; i < 20000; i++) {
            const uint64_t number = draw(draw(30) + 1);
            add(&table, number);
            uint32_t at = 0, least = 0;
            for (uint32_t j = 1; j < used; j++) {
                least = entries[j].count < entries[least].count ? j : least;
            }
            while (at < used && entries[at].key != key_of(number)) {
                at++;
            }
            if (at == used && used < size) {
                used++;
            } else if (at == used) {
                at = least;
                entries[at].error = entries[at].count;
            }
            entries[at].key = key_of(number);
            entries[at].count++;
            for (uint32_t j = 0; j < used; j++) {
                assert_int_equal(table.entries[j].key, entries[j].key);
                assert_int_equal(table.entries[j].count, entries[j].count);
                assert_int_equal(table.entries[j].error, entries[j].error);
            }
        }
        check_all(&table);
        frequent_destroy(&table);
    }
}

static void counts_exactly_while_there_is_room(void **unused)
{
    (void)unused;
    struct frequent_table table = start(16);
    for (unsigned i = 0; i < 1000; i++) {
        add(&table, draw(16));
    }
    for (uint32_t i = 0; i < table.used; i++) {
        assert_int_equal(table.entries[i].error, 0);
        assert_int_equal(table.entries[i].count, exact[number_of(table.entries[i].key)]);
    }
    assert_null(frequent_find(&table, key_of(16)));
    assert_int_equal(table.used, 16);
    frequent_destroy(&table);
}

/* The kth key as often as 1/k: half of all draws are of a few keys. */
static uint64_t zipf(unsigned update)
{
    (void)update;
    const uint64_t octave = draw(16);
    const uint64_t number = (UINT64_C(1) << octave) + draw(UINT64_C(1) << octave) - 1;

    return number < KEYS ? number : KEYS - 1;
}

static uint64_t uniform(unsigned update)
{
    (void)update;
    return draw(KEYS);
}

/* One more key than entries, in turn: each takes the entry that the next one had. */
static uint64_t adversarial(unsigned update)
{
    return update % 65;
}

/* A few keys are all that is counted, each time others, and in between many once. */
static uint64_t phased(unsigned update)
{
    const uint64_t phase = update / (UPDATES / 16);

    return draw(4) == 0 ? draw(KEYS) : (phase * 1000 + draw(80)) % KEYS;
}

static void bound_holds(uint64_t (*stream)(unsigned update))
{
    struct frequent_table table = start(64);
    for (unsigned i = 0; i < UPDATES; i++) {
        add(&table, stream(i));
        if (i % (UPDATES / 8) == 0) {
            check_all(&table);
        }
    }
    check_all(&table);
    frequent_destroy(&table);
}

static void bound_holds_where_few_are_frequent(void **unused)
{
    (void)unused;
    bound_holds(zipf);
}

static void bound_holds_where_all_are_as_frequent(void **unused)
{
    (void)unused;
    bound_holds(uniform);
}

/* The bound is reached: no smaller one would hold. */
static void bound_holds_against_an_adversary(void **unused)
{
    (void)unused;
    bound_holds(adversarial);
    struct frequent_table table = start(64);
    for (unsigned i = 0; i < 64 * 1000 + 1; i++) {
        add(&table, adversarial(i));
    }
    const struct frequent_entry *last = frequent_find(&table, key_of(64000 % 65));
    assert_int_equal(last->error, table.counted / table.size);
    frequent_destroy(&table);
}

static void bound_holds_where_phases_change(void **unused)
{
    (void)unused;
    bound_holds(phased);
}

/* What is counted in more than one of m updates has an entry, whatever the others are. */
static void what_is_frequent_has_an_entry(void **unused)
{
    (void)unused;
    for (uint32_t size = 2; size <= 256; size *= 2) {
        struct frequent_table table = start(size);
        for (unsigned i = 0; i < 100000; i++) {
            add(&table, draw(size + 1) == 0 || i % size == 0 ? 7 : draw(KEYS));
        }
        assert_true(exact[7] > table.counted / size);
        assert_non_null(frequent_find(&table, key_of(7)));
        check_all(&table);
        frequent_destroy(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_a_search_of_all_entries_finds),
        cmocka_unit_test(counts_exactly_while_there_is_room),
        cmocka_unit_test(bound_holds_where_few_are_frequent),
        cmocka_unit_test(bound_holds_where_all_are_as_frequent),
        cmocka_unit_test(bound_holds_against_an_adversary),
        cmocka_unit_test(bound_holds_where_phases_change),
        cmocka_unit_test(what_is_frequent_has_an_entry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
