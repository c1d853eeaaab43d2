/* Shows gp and tp as ordinary registers in hot loops: counters, operands of every kind of instruction, bases, links and
 * targets, with signals in between whose handler looks at them. */
#include "common.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>

/* Seen by the asm, with gp and tp of C, which come back at the end of each loop. */
uint64_t own[4];
uint64_t cells[16];
static volatile uint64_t ticks;
static uint64_t seen = CHECKSUM_START;

void on_signal(int number, siginfo_t *info, void *context);

/* Kernels give handlers gp and tp as they were. */
__asm__(".text\n.option push\n.option norelax\n"
        "on_signal:\n"
        "    lla gp, __global_pointer$\n"
        "    lla t0, own\n"
        "    ld tp, 8(t0)\n"
        "    j handle\n"
        ".option pop\n");

__attribute__((used)) void handle(int number, siginfo_t *info, void *context)
{
    const mcontext_t *saved = &((const ucontext_t *)context)->uc_mcontext;

    (void)info;
    ticks++;
    if (number == SIGUSR1) {
        seen = checksum_word(checksum_word(seen, saved->__gregs[3]), saved->__gregs[4]);
    }
}

/* A function of a0 turns, which works on a0 and a2, and a1 that points to `cells`; its result is in a0.  It may use gp,
 * tp, and what a caller saves. */
#define LOOP(name, body)                                                                           \
    uint64_t name(uint64_t times, uint64_t *at, uint64_t value);                                   \
    __asm__(".text\n.balign 4\n.globl " #name "\n" #name ":\n"                                     \
            ".option push\n.option norelax\n"                                                      \
            "    addi sp, sp, -64\n    sd ra, 0(sp)\n"                                             \
            "    lla t0, own\n    sd gp, 0(t0)\n    sd tp, 8(t0)\n" body "\n"                      \
            "    lla t0, own\n    ld gp, 0(t0)\n    ld tp, 8(t0)\n"                                \
            "    ld ra, 0(sp)\n    addi sp, sp, 64\n    ret\n"                                     \
            ".option pop\n")

LOOP(count_down, "mv gp, a0\nli a0, 0\n"
                 "1: add a0, a0, gp\n"
                 "addi gp, gp, -1\n"
                 "bnez gp, 1b");
LOOP(count_up, "li gp, 0\nmv tp, a0\nli a0, 0\n"
               "1: addi gp, gp, 1\n"
               "xor a0, a0, gp\n"
               "andi t1, gp, 7\n"
               "beqz t1, 2f\n"
               "add a0, a0, tp\n"
               "2: bltu gp, tp, 1b");
LOOP(branches, "li gp, 3\nli tp, 5\nmv t2, a0\nli a0, 0\n"
               "1: addi gp, gp, 7\n"
               "addi tp, tp, 5\n"
               "andi gp, gp, 63\n"
               "andi tp, tp, 63\n"
               "beq gp, tp, 2f\n"
               "addi a0, a0, 1\n"
               "2: bge gp, tp, 3f\n"
               "addi a0, a0, 16\n"
               "3: blt tp, t2, 4f\n"
               "addi a0, a0, 64\n"
               "4: bgeu gp, a0, 5f\n"
               "addi a0, a0, 256\n"
               "5: bne gp, gp, 1b\n"
               "addi t2, t2, -1\n"
               "bnez t2, 1b");
LOOP(links, "mv t2, a0\nmv a0, a2\n"
            "1: jal gp, 5f\n"
            "jal tp, 6f\n"
            "lla t0, 5f\n"
            "jalr gp, 0(t0)\n"
            "lla t0, 6f\n"
            "jalr tp, 0(t0)\n"
            "lla gp, 7f\n"
            "jalr gp, 0(gp)\n" /* links with what it goes through */
            "lla tp, 8f - 4\n"
            "jalr tp, 4(tp)\n"
            "lla gp, 9f\n"
            "jalr gp\n" /* ra */
            "lla tp, 9f\n"
            "c.jalr tp\n"
            "lla gp, 8f\n"
            "jalr tp, 0(gp)\n"
            "lla tp, 7f\n"
            "jalr gp, 0(tp)\n"
            "addi t2, t2, -1\n"
            "bnez t2, 1b\n"
            "j 2f\n"
            "5: addi a0, a0, 1\njr gp\n"
            "6: slli a0, a0, 1\njr tp\n"
            "7: addi a0, a0, 3\nc.jr gp\n"
            "8: xori a0, a0, 0x55\nc.jr tp\n"
            "9: srli t1, a0, 5\nadd a0, a0, t1\nret\n"
            "2:");
