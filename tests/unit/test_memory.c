/* Tests guest memory: mapping, protection, moving, searching, and what system calls may touch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/exec/leave.h"
#include "machine/state/memory.h"

#define PAGE GUEST_PAGE_BYTES
#define BASE UINT64_C(0x100000)
#define READ_WRITE (PAGE_READ | PAGE_WRITE)

static struct memory memory;

/* What the callback for decoded code was told last. */
static struct {
    unsigned calls;
    guest_addr start;
    uint64_t bytes;
} told;

static void note_change(void *context, guest_addr start, uint64_t bytes)
{
    assert_ptr_equal(context, &told);
    told.calls++;
    told.start = start;
    told.bytes = bytes;
}

static int create(void **unused)
{
    (void)unused;
    if (!memory_create(&memory)) {
        return -1;
    }
    memset(&told, 0, sizeof told);
    memory.code_changed = note_change;
    memory.code_changed_context = &told;
    return 0;
}

static int destroy(void **unused)
{
    (void)unused;
    memory_destroy(&memory);
    return 0;
}

static void map(guest_addr start, uint64_t pages, unsigned permissions)
{
    assert_int_equal(memory_map(&memory, start, pages * PAGE, permissions, false, -1, 0), 0);
}

static void put(guest_addr address, uint8_t value)
{
    assert_true(memory_write(&memory, address, &value, 1));
}

static uint8_t get(guest_addr address)
{
    uint8_t value = 0;
    assert_true(memory_read(&memory, &value, address, 1));
    return value;
}

static void nothing_is_mapped_at_first(void **unused)
{
    (void)unused;
    assert_int_equal(memory.mapped_bytes, 0);
    assert_true(memory_is_free(&memory, 0, GUEST_SPACE_BYTES));
    assert_false(memory_allows(&memory, BASE, 1, PAGE_READ));
    assert_int_equal(memory_permissions(&memory, BASE), 0);
}

static void mapped_pages_are_zero_and_usable(void **unused)
{
    (void)unused;
    map(BASE, 3, READ_WRITE);
    assert_int_equal(memory.mapped_bytes, 3 * PAGE);
    assert_int_equal(get(BASE), 0);
    assert_int_equal(get(BASE + 3 * PAGE - 1), 0);
    put(BASE + PAGE - 1, 7);
    put(BASE + PAGE, 8);
    assert_int_equal(get(BASE + PAGE - 1), 7);
    assert_int_equal(get(BASE + PAGE), 8);
    assert_int_equal(memory_permissions(&memory, BASE), READ_WRITE | PAGE_MAPPED);
    assert_false(memory_allows(&memory, BASE - 1, 1, PAGE_READ));
    assert_false(memory_allows(&memory, BASE + 3 * PAGE, 1, PAGE_READ));
}

static void mapping_again_replaces(void **unused)
{
    (void)unused;
    map(BASE, 3, READ_WRITE);
    put(BASE, 1);
    put(BASE + PAGE, 2);
    put(BASE + 2 * PAGE, 3);
    map(BASE + PAGE, 1, READ_WRITE);
    assert_int_equal(get(BASE), 1);
    assert_int_equal(get(BASE + PAGE), 0);
    assert_int_equal(get(BASE + 2 * PAGE), 3);
    assert_int_equal(memory.mapped_bytes, 3 * PAGE);
}

static void unmapping_frees_and_forgets(void **unused)
{
    (void)unused;
    map(BASE, 4, READ_WRITE);
    put(BASE + PAGE, 5);
    assert_int_equal(memory_unmap(&memory, BASE + PAGE, 2 * PAGE), 0);
    assert_true(memory_is_free(&memory, BASE + PAGE, 2 * PAGE));
    assert_false(memory_is_free(&memory, BASE + PAGE, 3 * PAGE));
    assert_false(memory_allows(&memory, BASE + PAGE, 1, PAGE_READ));
    assert_true(memory_allows(&memory, BASE, PAGE, READ_WRITE));
    assert_int_equal(memory.mapped_bytes, 2 * PAGE);
    assert_int_equal(memory.peak_bytes, 4 * PAGE);
    map(BASE + PAGE, 1, READ_WRITE);
    assert_int_equal(get(BASE + PAGE), 0);
    assert_int_equal(memory_unmap(&memory, BASE + 64 * PAGE, PAGE),
                     0); /* nothing there: no error */
}

