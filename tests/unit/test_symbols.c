/* Tests addresses to functions and lines on programs that the host's and the cross compiler build.
 */
#define _POSIX_C_SOURCE 200809L

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/demangle.h"
#include "symbols/symbols.h"

static char folder[] = "/tmp/strata-test-symbols-XXXXXX";

/* One function per line, so that every instruction of a function is on its line. */
static const char c_source[] = "int twice(int x) { return x + x; }\n"
                               "static int inner(int x) { return twice(x) + 1; }\n"
                               "int __odd_alias(int x) __attribute__((alias(\"twice\")));\n"
                               "int _start(int n) { int s = 0; while (n--) s += inner(n); "
                               "return s; }\n";

static const char cxx_source[] =
    "namespace shape { struct box { int side; int area(int) const; }; }\n"
    "int shape::box::area(int k) const { return side * k; }\n"
    "extern \"C\" int _start(int n) { shape::box b = {n}; return b.area(n); }\n";

static const char asm_source[] = ".globl _start\n"
                                 "_start:\n"
                                 "    nop\n"
                                 "    nop\n"
                                 "second:\n"
                                 "    nop\n"
                                 ".globl typed\n"
                                 ".type typed, @function\n"
                                 "typed:\n"
                                 "    nop\n"
                                 "within:\n"
                                 "    nop\n"
                                 ".size typed, . - typed\n"
                                 "right_behind:\n"
                                 "    nop\n"
                                 "an_end:\n" /* where the next section begins */
                                 ".section .more, \"ax\"\n"
                                 "more:\n"
                                 "    nop\n";

static void run(const char *format, ...)
{
    char command[1024];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    assert_in_range(length, 1, sizeof command - 1);
    if (system(command) != 0) {
        fail_msg("failed: %s", command);
    }
}

static bool tool_exists(const char *prefix, const char *tool)
{
    char command[128];

    snprintf(command, sizeof command, "command -v %s%s >/dev/null", prefix, tool);
    return system(command) == 0;
}

/* Builds `source` as program.elf with the tools of `prefix`, or skips the test. */
static const char *build(const char *prefix, const char *tool, const char *suffix,
                         const char *source, const char *options)
{
    static char program[sizeof folder + 32];
    char path[sizeof folder + 32];

    if (!tool_exists(prefix, tool)) {
        print_message("skipped: %s%s is not installed\n", prefix, tool);
        skip();
    }
    snprintf(path, sizeof path, "%s/place.%s", folder, suffix);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(source, file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(program, sizeof program, "%s/program.elf", folder);
    run("%s%s -O0 -fno-pie -no-pie -static -nostdlib %s -o %s %s", prefix, tool, options, program,
        path);
    return program;
}

/* The address that nm, an independent reader, gives for `name`. */
static uint64_t address_of(const char *prefix, const char *program, const char *name)
{
    char line[512];
    uint64_t found = 0;

    snprintf(line, sizeof line, "%snm %s", prefix, program);
    FILE *output = popen(line, "r");
    assert_non_null(output);
    while (fgets(line, sizeof line, output) != NULL) {
        char address[32];
        char symbol[256];
        if (sscanf(line, "%31s %*c %255s", address, symbol) == 2 && strcmp(symbol, name) == 0) {
            found = strtoull(address, NULL, 16);
        }
    }
    assert_int_equal(pclose(output), 0);
    assert_int_not_equal(found, 0);
    return found;
}

static void assert_place(struct symbols *symbols, uint64_t address, const char *function,
                         uint64_t offset, const char *file, unsigned line)
{
    struct symbol_place place;

    assert_true(symbols_find(symbols, address, &place));
    assert_non_null(place.function);
    assert_string_equal(place.function, function);
    assert_int_equal(place.offset, offset);
    assert_int_equal(place.line, line);
    if (file == NULL) {
        assert_null(place.file);
        assert_null(place.path);
    } else {
        assert_non_null(place.file);
        assert_string_equal(place.file, file);
        assert_true(strlen(place.path) > strlen(file)); /* with its folder */
        assert_string_equal(place.path + strlen(place.path) - strlen(file), file);
    }
}

static void assert_nowhere(struct symbols *symbols, uint64_t address)
{
    struct symbol_place place = {"left over", 1, "left over", 1, "left over", "left over"};

    assert_false(symbols_find(symbols, address, &place));
    assert_null(place.function);
    assert_null(place.file);
    assert_null(place.path);
    assert_null(place.folder);
    assert_int_equal(place.offset, 0);
    assert_int_equal(place.line, 0);
}

static void check_c_program(const char *prefix, const char *program, bool lines)
{
    static const char *const names[] = {"twice", "inner", "_start"};
    static const unsigned numbers[] = {1, 2, 4};
    struct symbols *symbols = symbols_open(program);

    assert_non_null(symbols);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint64_t address = address_of(prefix, program, names[i]);
        const char *file = lines ? "place.c" : NULL;
        unsigned line = lines ? numbers[i] : 0;
        assert_place(symbols, address, names[i], 0, file, line);
        assert_place(symbols, address + 6, names[i], 6, file, line);
    }
    assert_nowhere(symbols, 0);
    assert_nowhere(symbols, 1);
    assert_nowhere(symbols, UINT64_MAX);
    symbols_close(symbols);
}

