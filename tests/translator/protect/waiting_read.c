/* Shows a read that waits while another thread executes the code that is in its buffer: what then comes is the
 * code, all of it. */
#include "silent.h"
#include <pthread.h>
#include <time.h>

#define ROUNDS 10
#define BYTES 6000 /* from one page into the next */

static char *pages;
static int ends[2];

static void *wait_for_code(void *result)
{
    size_t count = 0;

    while (count < BYTES) {
        const ssize_t part = read(ends[0], pages + count, BYTES - count);

        if (part <= 0) {
            break;
        }
        count += (size_t)part;
    }
    *(size_t *)result = count;
    return NULL;
}

/* For the other thread to begin its call. */
static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){0, 5000000}, NULL);
}

int main(void)
{
    static char image[BYTES];
    unsigned wrong = 0;

    REQUIRE(pipe(ends) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        size_t count = 0;

        pages = map_pages(2);
        write_function(pages + 1000, 1);
        write_function(pages + PAGE + 1000, 2);
        say_it();
        REQUIRE(pthread_create(&thread, NULL, wait_for_code, &count) == 0);
        wait_a_moment();
        wrong += call(pages + 1000) != 1 || call(pages + PAGE + 1000) != 2;
        memset(image, (int)i, BYTES);
        write_function(image + 1000, i + 10);
        write_function(image + PAGE + 1000, i + 20);
        REQUIRE(write(ends[1], image, BYTES) == BYTES && pthread_join(thread, NULL) == 0);
        say_it();
        wrong += count != BYTES || memcmp(pages, image, BYTES) != 0;
        wrong += call(pages + 1000) != i + 10 || call(pages + PAGE + 1000) != i + 20;
        REQUIRE(munmap(pages, 2 * PAGE) == 0);
    }
    printf("wrong %u\n", wrong);
    return 0;
}
