/* Shows rounding modes and exception flags of every kind of operation in double and single
 * precision. */
#include "common.h"
#include <fenv.h>
#include <float.h>
#include <math.h>

static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static void show(const char *what, double value)
{
    int flags = fetestexcept(FE_ALL_EXCEPT);

    printf("  %-10s %a%s%s%s%s%s\n", what, value, flags & FE_INVALID ? " invalid" : "",
           flags & FE_DIVBYZERO ? " zero" : "", flags & FE_OVERFLOW ? " over" : "",
           flags & FE_UNDERFLOW ? " under" : "", flags & FE_INEXACT ? " inexact" : "");
    feclearexcept(FE_ALL_EXCEPT);
}

int main(void)
{
    volatile double one = 1;
    volatile double three = 3;
    volatile double huge = DBL_MAX;
    volatile double tiny = DBL_MIN;
    volatile double zero = 0;
    volatile double negative = -2.5;
    volatile float single = 0.1f;
    volatile int64_t large = (INT64_C(1) << 53) + 1;

    for (int i = 0; i < 4; i++) {
        REQUIRE(fesetround(modes[i]) == 0);
        feclearexcept(FE_ALL_EXCEPT);
        printf("mode %d\n", i);
        show("quotient", one / three);
        show("negative", -one / three);
        show("sum", one + tiny);
        show("overflow", huge * three);
        show("underflow", tiny / three);
        show("exact tiny", tiny / 2);
        show("by zero", one / zero);
        show("invalid", zero / zero == 0 ? 1 : 2);
        show("root", sqrt(three));
        show("fused", fma(one / 3, three, -one));
        show("single", (double)(single * single));
        show("narrow", (double)(float)(one / three));
        show("integer", (double)large);
        show("nearest", rint(negative));
        show("to long", (double)lrint(negative));
        show("truncated", (double)(int)negative);
        show("too large", (double)(int64_t)(huge + zero));
        show("unsigned", (double)(uint32_t)(int64_t)negative);
    }
    REQUIRE(fesetround(FE_TONEAREST) == 0);
    feraiseexcept(FE_OVERFLOW);
    printf("raised %d\n", fetestexcept(FE_OVERFLOW) != 0);
    return 0;
}
