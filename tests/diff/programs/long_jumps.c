/* Shows long jumps: out of deep recursion, values, saved registers, generators by swapcontext. */
#include "common.h"
#include <setjmp.h>
#include <ucontext.h>

static jmp_buf place;
static ucontext_t main_context;
static ucontext_t generator_context;
static volatile int produced;
static volatile int never = -1;

__attribute__((noinline)) static void descend(int depth, int value)
{
    if (depth == 0) {
        longjmp(place, value);
    }
    if (value != never) {
        descend(depth - 1, value + 1);
    }
    produced--;
}

static void generate(int start)
{
    for (int i = start; i < start + 1000; i++) {
        produced = i * i;
        swapcontext(&generator_context, &main_context);
    }
    produced = -1;
}

int main(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    volatile uint64_t sum = 0;
    volatile double scale = 1;

    for (volatile int i = 0; i < 300; i++) {
        int value = setjmp(place);

        if (value == 0) {
            scale = scale * 1.01;
            descend(i, 1);
        }
        sum = sum * 31 + (uint64_t)value;
    }
    printf("sum %016lx, scale %.12f\n", sum, scale);
    if (setjmp(place) == 0) {
        longjmp(place, 0);
    } else {
        printf("zero becomes one\n");
    }
    REQUIRE(getcontext(&generator_context) == 0);
    generator_context.uc_stack.ss_sp = stack;
    generator_context.uc_stack.ss_size = sizeof(stack);
    generator_context.uc_link = &main_context;
    makecontext(&generator_context, (void (*)(void))generate, 1, 7);
    sum = 0;
    for (;;) {
        REQUIRE(swapcontext(&main_context, &generator_context) == 0);
        if (produced < 0) {
            break;
        }
        sum = sum + (uint64_t)produced;
    }
    printf("generated %lu\n", sum);
    return 0;
}
