/* Shows ten thousand signals, or as many pairs as the argument says: all counted, registers and
 * floating point of the loop unharmed. */
#include "common.h"
#include <fenv.h>
#include <math.h>
#include <signal.h>

static volatile sig_atomic_t count;
static volatile double noise = 0.1;

static void disturb(int number)
{
    double values[8];

    count++;
    for (int i = 0; i < 8; i++) {
        values[i] = sqrt(noise * number + i);
        noise = values[i] / 3;
    }
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
}

int main(int argument_count, char **arguments)
{
    const int pairs = argument_count > 1 ? atoi(arguments[1]) : 5000;
    double sum = 0;
    uint64_t hash = CHECKSUM_START;

    REQUIRE(signal(SIGUSR1, disturb) != SIG_ERR && signal(SIGUSR2, disturb) != SIG_ERR);
    feclearexcept(FE_ALL_EXCEPT);
    for (int i = 0; i < pairs; i++) {
        sum += 1.0 / (i + 1);
        REQUIRE(raise(SIGUSR1) == 0);
        hash = checksum(hash, &sum, sizeof(sum));
        REQUIRE(kill(getpid(), SIGUSR2) == 0);
        sum *= 1.0000001;
    }
    printf("signals %d, sum %.17g, %016lx\n", (int)count, sum, hash);
    printf("rounding kept %d, no foreign flag %d\n", fegetround() == FE_TONEAREST,
           fetestexcept(FE_DIVBYZERO) == 0);
    return 0;
}
