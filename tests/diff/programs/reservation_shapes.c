/* Shows sequences of lr and sc in every shape that compilers and libraries make, and some that nobody should
 * make, at every place around the end of a page, alone, with faults and signals in the middle, and contended. */
#include "common.h"
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096
#define MIDDLE (16 * PAGE) /* the end of a page with enough around it */
#define THREADS 4
#define ROUNDS 300

/* Each adds a1 to *a0, which is never negative, and returns what was there. */
#define SHAPE(name, body)                                                                          \
    extern char name##_start[];                                                                    \
    extern char name##_end[];                                                                      \
    __asm__(".section .rodata\n.balign 8\n" #name "_start:\n" body "\n" #name "_end:\n.text\n")

SHAPE(plain, "1: lr.d t0, (a0)\n"
             "add t1, t0, a1\n"
             "sc.d t2, t1, (a0)\n"
             "bnez t2, 1b\n"
             "mv a0, t0\n"
             "ret");
SHAPE(exchange, "0: ld t0, 0(a0)\n" /* a strong exchange, in a loop */
                "add t1, t0, a1\n"
                "1: lr.d.aqrl t2, (a0)\n"
                "bne t2, t0, 2f\n"
                "sc.d.rl t3, t1, (a0)\n"
                "bnez t3, 1b\n"
                "2: bne t2, t0, 0b\n"
                "mv a0, t0\n"
                "ret");
SHAPE(weak, "0: ld t0, 0(a0)\n"
            "add t1, t0, a1\n"
            "li t3, 1\n"
            "lr.d.aq t2, (a0)\n"
            "bne t2, t0, 2f\n"
            "sc.d.rl t3, t1, (a0)\n"
            "2: bnez t3, 0b\n"
            "mv a0, t0\n"
            "ret");
SHAPE(masked, "li t4, -1\n" /* as for a part of a word */
              "srli t4, t4, 1\n"
              "not t5, t4\n"
              "1: lr.d.aq t0, (a0)\n"
              "and t1, t0, t4\n"
              "add t1, t1, a1\n"
              "xor t1, t1, t0\n"
              "and t1, t1, t4\n"
              "xor t1, t1, t0\n"
              "sc.d.rl t2, t1, (a0)\n"
              "bnez t2, 1b\n"
              "and a0, t0, t4\n"
              "ret");
SHAPE(either, "1: lr.d t0, (a0)\n" /* two ways between the two */
              "andi t2, t0, 1\n"
              "beqz t2, 2f\n"
              "add t1, t0, a1\n"
              "j 3f\n"
              "2: sub t1, zero, a1\n"
              "sub t1, t0, t1\n"
              "3: sc.d t2, t1, (a0)\n"
              "bnez t2, 1b\n"
              "mv a0, t0\n"
              "ret");
SHAPE(to_store, "1: lr.d t0, (a0)\n" /* as for the larger of two in a part of a word */
                "add t1, t0, a1\n"
                "bge t1, t0, 2f\n"
                "mv t1, t0\n"
                "2: sc.d t2, t1, (a0)\n"
                "bnez t2, 1b\n"
                "mv a0, t0\n"
                "ret");
SHAPE(way_out, "1: lr.d t0, (a0)\n" /* never taken */
               "bltz t0, 9f\n"
               "add t1, t0, a1\n"
               "blez t0, 4f\n"
               "4: sc.d t2, t1, (a0)\n"
               "beqz t2, 5f\n"
               "j 1b\n"
               "9: ebreak\n"
               "5: mv a0, t0\n"
               "ret");
SHAPE(twice, "1: lr.d t0, (a0)\n" /* the second counts */
             "lr.d t0, (a0)\n"
             "add t1, t0, a1\n"
             "sc.d t2, t1, (a0)\n"
             "bnez t2, 1b\n"
             "mv a0, t0\n"
             "ret");
SHAPE(late_head, "j 2f\n" /* the way back goes to before the lr */
                 "1: nop\n"
                 "c.nop\n"
                 "2: lr.d t0, (a0)\n"
                 "add t1, t0, a1\n"
                 "sc.d t2, t1, (a0)\n"
                 "bnez t2, 1b\n"
                 "mv a0, t0\n"
                 "ret");
SHAPE(other_result, "1: lr.d a4, (a0)\n" /* registers of a translator's, if it borrows any */
                    "add a5, a4, a1\n"
                    "sc.d a5, a5, (a0)\n"
                    "bnez a5, 1b\n"
                    "mv a0, a4\n"
                    "ret");
SHAPE(in_saved, "addi sp, sp, -32\n"
                "sd s10, 0(sp)\n"
                "sd s11, 8(sp)\n"
                "sd s9, 16(sp)\n"
                "sd ra, 24(sp)\n"
                "1: lr.d s10, (a0)\n"
                "add s11, s10, a1\n"
                "mv s9, s11\n"
                "sc.d ra, s9, (a0)\n"
                "bnez ra, 1b\n"
                "mv a0, s10\n"
                "ld ra, 24(sp)\n"
                "ld s9, 16(sp)\n"
                "ld s11, 8(sp)\n"
                "ld s10, 0(sp)\n"
                "addi sp, sp, 32\n"
                "ret");
SHAPE(with_tp, "1: lr.d t0, (a0)\n" /* as where a lock's owner is written into it */
               "add t1, t0, a1\n"
               "add t1, t1, tp\n"
               "sub t1, t1, tp\n"
               "sc.d t2, t1, (a0)\n"
               "bnez t2, 1b\n"
               "mv a0, t0\n"
               "ret");
SHAPE(owner, "1: lr.d t0, (a0)\n" /* with ways out, of which none is taken */
             "beq t0, tp, 9f\n"
             "add t1, t0, tp\n"
             "bltz t0, 9f\n"
             "mv t3, tp\n"
             "sub t1, t1, t3\n"
             "beq tp, t3, 2f\n"
             "mv t1, tp\n"
             "2: add t1, t1, a1\n"
             "sc.d t2, t1, (a0)\n"
             "bnez t2, 1b\n"
             "mv a0, t0\n"
             "ret\n"
             "9: ebreak");
SHAPE(changes_tp, "mv t4, tp\n" /* as what is loaded, as an address, and as the store's result */
                  "1: lr.d tp, (a0)\n"
                  "mv t0, tp\n"
                  "bltz tp, 9f\n"
                  "add tp, tp, a1\n"
                  "beqz tp, 2f\n"
                  "addi tp, tp, 1\n"
                  "addi tp, tp, -1\n"
                  "2: mv t1, tp\n"
                  "auipc tp, 1\n"
                  "sc.d tp, t1, (a0)\n"
                  "bnez tp, 1b\n"
                  "mv tp, t4\n"
                  "mv a0, t0\n"
                  "ret\n"
                  "9: ebreak");
SHAPE(through_tp, "mv t4, tp\n"
                  "mv tp, a0\n"
                  "1: lr.d t0, (tp)\n"
                  "add t1, t0, a1\n"
                  "sc.d t2, t1, (tp)\n"
                  "bnez t2, 1b\n"
                  "mv tp, t4\n"
                  "mv a0, t0\n"
                  "ret");
SHAPE(leaves_with_tp, "mv t4, tp\n" /* each second time, with another value in tp */
                      "1: lr.d t0, (a0)\n"
                      "mv tp, t0\n"
                      "andi t2, t0, 1\n"
                      "beqz t2, 2f\n"
                      "add t1, tp, a1\n"
                      "bnez a1, 3f\n"
                      "j 2f\n"
                      "3: sc.d t2, t1, (a0)\n"
                      "bnez t2, 1b\n"
                      "mv a0, tp\n"
                      "mv tp, t4\n"
                      "ret\n"
                      "2: mv t5, tp\n"
                      "mv tp, t4\n"
                      "lr.d t0, (a0)\n"
                      "bne t0, t5, 1b\n"
                      "add t1, t0, a1\n"
                      "sc.d t2, t1, (a0)\n"
                      "bnez t2, 1b\n"
                      "mv a0, t0\n"
                      "ret");
SHAPE(jumps_out, "1: lr.d t0, (a0)\n" /* each second time */
                 "andi t2, t0, 1\n"
                 "add t1, t0, a1\n"
                 "beqz t2, 2f\n"
                 "j 3f\n"
                 "2: sc.d t2, t1, (a0)\n"
                 "bnez t2, 1b\n"
                 "mv a0, t0\n"
                 "ret\n"
                 "3: amoadd.d a0, a1, (a0)\n"
                 "ret");
SHAPE(spins, "1: lr.d t0, (a0)\n"
             "bgez t0, 2f\n"
             "j 1b\n"
             "2: add t1, t0, a1\n"
             "sc.d t2, t1, (a0)\n"
             "bnez t2, 1b\n"
             "mv a0, t0\n"
             "ret");
SHAPE(addresses, "1: lr.d t0, (a0)\n"
                 "auipc t3, 0x12345\n"
                 "auipc t1, 0x12345\n"
                 "sub t1, t1, t3\n"
                 "auipc zero, 7\n"
                 "beqz t0, 2f\n"
                 "add t1, t1, t0\n"
                 "2: add t1, t1, a1\n"
                 "addi t1, t1, -4\n"
                 "sc.d t2, t1, (a0)\n"
                 "bnez t2, 1b\n"
                 "mv a0, t0\n"
                 "ret");
SHAPE(many_ways_out, "1: lr.d t0, (a0)\n"
                     ".rept 6\n"
                     "bltz t0, 9f\n"
                     "beq tp, t0, 9f\n"
                     ".endr\n"
                     "add t1, t0, a1\n"
                     "sc.d t2, t1, (a0)\n"
                     "bnez t2, 1b\n"
                     "mv a0, t0\n"
                     "ret\n"
                     "9: ebreak");
SHAPE(one_after_other, ".rept 2\n" /* whose store may fail */
                       "lr.d t0, (a0)\n"
                       ".rept 10\n"
                       "bltz t0, 9f\n"
                       ".endr\n"
                       "sc.d zero, t0, (a0)\n"
                       ".endr\n"
                       "1: lr.d t0, (a0)\n"
                       ".rept 10\n"
                       "bltz t0, 9f\n"
                       ".endr\n"
                       "add t1, t0, a1\n"
                       "sc.d t2, t1, (a0)\n"
                       "bnez t2, 1b\n"
                       "mv a0, t0\n"
                       "ret\n"
                       "9: ebreak");
SHAPE(after_much, ".rept 115\n"
                  "addi t1, t1, 1\n"
                  ".endr\n"
                  "1: lr.d t0, (a0)\n"
                  "add t1, t0, a1\n"
                  ".rept 5\n"
                  "xor t1, t1, tp\n"
                  "xor t1, t1, tp\n"
                  ".endr\n"
                  "sc.d t2, t1, (a0)\n"
                  "bnez t2, 1b\n"
                  "mv a0, t0\n"
                  "ret");
SHAPE(sixteen, "1: lr.d t0, (a0)\n"
               "add t1, t0, a1\n"
               ".rept 6\n"
               "addi t1, t1, 3\n"
               "addi t1, t1, -3\n"
               ".endr\n"
               "sc.d t2, t1, (a0)\n"
               "bnez t2, 1b\n"
               "mv a0, t0\n"
               "ret");
SHAPE(immediate, "1: lr.d t0, (a0)\n" /* for show_changes */
                 ".option push\n"
                 ".option norvc\n"
                 "addi t1, t0, 0\n"
                 ".option pop\n"
                 "add t1, t1, a1\n"
                 "sc.d t2, t1, (a0)\n"
                 "bnez t2, 1b\n"
                 "mv a0, t0\n"
                 "ret");
/* Longer than what must succeed: it may give up. */
#define LONG(count)                                                                                \
    "li t4, 64\n"                                                                                  \
    "1: beqz t4, 9f\n"                                                                             \
    "addi t4, t4, -1\n"                                                                            \
    "lr.d t0, (a0)\n"                                                                              \
    "add t1, t0, a1\n"                                                                             \
    ".rept " count "\n"                                                                            \
    "addi t1, t1, 3\n"                                                                             \
    "addi t1, t1, -3\n"                                                                            \
    ".endr\n"                                                                                      \
    "sc.d t2, t1, (a0)\n"                                                                          \
    "bnez t2, 1b\n"                                                                                \
    "mv a0, t0\n"                                                                                  \
    "ret\n"                                                                                        \
    "9: amoadd.d a0, a1, (a0)\n"                                                                   \
    "ret"
SHAPE(longer, LONG("20"));
SHAPE(very_long, LONG("200"));
SHAPE(with_call, "li t4, 64\n" /* goes away between the two, and comes back */
                 "mv t5, ra\n"
                 "1: beqz t4, 9f\n"
                 "addi t4, t4, -1\n"
                 "lr.d t0, (a0)\n"
                 "jal 7f\n"
                 "sc.d t2, t1, (a0)\n"
                 "bnez t2, 1b\n"
                 "mv a0, t0\n"
                 "jr t5\n"
                 "7: add t1, t0, a1\n"
                 "ret\n"
                 "9: amoadd.d a0, a1, (a0)\n"
                 "jr t5");
SHAPE(with_loop, "li t4, 64\n"
                 "1: beqz t4, 9f\n"
                 "addi t4, t4, -1\n"
                 "lr.d t0, (a0)\n"
                 "add t1, t0, a1\n"
                 "li t3, 5\n"
                 "2: addi t3, t3, -1\n"
                 "bnez t3, 2b\n"
                 "sc.d t2, t1, (a0)\n"
                 "bnez t2, 1b\n"
                 "mv a0, t0\n"
                 "ret\n"
                 "9: amoadd.d a0, a1, (a0)\n"
                 "ret");
SHAPE(crowded, "li t4, 64\n" /* no register is left that could stand for tp */
               "1: beqz t4, 9f\n"
               "addi t4, t4, -1\n"
               "lr.d t0, (a0)\n"
               "add t1, t0, a1\n"
               "add t1, t1, tp\n"
               "sub t1, t1, tp\n"
               "add zero, ra, gp\n"
               "add zero, s0, s1\n"
               "add zero, a2, a3\n"
               "add zero, a4, a5\n"
               "add zero, a6, a7\n"
               "add zero, s2, s3\n"
               "add zero, s4, s5\n"
               "add zero, s6, s7\n"
               "add zero, s8, s9\n"
               "add zero, s10, s11\n"
               "add zero, t3, t4\n"
               "add zero, t5, t6\n"
               "sc.d t2, t1, (a0)\n"
               "bnez t2, 1b\n"
               "mv a0, t0\n"
               "ret\n"
               "9: amoadd.d a0, a1, (a0)\n"
               "ret");
SHAPE(with_store, "li t4, 64\n"
                  "1: beqz t4, 9f\n"
                  "addi t4, t4, -1\n"
                  "lr.d t0, (a0)\n"
                  "add t1, t0, a1\n"
                  "sd t1, -8(sp)\n"
                  "ld t1, -8(sp)\n"
                  "sc.d t2, t1, (a0)\n"
                  "bnez t2, 1b\n"
                  "mv a0, t0\n"
                  "ret\n"
                  "9: amoadd.d a0, a1, (a0)\n"
                  "ret");

static const struct {
    const char *name, *start, *end;
} shapes[] = {
#define ROW(name)                                                                                  \
    {                                                                                              \
#name, name##_start, name##_end                                                            \
    }
    ROW(plain),           ROW(exchange),   ROW(weak),      ROW(masked),     ROW(either),
    ROW(way_out),         ROW(to_store),   ROW(twice),     ROW(late_head),  ROW(other_result),
    ROW(in_saved),        ROW(with_tp),    ROW(owner),     ROW(changes_tp), ROW(through_tp),
    ROW(leaves_with_tp),  ROW(jumps_out),  ROW(spins),     ROW(addresses),  ROW(many_ways_out),
    ROW(one_after_other), ROW(after_much), ROW(sixteen),   ROW(immediate),  ROW(longer),
    ROW(very_long),       ROW(with_call),  ROW(with_loop), ROW(crowded),    ROW(with_store),
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static bool is_asked_for(size_t shape, const char *asked)
{
    return asked == NULL || strcmp(asked, shapes[shape].name) == 0;
}

typedef int64_t add_function(int64_t *, int64_t);

static char *code;
static char *closed; /* what the handler of SIGSEGV opens */
static int64_t shared;
static int64_t handled;

static add_function *place(size_t shape, char *where)
{
    memcpy(where, shapes[shape].start, (size_t)(shapes[shape].end - shapes[shape].start));
    __builtin___clear_cache(where, where + (shapes[shape].end - shapes[shape].start));
    return (add_function *)where;
}

/* Over the end of a page, wherever it can be if it is short; each time once more with the second page closed. */
static void show_places(size_t shape)
{
    const size_t bytes = (size_t)(shapes[shape].end - shapes[shape].start);
    const size_t step = bytes > 200 ? 98 : bytes > 32 ? 6 : 2;
    int64_t value = 1;
    int64_t seen = 0;

    for (size_t before = 0; before <= bytes; before += step) {
        add_function *add = place(shape, code + MIDDLE - before);

        for (int64_t i = 0; i < 3; i++) {
            seen = seen * 3 % 1000003 + add(&value, i);
        }
        closed = code + MIDDLE;
        REQUIRE(mprotect(closed, PAGE, PROT_NONE) == 0);
        seen = seen * 3 % 1000003 + add(&value, 7);
        REQUIRE(mprotect(closed, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
        closed = NULL;
    }
    printf("%s: value %ld, seen %ld", shapes[shape].name, value, seen);
}

/* The instruction behind the lr, which has an immediate of its own each time. */
static void show_changes(size_t shape)
{
    int64_t value = 0;
    int64_t wanted = 0;

    for (size_t before = 2; before <= 10; before += 2) {
        char *where = code + MIDDLE - before;
        add_function *add = place(shape, where);

        for (uint32_t i = 1; i < 9; i++) {
            uint32_t word;
            memcpy(&word, where + 4, sizeof(word));
            word = (word & 0xfffff) | i << 20;
            memcpy(where + 4, &word, sizeof(word));
            __builtin___clear_cache(where + 4, where + 8);
            add(&value, 0);
            add(&value, 0);
            wanted += 2 * i;
        }
    }
    printf("changed between the two: %d\n", value == wanted);
}

static void open_closed(int number)
{
    REQUIRE(closed != NULL && number == SIGSEGV);
    REQUIRE(mprotect(closed, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

/* In the middle of a sequence, on what that is about. */
static void add_in_handler(int number)
{
    (void)number;
    __atomic_fetch_add(&shared, 1000000, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
}

static add_function *contended;

static void *contend(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        contended(&shared, 1);
    }
    return NULL;
}

static void show_contention(size_t shape)
{
    pthread_t threads[THREADS];

    contended = place(shape, code);
    shared = handled = 0;
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, contend, NULL) == 0);
    }
    for (int i = 0; i < 40; i++) {
        REQUIRE(pthread_kill(threads[i % THREADS], SIGUSR1) == 0);
        sched_yield();
    }
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    printf(", contended %ld, the handlers' too %d\n", shared % 1000000,
           shared / 1000000 == handled);
}

/* A timer that interrupts one thread, as often as it likes. */
static void show_timer(const char *asked)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec time = {{0, 100000}, {0, 100000}};
    unsigned wrong = 0;
    timer_t timer;

    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    REQUIRE(timer_settime(timer, 0, &time, NULL) == 0);
    for (size_t shape = 0; shape < SHAPES; shape++) {
        if (!is_asked_for(shape, asked)) {
            continue;
        }
        add_function *add = place(shape, code);
        const int64_t before = __atomic_load_n(&shared, __ATOMIC_RELAXED) % 1000000;

        for (int i = 0; i < ROUNDS; i++) {
            add(&shared, 1);
        }
        wrong += __atomic_load_n(&shared, __ATOMIC_RELAXED) % 1000000 != before + ROUNDS;
    }
    REQUIRE(timer_delete(timer) == 0);
    printf("with a timer: wrong %u, the handlers' too %d\n", wrong, shared / 1000000 == handled);
}

int main(int argc, char **argv)
{
    const char *asked = argc > 1 ? argv[1] : NULL; /* only this one */
    struct sigaction adds = {.sa_handler = add_in_handler, .sa_flags = SA_RESTART};

    setvbuf(stdout, NULL, _IOLBF, 0);
    code = mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    REQUIRE(code != MAP_FAILED && signal(SIGSEGV, open_closed) != SIG_ERR);
    REQUIRE(sigaction(SIGUSR1, &adds, NULL) == 0);
    for (size_t shape = 0; shape < SHAPES; shape++) {
        if (!is_asked_for(shape, asked)) {
            continue;
        }
        show_places(shape);
        show_contention(shape);
        if (shapes[shape].start == immediate_start) {
            show_changes(shape);
        }
    }
    shared = handled = 0;
    show_timer(asked);
    return 0;
}
