/* Tests the text of instructions and the text builder under it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/rv64/csr.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"
#include "isa/rv64/encode.h"

static void assert_text(uint32_t word, uint64_t pc, const char *want)
{
    struct rv64_insn insn;
    char text[RV64_TEXT_SIZE];

    rv64_decode(word, &insn);
    assert_int_equal(rv64_disassemble(&insn, pc, text, sizeof text), strlen(want));
    assert_string_equal(text, want);
}

static void operands_are_written_as_objdump_does(void **state)
{
    (void)state;
    assert_text(0xfff10093, 0, "addi\tx1,x2,-1");
    assert_text(0x03f11093, 0, "slli\tx1,x2,0x3f");
    assert_text(0xfffff0b7, 0, "lui\tx1,0xfffff");
    assert_text(0xff813083, 0, "ld\tx1,-8(x2)");
    assert_text(0xfe113c27, 0, "fsd\tf1,-8(x2)");
    assert_text(0xfe208ee3, 0x10000, "beq\tx1,x2,fffc");
    assert_text(0xffdff0ef, 0, "jal\tx1,fffffffffffffffc");
    assert_text(0x000080e7, 0, "jalr\tx1,0(x1)");
    assert_text(0x0620a1af, 0, "amoadd.w.aqrl\tx3,x2,(x1)");
    assert_text(0x1400b1af, 0, "lr.d.aq\tx3,(x1)");
    assert_text(0x1a20b1af, 0, "sc.d.rl\tx3,x2,(x1)");
    assert_text(0x223170c3, 0, "fmadd.d\tf1,f2,f3,f4");
    assert_text(0x223110c3, 0, "fmadd.d\tf1,f2,f3,f4,rtz");
    assert_text(0xc22110d3, 0, "fcvt.l.d\tx1,f2,rtz");
    assert_text(0xd20100d3, 0, "fcvt.d.w\tf1,x2");
    assert_text(0xd20170d3, 0, "fcvt.d.w\tf1,x2,dyn");
    assert_text(0x00173073, 0, "csrrc\tx0,fflags,x14");
    assert_text(0x7c0fd0f3, 0, "csrrwi\tx1,0x7c0,31");
    assert_text(0x00000073, 0, "ecall");
}

static void fences_name_their_sets(void **state)
{
    (void)state;
    assert_text(0x0ff0000f, 0, "fence\tiorw,iorw");
    assert_text(0x0310000f, 0, "fence\trw,w");
    assert_text(0x0100000f, 0, "fence\tw,unknown");
    assert_text(0x8330000f, 0, "fence.tso");
    assert_text(0x0000100f, 0, "fence.i");
    assert_text(0x1ff0000f, 0, ".4byte\t0x1ff0000f");
    assert_text(0x0ff0008f, 0, ".4byte\t0xff0008f");
    assert_text(0x0010100f, 0, ".4byte\t0x10100f");
}

static void compressed_instructions_keep_their_names(void **state)
{
    (void)state;
    assert_text(0x0001, 0, "c.addi\tx0,0");
    assert_text(0x1141, 0, "c.addi\tx2,-16");
    assert_text(0x7139, 0, "c.addi16sp\tx2,-64");
    assert_text(0x0808, 0, "c.addi4spn\tx10,x2,16");
    assert_text(0x77fd, 0, "c.lui\tx15,0xfffff");
    assert_text(0x0002, 0, "c.slli64\tx0");
    assert_text(0x9381, 0, "c.srli\tx15,0x20");
    assert_text(0x6108, 0, "c.ld\tx10,0(x10)");
    assert_text(0x2108, 0, "c.fld\tf10,0(x10)");
    assert_text(0xe406, 0, "c.sdsp\tx1,8(x2)");
    assert_text(0xbfd5, 0x1000, "c.j\tff4");
    assert_text(0xc119, 0x1000, "c.beqz\tx10,1006");
    assert_text(0x8082, 0, "c.jr\tx1");
    assert_text(0x9002, 0, "c.ebreak");
    assert_text(0x852e, 0, "c.mv\tx10,x11");
}

static void unknown_words_are_written_as_data(void **state)
{
    (void)state;
    assert_text(0x0000, 0, "c.unimp");
    assert_text(0x12340000, 0, "c.unimp");
    assert_text(0x8000, 0, ".2byte\t0x8000");
    assert_text(0xffffffff, 0, ".4byte\t0xffffffff");
    assert_text(0x0000707f, 0, ".4byte\t0x707f");
}

static void the_extension_has_names(void **state)
{
    (void)state;
    assert_text(0x00b5000b, 0, "ctr.new\tx10,x11");
    assert_text(0x0205050b, 0, "ctr.read\tx10,x10");
    assert_text(0x0405000b, 0, "ctr.drop\tx10");
    assert_text(0x0600000b, 0, "ctr.ret");
    assert_text(0x0805000b, 0, "sit.new\tx10");
    assert_text(0x0ab5050b, 0, "ctx.start\tx10,x10,x11");
    assert_text(0x0c00000b, 0, "ctx.stop");
    assert_text(0x0eb50f8b, 0, "ic.sync\tx10,x11,31");
    assert_text(0x10b5050b, 0, "ctr.time\tx10,x10,x11");
    assert_text(0x1205050b, 0, "hot.read\tx10,x10");
    assert_text(0x1405000b, 0, "hot.watch\tx10");
    assert_text(0x80051073, 0, "csrrw\tx0,ctrthresh,x10");
    assert_text(0xcc102573, 0, "csrrs\tx10,strfeat,x0");
    assert_string_equal(rv64_csr_name(RV64_CSR_ctrepc), "ctrepc");
    assert_string_equal(rv64_csr_name(RV64_CSR_ctrevict), "ctrevict");
    assert_null(rv64_csr_name(0x80a));
}

static void ic_sync_holds_its_class_in_the_immediate(void **state)
{
    struct rv64_insn insn;

    (void)state;
    rv64_decode(0x0eb50f8b, &insn);
    assert_int_equal(insn.op, RV64_ic_sync);
    assert_int_equal(insn.rd, 0);
    assert_int_equal(insn.rs1, 10);
    assert_int_equal(insn.rs2, 11);
    assert_int_equal(insn.imm, 31);
}

/* The longest operands of every row fit the size that callers are promised. */
static void any_text_fits_the_promised_size(void **state)
{
    (void)state;
    for (unsigned op = 1; op < RV64_OP_COUNT; op++) {
        const struct rv64_row *row = rv64_row(op);
        struct rv64_insn insn;
        char text[RV64_TEXT_SIZE];

        rv64_decode(row->match | (~row->mask & 0xffffcfff), &insn);
        assert_int_equal(insn.op, op);
        assert_true(rv64_disassemble(&insn, 0x8000000000000000, text, sizeof text) < sizeof text);
    }
}

