/* Tests that the vDSO is found, and that its code is in no trace. */
#include "fragment_rig.h"

#include "translator/fragment/trace.h"
#include "translator/process/vdso.c"

#include <linux/auxvec.h>
#include <stdio.h>
#include <string.h>

unsigned long
getauxval(unsigned long type); /* <sys/auxv.h> has <elf.h>, which is against <linux/elf.h> */

#define TURNS 1000

/* This process's own, if it has one. */
static void it_is_where_the_kernel_says(void **state)
{
    const uint64_t image = getauxval(AT_SYSINFO_EHDR);
    const struct code_range range = vdso_find(image);
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long start, end;
    char line[512];
    bool listed = false;

    (void)state;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (strstr(line, "[vdso]") != NULL && sscanf(line, "%lx-%lx", &start, &end) == 2) {
            listed = true;
            assert_int_equal(range.start, start);
            assert_in_range(range.end, start + 1, end);
        }
    }
    fclose(maps);
    assert_int_equal(listed, image != 0);
}

static void what_is_no_image_is_none(void **state)
{
    static const uint64_t words[16];

    (void)state;
    assert_int_equal(vdso_find(0).end, 0);
    assert_int_equal(vdso_find((uintptr_t)words).end, 0);
}

static void all_its_segments_are_in_it(void **state)
{
    static struct {
        Elf64_Ehdr header;
        Elf64_Phdr segments[3];
    } image;

    (void)state;
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_phentsize = sizeof image.segments[0];
    image.header.e_phoff = sizeof image.header;
    image.header.e_phnum = 3;
    image.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_memsz = 0x300};
    image.segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_vaddr = 0x9000, .p_memsz = 0x100};
    image.segments[2] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x1800, .p_memsz = 0x700};
    const struct code_range range = vdso_find((uintptr_t)&image);
    assert_int_equal(range.start, (uintptr_t)&image);
    assert_int_equal(range.end - range.start, 0xf00);
    image.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_int_equal(vdso_find((uintptr_t)&image).end, 0);
}

/* A loop that calls what lies a page behind it; the range from `from` to `to` is the vDSO.  The function's address. */
static guest_addr run_calling_loop(guest_addr from, guest_addr to)
{
    struct options options = rig_options();

    options.counters = COUNTERS_HW;
    options.threshold = 10;
    options.traces = true;
    options.max_loss = 100;
    rig_create_with_counters(&rig, &options, TOY_COUNTERS_MAX);
    rig.translator->vdso = (struct code_range){from, to};
    go(CODE + PAGE);
    const guest_addr function = put(TOY_INC, R3, 0, 0);
    const guest_addr never = put(TOY_BRANCH32, IF_NEGATIVE, 0, 0);
    asm_send(never, put(TOY_RETURN, 0, 0, 0));
    go(CODE);
    put(TOY_CONST32, R4, 0, TURNS);
    put(TOY_CONST64, R5, 0, (int64_t)function);
    const guest_addr head = put(TOY_CALL_REGISTER, 0, R5, 0);
    put(TOY_DEC, R4, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, head);
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R3), TURNS);
    return head;
}

static bool has_block_in(const struct fragment *trace, guest_addr from, guest_addr to)
{
    for (unsigned i = 0; trace != NULL && i < trace->path->count; i++) {
        if (trace->path->blocks[i] >= from && trace->path->blocks[i] < to) {
            return true;
        }
    }
    return false;
}

static void a_path_ends_where_it_begins(void **state)
{
    const guest_addr from = CODE + PAGE, to = CODE + 2 * PAGE;

    (void)state;
    guest_addr head = run_calling_loop(0, 0);
    assert_true(has_block_in(rig_find(&rig, head)->trace, from, to));
    rig_destroy(&rig);
    head = run_calling_loop(from, to);
    assert_false(has_block_in(rig_find(&rig, head)->trace, from, to));
    assert_null(rig_find(&rig, from)->trace);
    rig_destroy(&rig);
}

static void a_loop_in_it_gets_no_trace(void **state)
{
    (void)state;
    const guest_addr head = run_calling_loop(CODE, CODE + PAGE);
    assert_null(rig_find(&rig, head)->trace);
    assert_int_equal(rig.translator->optimizer->totals.recorded, 0);
    rig_destroy(&rig);
}

/* However the path came to be. */
static void a_plan_ends_before_it(void **state)
{
    static struct plan plan;
    unsigned joined;

    (void)state;
    const guest_addr head = run_calling_loop(0, 0), function = CODE + PAGE;
    const struct path path = {.count = 2, .turns = 1, .next = 0, .blocks = {head, function}};
    assert_true(trace_plan(rig.threads[0].context, &path, &plan, &joined));
    const uint64_t whole = plan.instructions;
    rig.translator->vdso = (struct code_range){function, function + PAGE};
    assert_true(trace_plan(rig.threads[0].context, &path, &plan, &joined));
    assert_true(plan.instructions < whole);
    rig.translator->vdso = (struct code_range){CODE, CODE + PAGE};
    assert_false(trace_plan(rig.threads[0].context, &path, &plan, &joined));
    rig_destroy(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_where_the_kernel_says), cmocka_unit_test(what_is_no_image_is_none),
        cmocka_unit_test(all_its_segments_are_in_it),  TEST_ALONE(a_path_ends_where_it_begins),
        TEST_ALONE(a_loop_in_it_gets_no_trace),        TEST_ALONE(a_plan_ends_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
