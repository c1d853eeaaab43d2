/* Tests what elf_read accepts, refuses and reports; runs in the top folder of the tree. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/image.h"

enum {
    FILE_BYTES = 0x3000,
    OFFSET_ENTRY = 24,
    OFFSET_PHOFF = 32,
    OFFSET_PHENTSIZE = 54,
    OFFSET_PHNUM = 56,
    TYPE_DYN = 3,
    LOAD = 1,
    INTERP = 3,
    GNU_STACK = 0x6474e551,
    P_X = 1,
    P_W = 2,
    P_R = 4,
};

/* A file in the making: a header that says RISC-V, and the program headers added so far. */
struct draft {
    uint8_t bytes[FILE_BYTES];
    unsigned phdrs;
};

static void put(struct draft *draft, size_t offset, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++) {
        draft->bytes[offset + i] = (uint8_t)(value >> (8 * i));
    }
}

static void add_phdr(struct draft *draft, uint32_t type, uint32_t flags, uint64_t offset,
                     uint64_t address, uint64_t file_bytes, uint64_t memory_bytes)
{
    size_t at = ELF_HEADER_BYTES + draft->phdrs * (size_t)ELF_PHDR_BYTES;

    put(draft, at, 4, type);
    put(draft, at + 4, 4, flags);
    put(draft, at + 8, 8, offset);
    put(draft, at + 16, 8, address);
    put(draft, at + 32, 8, file_bytes);
    put(draft, at + 40, 8, memory_bytes);
    draft->phdrs++;
    put(draft, OFFSET_PHNUM, 2, draft->phdrs);
}

/* Without segments; the entry is at 0x10400. */
static void start_draft(struct draft *draft)
{
    static const uint8_t ident[7] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

    *draft = (struct draft){0};
    memcpy(draft->bytes, ident, sizeof ident);
    put(draft, 16, 2, 2);
    put(draft, 18, 2, ELF_MACHINE_RISCV);
    put(draft, 20, 4, 1);
    put(draft, OFFSET_ENTRY, 8, 0x10400);
    put(draft, OFFSET_PHOFF, 8, ELF_HEADER_BYTES);
    put(draft, 48, 4, 5);
    put(draft, OFFSET_PHENTSIZE, 2, ELF_PHDR_BYTES);
}

/* With one executable segment, which holds the headers. */
static void start_program(struct draft *draft)
{
    start_draft(draft);
    add_phdr(draft, LOAD, P_R | P_X, 0, 0x10000, 0x1000, 0x1000);
}

/* Through a heap copy of exactly `available` bytes, so that a sanitizer sees a byte too many. */
static enum elf_status read_exactly(struct elf_image *image, const uint8_t *bytes, size_t available,
                                    uint64_t file_bytes)
{
    uint8_t *copy = malloc(available > 0 ? available : 1);

    assert_non_null(copy);
    memcpy(copy, bytes, available);
    enum elf_status status = elf_read(image, copy, available, file_bytes, ELF_MACHINE_RISCV);
    free(copy);
    return status;
}

static enum elf_status read_draft(struct elf_image *image, const struct draft *draft)
{
    return read_exactly(image, draft->bytes, sizeof draft->bytes, sizeof draft->bytes);
}

static void reports_what_a_loader_needs(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    add_phdr(&draft, LOAD, P_R | P_W, 0x1ff8, 0x12ff8, 0x8, 0x2008);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_int_equal(image.machine, ELF_MACHINE_RISCV);
    assert_int_equal(image.flags, 5);
    assert_false(image.position_independent);
    assert_false(image.has_interpreter);
    assert_false(image.executable_stack);
    assert_int_equal(image.entry, 0x10400);
    assert_int_equal(image.phdr_address, 0x10040);
    assert_int_equal(image.phdr_count, 2);
    assert_int_equal(image.phdr_size, ELF_PHDR_BYTES);
    assert_int_equal(image.segment_count, 2);
    assert_int_equal(image.segments[0].permissions, ELF_READ | ELF_EXECUTE);
    assert_int_equal(image.segments[1].permissions, ELF_READ | ELF_WRITE);
    assert_int_equal(image.segments[1].address, 0x12ff8);
    assert_int_equal(image.segments[1].file_offset, 0x1ff8);
    assert_int_equal(image.segments[1].file_bytes, 8);
    assert_int_equal(image.segments[1].memory_bytes, 0x2008);
    assert_int_equal(image.low, 0x10000);
    assert_int_equal(image.high, 0x15000);
}

