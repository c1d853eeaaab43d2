/* Shows code that arrives in messages whose last bytes lie in a page of code, where no other part of them does. */
#include "silent.h"
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>

enum { TEXT_BYTES = 1000, FUNCTION_BYTES = 8, ROUNDS = 40 };

struct message {
    long type;
    char text[TEXT_BYTES];
};

static struct message image;

/* The text ends where the function does. */
static void make_image(unsigned value)
{
    image.type = (long)value + 1;
    memset(image.text, (int)value, sizeof image.text);
    write_function(image.text + TEXT_BYTES - FUNCTION_BYTES, value);
}

static void show_system_v(void)
{
    int queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    char *pages = map_pages(2), *function = pages + PAGE;
    char *buffer = function + FUNCTION_BYTES - sizeof image;
    unsigned wrong = 0;

    REQUIRE(queue >= 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        make_image(i);
        wrong += msgsnd(queue, &image, TEXT_BYTES, 0) != 0;
        wrong += msgrcv(queue, buffer, TEXT_BYTES, 0, IPC_NOWAIT) != TEXT_BYTES;
        say_it();
        wrong += call(function) != (long)i || memcmp(buffer, &image, sizeof image) != 0;
    }
    printf("System V: wrong %u\n", wrong);
    msgctl(queue, IPC_RMID, NULL);
}

static void show_posix(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = TEXT_BYTES};
    char *pages = map_pages(2), *function = pages + PAGE;
    char *buffer = function + FUNCTION_BYTES - TEXT_BYTES;
    char name[64];
    unsigned wrong = 0;

    snprintf(name, sizeof name, "/strata-code-%d", (int)getpid());
    mqd_t queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR | O_NONBLOCK, 0600, &attributes);
    REQUIRE(queue != (mqd_t)-1 && mq_unlink(name) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        make_image(i);
        wrong += mq_send(queue, image.text, TEXT_BYTES, 0) != 0;
        wrong += mq_receive(queue, buffer, TEXT_BYTES, NULL) != TEXT_BYTES;
        say_it();
        wrong += call(function) != (long)i || memcmp(buffer, image.text, TEXT_BYTES) != 0;
    }
    printf("POSIX: wrong %u\n", wrong);
}

int main(void)
{
    show_system_v();
    show_posix();
    return 0;
}
