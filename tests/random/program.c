/* Builds the program: each group loads its inputs, runs, stores the state and writes it out. */
#include "program.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "isa/rv64/csr.h"
#include "layout.h"

#define REG_RA 1
#define REG_T0 5
#define REG_T1 6
#define REG_T2 7
#define REG_A0 10
#define REG_A1 11
#define REG_A2 12
#define REG_A3 13
#define REG_A7 17

#define CALL_WRITE 64
#define CALL_EXIT 93
#define CALL_SIGALTSTACK 132
#define CALL_RT_SIGACTION 134
#define GUEST_SIGTRAP 5
#define GUEST_SA_SIGINFO 4
#define GUEST_SA_ONSTACK 0x08000000

/* In siginfo_t and ucontext_t of RISC-V Linux. */
#define SIGINFO_CODE 8
#define SIGINFO_ADDRESS 16
#define UCONTEXT_PC 176

#define PAGE 4096u

/* The streams of random numbers, apart from those of the units. */
enum stream { STREAM_DECK = 1 << 20, STREAM_SINGLES, STREAM_REGISTER, STREAM_BLOCK };

static unsigned block_index(const struct plan *plan, unsigned group, unsigned round)
{
    return group * plan->rounds + round;
}

static uint64_t block_offset(const struct plan *plan, unsigned group, unsigned round)
{
    return DATA_BLOCKS + (uint64_t)block_index(plan, group, round) * BLOCK_BYTES;
}

static void put64(struct program *program, uint64_t offset, uint64_t value)
{
    memcpy(program->data + offset, &value, sizeof value);
}

uint64_t program_input(const struct program *program, unsigned group, unsigned round,
                       unsigned offset)
{
    uint64_t value;

    memcpy(&value, program->data + block_offset(&program->plan, group, round) + offset,
           sizeof value);
    return value;
}

/* Code of the frame */

static void op(struct program *program, unsigned id, unsigned rd, unsigned rs1, int64_t imm)
{
    code_append_op(&program->code, id, rd, rs1, 0, imm);
}

static void store(struct program *program, unsigned id, unsigned rs2, unsigned rs1, int64_t imm)
{
    code_append_op(&program->code, id, 0, rs1, rs2, imm);
}

static void load_address(struct program *program, unsigned reg, uint64_t address)
{
    int64_t high = (int64_t)((address + 0x800) & ~UINT64_C(0xfff));

    op(program, RV64_lui, reg, 0, high);
    op(program, RV64_addi, reg, reg, (int64_t)address - high);
}

static void call(struct program *program, unsigned number)
{
    op(program, RV64_addi, REG_A7, 0, number);
    op(program, RV64_ecall, 0, 0, 0);
}

static void append_exit(struct program *program, unsigned status)
{
    op(program, RV64_addi, REG_A0, 0, status);
    call(program, CALL_EXIT);
}

/* ebreak raises SIGTRAP.  The handler gathers what it is told and goes on after the instruction. */
static void append_handler(struct program *program)
{
    load_address(program, REG_T0, DATA_BASE + DATA_TRAP);
    op(program, RV64_ld, REG_T1, REG_T0, 0);
    op(program, RV64_slli, REG_T2, REG_T1, 5);
    code_append_op(&program->code, RV64_sub, REG_T1, REG_T2, REG_T1, 0);
    code_append_op(&program->code, RV64_add, REG_T1, REG_T1, REG_A0, 0);
    op(program, RV64_lw, REG_T2, REG_A1, SIGINFO_CODE);
    op(program, RV64_slli, REG_T2, REG_T2, 8);
    code_append_op(&program->code, RV64_add, REG_T1, REG_T1, REG_T2, 0);
    op(program, RV64_ld, REG_T2, REG_A1, SIGINFO_ADDRESS);
    code_append_op(&program->code, RV64_add, REG_T1, REG_T1, REG_T2, 0);
    store(program, RV64_sd, REG_T1, REG_T0, 0);
    op(program, RV64_ld, REG_T2, REG_A2, UCONTEXT_PC);
    op(program, RV64_lhu, REG_T1, REG_T2, 0);
    op(program, RV64_andi, REG_T1, REG_T1, 3);
    op(program, RV64_sltiu, REG_T1, REG_T1, 3);
    op(program, RV64_slli, REG_T1, REG_T1, 1);
    op(program, RV64_addi, REG_T2, REG_T2, 4);
    code_append_op(&program->code, RV64_sub, REG_T2, REG_T2, REG_T1, 0);
    store(program, RV64_sd, REG_T2, REG_A2, UCONTEXT_PC);
    op(program, RV64_jalr, 0, REG_RA, 0);
}