static void finds_function_and_line(void **state)
{
    const char *prefix = *state;

    check_c_program(prefix, build(prefix, "gcc", "c", c_source, "-g -gdwarf-5"), true);
    check_c_program(prefix, build(prefix, "gcc", "c", c_source, "-g -gdwarf-4"), true);
    check_c_program(prefix, build(prefix, "gcc", "c", c_source, "-g -gz=zlib"), true);
}

static void needs_no_address_ranges_section(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "gcc", "c", c_source, "-g");

    run("%sobjcopy --remove-section .debug_aranges %s", prefix, program);
    check_c_program(prefix, program, true);
}

static void finds_functions_without_debug_information(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "gcc", "c", c_source, "-g");

    run("%sstrip -g %s", prefix, program);
    check_c_program(prefix, program, false);
}

static void finds_exported_functions_of_a_stripped_library(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "gcc", "c", c_source, "-fPIC -shared");
    uint64_t twice = address_of(prefix, program, "twice");
    uint64_t inner = address_of(prefix, program, "inner");

    run("%sstrip -s %s", prefix, program);
    struct symbols *symbols = symbols_open(program);
    assert_non_null(symbols);
    assert_place(symbols, twice + 2, "twice", 2, NULL, 0);
    assert_nowhere(symbols, inner);
    symbols_close(symbols);
}

static void finds_nothing_in_a_stripped_program(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "gcc", "c", c_source, "-g");
    uint64_t twice = address_of(prefix, program, "twice");

    run("%sstrip -s %s", prefix, program);
    struct symbols *symbols = symbols_open(program);
    assert_non_null(symbols);
    assert_nowhere(symbols, twice);
    symbols_close(symbols);
}

static void assert_unnamed(struct symbols *symbols, uint64_t start, uint64_t inside)
{
    const char *name = "left over";
    uint64_t found, end;

    assert_true(symbols_function(symbols, start + inside, &name, &found, &end));
    assert_null(name);
    assert_int_equal(found, start);
    assert_true(end > start + inside);
}

/* What the stack is unwound with stays in a stripped file. */
static void finds_where_unnamed_functions_begin(void **state)
{
    const char *prefix = *state;
    const char *program =
        build(prefix, "gcc", "c", c_source, "-g -fasynchronous-unwind-tables -Wl,--eh-frame-hdr");
    const uint64_t starts[] = {address_of(prefix, program, "twice"),
                               address_of(prefix, program, "inner"),
                               address_of(prefix, program, "_start")};

    run("%sstrip -s %s", prefix, program);
    struct symbols *symbols = symbols_open(program);
    assert_non_null(symbols);
    for (size_t i = 0; i < 3; i++) {
        const char *name;
        uint64_t start, end;
        assert_unnamed(symbols, starts[i], 0);
        assert_unnamed(symbols, starts[i], 6);
        assert_true(symbols_function(symbols, starts[i], &name, &start, &end));
        assert_true(i == 2 || end <= starts[i + 1]);
        assert_nowhere(symbols, starts[i]);
    }
    symbols_close(symbols);
}