static void tells_position_independent_programs(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    put(&draft, 16, 2, TYPE_DYN);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_true(image.position_independent);
}

static void reads_every_field_little_endian(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;
    uint64_t address = UINT64_C(0x3123456000);

    start_draft(&draft);
    add_phdr(&draft, LOAD, P_X, 0, address, 0x800, 0x1122334);
    put(&draft, OFFSET_ENTRY, 8, address + 0x1020304);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_int_equal(image.entry, address + 0x1020304);
    assert_int_equal(image.segments[0].address, address);
    assert_int_equal(image.high, address + 0x1122334);
    assert_int_equal(image.segments[0].permissions, ELF_EXECUTE);
}

static void sorts_segments_by_address(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_draft(&draft);
    add_phdr(&draft, LOAD, P_R, 0, 0x30000, 0x1000, 0x1000);
    add_phdr(&draft, LOAD, P_R | P_X, 0, 0x10000, 0x1000, 0x1000);
    add_phdr(&draft, LOAD, P_R, 0, 0x20000, 0x1000, 0x1000);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_int_equal(image.segments[0].address, 0x10000);
    assert_int_equal(image.segments[1].address, 0x20000);
    assert_int_equal(image.segments[2].address, 0x30000);
    assert_int_equal(image.low, 0x10000);
    assert_int_equal(image.high, 0x31000);
}

static void segments_may_share_a_page_but_no_byte(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_draft(&draft);
    add_phdr(&draft, LOAD, P_R | P_X, 0, 0x10000, 0x800, 0x800);
    add_phdr(&draft, LOAD, P_R | P_W, 0x800, 0x10800, 0x10, 0x10);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);

    start_draft(&draft);
    add_phdr(&draft, LOAD, P_R | P_X, 0, 0x10000, 0x800, 0x801);
    add_phdr(&draft, LOAD, P_R | P_W, 0x800, 0x10800, 0x10, 0x10);
    assert_int_equal(read_draft(&image, &draft), ELF_OVERLAPPING_SEGMENTS);

    start_draft(&draft);
    add_phdr(&draft, LOAD, P_R | P_X, 0, 0x10000, 0x800, 0x800);
    add_phdr(&draft, LOAD, P_R | P_X, 0, 0x10000, 0x800, 0x800);
    assert_int_equal(read_draft(&image, &draft), ELF_OVERLAPPING_SEGMENTS);
}

static void skips_empty_segments(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    add_phdr(&draft, LOAD, P_R, 0x123456, 0x10800, 0, 0);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_int_equal(image.segment_count, 1);
}

static void address_space_ends_at_the_limit(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    add_phdr(&draft, LOAD, P_R, 0, ELF_ADDRESS_LIMIT - 0x1000, 0, 0x1000);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_int_equal(image.high, ELF_ADDRESS_LIMIT);

    start_program(&draft);
    add_phdr(&draft, LOAD, P_R, 0, ELF_ADDRESS_LIMIT - 0x1000, 0, 0x1001);
    assert_int_equal(read_draft(&image, &draft), ELF_TOO_LARGE);

    start_program(&draft);
    add_phdr(&draft, LOAD, P_R, 0, UINT64_MAX, 0, UINT64_MAX);
    assert_int_equal(read_draft(&image, &draft), ELF_TOO_LARGE);
}

static void segments_end_with_the_file(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    add_phdr(&draft, LOAD, P_R, FILE_BYTES - 0x1000, 0x20000, 0x1000, 0x1000);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);

    start_program(&draft);
    add_phdr(&draft, LOAD, P_R, FILE_BYTES - 0x1000, 0x20000, 0x1001, 0x1001);
    assert_int_equal(read_draft(&image, &draft), ELF_SEGMENT_OUT_OF_FILE);

    start_program(&draft);
    add_phdr(&draft, LOAD, P_R, UINT64_MAX - 0xfff, 0x20000, 0x1000, 0x1000);
    assert_int_equal(read_draft(&image, &draft), ELF_SEGMENT_OUT_OF_FILE);
}

