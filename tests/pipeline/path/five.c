/* Five threads that have nothing to do with one another until four of them end. */
#include <pthread.h>

enum { OTHERS = 4, STEPS = 50000 };

static void *work(void *result)
{
    unsigned long value = (unsigned long)result;

    for (int i = 0; i < STEPS; i++) {
        value = value * 6364136223846793005ul + 1442695040888963407ul;
    }
    return (void *)value;
}

int main(void)
{
    pthread_t others[OTHERS];

    for (int i = 0; i < OTHERS; i++) {
        if (pthread_create(&others[i], NULL, work, NULL) != 0) {
            return 1;
        }
    }
    void *own = work(NULL);
    for (int i = 0; i < OTHERS; i++) {
        void *result;
        if (pthread_join(others[i], &result) != 0 || result != own) {
            return 2;
        }
    }
    return 0;
}
