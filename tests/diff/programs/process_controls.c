/* Shows what prctl says of a process, and that what is set is kept. */
#include "common.h"
#include <sys/prctl.h>

static int asked(int option)
{
    int value = -1;
    REQUIRE(prctl(option, &value, 0, 0, 0) == 0);
    return value;
}

int main(void)
{
    printf("capabilities kept %d", prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0));
    REQUIRE(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0);
    printf(", then %d\n", prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0));
    REQUIRE(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0);
    printf("ambient %d\n", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 0, 0, 0));
    REQUIRE(prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0) == 0);
    printf("slack %d\n", prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
    printf("signal of the parent's death %d", asked(PR_GET_PDEATHSIG));
    REQUIRE(prctl(PR_SET_PDEATHSIG, 10, 0, 0, 0) == 0);
    printf(", then %d\n", asked(PR_GET_PDEATHSIG));
    return 0;
}
