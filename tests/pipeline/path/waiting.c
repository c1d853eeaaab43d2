/* Five threads that wait for one another all the time: each gives up its context, and wants one again. */
#include <pthread.h>

enum { OTHERS = 4, STEPS = 500 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long turn;

static void *work(void *argument)
{
    const long own = (long)argument;

    for (int i = 0; i < STEPS; i++) {
        pthread_mutex_lock(&mutex);
        while (turn % (OTHERS + 1) != own) {
            pthread_cond_wait(&turned, &mutex);
        }
        turn++;
        pthread_cond_broadcast(&turned);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t others[OTHERS];

    for (long i = 0; i < OTHERS; i++) {
        if (pthread_create(&others[i], NULL, work, (void *)(i + 1)) != 0) {
            return 1;
        }
    }
    work((void *)0);
    for (int i = 0; i < OTHERS; i++) {
        if (pthread_join(others[i], NULL) != 0) {
            return 2;
        }
    }
    return turn == (OTHERS + 1) * STEPS ? 0 : 3;
}