/* Without that, where calls lead to, and the entry. */
static void finds_where_called_functions_begin(void **state)
{
    const char *prefix = *state;
    const char *program =
        build(prefix, "gcc", "c", c_source, "-fno-asynchronous-unwind-tables -fno-unwind-tables");
    const uint64_t twice = address_of(prefix, program, "twice");
    const uint64_t inner = address_of(prefix, program, "inner");
    const uint64_t entry = address_of(prefix, program, "_start");
    const char *name;
    uint64_t start, end;

    run("%sstrip -s %s", prefix, program);
    struct symbols *symbols = symbols_open(program);
    assert_non_null(symbols);
    assert_unnamed(symbols, twice, 6);
    assert_unnamed(symbols, inner, 6);
    assert_unnamed(symbols, entry, 6);
    assert_true(symbols_function(symbols, twice, &name, &start, &end));
    assert_int_equal(end, inner);
    assert_false(symbols_function(symbols, twice - 2, &name, &start, &end));
    symbols_close(symbols);
}

/* Whatever stands where the stack is unwound with: nothing else is read. */
static void survives_damaged_frames(void **state)
{
    const char *prefix = *state;
    static const char *const bytes[] = {
        "\\377\\377\\377\\377", /* a length in 64 bits, which is missing */
        "\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\177", /* one that reaches too far */
        "\\004\\000\\000\\000\\000\\000\\000\\000", /* nothing behind the number of a common entry */
        "\\010\\000\\000\\000\\000\\000\\000\\000\\001zRx\\010\\000\\000\\000\\010\\000\\000\\000",
        "\\003\\000\\000\\000\\001\\001\\001", /* too short for a number */
    };

    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        const char *program = build(prefix, "gcc", "c", c_source, "-fasynchronous-unwind-tables");
        const uint64_t twice = address_of(prefix, program, "twice");
        run("printf '%s' >%s/frames", bytes[i], folder);
        run("%sobjcopy --update-section .eh_frame=%s/frames %s", prefix, folder, program);
        struct symbols *symbols = symbols_open(program);
        assert_non_null(symbols);
        assert_place(symbols, twice, "twice", 0, NULL, 0);
        symbols_close(symbols);
    }
}

static void finds_lines_without_a_symbol_table(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "gcc", "c", c_source, "-g");
    uint64_t twice = address_of(prefix, program, "twice");
    struct symbol_place place;

    run("%sobjcopy --strip-all --keep-section '.debug*' %s", prefix, program);
    struct symbols *symbols = symbols_open(program);
    assert_non_null(symbols);
    assert_true(symbols_find(symbols, twice, &place));
    assert_null(place.function);
    assert_string_equal(place.file, "place.c");
    assert_int_equal(place.line, 1);
    symbols_close(symbols);
}

static void demangles_cxx_names(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "g++", "cc", cxx_source, "-g");
    uint64_t address = address_of(prefix, program, "_ZNK5shape3box4areaEi");
    const char *name = "shape::box::area(int) const";

    if (!demangle_available()) {
        fail_msg("libstdc++.so.6 is not installed: tools/install-deps build");
        name = "_ZNK5shape3box4areaEi";
    }
    struct symbols *symbols = symbols_open(program);
    assert_non_null(symbols);
    assert_place(symbols, address, name, 0, "place.cc", 2);
    assert_place(symbols, address + 2, name, 2, "place.cc", 2);
    symbols_close(symbols);
}

static void takes_labels_of_assembly_for_functions(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "gcc", "s", asm_source, "-g");
    uint64_t start = address_of(prefix, program, "_start");
    uint64_t second = address_of(prefix, program, "second");
    uint64_t typed = address_of(prefix, program, "typed");
    uint64_t within = address_of(prefix, program, "within");
    uint64_t right_behind = address_of(prefix, program, "right_behind");
    uint64_t more = address_of(prefix, program, "more");
    struct symbols *symbols = symbols_open(program);

    assert_non_null(symbols);
    assert_place(symbols, start, "_start", 0, "place.s", 3);
    assert_place(symbols, second - 1, "_start", second - 1 - start, "place.s", 4);
    assert_place(symbols, second, "second", 0, "place.s", 6);
    assert_place(symbols, typed, "typed", 0, "place.s", 10);
    assert_place(symbols, within, "typed", within - typed, "place.s", 12);
    assert_place(symbols, right_behind, "right_behind", 0, "place.s", 15);
    assert_int_equal(address_of(prefix, program, "an_end"), more);
    assert_place(symbols, more, "more", 0, "place.s", 19);
    symbols_close(symbols);
}

