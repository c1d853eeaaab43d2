/* Tests that slices survive being written, and that what is not whole or not the program's own is told. */
#include "slice_rig.h"

#include <stdlib.h>

#include "slice/section.h"

static uint8_t hash[SECTION_HASH_BYTES];
static struct slice slices[2];
static uint8_t *section;
static size_t size;
static struct slice_set set;
static const char *wrong;

static void add(struct slice *slice, struct rv64_insn insn, bool delinquent)
{
    struct slice_instruction *to = &slice->instructions[slice->length];
    to->pc = 0x1000 + 4u * slice->length++;
    to->delinquent = delinquent;
    assert_true(rv64_encode(&insn, &to->word));
}

static int make(void **state)
{
    (void)state;
    memset(slices, 0, sizeof slices);
    for (unsigned i = 0; i < SECTION_HASH_BYTES; i++) {
        hash[i] = (uint8_t)(i * 7);
    }
    slices[0] = (struct slice){.trigger = UINT64_C(0x123456789a),
                               .kind = SLICE_CHAINING,
                               .prologue = 1,
                               .unroll = 3,
                               .throttle = 17,
                               .live_ins = X(10),
                               .origin = {1, 2, 3, 4, UINT64_C(5000000000)}};
    add(&slices[0], (struct rv64_insn){.op = RV64_addi, .rd = 10, .rs1 = 10, .imm = 8}, false);
    add(&slices[0], (struct rv64_insn){.op = RV64_ld, .rd = 11, .rs1 = 10, .imm = -8}, true);
    slices[1] = (struct slice){.trigger = 0x2000, .live_ins = X(12)};
    add(&slices[1], (struct rv64_insn){.op = RV64_fld, .rd = 1, .rs1 = 12}, true);
    section = section_write(&(struct slice_set){.slices = slices, .count = 2}, hash, &size);
    assert_non_null(section);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    free(section);
    return 0;
}

static enum section_status read_section(void)
{
    return section_read(&set, section, size, hash, &wrong);
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    assert_int_equal(read_section(), SECTION_OK);
    assert_int_equal(set.count, 2);
    assert_memory_equal(set.slices, slices, sizeof slices);
    slice_set_free(&set);
}

static void no_slices_are_some_too(void **state)
{
    (void)state;
    free(section);
    section = section_write(&(struct slice_set){.count = 0}, hash, &size);
    assert_int_equal(read_section(), SECTION_OK);
    assert_int_equal(set.count, 0);
    slice_set_free(&set);
}

/* Alignment leaves some in files. */
static void bytes_behind_it_do_not_matter(void **state)
{
    (void)state;
    section = realloc(section, size + 8);
    memset(section + size, 0xff, 8);
    size += 8;
    assert_int_equal(read_section(), SECTION_OK);
    slice_set_free(&set);
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < size; i++) {
        section[i] ^= 0x20;
        assert_int_not_equal(read_section(), SECTION_OK);
        section[i] ^= 0x20;
    }
}

static void every_cut_is_noticed(void **state)
{
    (void)state;
    const size_t whole = size;
    for (size = 0; size < whole; size++) {
        uint8_t *all = section;
        section = malloc(size + 1);
        memcpy(section, all, size);
        assert_int_equal(read_section(), SECTION_TRUNCATED);
        free(section);
        section = all;
    }
}

static void other_sections_are_no_slices(void **state)
{
    (void)state;
    memcpy(section, "strslice", 8);
    assert_int_equal(read_section(), SECTION_MAGIC);
}

static void later_versions_are_refused(void **state)
{
    (void)state;
    section[8] = 2;
    assert_int_equal(read_section(), SECTION_VERSION);
}

static void slices_of_another_program_are_refused(void **state)
{
    (void)state;
    hash[31]++;
    assert_int_equal(read_section(), SECTION_FOREIGN);
}

static void whole_sections_with_bad_slices_are_refused(void **state)
{
    (void)state;
    struct slice_set bad = {.slices = slices, .count = 2};
    const struct rv64_insn store = {.op = RV64_sd, .rs1 = 10, .rs2 = 10};
    rv64_encode(&store, &slices[0].instructions[0].word);
    free(section);
    section = section_write(&bad, hash, &size);
    assert_int_equal(read_section(), SECTION_BAD_SLICE);
    assert_string_equal(wrong, "it has a store");
}

/* Makes the checksum right for what stands in the section now: FNV-1a of all but the checksum itself. */
static void seal(void)
{
    enum { CHECKSUM = 56, BODY = 64 };
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        sum = i < CHECKSUM || i >= BODY ? (sum ^ section[i]) * UINT64_C(0x100000001b3) : sum;
    }
    for (unsigned i = 0; i < 8; i++) {
        section[CHECKSUM + i] = (uint8_t)(sum >> 8 * i);
    }
}

static void flags_that_no_writer_writes_are_refused(void **state)
{
    (void)state;
    seal();
    assert_int_equal(read_section(), SECTION_OK);
    slice_set_free(&set);
    section[size - 4] = 2; /* whether the last instruction is a delinquent load */
    seal();
    assert_int_equal(read_section(), SECTION_BAD_SLICE);
    assert_string_equal(wrong, "it is not as it is written");
}

static void more_slices_than_are_counted_are_refused(void **state)
{
    (void)state;
    section[12] = 1; /* of two */
    seal();
    assert_int_equal(read_section(), SECTION_BAD_SLICE);
    assert_string_equal(wrong, "there is something behind it");
}

static void messages_are_words(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SECTION_STATUS_COUNT; i++) {
        assert_true(section_status_message(i)[0] != '\0');
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_is_read),
        TEST(no_slices_are_some_too),
        TEST(bytes_behind_it_do_not_matter),
        TEST(every_changed_byte_is_noticed),
        TEST(every_cut_is_noticed),
        TEST(other_sections_are_no_slices),
        TEST(later_versions_are_refused),
        TEST(slices_of_another_program_are_refused),
        TEST(whole_sections_with_bad_slices_are_refused),
        TEST(flags_that_no_writer_writes_are_refused),
        TEST(more_slices_than_are_counted_are_refused),
        TEST(messages_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
