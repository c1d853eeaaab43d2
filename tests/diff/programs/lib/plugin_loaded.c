/* A helper library to be loaded at run time: calls back, keeps state, has a constructor. */
#include <math.h>
#include <stdio.h>

static int calls;
static _Thread_local int own = 7;
const int plugin_table[] = {3, 1, 4, 1, 5, 9, 2, 6};

__attribute__((constructor)) static void begin(void)
{
    printf("loaded constructed\n");
}

__attribute__((destructor)) static void end(void)
{
    printf("loaded destroyed after %d calls\n", calls);
}

double plugin_apply(double (*function)(double), double value);
double plugin_apply(double (*function)(double), double value)
{
    calls++;
    own++;
    return function(value) + own;
}
