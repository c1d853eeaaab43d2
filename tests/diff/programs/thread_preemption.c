/* Shows that a thread which only spins does not keep the others from running. */
#include "common.h"
#include <pthread.h>

static volatile int turn;

static void *take_turns(void *number)
{
    int self = (int)(long)number;

    for (int i = 0; i < 20; i++) {
        while (turn % 4 != self) {
        }
        turn++;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    for (long i = 0; i < 4; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, take_turns, (void *)i) == 0);
    }
    for (int i = 0; i < 4; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    printf("turns %d\n", turn);
    return 0;
}
