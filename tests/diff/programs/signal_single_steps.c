/* Shows that a signal finds the program between two instructions, with all of its registers, wherever
 * it comes: a timer goes off a nanosecond later each time, which on the machine is an instruction.
 *
 * With a pipeline it is a cycle, in which several instructions may run, and only those at its end would be
 * found.  So the code comes behind instructions that run alone, each in many cycles: while it waits for
 * them, it is executed ahead of its time, an instruction for each cycle until the timer goes off.  How many
 * it takes depends on the pipeline: one after the other is tried until enough states are found.
 *
 * The code that is interrupted is interpreted here first.  Each state that a handler gets must be
 * one of those, and the code must end as if there had been no signal.
 *
 * The argument says how many of the states must be found.  qemu-riscv64 has the host's clock, and
 * delivers signals where one of its blocks begins, if it is entered anew: nothing is sure to be found
 * there. */
#include "common.h"
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <ucontext.h>

#define DELAYS 3000
#define WAITS 64 /* as in the code */
#define STATES 400
#define REGISTERS 32

enum { RA = 1, SP = 2, GP = 3, TP = 4, A0 = 10 };

struct state {
    uint64_t x[REGISTERS]; /* pc in the place of x0 */
};

/* The area has what the code reads, and room for what it writes. */
static uint64_t area[8] = {0x123456789, 1, 2, 3, 4, 5, 6, 7};
static struct state states[STATES];
static unsigned state_count;

struct state single_steps_in;
struct state single_steps_out;
uint64_t single_steps_floats[32];
uint64_t single_steps_kept[16];
extern const char single_steps_first[], single_steps_last[];
/* With so many instructions that run alone before the first. */
void single_steps(unsigned waits);

/* All but sp, gp and tp come from single_steps_in; x31 points to single_steps_out
 * all the time. */
