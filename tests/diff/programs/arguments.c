/* Shows that arguments arrive unchanged: empty, with blanks, quotes and bytes above 127. */
#include "common.h"

int main(int argc, char **argv)
{
    printf("%d arguments, end is null: %d\n", argc - 1, argv[argc] == NULL);
    for (int i = 1; i < argc; i++) {
        printf("%d: %zu bytes [%s]\n", i, strlen(argv[i]), argv[i]);
    }
    return argc;
}
