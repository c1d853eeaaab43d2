/* A process of the toy for tests of the translator's core: its memory, its threads, and what else the core
 * wants from outside.
 *
 * rig_run runs a program in the cache.  Beside it, unless a test does not want that, the same program runs
 * alone, in memory of its own; wherever the program is between two instructions, all registers must agree. */
#ifndef TESTS_TOY_RIG_H
#define TESTS_TOY_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emit.h"
#include "interpreter.h"
#include "asm.h"

#include <pthread.h>

#define PAGE UINT64_C(4096)
/* The program's memory: code, which it can write to; a hole; data, at whose end is the stack. */
#define CODE UINT64_C(0x10000000)
#define CODE_BYTES (64 * PAGE)
#define CODE_END (CODE + CODE_BYTES)
#define DATA (CODE_END + 16 * PAGE)
#define DATA_BYTES (32 * PAGE)
#define STACK (DATA + DATA_BYTES)
#define MEMORY_BYTES (STACK - CODE)
/* How far away the program that runs alone has its memory. */
#define ALONE_SHIFT UINT64_C(0x10000000)

#define RIG_THREADS 4
#define RIG_MAPS 64
#define RIG_HEADS 2048

struct rig;

struct rig_thread {
    struct rig *rig;
    struct context *context;
    struct toy_machine machine; /* in the cache */
    struct toy_machine alone;
    guest_addr start;
    bool runs;
    enum toy_stop stop;                /* why the program ended */
    guest_addr pc;                     /* where it was then */
    struct target_registers registers; /* the program's when it ended */
    uint64_t told[2];                  /* what CALL_TELL told, in the cache and alone */
    pthread_t handle;
};

/* What the interpreter counts itself: executions of fragments that have a counter, by their head. */
struct rig_head {
    guest_addr head;
    uint64_t executions;
};

struct rig {
    struct translator *translator;
    struct toy_memory memory;     /* as the kernel has it: what the core protects is */
    struct toy_memory made;       /* as the program made it */
    struct toy_counters counters; /* the processor's */
    struct assembly code;         /* where the test writes its next instruction */
    struct rig_thread threads[RIG_THREADS];
    unsigned thread_count;
    bool compares;   /* with the program alone */
    uint64_t budget; /* instructions in the cache before a test has failed */
    struct rig_head heads[RIG_HEADS];
    unsigned head_count;

    /* What a test may want to do in the middle; NULL if it does not. */
    void (*before_step)(struct rig_thread *thread);
    /* A call with another number than below; `alone` for the program that runs alone. */
    void (*system_call)(struct rig_thread *thread, struct target_registers *registers, bool alone);
    const char *label; /* what a failure is to be known by, or NULL */

    /* Threads take turns. */
    unsigned turn;
    uint64_t slice; /* instructions of one turn; 0: they take turns only where they must */
    pthread_mutex_t mutex;
    pthread_cond_t turned;

    /* What happened outside. */
    unsigned maps_left;         /* so many more can be made, before there is no memory */
    bool maps_readable;         /* the list of mappings is */
    size_t maps_at;             /* how far the list was read */
    unsigned flushes_announced; /* calls of outside_before_flush */
    unsigned protections;       /* of host_protect */
    struct code_range written;  /* by a system call that is being made now */
    bool fails;                 /* a test expects host_fail, which comes back to `failed` */
    jmp_buf failed;
    char message[256]; /* what host_fail said */
    struct {
        void *start;
        size_t bytes;
    } maps[RIG_MAPS];
    uint64_t next_map;
};

/* System calls of the program, by R0. */
enum rig_call {
    CALL_NOTHING,
    CALL_TELL, /* R1 becomes part of what the test compares */
    CALL_YIELD,
    CALL_OTHERS,
};

/* Options for a rig that a test begins with, and changes. */
struct options rig_options(void);
void rig_create(struct rig *rig, const struct options *options);
/* The same on a processor with so many counters. */
void rig_create_with_counters(struct rig *rig, const struct options *options, unsigned entries);
void rig_destroy(struct rig *rig);

/* Runs the program from `start` on, in the first thread; its registers are those of the context, which are all 0
 * but for the stack pointer, unless the test sets them.  Returns why it ended. */
enum toy_stop rig_run(struct rig *rig, guest_addr start);
/* One more thread, with a stack of its own, which begins with the others at rig_run_threads. */
struct rig_thread *rig_add_thread(struct rig *rig, guest_addr start);
void rig_run_threads(struct rig *rig);
/* Lets other threads run. */
void rig_yield(struct rig *rig);
struct rig_thread *rig_current(struct rig *rig);

/* The program goes to `pc`, but nothing is executed: where it would be. */
const uint8_t *rig_dispatch_to(struct rig *rig, guest_addr pc);
struct fragment *rig_find(struct rig *rig, guest_addr start);
/* Builds a fragment as if the program had come there. */
struct fragment *rig_build(struct rig *rig, guest_addr start);
/* What the loop's counters counted, for statistics; 0 if there are none. */
uint64_t rig_executions(struct rig *rig, guest_addr head);
/* What the interpreter counted itself. */
uint64_t rig_counted(const struct rig *rig, guest_addr head);
struct loop_counts rig_loop(struct rig *rig, guest_addr head);
/* What mmap, munmap and mprotect of the program's do: its pages change from `start` on. */
void rig_set_permissions(struct rig *rig, guest_addr start, uint64_t bytes, unsigned permissions);
/* That code was written by the program itself, which says so. */
void rig_sync(struct rig *rig);

_Noreturn void rig_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether `statement` ends in host_fail. */
#define rig_fails(rig, statement)                                                                  \
    ((rig)->fails = true, setjmp((rig)->failed) == 0 ? ((void)(statement), false) : true)

#endif
