/* Whether a change for the worse is accepted: a table of the exponential function, the same on all hosts. */
#include "twolf.h"

enum { STEPS = 1024, LARGEST = 12 };

static double table[STEPS + 1];

/* exp(-x) for x from 0 to 1, by its series. */
static double exponential_fraction(double x)
{
    double term = 1.0;
    double sum = 1.0;
    for (int n = 1; n < 20; n++) {
        term *= -x / n;
        sum += term;
    }
    return sum;
}

void accept_build_table(void)
{
    double inverse_e = exponential_fraction(1.0);
    for (int step = 0; step <= STEPS; step++) {
        double x = (double)step * LARGEST / STEPS;
        double value = exponential_fraction(x - (int)x);
        for (int whole = (int)x; whole > 0; whole--) {
            value *= inverse_e;
        }
        table[step] = value;
    }
}

bool accept_change(struct circuit *circuit, double change)
{
    if (change <= 0) {
        return true;
    }
    double exponent = change / circuit->temperature;
    if (exponent >= LARGEST) {
        return false;
    }
    double position = exponent * STEPS / LARGEST;
    int step = (int)position;
    double likely = table[step] + (table[step + 1] - table[step]) * (position - step);
    return program_random(&circuit->random) < likely * 4294967296.0;
}
