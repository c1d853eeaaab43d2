/* Shows exit statuses: only the low eight bits of the argument count. */
#include "common.h"

int main(int argc, char **argv)
{
    long status = argc > 1 ? strtol(argv[1], NULL, 0) : 0;

    printf("exit with %ld\n", status);
    return (int)status;
}
