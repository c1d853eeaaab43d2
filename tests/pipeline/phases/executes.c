/* Executes itself, in another folder, and marks a region then. */
#include "strata/roi.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count == 1) {
        char *again[] = {arguments[0], "again", NULL};
        if (chdir("/") != 0) {
            return 1;
        }
        execv("/proc/self/exe", again);
        return 1;
    }
    volatile unsigned sum = 0;
    STRATA_ROI_BEGIN();
    for (unsigned i = 0; i < 5000; i++) {
        sum += i;
    }
    STRATA_ROI_END();
    puts(arguments[1]);
    return 0;
}
