/* Shows loops whose registers stay the same for long, and then are others: constants, pointers to one place or to two,
 * functions, flags.  Signals come while they are, faults too, and handlers change them. */
#include "common.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#define PAGE 4096
#define TURNS 150
enum { SP = 2, S1 = 9, S2 = 18, S4 = 20, S5 = 21, S6 = 22, S8 = 24, S9 = 25 };

static char bad[PAGE] __attribute__((aligned(PAGE)));
static char good[PAGE] __attribute__((aligned(PAGE)));
static char signal_stack[65536];

/* s1 to s9 as the loop begins, which knows the offsets. */
struct row {
    uint64_t turns, factors[2];
    char *from, *to;
    void (*function)(void);
    uint64_t sum, flag, step;
};
static struct row row;
static uint64_t all = CHECKSUM_START;
static unsigned long wrong, timers;

/* The same loop several times: in each something else stays at first. */
struct loop {
    void (*spin)(struct row *row);
    char *head, *load, *end;
};
extern const struct loop loops[10];
static const struct loop *loop;
void add_one(void), add_two(void);

__asm__(
    ".text\n.balign 8\n"
    ".macro spin number\n"
    "spin\\number:\n"
    "    addi sp, sp, -128\n"
    "    sd ra, 0(sp)\n    sd a0, 8(sp)\n"
    "    sd s1, 16(sp)\n    sd s2, 24(sp)\n    sd s3, 32(sp)\n    sd s4, 40(sp)\n    sd s5, "
    "48(sp)\n"
    "    sd s6, 56(sp)\n    sd s7, 64(sp)\n    sd s8, 72(sp)\n    sd s9, 80(sp)\n"
    "    ld s1, 0(a0)\n    ld s2, 8(a0)\n    ld s3, 16(a0)\n    ld s4, 24(a0)\n    ld s5, 32(a0)\n"
    "    ld s6, 40(a0)\n    ld s7, 48(a0)\n    ld s8, 56(a0)\n    ld s9, 64(a0)\n"
    "head\\number:\n"
    "    beqz s8, 3f\n"
    "    mul t0, s2, s3\n"
    "load\\number:\n"
    "    ld t1, 0(s4)\n"
    "    sd s7, 0(s5)\n" /* perhaps to where t1 came from */
    "    ld t2, 0(s4)\n"
    "    add s7, s7, t0\n"
    "    xor s7, s7, t1\n"
    "    add s7, s7, t2\n"
    "    sd s2, 88(sp)\n" /* comes back */
    "    addi s2, s2, 9\n"
    "    add s7, s7, s2\n"
    "    ld s2, 88(sp)\n"
    "    sub t3, s2, s3\n"
    "    add s7, s7, t3\n"
    "    jalr s6\n"
    "    andi t0, s1, 63\n"
    "    beqz t0, 4f\n"
    "2:  addi s1, s1, -1\n"
    "    bnez s1, head\\number\n"
    "end\\number:\n"
    "    ld a0, 8(sp)\n"
    "    sd s7, 48(a0)\n    sd s3, 72(a0)\n    sd t3, 80(a0)\n"
    "    ld ra, 0(sp)\n"
    "    ld s1, 16(sp)\n    ld s2, 24(sp)\n    ld s3, 32(sp)\n    ld s4, 40(sp)\n    ld s5, "
    "48(sp)\n"
    "    ld s6, 56(sp)\n    ld s7, 64(sp)\n    ld s8, 72(sp)\n    ld s9, 80(sp)\n"
    "    addi sp, sp, 128\n"
    "    ret\n"
    "3:  addi s7, s7, 77\n"
    "    j 2b\n"
    "4:  add s3, s3, s9\n" /* it is no constant, if s9 is not zero */
    "    j 2b\n"
    ".data\n"
    "    .dword spin\\number, head\\number, load\\number, end\\number\n"
    ".text\n"
    ".endm\n"
    ".data\n.balign 8\n.globl loops\nloops:\n.text\n"
    "spin 0\nspin 1\nspin 2\nspin 3\nspin 4\nspin 5\nspin 6\nspin 7\nspin 8\nspin 9\n"
    "add_one:\n"
    "    addi s7, s7, 1\n"
    "    ret\n"
    "add_two:\n"
    "    slli s7, s7, 1\n"
    "    addi s7, s7, 2\n"
    "    ret\n");