static void protection_decides_what_may_be_touched(void **unused)
{
    (void)unused;
    map(BASE, 3, READ_WRITE);
    put(BASE + PAGE, 9);
    assert_int_equal(memory_protect(&memory, BASE + PAGE, PAGE, PAGE_READ), 0);
    assert_true(memory_allows(&memory, BASE, 3 * PAGE, PAGE_READ));
    assert_false(memory_allows(&memory, BASE, 3 * PAGE, PAGE_WRITE));
    assert_true(memory_allows(&memory, BASE, PAGE, PAGE_WRITE));
    assert_false(memory_write(&memory, BASE + PAGE - 1, "ab", 2));
    assert_int_equal(get(BASE + PAGE - 1), 0); /* all or nothing */
    assert_int_equal(get(BASE + PAGE), 9);
    assert_int_equal(memory_protect(&memory, BASE + PAGE, PAGE, 0), 0);
    assert_false(memory_allows(&memory, BASE + PAGE, 1, PAGE_READ));
    assert_false(memory_is_free(&memory, BASE + PAGE, PAGE));
    assert_int_equal(memory.mapped_bytes, 3 * PAGE);
    assert_int_equal(memory_protect(&memory, BASE + PAGE, PAGE, READ_WRITE), 0);
    assert_int_equal(get(BASE + PAGE), 9);
}

static void moved_pages_keep_their_bytes_and_leave_a_hole(void **unused)
{
    const guest_addr to = BASE + 100 * PAGE;
    (void)unused;
    map(BASE, 2, READ_WRITE);
    map(to, 4, PAGE_READ); /* what is there goes */
    put(BASE, 1);
    put(BASE + PAGE, 2);
    assert_int_equal(memory_move(&memory, BASE, 2 * PAGE, to, 3 * PAGE), 0);
    assert_true(memory_is_free(&memory, BASE, 2 * PAGE));
    assert_true(memory_allows(&memory, to, 3 * PAGE, READ_WRITE));
    assert_int_equal(get(to), 1);
    assert_int_equal(get(to + PAGE), 2);
    assert_int_equal(get(to + 2 * PAGE), 0);
    assert_int_equal(memory.mapped_bytes, 4 * PAGE);
    map(BASE, 2, READ_WRITE);
    assert_int_equal(get(BASE), 0);
    assert_int_equal(memory_move(&memory, to, 3 * PAGE, to + 50 * PAGE, PAGE), 0); /* shrinks */
    assert_true(memory_is_free(&memory, to, 3 * PAGE));
    assert_int_equal(get(to + 50 * PAGE), 1);
    assert_true(memory_is_free(&memory, to + 51 * PAGE, PAGE));
}

static void free_ranges_are_found_upwards(void **unused)
{
    (void)unused;
    map(BASE, 1, PAGE_READ);
    map(BASE + 3 * PAGE, 1, PAGE_READ);
    assert_int_equal(memory_find_free(&memory, BASE, PAGE, false), BASE + PAGE);
    assert_int_equal(memory_find_free(&memory, BASE, 2 * PAGE, false), BASE + PAGE);
    assert_int_equal(memory_find_free(&memory, BASE, 3 * PAGE, false), BASE + 4 * PAGE);
    assert_int_equal(memory_find_free(&memory, BASE, 1, false), BASE + PAGE);
    assert_int_equal(memory_find_free(&memory, BASE, 0, false), 0);
    assert_int_equal(memory_find_free(&memory, BASE, GUEST_SPACE_BYTES, false), 0);
    assert_int_equal(memory_find_free(&memory, BASE, UINT64_MAX - PAGE, false), 0);
    assert_int_equal(memory_find_free(&memory, GUEST_SPACE_BYTES - PAGE, PAGE, false),
                     GUEST_SPACE_BYTES - PAGE);
    assert_int_equal(memory_find_free(&memory, GUEST_SPACE_BYTES - PAGE, 2 * PAGE, false), 0);
}

static void free_ranges_are_found_downwards(void **unused)
{
    const guest_addr top = BASE + 10 * PAGE;
    (void)unused;
    map(BASE + 8 * PAGE, 1, PAGE_READ);
    map(BASE + 5 * PAGE, 1, 0);
    assert_int_equal(memory_find_free(&memory, top, PAGE, true), BASE + 9 * PAGE);
    assert_int_equal(memory_find_free(&memory, top, 2 * PAGE, true), BASE + 6 * PAGE);
    assert_int_equal(memory_find_free(&memory, top, 3 * PAGE, true), BASE + 2 * PAGE);
    /* Never the lowest pages, where a null pointer must fault. */
    assert_int_equal(memory_find_free(&memory, 16 * PAGE, PAGE, true), 0);
    assert_int_equal(memory_find_free(&memory, 17 * PAGE, PAGE, true), 16 * PAGE);
    assert_int_equal(memory_find_free(&memory, 17 * PAGE, 2 * PAGE, true), 0);
}