__asm__(
    ".option push\n"
    ".option norvc\n"
    ".option norelax\n"
    ".text\n"
    ".globl single_steps\n"
    "single_steps:\n"
    "la t0, single_steps_kept\n"
    "sd ra, 0(t0)\n"
    "sd s0, 8(t0)\n"
    "sd s1, 16(t0)\n"
    "sd s2, 24(t0)\n"
    "sd s3, 32(t0)\n"
    "sd s4, 40(t0)\n"
    "sd s5, 48(t0)\n"
    "sd s6, 56(t0)\n"
    "sd s7, 64(t0)\n"
    "sd s8, 72(t0)\n"
    "sd s9, 80(t0)\n"
    "sd s10, 88(t0)\n"
    "sd s11, 96(t0)\n"
    "la t0, single_steps_floats\n"
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,"
    "22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
    "fld f\\number, (\\number * 8)(t0)\n"
    ".endr\n"
    "la t0, 1f\n"
    "slli a0, a0, 2\n"
    "sub t0, t0, a0\n"
    "jalr x0, 0(t0)\n"
    ".rept 64\n"
    "rdtime t0\n"
    ".endr\n"
    "1: la x31, single_steps_in\n"
    "ld x1, 8(x31)\n"
    ".irp number, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,"
    "25, 26, 27, 28, 29, 30, 31\n"
    "ld x\\number, (\\number * 8)(x31)\n"
    ".endr\n"
    ".globl single_steps_first, single_steps_last\n"
    "single_steps_first:\n"
    "mv t0, tp\n"
    "ld t1, 0(x30)\n"
    "add t2, tp, t1\n"
    "sub t2, t2, tp\n"
    "la t3, single_steps_in\n"
    "lui t4, 0x12345\n"
    "auipc s6, 1\n"
    "addi t4, t4, 1\n"
    "mv s0, tp\n"
    /* Calls: direct, through a register, near and far, with any link register. */
    "jal ra, 10f\n"
    "lla a0, 11f\n"
    "jalr ra, 0(a0)\n"
    "call 12f\n"
    "lla a1, 13f\n"
    "jalr a1, 0(a1)\n"
    "lla a2, 13f - 4\n"
    "jalr a0, 4(a2)\n"
    "lla t0, 14f\n"
    "jalr tp, 0(t0)\n"
    "mv tp, s0\n"
    "lla tp, 15f\n"
    "jalr a2, 0(tp)\n"
    "mv tp, s0\n"
    "lla a0, 16f\n"
    "jalr x0, 0(a0)\n"
    "addi s3, s3, 1\n"
    "16:\n"
    /* Branches, on tp too, and a loop. */
    "beq tp, s0, 17f\n"
    "addi s3, s3, 2\n"
    "17:\n"
    "bne tp, s0, 18f\n"
    "addi s3, s3, 4\n"
    "18:\n"
    "bne s0, tp, 18b\n"
    "li s1, 4\n"
    "19:\n"
    "addi s2, s2, 7\n"
    "addi s1, s1, -1\n"
    "addi tp, tp, 32\n"
    "bne s1, x0, 19b\n"
    "addi tp, tp, -128\n"
    /* Memory through tp, which is the program's to use. */
    "mv tp, x30\n"
    "sd t4, 16(tp)\n"
    "sd tp, 24(tp)\n"
    "ld t2, 16(tp)\n"
    "ld tp, 24(tp)\n"
    "ld a1, 0(tp)\n"
    "sd a1, 32(x30)\n"
    "lui tp, 0x54321\n"
    "auipc tp, 0\n"
    "add a0, tp, tp\n"
    "xor tp, a0, tp\n"
    "slli a2, tp, 3\n"
    "add tp, s0, x0\n"
    "jal x0, single_steps_last\n"
    "10: addi s4, s4, 1\n"
    "jalr x0, 0(ra)\n"
    "11: addi s4, s4, 2\n"
    "jalr x0, 0(ra)\n"
    "12: addi s4, s4, 3\n"
    "jalr x0, 0(ra)\n"
    "13: addi s4, s4, 4\n"
    "beq s4, s5, 20f\n"
    "addi s5, s4, 4\n"
    "jalr x0, 0(a1)\n"
    "20: jalr x0, 0(a0)\n"
    "14: mv t1, tp\n"
    "jalr x0, 0(tp)\n"
    "15: add a1, tp, a2\n"
    "jalr x0, 0(a2)\n"
    "single_steps_last:\n"
    ".irp number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,"
    "23, 24, 25, 26, 27, 28, 29, 30, 31\n"
    "sd x\\number, (\\number * 8)(x31)\n"
    ".endr\n"
    "la t0, single_steps_kept\n"
    "ld ra, 0(t0)\n"
    "ld s0, 8(t0)\n"
    "ld s1, 16(t0)\n"
    "ld s2, 24(t0)\n"
    "ld s3, 32(t0)\n"
    "ld s4, 40(t0)\n"
    "ld s5, 48(t0)\n"
    "ld s6, 56(t0)\n"
    "ld s7, 64(t0)\n"
    "ld s8, 72(t0)\n"
    "ld s9, 80(t0)\n"
    "ld s10, 88(t0)\n"
    "ld s11, 96(t0)\n"
    "jalr x0, 0(ra)\n"
    ".option pop\n");

static int64_t signed_bits(uint32_t word, unsigned high, unsigned low)
{
    return (int32_t)(word << (31 - high)) >> (31 - high + low);
}

static int64_t branch_offset(uint32_t word)
{
    return (signed_bits(word, 31, 31) * 4096) | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 |
           (word >> 8 & 15) << 1;
}

static int64_t jump_offset(uint32_t word)
{
    return (signed_bits(word, 31, 31) * (1 << 20)) | (word & 0xff000) | (word >> 20 & 1) << 11 |
           (word >> 21 & 1023) << 1;
}