/* The bytes of each segment in the file have addresses; those behind the last one have none. */
static void bytes_of_the_file_have_addresses(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "gcc", "s", asm_source, "");
    struct symbols *symbols = symbols_open(program);
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    uint64_t address, last = 0;
    FILE *file = fopen(program, "rb");

    assert_non_null(symbols);
    assert_non_null(file);
    assert_int_equal(fread(&header, sizeof header, 1, file), 1);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        const long at = (long)(header.e_phoff + i * sizeof segment);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        assert_int_equal(fread(&segment, sizeof segment, 1, file), 1);
        if (segment.p_type == PT_LOAD) {
            assert_true(symbols_address(symbols, segment.p_offset, &address));
            assert_int_equal(address, segment.p_vaddr);
            last = segment.p_offset + segment.p_filesz > last ? segment.p_offset + segment.p_filesz
                                                              : last;
        }
    }
    fclose(file);
    assert_true(symbols_address(symbols, last - 1, &address));
    assert_false(symbols_address(symbols, last, &address));
    symbols_close(symbols);
}

static void refuses_what_is_not_elf(void **state)
{
    (void)state;
    char path[sizeof folder + 16];

    assert_null(symbols_open("/nonexistent/program"));
    assert_null(symbols_open(folder));
    snprintf(path, sizeof path, "%s/text", folder);
    run("echo text >%s", path);
    assert_null(symbols_open(path));
    run(": >%s", path);
    assert_null(symbols_open(path));
}

static void no_symbols_at_all_is_safe(void **state)
{
    (void)state;
    assert_nowhere(NULL, 0x10000);
    symbols_close(NULL);
}

static void a_file_without_sections_has_no_symbols(void **state)
{
    (void)state;
    char path[sizeof folder + 16];

    snprintf(path, sizeof path, "%s/bare", folder);
    run("python3 tests/bad/make_elf ok %s", path);
    struct symbols *symbols = symbols_open(path);
    assert_non_null(symbols);
    assert_nowhere(symbols, 0x10400);
    symbols_close(symbols);
}

static void survives_a_truncated_file(void **state)
{
    const char *prefix = *state;
    const char *program = build(prefix, "gcc", "c", c_source, "-g");
    uint64_t twice = address_of(prefix, program, "twice");
    FILE *file = fopen(program, "rb");

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long bytes = ftell(file);
    assert_int_equal(fclose(file), 0);
    while (bytes > 0) {
        struct symbol_place place;
        bytes -= bytes > 97 ? 97 : bytes;
        assert_int_equal(truncate(program, bytes), 0);
        struct symbols *symbols = symbols_open(program);
        symbols_find(symbols, twice, &place);
        symbols_close(symbols);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    run("rm -r %s", folder);
    return 0;
}

#define FOR_BOTH(test) cmocka_unit_test_prestate(test, host), cmocka_unit_test_prestate(test, cross)

int main(void)
{
    static char host[] = "";
    static char cross[] = "riscv64-linux-gnu-";
    const struct CMUnitTest tests[] = {
        FOR_BOTH(finds_function_and_line),
        FOR_BOTH(needs_no_address_ranges_section),
        FOR_BOTH(finds_functions_without_debug_information),
        FOR_BOTH(finds_exported_functions_of_a_stripped_library),
        FOR_BOTH(finds_nothing_in_a_stripped_program),
        FOR_BOTH(finds_where_unnamed_functions_begin),
        cmocka_unit_test_prestate(finds_where_called_functions_begin, cross),
        FOR_BOTH(survives_damaged_frames),
        FOR_BOTH(finds_lines_without_a_symbol_table),
        FOR_BOTH(demangles_cxx_names),
        FOR_BOTH(takes_labels_of_assembly_for_functions),
        FOR_BOTH(bytes_of_the_file_have_addresses),
        FOR_BOTH(survives_a_truncated_file),
        cmocka_unit_test(refuses_what_is_not_elf),
        cmocka_unit_test(no_symbols_at_all_is_safe),
        cmocka_unit_test(a_file_without_sections_has_no_symbols),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
