/* Bench program for start-up time: what is left of a run when the program does nothing. */
#include <stdio.h>

int main(void)
{
    puts("hello, world");
    return 0;
}
