/* Copies its input, and has all its data in the first level: no load of it is delinquent. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int c;
    long bytes = 0;
    if (argc == 2 && strcmp(argv[1], "exec") == 0) {
        execl(argv[0], argv[0], (char *)NULL);
    }
    while (argc == 2 && strcmp(argv[1], "endless") == 0) {
        getppid();
    }
    while ((c = getchar()) != EOF) {
        bytes += putchar(c) != EOF;
    }
    fprintf(stderr, "%ld bytes\n", bytes);
    return 0;
}