static void ranges_outside_the_space_are_never_allowed_or_free(void **unused)
{
    (void)unused;
    map(GUEST_SPACE_BYTES - PAGE, 1, READ_WRITE);
    assert_true(memory_allows(&memory, GUEST_SPACE_BYTES - 1, 1, PAGE_WRITE));
    assert_false(memory_allows(&memory, GUEST_SPACE_BYTES - 1, 2, PAGE_READ));
    assert_false(memory_allows(&memory, GUEST_SPACE_BYTES, 1, PAGE_READ));
    assert_false(memory_allows(&memory, UINT64_MAX, 1, PAGE_READ));
    assert_false(memory_allows(&memory, GUEST_SPACE_BYTES - PAGE, UINT64_MAX, PAGE_READ));
    assert_true(memory_allows(&memory, UINT64_MAX, 0, PAGE_READ)); /* no byte, no objection */
    assert_false(memory_is_free(&memory, GUEST_SPACE_BYTES + PAGE, PAGE));
    assert_false(memory_is_free(&memory, 0, GUEST_SPACE_BYTES + PAGE));
    assert_int_equal(memory_permissions(&memory, UINT64_MAX), 0);
}

static void strings_end_where_readable_memory_does(void **unused)
{
    (void)unused;
    map(BASE, 2, READ_WRITE);
    memset(memory_host(&memory, BASE), 'x', 2 * PAGE);
    assert_null(memory_string(&memory, BASE)); /* no end */
    put(BASE + PAGE + 5, 0);
    assert_int_equal(strlen(memory_string(&memory, BASE + 1)), PAGE + 4);
    assert_non_null(memory_string(&memory, BASE + PAGE + 5));
    assert_null(memory_string(&memory, BASE + PAGE + 6));
    assert_null(memory_string(&memory, BASE - 1));
    assert_null(memory_string(&memory, UINT64_MAX));
}

static void resident_bytes_are_those_that_were_touched(void **unused)
{
    (void)unused;
    map(BASE, 3000, READ_WRITE);
    memory_sample_resident(&memory);
    assert_int_equal(memory.resident_peak_bytes, 0);
    put(BASE + 10 * PAGE, 1);
    put(BASE + 2999 * PAGE, 1);
    memory_sample_resident(&memory);
    assert_int_equal(memory.resident_peak_bytes, 2 * PAGE);
    put(BASE + 20 * PAGE, 1);
    memory_unmap(&memory, BASE, 3000 * PAGE); /* much goes at once: looks first */
    assert_int_equal(memory.resident_peak_bytes, 3 * PAGE);
    memory_sample_resident(&memory);
    assert_int_equal(memory.resident_peak_bytes, 3 * PAGE);
}

static void files_are_mapped_privately_or_shared(void **unused)
{
    const int file = memfd_create("mapped", MFD_CLOEXEC);
    uint8_t byte = 0;
    (void)unused;
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)(2 * PAGE)), 0);
    assert_int_equal(pwrite(file, "abc", 3, (off_t)PAGE), 3);
    assert_int_equal(memory_map(&memory, BASE, PAGE, READ_WRITE, false, file, PAGE), 0);
    assert_int_equal(memory_map(&memory, BASE + PAGE, PAGE, READ_WRITE, true, file, PAGE), 0);
    assert_int_equal(get(BASE + 1), 'b');
    put(BASE, 'p');
    put(BASE + PAGE + 1, 's');
    assert_int_equal(pread(file, &byte, 1, (off_t)PAGE), 1);
    assert_int_equal(byte, 'a');
    assert_int_equal(pread(file, &byte, 1, (off_t)(PAGE + 1)), 1);
    assert_int_equal(byte, 's');
    assert_int_equal(memory_permissions(&memory, BASE) & PAGE_SHARED, 0);
    assert_int_equal(memory_permissions(&memory, BASE + PAGE) & PAGE_SHARED, PAGE_SHARED);
    assert_int_equal(memory_protect(&memory, BASE, 2 * PAGE, PAGE_READ), 0);
    assert_int_equal(memory_permissions(&memory, BASE) & PAGE_SHARED, 0);
    assert_int_equal(memory_permissions(&memory, BASE + PAGE) & PAGE_SHARED, PAGE_SHARED);
    assert_int_equal(memory_protect(&memory, BASE, 2 * PAGE, READ_WRITE), 0);
    close(file);
    assert_int_equal(memory_map(&memory, BASE, PAGE, PAGE_READ, false, file, 0), -EBADF);
}

