/* Tests what is known of the code in a translator's cache: executions and cycles by address, and what an emptied cache
 * leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/units/cache_code.h"

#define START UINT64_C(0x4000)

static struct cache_code *code;
static struct code_counts *counts;

static int set_up(void **state)
{
    (void)state;
    code = cache_code_create();
    counts = NULL;
    return code == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    code_counts_free(counts);
    cache_code_destroy(code);
    return 0;
}

static void read_counts(void)
{
    code_counts_free(counts);
    counts = cache_code_read(code);
}

static void test_runs_overlap(void **state)
{
    uint64_t outer = 10, inner = 4;
    (void)state;
    cache_code_add_run(code, START, 16, &outer);
    cache_code_add_run(code, START + 8, 16, &inner);
    read_counts();
    assert_int_equal(code_counts_executions(counts, START - 2), 0);
    assert_int_equal(code_counts_executions(counts, START), 10);
    assert_int_equal(code_counts_executions(counts, START + 8), 14);
    assert_int_equal(code_counts_executions(counts, START + 14), 14);
    assert_int_equal(code_counts_executions(counts, START + 16), 4);
    assert_int_equal(code_counts_executions(counts, START + 24), 0);
}

static void test_counts_go_on(void **state)
{
    uint64_t executions = 1;
    (void)state;
    cache_code_add_run(code, START, 8, &executions);
    cache_code_add_run(code, START, 8, &executions); /* decoded again */
    executions = 7;
    read_counts();
    assert_int_equal(code_counts_executions(counts, START), 7);
}

/* A run is left early: what follows was counted with it. */
static void test_taken_back(void **state)
{
    uint64_t executions = 5;
    (void)state;
    cache_code_add_run(code, START, 16, &executions);
    cache_code_take_back(code, START + 8, 8);
    cache_code_take_back(code, START + 8, 8);
    read_counts();
    assert_int_equal(code_counts_executions(counts, START + 4), 5);
    assert_int_equal(code_counts_executions(counts, START + 8), 3);
}

static void test_emptied(void **state)
{
    uint64_t executions = 5, settled = 100;
    (void)state;
    cache_code_add_run(code, START, 16, &executions);
    uint64_t *words = cache_code_cycles(code, START, &settled);
    words[0] += 30;
    words[1] += 5;
    cache_code_empty(code);
    assert_int_equal(settled, 130);
    read_counts();
    assert_int_equal(code_counts_executions(counts, START), 0);
    assert_int_equal(code_counts_retired(counts, START), 0);
    executions = 8;
    read_counts();
    assert_int_equal(code_counts_executions(counts, START), 3);
}

/* The same address may be another instruction of the program later: each has its own sum, the code has one. */
static void test_cycles(void **state)
{
    uint64_t first = 0, second = 0;
    (void)state;
    uint64_t *words = cache_code_cycles(code, START, &first);
    assert_ptr_equal(cache_code_cycles(code, START, &first), words);
    assert_ptr_not_equal(cache_code_cycles(code, START, &second), words);
    words[0] = 30;
    words[1] = 2;
    cache_code_cycles(code, START, &second)[0] = 5;
    cache_code_cycles(code, START, &second)[1] = 1;
    cache_code_cycles(code, START + 4, &first)[0] = 7;
    read_counts();
    assert_int_equal(code_counts_cycles(counts, START, START + 4), 35);
    assert_int_equal(code_counts_cycles(counts, START, START + 8), 42);
    assert_int_equal(code_counts_cycles(counts, START + 4, START + 4), 0);
    assert_int_equal(code_counts_retired(counts, START), 3);
    assert_int_equal(code_counts_retired(counts, START + 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_runs_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts_go_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_taken_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_emptied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cycles, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