static void finds_program_headers_in_memory(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_draft(&draft);
    add_phdr(&draft, LOAD, P_R | P_X, 0x1000, 0x10000, 0x1000, 0x1000);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_int_equal(image.phdr_address, 0);

    start_draft(&draft);
    add_phdr(&draft, LOAD, P_R | P_X, 0x1000, 0x10000, 0x1000, 0x1000);
    memcpy(draft.bytes + 0x1800, draft.bytes + ELF_HEADER_BYTES, ELF_PHDR_BYTES);
    put(&draft, OFFSET_PHOFF, 8, 0x1800);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_int_equal(image.phdr_address, 0x10800);
}

/* Behind the bytes of the file the segment is zero, wherever the headers would be in it. */
static void program_headers_beyond_the_bytes_of_the_file_have_no_address(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;
    const uint64_t end = ELF_HEADER_BYTES + ELF_PHDR_BYTES;

    for (uint64_t bytes = end - 1; bytes <= end; bytes++) {
        start_draft(&draft);
        add_phdr(&draft, LOAD, P_R | P_X, 0, 0x10000, bytes, 0x1000);
        assert_int_equal(read_draft(&image, &draft), ELF_OK);
        assert_int_equal(image.phdr_address, bytes < end ? 0 : 0x10000 + ELF_HEADER_BYTES);
    }
}

static void program_headers_must_be_in_reach(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;
    size_t end = ELF_HEADER_BYTES + ELF_PHDR_BYTES;

    start_program(&draft);
    assert_int_equal(read_exactly(&image, draft.bytes, end, FILE_BYTES), ELF_OK);
    assert_int_equal(read_exactly(&image, draft.bytes, end - 1, FILE_BYTES), ELF_HEADERS_TOO_FAR);
    assert_int_equal(read_exactly(&image, draft.bytes, end - 1, end - 1), ELF_TRUNCATED);
    put(&draft, OFFSET_PHOFF, 8, UINT64_MAX - 8);
    assert_int_equal(read_draft(&image, &draft), ELF_TRUNCATED);
    put(&draft, OFFSET_PHOFF, 8, FILE_BYTES - ELF_PHDR_BYTES + 1);
    assert_int_equal(read_draft(&image, &draft), ELF_TRUNCATED);
}

static void program_headers_must_have_their_size(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    put(&draft, OFFSET_PHENTSIZE, 2, ELF_PHDR_BYTES + 8);
    assert_int_equal(read_draft(&image, &draft), ELF_BAD_HEADERS);
    start_program(&draft);
    put(&draft, OFFSET_PHNUM, 2, 0xffff);
    assert_int_equal(read_draft(&image, &draft), ELF_BAD_HEADERS);
}

static void identification_must_be_known(void **state)
{
    (void)state;
    static const size_t fields[] = {4, 5, 6, 20};
    struct elf_image image;

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct draft draft;
        start_program(&draft);
        put(&draft, fields[i], 1, 9);
        assert_int_equal(read_draft(&image, &draft), ELF_BAD_HEADERS);
    }
}

static void reports_the_interpreter(void **state)
{
    (void)state;
    static const char name[] = "/lib/ld-linux-riscv64-lp64d.so.1";
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    add_phdr(&draft, INTERP, P_R, 0x2000, 0, sizeof name, sizeof name);
    add_phdr(&draft, INTERP, P_R, 0, 0, 0, 0);
    memcpy(draft.bytes + 0x2000, name, sizeof name);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_true(image.has_interpreter);
    assert_int_equal(image.interpreter_offset, 0x2000);
    assert_int_equal(image.interpreter_bytes, sizeof name);

    draft.bytes[0x2000 + sizeof name - 1] = 'x';
    assert_int_equal(read_draft(&image, &draft), ELF_BAD_INTERPRETER);
    assert_int_equal(read_exactly(&image, draft.bytes, 0x2000, FILE_BYTES), ELF_OK);
    draft.bytes[0x2000] = 0;
    draft.bytes[0x2000 + sizeof name - 1] = 0;
    assert_int_equal(read_draft(&image, &draft), ELF_BAD_INTERPRETER);
}

