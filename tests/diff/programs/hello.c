/* Shows that a program starts, prints a line and ends with status 0. */
#include <stdio.h>

int main(void)
{
    puts("hello, world");
    return 0;
}
