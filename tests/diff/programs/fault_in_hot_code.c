/* Shows loads and stores that fault now and then inside a hot loop with calls: the handler finds each register
 * as the program has it, also where gp and tp lead to the memory, and repairs, skips, or goes on elsewhere. */
#include "common.h"
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096
#define ROUNDS 3000
#define FULLY_SHOWN 3
enum { RA = 1, GP = 3, TP = 4, S0 = 8, A0 = 10, A5 = 15 };

/* A page that cannot be read stands in for good ones, at the same offsets. */
static char good[PAGE] __attribute__((aligned(PAGE)));
static char bad[PAGE] __attribute__((aligned(PAGE)));

/* What an iteration works with; walk knows the offsets. */
struct row {
    char *from, *global, *local, *to;
    void (*function)(void);
};
struct row rows[ROUNDS];
uint64_t kept[40]; /* the registers of C while the loop runs */
uint64_t own_tp;   /* of C, for the handler */
char own_stack[65536] __attribute__((aligned(16)));
static char signal_stack[65536];

void walk(void);
void on_fault(int number, siginfo_t *info, void *context);
void add_first(void), add_second(void), add_third(void);
extern char walk_next[], walk_return[], walk_other_return[];

/* Registers of the loop: s0 the row, s1 the end, s2 to s8 what it makes.  All others have values of their own, so that
 * one that stands in the place of another is seen.  .norvc in one half, so that both lengths occur. */
__asm__(
    ".text\n.balign 8\n"
    ".option push\n.option norelax\n"
    "on_fault:\n"
    "    lla gp, __global_pointer$\n"
    "    lla t0, own_tp\n"
    "    ld tp, 0(t0)\n"
    "    j handle\n"
    ".globl walk\nwalk:\n"
    "    lla t0, kept\n"
    "    sd ra, 0(t0)\n    sd sp, 8(t0)\n    sd gp, 16(t0)\n    sd tp, 24(t0)\n"
    "    sd s0, 32(t0)\n    sd s1, 40(t0)\n    sd s2, 48(t0)\n    sd s3, 56(t0)\n"
    "    sd s4, 64(t0)\n    sd s5, 72(t0)\n    sd s6, 80(t0)\n    sd s7, 88(t0)\n"
    "    sd s8, 96(t0)\n    sd s9, 104(t0)\n    sd s10, 112(t0)\n    sd s11, 120(t0)\n"
    "    fsd fs0, 128(t0)\n    fsd fs1, 136(t0)\n"
    "    lla sp, own_stack + 65536 - 64\n"
    "    lla s0, rows\n"
    "    li s1, 40 * 3000\n    add s1, s1, s0\n"
    "    li s2, 2\n    li s3, 3\n    li s4, 4\n    li s5, 5\n    li s6, 6\n    li s7, 7\n    li "
    "s8, 8\n"
    "    li s9, 0x909\n    li s10, 0x1010\n    li s11, 0x1111\n"
    "    li t1, 0x61\n    li t2, 0x72\n    li t3, 0x283\n    li t4, 0x294\n    li t5, 0x305\n    "
    "li t6, 0x316\n"
    "    li a1, 0x11a\n    li a2, 0x12a\n    li a3, 0x13a\n    li a4, 0x14a\n    li a6, 0x16a\n    "
    "li a7, 0x17a\n"
    "    fcvt.d.l fs0, s9\n    fcvt.d.l fs1, s10\n    fmv.d.x fa0, zero\n    fmv.d.x fa1, zero\n"
    "1:  ld a0, 0(s0)\n"
    "    ld gp, 8(s0)\n"
    "    ld tp, 16(s0)\n"
    "    ld a5, 24(s0)\n"
    "    jal ra, read_some\n"
    "walk_return:\n"
    "    add s2, s2, a1\n"
    "    ld t0, 32(s0)\n"
    "    jalr ra, 0(t0)\n"
    "    add s3, s3, a1\n"
    "    jal ra, write_some\n"
    "walk_next:\n"
    "    addi s0, s0, 40\n"
    "    bltu s0, s1, 1b\n"
    "    lla t0, kept\n"
    "    sd s2, 160(t0)\n    sd s3, 168(t0)\n    sd s4, 176(t0)\n    sd s5, 184(t0)\n    sd s6, "
    "192(t0)\n"
    "    sd s7, 200(t0)\n    sd s8, 208(t0)\n    fsd fa0, 216(t0)\n    fsd fa1, 224(t0)\n"
    "    sd t1, 232(t0)\n    sd t2, 240(t0)\n    sd t6, 248(t0)\n"
    "    ld ra, 0(t0)\n    ld sp, 8(t0)\n    ld gp, 16(t0)\n    ld tp, 24(t0)\n"
    "    ld s0, 32(t0)\n    ld s1, 40(t0)\n    ld s2, 48(t0)\n    ld s3, 56(t0)\n"
    "    ld s4, 64(t0)\n    ld s5, 72(t0)\n    ld s6, 80(t0)\n    ld s7, 88(t0)\n"
    "    ld s8, 96(t0)\n    ld s9, 104(t0)\n    ld s10, 112(t0)\n    ld s11, 120(t0)\n"
    "    fld fs0, 128(t0)\n    fld fs1, 136(t0)\n"
    "    ret\n"
    "walk_other_return:\n"
    "    addi s8, s8, 1000\n"
    "    j walk_next\n"
    /* gp and tp as a base, as a result, and both at once */
    "read_some:\n"
    "    ld a1, 0(a0)\n"
    "    ld a2, 8(gp)\n"
    "    ld a3, 16(tp)\n"
    "    add s4, s4, a2\n"
    "    xor s5, s5, a3\n"
    "    andi t1, a1, 1\n"
    "    beqz t1, 2f\n"
    "    fld fa0, 24(gp)\n"
    "    fadd.d fa1, fa1, fa0\n"
    "    ld t2, 32(a0)\n"
    "2:  mv t3, gp\n"
    "    ld gp, 40(tp)\n"
    "    add s6, s6, gp\n"
    "    mv gp, t3\n"
    "    mv t3, tp\n"
    "    ld tp, 48(gp)\n"
    "    add s6, s6, tp\n"
    "    mv tp, t3\n"
    "    ret\n"
    "add_first:\n"
    "    ld a1, 56(gp)\n"
    "    addi a1, a1, 1\n"
    "    ret\n"
    "add_second:\n"
    "    ld a1, 64(tp)\n"
    "    addi a1, a1, 2\n"
    "    ret\n"
    ".option norvc\n"
    "add_third:\n"
    "    ld a1, 72(a0)\n"
    "    slli a1, a1, 1\n"
    "    ret\n"
    "write_some:\n"
    "    addi sp, sp, -16\n"
    "    sd ra, 8(sp)\n"
    "    sd s2, 80(a5)\n"
    "    sd s3, 88(gp)\n"
    "    sd gp, 96(a5)\n"
    "    sd tp, 104(gp)\n"
    "    sd gp, 112(tp)\n"
    "    fsd fa1, 120(tp)\n"
    "    li t6, 1\n"
    "    addi gp, gp, 128\n"
    "    amoadd.d t4, t6, (gp)\n"
    "    addi gp, gp, -128\n"
    "    addi tp, tp, 136\n"
    "3:  lr.d t5, (tp)\n"
    "    add t5, t5, s7\n"
    "    sc.d t2, t5, (tp)\n"
    "    bnez t2, 3b\n"
    "    addi tp, tp, -136\n"
    "    xor s7, s7, t4\n"
    "    ld ra, 8(sp)\n"
    "    addi sp, sp, 16\n"
    "    ret\n"
    ".option pop\n");