static void text_that_does_not_fit_is_cut(void **state)
{
    struct rv64_insn insn;
    char text[8] = "#######";

    (void)state;
    rv64_decode(0xfff10093, &insn);
    assert_int_equal(rv64_disassemble(&insn, 0, text, 6), 13);
    assert_string_equal(text, "addi\t");
    assert_int_equal(text[6], '#');
    assert_int_equal(rv64_disassemble(&insn, 0, text, 1), 13);
    assert_string_equal(text, "");
    assert_int_equal(rv64_disassemble(&insn, 0, NULL, 0), 13);
}

static void numbers_are_written_to_their_limits(void **state)
{
    char buffer[128];
    struct text text;

    (void)state;
    text_begin(&text, buffer, sizeof buffer);
    text_put_decimal(&text, INT64_MIN);
    text_put_char(&text, ' ');
    text_put_decimal(&text, INT64_MAX);
    text_put_char(&text, ' ');
    text_put_unsigned(&text, UINT64_MAX);
    text_put_char(&text, ' ');
    text_put_hex(&text, UINT64_MAX, 1);
    text_put_char(&text, ' ');
    text_put_hex(&text, 0xab, 4);
    text_put_char(&text, ' ');
    text_put_hex(&text, 0, 1);
    text_put_decimal(&text, 0);
    assert_string_equal(buffer, "-9223372036854775808 9223372036854775807 18446744073709551615 "
                                "ffffffffffffffff 00ab 00");
    assert_int_equal(text.length, strlen(buffer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_written_as_objdump_does),
        cmocka_unit_test(fences_name_their_sets),
        cmocka_unit_test(compressed_instructions_keep_their_names),
        cmocka_unit_test(unknown_words_are_written_as_data),
        cmocka_unit_test(the_extension_has_names),
        cmocka_unit_test(ic_sync_holds_its_class_in_the_immediate),
        cmocka_unit_test(any_text_fits_the_promised_size),
        cmocka_unit_test(text_that_does_not_fit_is_cut),
        cmocka_unit_test(numbers_are_written_to_their_limits),
    };

    return cmocka_run_group_tests_name("isa_text", tests, NULL, NULL);
}
