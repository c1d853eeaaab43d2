/* Tests the first stack of a program, and the list of ranges behind /proc/self/maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>

#include "machine/linux/regions.h"
#include "machine/linux/stack.h"

#define TOP UINT64_C(0x100000)
#define STACK_BYTES UINT64_C(0x10000)

static struct memory memory;
static int file; /* any that is open */

static int create_memory(void **state)
{
    (void)state;
    file = open("/dev/null", O_RDONLY);
    return file >= 0 && memory_create(&memory) &&
                   memory_map(&memory, TOP - STACK_BYTES, STACK_BYTES, PAGE_READ | PAGE_WRITE,
                              false, -1, 0) == 0
               ? 0
               : -1;
}

static int destroy_memory(void **state)
{
    (void)state;
    memory_destroy(&memory);
    close(file);
    return 0;
}

static uint64_t word_at(guest_addr address)
{
    uint64_t word;

    assert_true(memory_read(&memory, &word, address, sizeof word));
    return word;
}

static void assert_string_at(guest_addr address, const char *expected)
{
    const char *string = memory_string(&memory, address);

    assert_non_null(string);
    assert_string_equal(string, expected);
}

static char *arguments[] = {"prog", "", "third argument", NULL};
static char *environment[] = {"A=1", "PATH=/bin", NULL};
static char *nothing[] = {NULL};
static const struct auxiliary_entry entries[] = {{AT_PAGESZ, 4096}, {AT_ENTRY, 0x10078}};

static struct stack_parts write_stack(char **argument_list, char **environment_list)
{
    struct stack_request request = {
        .file_name = "./prog",
        .arguments = argument_list,
        .environment = environment_list,
        .auxiliary = entries,
        .auxiliary_count = 2,
    };
    struct stack_parts parts;

    assert_true(stack_write(&memory, TOP, STACK_BYTES, &request, &parts));
    return parts;
}

static void vectors_stand_in_the_order_of_the_abi(void **state)
{
    struct stack_parts parts = write_stack(arguments, environment);
    guest_addr at = parts.pointer;
    (void)state;

    assert_int_equal(word_at(at), 3);
    assert_string_at(word_at(at + 8), "prog");
    assert_string_at(word_at(at + 16), "");
    assert_string_at(word_at(at + 24), "third argument");
    assert_int_equal(word_at(at + 32), 0);
    assert_string_at(word_at(at + 40), "A=1");
    assert_string_at(word_at(at + 48), "PATH=/bin");
    assert_int_equal(word_at(at + 56), 0);
    assert_int_equal(parts.auxiliary, at + 64);
}

static void auxiliary_vector_ends_with_null(void **state)
{
    struct stack_parts parts = write_stack(arguments, environment);
    (void)state;

    assert_int_equal(word_at(parts.auxiliary), AT_PAGESZ);
    assert_int_equal(word_at(parts.auxiliary + 8), 4096);
    assert_int_equal(word_at(parts.auxiliary + 16), AT_ENTRY);
    assert_int_equal(word_at(parts.auxiliary + 24), 0x10078);
    assert_int_equal(word_at(parts.auxiliary + 32), AT_RANDOM);
    assert_true(memory_allows(&memory, word_at(parts.auxiliary + 40), 16, PAGE_READ));
    assert_int_equal(word_at(parts.auxiliary + 40) % 16, 0);
    assert_int_equal(word_at(parts.auxiliary + 48), AT_EXECFN);
    assert_string_at(word_at(parts.auxiliary + 56), "./prog");
    assert_int_equal(word_at(parts.auxiliary + 64), AT_NULL);
    assert_int_equal(parts.auxiliary_end, parts.auxiliary + 80);
}

static void pointer_is_aligned_for_any_number_of_strings(void **state)
{
    char *many[] = {"a", "bb", "ccc", "dddd", "eeeee", NULL};
    (void)state;

    for (unsigned first = 0; first < sizeof many / sizeof many[0]; first++) {
        struct stack_parts parts = write_stack(many + first, environment);
        assert_int_equal(parts.pointer % 16, 0);
        assert_true(parts.auxiliary_end <= parts.arguments);
    }
}

static void strings_are_contiguous_for_proc(void **state)
{
    struct stack_parts parts = write_stack(arguments, environment);
    static const char expected[] = "prog\0\0third argument";
    (void)state;

    assert_int_equal(parts.arguments_end - parts.arguments, sizeof expected);
    assert_memory_equal(memory_host(&memory, parts.arguments), expected, sizeof expected);
    assert_int_equal(parts.environment, parts.arguments_end);
    assert_int_equal(parts.environment_end - parts.environment, sizeof "A=1" + sizeof "PATH=/bin");
}