static void go(void)
{
    struct {
        struct row row;
        uint64_t factor, difference;
    } done = {.row = row};

    done.row.turns = TURNS;
    loop->spin(&done.row);
    row.sum = done.row.sum;
    all = checksum_word(all, done.row.sum);
    all = checksum_word(all, done.factor);
    all = checksum_word(all, done.difference);
}

static void begin(const char *name)
{
    static const struct row first = {.factors = {6, 7},
                                     .from = good + 64,
                                     .to = good + 128,
                                     .function = add_one,
                                     .sum = 1,
                                     .flag = 1};
    static const char *before;

    if (before != NULL) {
        printf("%s: %016llx\n", before, (unsigned long long)all);
    }
    before = name;
    row = first;
    loop = loop == NULL ? loops : loop + 1;
}

static void repeat(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        go();
    }
}

/* At first all stays the same, for a while. */
static void begin_the_same(const char *name)
{
    begin(name);
    repeat(4);
}

static uint64_t *registers_of(void *context)
{
    return (uint64_t *)((ucontext_t *)context)->uc_mcontext.__gregs;
}

/* The load of the loop: from then on it loads from elsewhere. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    uint64_t *registers = registers_of(context);

    REQUIRE(number == SIGSEGV && (char *)info->si_addr == bad + 64);
    REQUIRE(registers[REG_PC] == (uintptr_t)loop->load);
    for (int i = S1; i <= S9; i++) {
        all = checksum_word(
            all, i == S1 || i >= S2 ? (i == S4 || i == S5 || i == S6 ? 0 : registers[i]) : 0);
    }
    REQUIRE(registers[S5] == (uintptr_t)row.to && registers[S6] == (uintptr_t)row.function);
    registers[S4] += (uint64_t)(good - bad);
}

/* At any moment of the loop the registers are what they should be. */
static void on_timer(int number, siginfo_t *info, void *context)
{
    const uint64_t *registers = registers_of(context), pc = registers[REG_PC];

    (void)number;
    (void)info;
    timers++;
    if (pc < (uintptr_t)loop->head || pc >= (uintptr_t)loop->end) {
        return;
    }
    const uint64_t more = registers[S2] - row.factors[0];
    wrong += (more != 0 && more != 9) || registers[S2 + 1] != row.factors[1] ||
             registers[S4] != (uintptr_t)row.from || registers[S5] != (uintptr_t)row.to ||
             registers[S6] != (uintptr_t)row.function || registers[S8] != row.flag ||
             registers[S9] != row.step;
}

static void set_timer(long microseconds)
{
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};

    REQUIRE(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

int main(void)
{
    const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

    REQUIRE(sigaltstack(&stack, NULL) == 0);
    action.sa_sigaction = on_fault;
    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0);
    action.sa_sigaction = on_timer;
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    REQUIRE(mprotect(bad, PAGE, PROT_NONE) == 0);

    begin("the same for long");
    repeat(60);
    begin_the_same("another factor");
    row.factors[1] = 8;
    repeat(20);
    begin_the_same("other factors each time");
    for (unsigned i = 0; i < 30; i++) {
        row.factors[i % 2] += i;
        go();
    }
    begin_the_same("to one place");
    row.to = row.from;
    repeat(10);
    begin_the_same("to places that overlap");
    row.to = row.from + 4;
    repeat(10);
    begin_the_same("two functions");
    for (unsigned i = 0; i < 20; i++) {
        row.function = i % 3 == 0 ? add_two : add_one;
        go();
    }
    begin_the_same("another step");
    row.step = 1;
    repeat(20);
    begin_the_same("no flag");
    row.flag = 0;
    repeat(5);
    begin_the_same("faults");
    for (unsigned i = 0; i < 12; i++) {
        row.from = (i % 4 == 3 ? bad : good) + 64;
        go();
    }
    begin_the_same("with signals");
    set_timer(500);
    for (unsigned i = 0; i < 2000 || timers < 10; i++) {
        row.factors[0] = 6 + (i >> 9 & 1);
        if (i < 2000) {
            go();
        } else {
            const uint64_t kept = all, sum = row.sum;
            go(); /* how often is nobody's business */
            all = kept;
            row.sum = sum;
        }
    }
    set_timer(0);
    printf("with signals: %016llx, %lu wrong\n", (unsigned long long)all, wrong);
    return 0;
}