static void append_start(struct program *program)
{
    load_address(program, REG_A0, DATA_BASE + DATA_STACK);
    op(program, RV64_addi, REG_A1, 0, 0);
    call(program, CALL_SIGALTSTACK);
    op(program, RV64_addi, REG_A0, 0, GUEST_SIGTRAP);
    load_address(program, REG_A1, DATA_BASE + DATA_ACTION);
    op(program, RV64_addi, REG_A2, 0, 0);
    op(program, RV64_addi, REG_A3, 0, 8);
    call(program, CALL_RT_SIGACTION);
}

static void append_inputs(struct program *program, unsigned block)
{
    unsigned any = block == REG_T0 ? REG_T1 : REG_T0;

    op(program, RV64_ld, any, block, BLOCK_FCSR);
    op(program, RV64_csrrw, 0, any, RV64_CSR_fcsr);
    for (unsigned reg = 0; reg < 32; reg++) {
        op(program, RV64_fld, reg, block, BLOCK_F + 8 * reg);
    }
    for (unsigned reg = 1; reg < 32; reg++) {
        if (reg != block) {
            op(program, RV64_ld, reg, block, BLOCK_X + 8 * reg);
        }
    }
}

static void append_outputs(struct program *program, unsigned block)
{
    for (unsigned reg = 1; reg < 32; reg++) {
        store(program, RV64_sd, reg, block, BLOCK_OUT_X + 8 * reg);
    }
    for (unsigned reg = 0; reg < 32; reg++) {
        store(program, RV64_fsd, reg, block, BLOCK_OUT_F + 8 * reg);
    }
    op(program, RV64_csrrs, REG_A0, 0, RV64_CSR_fcsr);
    store(program, RV64_sd, REG_A0, block, BLOCK_OUT_FCSR);
    load_address(program, REG_A1, DATA_BASE + DATA_TRAP);
    op(program, RV64_ld, REG_A0, REG_A1, 0);
    store(program, RV64_sd, REG_A0, block, BLOCK_OUT_TRAP);
    store(program, RV64_sd, 0, REG_A1, 0);
    op(program, RV64_addi, REG_A0, 0, 1);
    op(program, RV64_addi, REG_A1, block, BLOCK_RECORD);
    op(program, RV64_addi, REG_A2, 0, RECORD_BYTES);
    call(program, CALL_WRITE);
    code_append_op(&program->code, RV64_beq, 0, REG_A0, REG_A2, 16);
    append_exit(program, 1);
}

/* Every kind gets its turn equally often: the units of a program are dealt from decks of all
 * kinds, each shuffled. */
static unsigned deal(const struct plan *plan, unsigned group, unsigned unit)
{
    unsigned kinds = unit_kinds();
    unsigned dealt = group * plan->units + unit;
    struct rng rng = rng_begin(plan->seed, STREAM_DECK, dealt / kinds);
    uint16_t deck[RV64_OP_COUNT + RV64_COMPRESSED_COUNT + PAIR_COUNT];

    for (unsigned kind = 0; kind < kinds; kind++) {
        unsigned at = rng_below(&rng, kind + 1);

        deck[kind] = deck[at];
        deck[at] = (uint16_t)kind;
    }
    return deck[dealt % kinds];
}

