/* Four threads turn one loop at the same time. */
#include <pthread.h>

#define THREADS 4
#define TURNS 200000

__attribute__((noinline)) static void *turn(void *argument)
{
    unsigned long left = TURNS;
    __asm__ volatile(".globl turned\n"
                     "turned:\n"
                     "    addi %0, %0, -1\n"
                     "    bnez %0, turned\n"
                     : "+r"(left));
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, turn, NULL) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