/* The few instructions of the code above. */
static void interpret(struct state *state)
{
    const uint64_t pc = state->x[0];
    const uint32_t word = *(const uint32_t *)(uintptr_t)pc;
    const unsigned rd = word >> 7 & 31;
    const unsigned rs1 = word >> 15 & 31;
    const unsigned rs2 = word >> 20 & 31;
    const uint64_t a = rs1 == 0 ? 0 : state->x[rs1];
    const uint64_t b = rs2 == 0 ? 0 : state->x[rs2];
    const uint64_t upper = (uint64_t)(int64_t)(int32_t)(word & 0xfffff000);
    const uint64_t low = (uint64_t)signed_bits(word, 31, 20);
    const uint64_t store_low = (uint64_t)(signed_bits(word, 31, 25) * 32) | rd;
    uint64_t next = pc + 4;
    uint64_t value = 0;

    switch (word & 0x7f) {
    case 0x37:
        value = upper;
        break;
    case 0x17:
        value = pc + upper;
        break;
    case 0x13:
        value = (word >> 12 & 7) == 0 ? a + low : a << (low & 63);
        break;
    case 0x33:
        value = (word >> 12 & 7) == 4 ? a ^ b : word >> 30 & 1 ? a - b : a + b;
        break;
    case 0x03:
        value = *(const uint64_t *)(uintptr_t)(a + low);
        break;
    case 0x23:
        *(uint64_t *)(uintptr_t)(a + store_low) = b;
        state->x[0] = next;
        return;
    case 0x63:
        if ((a == b) == ((word >> 12 & 7) == 0)) {
            next = pc + (uint64_t)branch_offset(word);
        }
        state->x[0] = next;
        return;
    case 0x6f:
        value = next;
        next = pc + (uint64_t)jump_offset(word);
        break;
    default:
        REQUIRE((word & 0x7f) == 0x67);
        value = next;
        next = (a + low) & ~UINT64_C(1);
        break;
    }
    if (rd != 0) {
        state->x[rd] = value;
    }
    state->x[0] = next;
}

static struct state seen;
static uint64_t seen_floats[32];
static volatile sig_atomic_t arrived;

/* tp may be anything here: no function is called. */
static void note(int number, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;

    (void)number;
    (void)info;
    for (unsigned i = 0; i < REGISTERS; i++) {
        seen.x[i] = interrupted->uc_mcontext.__gregs[i];
        seen_floats[i] = interrupted->uc_mcontext.__fpregs.__d.__f[i];
    }
    arrived = 1;
}

static bool same(const struct state *a, const struct state *b, unsigned first)
{
    for (unsigned i = first; i < REGISTERS; i++) {
        if (a->x[i] != b->x[i] && i != SP) {
            return false;
        }
    }
    return true;
}

static int find_state(void)
{
    for (unsigned i = 0; i < state_count; i++) {
        if (same(&states[i], &seen, 0)) {
            return (int)i;
        }
    }
    return -1;
}

static void prepare(void)
{
    struct state *state = &single_steps_in;

    for (unsigned i = 0; i < REGISTERS; i++) {
        state->x[i] = 0x1111111111111111 * (i % 15) + i;
        single_steps_floats[i] = 0x4000000000000000 + i;
    }
    state->x[30] = (uintptr_t)area;
    state->x[31] = (uintptr_t)&single_steps_out;
    __asm__("mv %0, gp" : "=r"(state->x[GP]));
    __asm__("mv %0, tp" : "=r"(state->x[TP]));
    state->x[0] = (uintptr_t)single_steps_first;
    states[0] = *state;
    while (states[state_count].x[0] != (uintptr_t)single_steps_last) {
        REQUIRE(state_count + 1 < STATES);
        states[state_count + 1] = states[state_count];
        state_count++;
        interpret(&states[state_count]);
    }
    state_count++;
}

static bool visited[STATES];
static unsigned wrong_states, wrong_floats, wrong_ends, found;

static void interrupt_after(timer_t timer, int delay, unsigned waits)
{
    const struct itimerspec time = {.it_value = {.tv_nsec = delay}};

    arrived = 0;
    REQUIRE(timer_settime(timer, 0, &time, NULL) == 0);
    single_steps(waits);
    wrong_ends += !same(&single_steps_out, &states[state_count - 1], 1);
    while (!arrived) {
    }
    if (seen.x[0] >= (uintptr_t)single_steps_first && seen.x[0] < (uintptr_t)single_steps_last) {
        const int state = find_state();

        wrong_states += state < 0;
        wrong_floats += memcmp(seen_floats, single_steps_floats, sizeof(seen_floats)) != 0;
        found += state >= 0 && !visited[state];
        visited[state < 0 ? 0 : state] = true;
    }
}

int main(int argc, char **argv)
{
    const unsigned wanted = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;

    prepare();
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    for (unsigned waits = 0; waits == 0 || (waits <= WAITS && found < wanted); waits += 8) {
        for (int delay = 1; delay <= DELAYS; delay++) {
            interrupt_after(timer, delay, waits);
        }
    }
    printf("wrong states %u, wrong floats %u, wrong ends %u\n", wrong_states, wrong_floats,
           wrong_ends);
    fprintf(stderr, "%u of %u states found\n", found, state_count - 1);
    printf("at least %u states found: %s\n", wanted, found >= wanted ? "yes" : "no");
    return 0;
}