/* The register that holds the block's address.  Not one that an instruction may write without
 * having it as an operand (ra, sp), nor one of system calls. */
static unsigned group_block(const struct plan *plan, unsigned index)
{
    struct rng rng = rng_begin(plan->seed, STREAM_REGISTER, index);
    unsigned reg;

    do {
        reg = rng_below(&rng, 32);
    } while (reg < 3 || (reg >= REG_A0 && reg <= REG_A7));
    return reg;
}

static uint32_t group_singles(const struct plan *plan, unsigned index)
{
    struct rng rng = rng_begin(plan->seed, STREAM_SINGLES, index);

    /* at least one register of either precision */
    return ((uint32_t)rng_next(&rng) & ~3u) | 1u;
}

static void append_body(struct program *program, struct group *group, unsigned index)
{
    const struct plan *plan = &program->plan;

    program->body_start = program->code.length;
    for (unsigned unit = 0; unit < plan->units; unit++) {
        if (!plan->dropped[unit]) {
            group->rng = rng_begin(plan->seed, index, unit);
            unit_append(group, deal(plan, index, unit));
        }
        unit_end(group);
    }
    while (group->branch_units > 0) {
        unit_end(group);
    }
    program->body_end = program->code.length;
}

static void append_group(struct program *program, unsigned index)
{
    const struct plan *plan = &program->plan;
    struct group group = {.code = &program->code,
                          .counts = &program->counts,
                          .block = group_block(plan, index),
                          .singles = group_singles(plan, index),
                          .frm = FRM_OF_ROUND};
    size_t start;

    for (unsigned round = 0; round < plan->rounds; round++) {
        if (plan->only_round == EVERY || plan->only_round == (int)round) {
            uint64_t fcsr = program_input(program, index, round, BLOCK_FCSR);

            group.frm_of_round[group.rounds++] = (uint8_t)(fcsr >> 5);
        }
    }
    load_address(
        program, group.block,
        DATA_BASE +
            block_offset(plan, index, plan->only_round == EVERY ? 0 : (unsigned)plan->only_round));
    start = program->code.length;
    append_inputs(program, group.block);
    append_body(program, &group, index);
    append_outputs(program, group.block);
    op(program, RV64_ld, group.block, group.block, BLOCK_NEXT);
    op(program, RV64_beq, 0, group.block, 8);
    op(program, RV64_jal, 0, 0, (int64_t)start - (int64_t)program->code.length);
}

/* Data */

static uint64_t draw_memory(struct rng *rng)
{
    switch (rng_below(rng, 3)) {
    case 0:
        return value_integer(rng);
    case 1:
        return value_double(rng);
    default:
        return value_single(rng) << 32 | (value_single(rng) & UINT32_MAX);
    }
}

static void fill_block(struct program *program, unsigned group, unsigned round)
{
    const struct plan *plan = &program->plan;
    uint64_t start = block_offset(plan, group, round);
    struct rng rng = rng_begin(plan->seed, STREAM_BLOCK, block_index(plan, group, round));
    uint32_t singles = group_singles(plan, group);

    for (unsigned reg = 1; reg < 32; reg++) {
        uint64_t value = value_integer(&rng);

        if (rng_percent(&rng, 5)) {
            value = DATA_BASE + start + BLOCK_BUFFER + rng_below(&rng, BUFFER_BYTES);
        }
        put64(program, start + BLOCK_X + 8 * reg, value);
    }
    put64(program, start + BLOCK_X + 8 * group_block(plan, group), DATA_BASE + start);
    for (unsigned reg = 0; reg < 32; reg++) {
        put64(program, start + BLOCK_F + 8 * reg,
              (singles >> reg & 1) != 0 ? value_single(&rng) : value_double(&rng));
    }
    /* Flags that are set cannot show what an instruction raises: mostly clear. */
    put64(program, start + BLOCK_FCSR,
          rng_below(&rng, 5) << 5 | (rng_percent(&rng, 20) ? rng_below(&rng, 32) : 0));
    for (unsigned at = 0; at < BUFFER_BYTES; at += 8) {
        put64(program, start + BLOCK_BUFFER + at, draw_memory(&rng));
    }
    if (plan->only_round == EVERY && round + 1 < plan->rounds) {
        put64(program, start + BLOCK_NEXT, DATA_BASE + start + BLOCK_BYTES);
    }
}