LOOP(wandering, "mv t2, a0\nmv a0, a2\n" /* targets that change, through gp and through tp */
                "1: lla gp, 5f\n"
                "andi t1, t2, 31\n"
                "bnez t1, 4f\n"
                "lla gp, 6f\n"
                "4: mv tp, gp\n"
                "jalr ra, 0(gp)\n"
                "jalr gp, 0(tp)\n"
                "3: addi t2, t2, -1\n"
                "bnez t2, 1b\n"
                "j 2f\n"
                "5: addi a0, a0, 1\nbeq gp, tp, 7f\njr gp\n7: ret\n"
                "6: slli a0, a0, 3\nbeq gp, tp, 7f\njr 0(gp)\n7: ret\n"
                "2:");
LOOP(addresses, "mv t2, a0\nli a0, 0\n"
                "1: auipc gp, 0\n"
                "2: lla tp, 2b - 4\n"
                "sub gp, gp, tp\n"
                "add a0, a0, gp\n"
                "lui gp, 0x12345\n"
                "add a0, a0, gp\n"
                "lui tp, 0x54321\n"
                "xor a0, a0, tp\n"
                "3: auipc gp, %pcrel_hi(5f)\n"
                "jalr gp, %pcrel_lo(3b)(gp)\n"
                "4: auipc tp, %pcrel_hi(6f)\n"
                "jalr tp, %pcrel_lo(4b)(tp)\n"
                "3: auipc gp, %pcrel_hi(7f)\n"
                "jalr x0, %pcrel_lo(3b)(gp)\n"
                "addi a0, a0, 1\n"
                "7: addi t2, t2, -1\n"
                "bnez t2, 1b\n"
                "j 2f\n"
                "5: addi a0, a0, 5\njr gp\n"
                "6: addi a0, a0, 9\njr tp\n"
                "2:");
LOOP(short_forms, "mv t2, a0\nmv a0, a2\n"
                  "1: c.mv gp, a0\n"
                  "c.mv tp, gp\n"
                  "c.add gp, tp\n"
                  "c.add tp, a2\n"
                  "c.add a0, gp\n"
                  "c.sdsp gp, 8(sp)\n"
                  "c.sdsp tp, 16(sp)\n"
                  "c.swsp gp, 24(sp)\n"
                  "c.ldsp tp, 8(sp)\n"
                  "c.ldsp gp, 16(sp)\n"
                  "c.add a0, tp\n"
                  "c.lwsp tp, 24(sp)\n"
                  "c.add a0, tp\n"
                  "c.addi gp, -9\n"
                  "c.addiw tp, 7\n"
                  "c.slli gp, 3\n"
                  "c.slli tp, 40\n"
                  "xor a0, a0, gp\n"
                  "xor a0, a0, tp\n"
                  "c.li gp, -3\n"
                  "c.lui tp, 0x1f\n"
                  "sub a0, a0, gp\n"
                  "add a0, a0, tp\n"
                  "addi t2, t2, -1\n"
                  "bnez t2, 1b");
LOOP(memory, "mv t2, a0\nli a0, 0\n"
             "1: mv gp, a1\n"
             "addi tp, a1, 32\n"
             "ld t1, 0(gp)\n"
             "sd t1, 8(tp)\n"
             "ld gp, 8(gp)\n"
             "sd gp, 0(a1)\n"
             "mv gp, a1\n"
             "ld tp, 0(tp)\n"
             "sd tp, 8(gp)\n"
             "addi tp, tp, 3\n"
             "sd tp, 32(gp)\n"
             "sd gp, 48(gp)\n"
             "addi tp, a1, 56\n"
             "sd tp, 0(tp)\n"
             "lbu gp, 8(gp)\n"
             "add a0, a0, gp\n"
             "mv gp, a1\n"
             "fld ft0, 0(gp)\n"
             "fsd ft0, 8(tp)\n"
             "fcvt.d.l ft1, gp\n"
             "fmv.x.d gp, ft1\n"
             "fcvt.l.d tp, ft1\n"
             "sub tp, tp, a1\n"
             "add a0, a0, tp\n"
             "feq.d gp, ft1, ft1\n"
             "add a0, a0, gp\n"
             "frflags gp\n"
             "add a0, a0, gp\n"
             "addi t2, t2, -1\n"
             "bnez t2, 1b\n"
             "fsflags zero");