static unsigned faults;
static uint64_t all = CHECKSUM_START;

static bool is_bad(uint64_t address)
{
    return address - (uintptr_t)bad < PAGE;
}

static unsigned length_at(uint64_t pc)
{
    return (*(const uint16_t *)pc & 3) == 3 ? 4 : 2;
}

/* The number of the fault decides. */
static void go_on(uint64_t *registers)
{
    static const unsigned bases[] = {A0, GP, TP, A5};

    switch (faults % 7) {
    case 3:
        registers[REG_PC] += length_at(registers[REG_PC]); /* the next may fault as well */
        return;
    case 5:
        registers[REG_PC] = (uintptr_t)walk_next;
        return;
    case 6:
        if (registers[RA] == (uintptr_t)walk_return) {
            registers[RA] = (uintptr_t)walk_other_return;
        }
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (is_bad(registers[bases[i]])) {
            registers[bases[i]] += (uint64_t)(good - bad);
        }
    }
}

__attribute__((used)) void handle(int number, siginfo_t *info, void *context)
{
    mcontext_t *saved = &((ucontext_t *)context)->uc_mcontext;
    uint64_t *registers = (uint64_t *)saved->__gregs;
    uint64_t hash = CHECKSUM_START;

    REQUIRE(number == SIGSEGV && is_bad((uintptr_t)info->si_addr));
    for (int i = 0; i < 32; i++) {
        hash = checksum_word(hash, registers[i]);
        hash = checksum_word(hash, saved->__fpregs.__d.__f[i]);
    }
    all = checksum_word(all, hash);
    if (faults % 16 == 0 || faults < FULLY_SHOWN) {
        printf("fault %u at walk + %lx, address %lx, row %lu: %016lx\n", faults,
               registers[REG_PC] - (uintptr_t)walk, (uintptr_t)info->si_addr - (uintptr_t)bad,
               (registers[S0] - (uintptr_t)rows) / sizeof(rows[0]), hash);
    }
    if (faults < FULLY_SHOWN) {
        for (int i = 0; i < 32; i++) {
            printf("  x%d %lx\n", i, registers[i]);
        }
    }
    go_on(registers);
    faults++;
}

static void fill(void)
{
    static void (*const functions[])(void) = {add_first, add_second, add_third};
    uint64_t random = 7;

    for (unsigned i = 0; i < PAGE / 8; i++) {
        ((uint64_t *)(void *)good)[i] = i * 1000 + 1;
    }
    ((double *)(void *)good)[3] = 1.5;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t choice = next_random(&random) % 64;
        rows[i] = (struct row){.from = choice == 1 ? bad : good,
                               .global = choice == 2 ? bad : good,
                               .local = choice == 3 ? bad : good,
                               .to = choice == 4 ? bad : good,
                               .function = functions[i % 50 < 40 ? 0 : i % 3]};
    }
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};

    __asm__("mv %0, tp" : "=r"(own_tp));
    fill();
    REQUIRE(mprotect(bad, PAGE, PROT_NONE) == 0);
    REQUIRE(sigaltstack(&stack, NULL) == 0 && sigaction(SIGSEGV, &action, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        walk();
        printf("faults %u, all registers %016lx, results %016lx, memory %016lx\n", faults, all,
               checksum(CHECKSUM_START, kept + 20, 12 * sizeof(kept[0])),
               checksum(CHECKSUM_START, good, PAGE));
    }
    return 0;
}