static void interpreter_must_have_a_plausible_length(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {0, 1, ELF_MAX_INTERPRETER_BYTES + 1, UINT64_MAX};
    struct elf_image image;

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct draft draft;
        start_program(&draft);
        add_phdr(&draft, INTERP, P_R, 0x1000, 0, lengths[i], lengths[i]);
        draft.bytes[0x1000] = '/';
        assert_int_equal(read_draft(&image, &draft), ELF_BAD_INTERPRETER);
        assert_int_equal(read_exactly(&image, draft.bytes, 0x1000, FILE_BYTES),
                         ELF_BAD_INTERPRETER);
    }
}

static void interpreter_names_are_checked_on_their_own(void **state)
{
    (void)state;
    assert_int_equal(elf_check_interpreter((const uint8_t *)"/ld", 4), ELF_OK);
    assert_int_equal(elf_check_interpreter((const uint8_t *)"/ld", 3), ELF_BAD_INTERPRETER);
    assert_int_equal(elf_check_interpreter((const uint8_t *)"", 1), ELF_BAD_INTERPRETER);
    assert_int_equal(elf_check_interpreter((const uint8_t *)"", 0), ELF_BAD_INTERPRETER);
}

static void reports_an_executable_stack(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    add_phdr(&draft, GNU_STACK, P_R | P_W, 0, 0, 0, 0);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_false(image.executable_stack);

    start_program(&draft);
    add_phdr(&draft, GNU_STACK, P_R | P_W | P_X, 0, 0, 0, 0);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    assert_true(image.executable_stack);
}

static void a_bad_entry_leaves_the_image_usable(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    put(&draft, OFFSET_ENTRY, 8, 0);
    assert_int_equal(read_draft(&image, &draft), ELF_BAD_ENTRY);
    assert_int_equal(image.segment_count, 1);
    assert_int_equal(image.high, 0x11000);
    assert_int_equal(image.phdr_address, 0x10040);
    put(&draft, OFFSET_ENTRY, 8, 0x10ffe);
    assert_int_equal(read_draft(&image, &draft), ELF_OK);
    put(&draft, OFFSET_ENTRY, 8, 0x11000);
    assert_int_equal(read_draft(&image, &draft), ELF_BAD_ENTRY);
    put(&draft, OFFSET_ENTRY, 8, 0x10000); /* the ELF header itself */
    assert_int_equal(read_draft(&image, &draft), ELF_BAD_ENTRY);
}

static void another_machine_is_named(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    put(&draft, 18, 2, ELF_MACHINE_X86_64);
    assert_int_equal(read_draft(&image, &draft), ELF_WRONG_MACHINE);
    assert_int_equal(image.machine, ELF_MACHINE_X86_64);
    put(&draft, OFFSET_ENTRY, 8, 0x10401);
    put(&draft, 48, 4, UINT32_MAX);
    assert_int_equal(
        elf_read(&image, draft.bytes, sizeof draft.bytes, sizeof draft.bytes, ELF_MACHINE_X86_64),
        ELF_OK);
}

static void no_prefix_of_a_program_is_a_program(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    for (size_t bytes = 0; bytes < 0x1000; bytes++) {
        assert_int_not_equal(read_exactly(&image, draft.bytes, bytes, bytes), ELF_OK);
    }
    assert_int_equal(read_exactly(&image, draft.bytes, 0x1000, 0x1000), ELF_OK);
}

static void more_available_than_the_file_has_is_not_read(void **state)
{
    (void)state;
    struct draft draft;
    struct elf_image image;

    start_program(&draft);
    assert_int_equal(read_exactly(&image, draft.bytes, FILE_BYTES, 100), ELF_TRUNCATED);
}