LOOP(atomics, "mv t2, a0\nli a0, 0\n"
              "1: mv tp, a1\n"
              "2: lr.d gp, (tp)\n"
              "addi gp, gp, 3\n"
              "sc.d t1, gp, (tp)\n"
              "bnez t1, 2b\n"
              "mv gp, a1\n"
              "3: lr.d tp, (gp)\n"
              "add tp, tp, t2\n"
              "sc.d t1, tp, (gp)\n"
              "bnez t1, 3b\n"
              "4: lr.d t1, (gp)\n"
              "andi tp, t1, 1\n"
              "li t4, 0\n"
              "beqz tp, 5f\n"
              "li t4, 7\n"
              "5: add t1, t1, a2\n"
              "sc.d tp, t1, (gp)\n"
              "bnez tp, 4b\n"
              "add a0, a0, t4\n"
              "6: lr.w gp, (a1)\n"
              "sc.w gp, gp, (a1)\n"
              "bnez gp, 6b\n"
              "mv tp, a1\n"
              "li gp, 5\n"
              "amoadd.d gp, gp, (tp)\n"
              "add a0, a0, gp\n"
              "mv gp, a1\n"
              "amoswap.d tp, t2, (gp)\n"
              "amoor.d tp, tp, (gp)\n"
              "xor a0, a0, tp\n"
              "addi t2, t2, -1\n"
              "bnez t2, 1b");
LOOP(arithmetic, "mv t2, a0\nmv a0, a2\nmv gp, a2\nli tp, 77\n"
                 "1: mul gp, gp, tp\n"
                 "addi gp, gp, 1\n"
                 "remu tp, gp, t2\n"
                 "addi tp, tp, 3\n"
                 "sll gp, gp, zero\n"
                 "sltu t1, gp, tp\n"
                 "add a0, a0, t1\n"
                 "slti tp, tp, 50\n"
                 "addi tp, tp, 5\n"
                 "subw t1, tp, gp\n"
                 "xor a0, a0, t1\n"
                 "andi t1, t2, 15\n"
                 "bnez t1, 2f\n"
                 "jal ra, 5f\n"
                 "2: addi t2, t2, -1\n"
                 "bnez t2, 1b\n"
                 "add a0, a0, gp\n"
                 "j 3f\n"
                 "5: neg gp, gp\nret\n"
                 "3:");
/* A system call each time, sched_yield; and a signal to itself each 16th time: tgkill. */
LOOP(calls, "mv t2, a0\nli gp, 0x333\nli tp, 0x444\nli t3, 0\n"
            "1: addi gp, gp, 3\n"
            "addi tp, tp, 4\n"
            "li a7, 124\n"
            "ecall\n"
            "add t3, t3, a0\n"
            "andi t1, t2, 15\n"
            "bnez t1, 2f\n"
            "lla t0, own\n"
            "ld a0, 16(t0)\n"
            "ld a1, 24(t0)\n"
            "li a2, 10\n"
            "li a7, 131\n"
            "ecall\n"
            "2: add t3, t3, gp\n"
            "xor t3, t3, tp\n"
            "addi t2, t2, -1\n"
            "bnez t2, 1b\n"
            "mv a0, t3");

#define ROW(name)                                                                                  \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    uint64_t (*run)(uint64_t times, uint64_t *at, uint64_t value);
} loops[] = {ROW(count_down), ROW(count_up),   ROW(branches),    ROW(links),
             ROW(wandering),  ROW(addresses),  ROW(short_forms), ROW(memory),
             ROW(atomics),    ROW(arithmetic), ROW(calls)};
#define LOOPS (sizeof(loops) / sizeof(loops[0]))

static uint64_t run(size_t i, uint64_t times)
{
    memset(cells, 0, sizeof(cells));
    cells[4] = 4;
    const uint64_t result = loops[i].run(times, cells, 0x123456789);
    return checksum(checksum_word(CHECKSUM_START, result), cells, sizeof(cells));
}

/* The timer finds other instructions each time; what the loops make must stay the same. */
static void run_with_timer(const uint64_t *wanted, uint64_t times)
{
    struct itimerval timer = {{0, 300}, {0, 300}};
    unsigned different = 0;

    ticks = 0;
    REQUIRE(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    for (unsigned rounds = 0; rounds < 10 || (ticks < 20 && rounds < 100000); rounds++) {
        for (size_t i = 0; i < LOOPS - 1; i++) {
            different += run(i, times) != wanted[i];
        }
    }
    memset(&timer, 0, sizeof(timer));
    REQUIRE(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    printf("with a timer: %u different, some signals %d\n", different, ticks >= 20);
}

int main(void)
{
    const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    uint64_t results[LOOPS];

    own[2] = (uint64_t)getpid();
    own[3] = (uint64_t)syscall(SYS_gettid);
    __asm__ volatile("sd gp, 0(%0)\nsd tp, 8(%0)" : : "r"(own) : "memory");
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
    for (size_t i = 0; i < LOOPS; i++) {
        results[i] = run(i, 100);
        printf("%s: %016lx %016lx\n", loops[i].name, results[i], run(i, 700));
    }
    printf("signals %lu, gp and tp in them %016lx\n", ticks, seen);
    run_with_timer(results, 100);
    return 0;
}