static void empty_lists_are_allowed(void **state)
{
    struct stack_parts parts = write_stack(nothing, nothing);
    (void)state;

    assert_int_equal(word_at(parts.pointer), 0);
    assert_int_equal(word_at(parts.pointer + 8), 0);
    assert_int_equal(word_at(parts.pointer + 16), 0);
    assert_int_equal(parts.auxiliary, parts.pointer + 24);
}

static void the_same_every_time(void **state)
{
    struct stack_parts first = write_stack(arguments, environment);
    uint64_t bytes = TOP - first.pointer;
    uint8_t *copy = malloc(bytes);
    (void)state;

    assert_non_null(copy);
    memcpy(copy, memory_host(&memory, first.pointer), bytes);
    struct stack_parts second = write_stack(arguments, environment);
    assert_int_equal(first.pointer, second.pointer);
    assert_memory_equal(copy, memory_host(&memory, second.pointer), bytes);
    free(copy);
}

/* Three quarters of the stack: one byte more is too much. */
static void refuses_what_is_too_long(void **state)
{
    char *text = malloc(STACK_BYTES);
    char *list[] = {text, NULL};
    struct stack_request request = {.file_name = "p", .arguments = list, .environment = nothing};
    struct stack_parts parts;
    size_t length = 0;
    (void)state;

    assert_non_null(text);
    memset(text, 'x', STACK_BYTES);
    for (size_t step = STACK_BYTES / 2; step > 0; step /= 2) {
        text[length + step] = '\0';
        if (stack_write(&memory, TOP, STACK_BYTES, &request, &parts)) {
            text[length + step] = 'x';
            length += step;
        } else {
            text[length + step] = 'x';
        }
    }
    text[length] = '\0';
    assert_true(stack_write(&memory, TOP, STACK_BYTES, &request, &parts));
    assert_true(parts.pointer >= TOP - STACK_BYTES / 4 * 3);
    text[length] = 'x';
    text[length + 1] = '\0';
    assert_false(stack_write(&memory, TOP, STACK_BYTES, &request, &parts));
    assert_in_range(length, STACK_BYTES / 2, STACK_BYTES / 4 * 3);
    free(text);
}

static void assert_region(const struct region *region, guest_addr start, guest_addr end,
                          uint64_t offset)
{
    assert_non_null(region);
    assert_int_equal(region->start, start);
    assert_int_equal(region->end, end);
    assert_int_equal(region->offset, offset);
}

static void removing_the_middle_leaves_both_ends(void **state)
{
    struct region *regions = NULL;
    (void)state;

    region_add_file(&regions, 0x10000, 0x8000, file, 0x1000);
    region_remove(&regions, 0x12000, 0x2000);
    assert_region(region_find(regions, 0x11fff), 0x10000, 0x12000, 0x1000);
    assert_null(region_find(regions, 0x12000));
    assert_null(region_find(regions, 0x13fff));
    assert_region(region_find(regions, 0x14000), 0x14000, 0x18000, 0x5000);
    region_remove(&regions, 0, 0x100000);
    assert_null(regions);
}

static void removing_spans_several_regions(void **state)
{
    struct region *regions = NULL;
    (void)state;

    region_add_file(&regions, 0x30000, 0x1000, file, 0);
    region_add_file(&regions, 0x10000, 0x2000, file, 0);
    region_add_file(&regions, 0x20000, 0x2000, file, 0);
    region_remove(&regions, 0x11000, 0x10000);
    assert_region(regions, 0x10000, 0x11000, 0);
    assert_region(regions->next, 0x21000, 0x22000, 0x1000);
    assert_region(regions->next->next, 0x30000, 0x31000, 0);
    assert_null(regions->next->next->next);
    region_remove(&regions, 0, 0x100000);
}

static void moving_takes_the_offset_along(void **state)
{
    struct region *regions = NULL;
    (void)state;

    region_add_file(&regions, 0x10000, 0x4000, file, 0);
    region_move(&regions, 0x12000, 0x2000, 0x50000);
    assert_region(region_find(regions, 0x10000), 0x10000, 0x12000, 0);
    assert_null(region_find(regions, 0x12000));
    assert_region(region_find(regions, 0x51000), 0x50000, 0x52000, 0x2000);
    region_remove(&regions, 0, 0x100000);
    assert_null(regions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_stand_in_the_order_of_the_abi),
        cmocka_unit_test(auxiliary_vector_ends_with_null),
        cmocka_unit_test(pointer_is_aligned_for_any_number_of_strings),
        cmocka_unit_test(strings_are_contiguous_for_proc),
        cmocka_unit_test(empty_lists_are_allowed),
        cmocka_unit_test(the_same_every_time),
        cmocka_unit_test(refuses_what_is_too_long),
        cmocka_unit_test(removing_the_middle_leaves_both_ends),
        cmocka_unit_test(removing_spans_several_regions),
        cmocka_unit_test(moving_takes_the_offset_along),
    };

    return cmocka_run_group_tests(tests, create_memory, destroy_memory);
}
