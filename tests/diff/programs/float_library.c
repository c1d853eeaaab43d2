/* Shows the mathematical library over many arguments: results bit for bit, special values. */
#include "common.h"
#include <complex.h>
#include <math.h>

static uint64_t hash_of(double (*function)(double), double low, double high)
{
    uint64_t hash = CHECKSUM_START;

    for (int i = 0; i <= 2000; i++) {
        double value = function(low + (high - low) * i / 2000);

        hash = checksum(hash, &value, sizeof(value));
    }
    return hash;
}

#define SHOW(function, low, high)                                                                  \
    printf("%-9s %016lx  %.17g\n", #function, hash_of(function, low, high), function(0.7 * (high)))

int main(void)
{
    uint64_t hash = CHECKSUM_START;
    double complex z = 0.3 + 0.4 * I;
    int exponent = 0;

    SHOW(sin, -100, 100);
    SHOW(cos, -1e6, 1e6);
    SHOW(tan, -3, 3);
    SHOW(asin, -1, 1);
    SHOW(acos, -1, 1);
    SHOW(atan, -50, 50);
    SHOW(sinh, -20, 20);
    SHOW(tanh, -5, 5);
    SHOW(exp, -700, 700);
    SHOW(exp2, -1000, 1000);
    SHOW(expm1, -1, 1);
    SHOW(log, 1e-300, 1e300);
    SHOW(log2, 0.001, 5);
    SHOW(log1p, -0.9, 10);
    SHOW(sqrt, 0, 1e10);
    SHOW(cbrt, -1000, 1000);
    SHOW(erf, -3, 3);
    SHOW(tgamma, 0.1, 30);
    SHOW(lgamma, 0.1, 100);
    SHOW(floor, -10, 10);
    SHOW(ceil, -10, 10);
    SHOW(rint, -10, 10);
    SHOW(trunc, -1e15, 1e15);
    SHOW(round, -10, 10);
    for (int i = 1; i < 500; i++) {
        float small = powf((float)i * 0.01f, 1.7f) + sinf((float)i);
        double values[] = {pow(i * 0.1, 2.3), fmod(i * 7.3, 1.9), hypot(i, i * 0.5),
                           atan2(i, 3 - i),   remainder(i, 2.7),  frexp(i * 1.1, &exponent),
                           ldexp(i, -i),      nextafter(i, 0),    fdim(i, 250),
                           copysign(i, -0.0)};

        hash = checksum(hash, values, sizeof(values));
        hash = checksum(hash, &small, sizeof(small));
    }
    printf("two arguments %016lx\n", hash);
    z = cexp(z) * csqrt(-z) + cpow(z, 1.5);
    printf("complex %.17g %.17g\n", creal(z), cimag(z));
    printf("special %g %g %g %g %d\n", log(0.0), sqrt(-1.0) != sqrt(-1.0) ? 1.0 : 0.0, exp(1000),
           1 / -HUGE_VAL, signbit(atan(-0.0)) != 0);
    return 0;
}