static void only_executable_pages_that_go_are_told_of(void **unused)
{
    (void)unused;
    map(BASE, 2, READ_WRITE);
    memory_protect(&memory, BASE, 2 * PAGE, PAGE_READ);
    memory_unmap(&memory, BASE, PAGE);
    map(BASE, 2, PAGE_READ | PAGE_EXECUTE);
    assert_int_equal(told.calls, 0);
    memory_protect(&memory, BASE, 2 * PAGE, READ_WRITE | PAGE_EXECUTE);
    assert_int_equal(told.calls, 0); /* still executable: stores are fence.i's affair */
    memory_protect(&memory, BASE, PAGE, PAGE_READ);
    assert_int_equal(told.calls, 1);
    assert_int_equal(told.start, BASE);
    assert_int_equal(told.bytes, PAGE);
    map(BASE + PAGE, 1, PAGE_READ);
    assert_int_equal(told.calls, 2);
    map(BASE, 4, PAGE_READ | PAGE_EXECUTE);
    memory_unmap(&memory, BASE, 4 * PAGE);
    assert_int_equal(told.calls, 3);
    assert_int_equal(told.bytes, 4 * PAGE);
    map(BASE, 1, PAGE_READ | PAGE_EXECUTE);
    memory_move(&memory, BASE, PAGE, BASE + 8 * PAGE, PAGE);
    assert_int_equal(told.calls, 4);
}

/* Some hosts remove the old pages before the file's own code can refuse. */
static void a_mapping_that_fails_leaves_no_hole(void **unused)
{
    (void)unused;
    const int file = memfd_create("sealed", MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(file, (off_t)PAGE), 0);
    assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE), 0);
    map(BASE, 1, READ_WRITE);
    assert_int_equal(memory_map(&memory, BASE, PAGE, READ_WRITE, true, file, 0), -EPERM);
    close(file);

    const void *filled = mmap(memory_host(&memory, BASE), PAGE, PROT_NONE,
                              MAP_FIXED_NOREPLACE | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_equal(filled, MAP_FAILED);
    assert_int_equal(errno, EEXIST);
    const uint64_t left = memory_allows(&memory, BASE, PAGE, PAGE_WRITE) ? PAGE : 0;
    assert_int_equal(memory.mapped_bytes, left);
}

static void checksum_is_of_addresses_permissions_and_bytes(void **unused)
{
    (void)unused;
    uint64_t sums[8];
    unsigned count = 0;
    sums[count++] = memory_checksum(&memory);
    map(BASE, 2, READ_WRITE);
    sums[count++] = memory_checksum(&memory);
    *(volatile uint8_t *)memory_host(&memory, BASE) = 0; /* touched, and still zero */
    assert_int_equal(memory_checksum(&memory), sums[1]);
    *(uint8_t *)memory_host(&memory, BASE + PAGE - 1) = 1;
    sums[count++] = memory_checksum(&memory);
    memory_protect(&memory, BASE, PAGE, PAGE_READ);
    sums[count++] = memory_checksum(&memory);
    memory_protect(&memory, BASE, PAGE, 0);
    sums[count++] = memory_checksum(&memory);
    memory_protect(&memory, BASE, PAGE, READ_WRITE);
    assert_int_equal(memory_checksum(&memory), sums[2]);
    memory_move(&memory, BASE, PAGE, BASE + 8 * PAGE, PAGE);
    sums[count++] = memory_checksum(&memory);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < i; j++) {
            assert_int_not_equal(sums[i], sums[j]);
        }
    }
}

static void checksum_stops_at_the_end_of_a_file(void **unused)
{
    (void)unused;
    leave_install_handlers();
    const int file = memfd_create("short", 0);
    assert_int_equal(ftruncate(file, (off_t)PAGE), 0);
    assert_int_equal(memory_map(&memory, BASE, 2 * PAGE, PAGE_READ, true, file, 0), 0);
    const uint64_t sum = memory_checksum(&memory);
    assert_int_equal(pwrite(file, "x", 1, 5), 1);
    assert_int_not_equal(memory_checksum(&memory), sum);
    close(file);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_mapped_at_first),
        TEST(mapped_pages_are_zero_and_usable),
        TEST(mapping_again_replaces),
        TEST(unmapping_frees_and_forgets),
        TEST(protection_decides_what_may_be_touched),
        TEST(moved_pages_keep_their_bytes_and_leave_a_hole),
        TEST(free_ranges_are_found_upwards),
        TEST(free_ranges_are_found_downwards),
        TEST(ranges_outside_the_space_are_never_allowed_or_free),
        TEST(strings_end_where_readable_memory_does),
        TEST(resident_bytes_are_those_that_were_touched),
        TEST(files_are_mapped_privately_or_shared),
        TEST(only_executable_pages_that_go_are_told_of),
        TEST(a_mapping_that_fails_leaves_no_hole),
        TEST(checksum_is_of_addresses_permissions_and_bytes),
        TEST(checksum_stops_at_the_end_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
