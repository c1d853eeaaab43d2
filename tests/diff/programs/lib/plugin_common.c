/* A helper library: a shared counter, thread-local data, a weak function and a constructor. */
#include <stdio.h>

int plugin_counter = 5;
_Thread_local int plugin_local = 40;

__attribute__((constructor)) static void begin(void)
{
    printf("common constructed\n");
}

__attribute__((destructor)) static void end(void)
{
    printf("common destroyed, counter %d\n", plugin_counter);
}

__attribute__((weak)) const char *plugin_name(void)
{
    return "library's own";
}

const char *plugin_ask_name(void);
const char *plugin_ask_name(void)
{
    return plugin_name();
}

int plugin_add(int value);
int plugin_add(int value)
{
    plugin_counter += value;
    plugin_local++;
    return plugin_counter;
}

int plugin_local_value(void);
int plugin_local_value(void)
{
    return plugin_local;
}