static void messages_continue_a_file_name(void **state)
{
    (void)state;
    for (int status = 0; status < ELF_STATUS_COUNT; status++) {
        const char *message = elf_status_message((enum elf_status)status);
        assert_non_null(message);
        assert_true(message[0] >= 'a' && message[0] <= 'z');
        assert_null(strchr(message, '\n'));
        assert_int_not_equal(message[strlen(message) - 1], '.');
        for (int other = 0; other < status; other++) {
            assert_string_not_equal(message, elf_status_message((enum elf_status)other));
        }
    }
    assert_non_null(elf_status_message(ELF_STATUS_COUNT));
}

static int status_of_name(const char *name)
{
    static const char *const names[] = {
#define ELF_STATUS(code, message) #code,
#include "elf/status.def"
#undef ELF_STATUS
    };

    for (int status = 0; status < ELF_STATUS_COUNT; status++) {
        if (strcmp(names[status], name) == 0) {
            return status;
        }
    }
    fail_msg("make_elf names an unknown status %s", name);
    return -1;
}

/* Reads and removes one of the files that make_elf wrote. */
static size_t take_file(const char *folder, const char *kind, uint8_t *bytes, size_t capacity)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s.elf", folder, kind);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, capacity, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(remove(path), 0);
    return count;
}

/* The generator of bad files says of each kind what the reader must say of it. */
static void every_bad_file_gets_its_status(void **state)
{
    (void)state;
    bool seen[ELF_STATUS_COUNT] = {false};
    static uint8_t bytes[FILE_BYTES];
    char line[256];
    char folder[] = "/tmp/strata-test-elf-XXXXXX";

    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line, "python3 tests/bad/make_elf --all %s", folder);
    assert_int_equal(system(line), 0);
    FILE *list = popen("python3 tests/bad/make_elf --list", "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list) != NULL) {
        char kind[64];
        char name[64];
        struct elf_image image;
        assert_int_equal(sscanf(line, "%63s %63s", kind, name), 2);
        int expected = status_of_name(name);
        size_t count = take_file(folder, kind, bytes, sizeof bytes);
        enum elf_status status = read_exactly(&image, bytes, count, count);
        if (status != (enum elf_status)expected) {
            fail_msg("%s: %s", kind, elf_status_message(status));
        }
        seen[status] = true;
    }
    assert_int_equal(pclose(list), 0);
    assert_int_equal(rmdir(folder), 0);
    /* No file is that by itself: it depends on how much of it was read. */
    seen[ELF_HEADERS_TOO_FAR] = true;
    for (int status = 0; status < ELF_STATUS_COUNT; status++) {
        if (!seen[status]) {
            fail_msg("no bad file %s", elf_status_message((enum elf_status)status));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_what_a_loader_needs),
        cmocka_unit_test(tells_position_independent_programs),
        cmocka_unit_test(reads_every_field_little_endian),
        cmocka_unit_test(sorts_segments_by_address),
        cmocka_unit_test(segments_may_share_a_page_but_no_byte),
        cmocka_unit_test(skips_empty_segments),
        cmocka_unit_test(address_space_ends_at_the_limit),
        cmocka_unit_test(segments_end_with_the_file),
        cmocka_unit_test(finds_program_headers_in_memory),
        cmocka_unit_test(program_headers_beyond_the_bytes_of_the_file_have_no_address),
        cmocka_unit_test(program_headers_must_be_in_reach),
        cmocka_unit_test(program_headers_must_have_their_size),
        cmocka_unit_test(identification_must_be_known),
        cmocka_unit_test(reports_the_interpreter),
        cmocka_unit_test(interpreter_must_have_a_plausible_length),
        cmocka_unit_test(interpreter_names_are_checked_on_their_own),
        cmocka_unit_test(reports_an_executable_stack),
        cmocka_unit_test(a_bad_entry_leaves_the_image_usable),
        cmocka_unit_test(another_machine_is_named),
        cmocka_unit_test(no_prefix_of_a_program_is_a_program),
        cmocka_unit_test(more_available_than_the_file_has_is_not_read),
        cmocka_unit_test(messages_continue_a_file_name),
        cmocka_unit_test(every_bad_file_gets_its_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
