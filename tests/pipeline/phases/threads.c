/* Two threads that mark a region each, one inside the other in time, and count together. */
#include "strata/roi.h"

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long count;

static void *run(void *unused)
{
    STRATA_ROI_BEGIN();
    for (unsigned i = 0; i < 3000; i++) {
        pthread_mutex_lock(&lock);
        count += i;
        pthread_mutex_unlock(&lock);
    }
    STRATA_ROI_END();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (unsigned i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, run, NULL);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%lu\n", count);
    return 0;
}