static void fill_data(struct program *program)
{
    const struct plan *plan = &program->plan;

    program->data_bytes = (size_t)block_offset(plan, plan->groups, 0);
    program->data = calloc(1, program->data_bytes);
    if (program->data == NULL) {
        perror("generate");
        exit(2);
    }
    for (unsigned group = 0; group < plan->groups; group++) {
        for (unsigned round = 0; round < plan->rounds; round++) {
            fill_block(program, group, round);
        }
    }
    put64(program, DATA_STACK, STACK_BASE);
    put64(program, DATA_STACK + 16, STACK_BYTES);
    put64(program, DATA_ACTION, TEXT_BASE);
    put64(program, DATA_ACTION + 8, GUEST_SA_SIGINFO | GUEST_SA_ONSTACK);
}

/* The handler stands first, at TEXT_BASE; the program starts after it. */
static size_t append_all(struct program *program)
{
    size_t entry;

    append_handler(program);
    entry = program->code.length;
    append_start(program);
    for (unsigned group = 0; group < program->plan.groups; group++) {
        if (program->plan.only_group == EVERY || program->plan.only_group == (int)group) {
            append_group(program, group);
        }
    }
    append_exit(program, 0);
    return entry;
}

void program_build(struct program *program)
{
    program->code.base = TEXT_BASE;
    fill_data(program);
    program->entry = append_all(program);
}

void program_free(struct program *program)
{
    free(program->code.bytes);
    free(program->data);
}

/* ELF */

static Elf64_Phdr segment(uint32_t flags, uint64_t offset, uint64_t address, uint64_t file_bytes,
                          uint64_t memory_bytes)
{
    return (Elf64_Phdr){.p_type = PT_LOAD,
                        .p_flags = flags,
                        .p_offset = offset,
                        .p_vaddr = address,
                        .p_paddr = address,
                        .p_filesz = file_bytes,
                        .p_memsz = memory_bytes,
                        .p_align = PAGE};
}

static bool put_at(FILE *file, uint64_t offset, const void *bytes, size_t length)
{
    return fseek(file, (long)offset, SEEK_SET) == 0 && fwrite(bytes, 1, length, file) == length;
}

bool program_write_elf(const struct program *program, const char *path)
{
    uint64_t data_offset = PAGE + (program->code.length + PAGE - 1) / PAGE * PAGE;
    const Elf64_Phdr segments[] = {
        segment(PF_R | PF_X, PAGE, TEXT_BASE, program->code.length, program->code.length),
        segment(PF_R | PF_W, data_offset, DATA_BASE, program->data_bytes, program->data_bytes),
        segment(PF_R | PF_W, data_offset + (program->data_bytes + PAGE - 1) / PAGE * PAGE,
                STACK_BASE, 0, STACK_BYTES),
    };
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_RISCV,
        .e_version = EV_CURRENT,
        .e_entry = TEXT_BASE + program->entry,
        .e_phoff = sizeof header,
        .e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof segments[0],
        .e_phnum = sizeof segments / sizeof segments[0]};
    FILE *file = fopen(path, "wb");
    bool written;

    if (file == NULL) {
        return false;
    }
    written = put_at(file, 0, &header, sizeof header) &&
              put_at(file, sizeof header, segments, sizeof segments) &&
              put_at(file, PAGE, program->code.bytes, program->code.length) &&
              put_at(file, data_offset, program->data, program->data_bytes) &&
              fchmod(fileno(file), 0755) == 0;
    return fclose(file) == 0 && written;
}
