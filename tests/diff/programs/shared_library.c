/* Shows a linked shared library: data and functions both ways, interposition, thread-local data. */
#include "common.h"
#include <pthread.h>

extern int plugin_counter;
extern _Thread_local int plugin_local;
int plugin_add(int value);
int plugin_local_value(void);
const char *plugin_ask_name(void);
const char *plugin_name(void);

/* Takes the place of the library's weak function, inside the library too. */
const char *plugin_name(void)
{
    return "program's";
}

static void *in_thread(void *unused)
{
    (void)unused;
    plugin_add(1);
    return (void *)(long)plugin_local_value();
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    int (*pointer)(int) = plugin_add;

    printf("counter %d\n", plugin_counter);
    plugin_counter = 100;
    printf("added %d %d\n", plugin_add(1), pointer(10));
    printf("name %s\n", plugin_ask_name());
    REQUIRE(pthread_create(&thread, NULL, in_thread, NULL) == 0);
    REQUIRE(pthread_join(thread, &result) == 0);
    printf("thread's %ld, own %d %d\n", (long)result, plugin_local, plugin_local_value());
    return 0;
}
