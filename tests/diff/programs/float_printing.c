/* Shows exact conversion between text and numbers: printf of doubles, strtod, strtof,
 * hexadecimal. */
#include "common.h"
#include <float.h>
#include <math.h>

int main(void)
{
    static const double values[] = {
        0.0,    -0.0,    1.0,     0.1,         1.0 / 3, 123456789.125, 1e22, 1e23,
        5e-324, DBL_MAX, DBL_MIN, DBL_EPSILON, 0.5,     1.5,           2.5,  9007199254740993.0};
    static const char *const texts[] = {"1e-400",
                                        "1e400",
                                        "0x1.8p3",
                                        "  -12.5e-3xyz",
                                        "inf",
                                        "nan",
                                        "2.2250738585072011e-308",
                                        "179769313486231580793e289",
                                        "0.1000000000000000055511151231257827021181583404541015625",
                                        "9007199254740993",
                                        "4.9406564584124654e-324",
                                        ".",
                                        "0x.8p-1074"};
    uint64_t state = 31415;
    uint64_t hash = CHECKSUM_START;
    int wrong = 0;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        printf("%g %.17g %e %.3f %a %10.2e|\n", values[i], values[i], values[i],
               values[i] < 1e30 ? values[i] : 0, values[i], values[i]);
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char *end = NULL;
        double value = strtod(texts[i], &end);

        printf("[%s] %.17g, rest [%s], %.9g\n", texts[i], value, end, strtof(texts[i], NULL));
    }
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = next_random(&state);
        double value = 0;
        char text[64];

        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value)) {
            continue;
        }
        snprintf(text, sizeof(text), "%.17g", value);
        wrong += strtod(text, NULL) != value;
        hash = checksum(hash, text, strlen(text));
    }
    printf("round trips wrong %d, texts %016lx\n", wrong, hash);
    printf("%.60g\n%.0f %.0f %.0f\n", 0.1, 0.5, 1.5, 2.5);
    printf("[%-12.4f] [%+.2e] [%012.3f] [% g] [%#.0f] [%G]\n", 3.14159, 31415.9, -2.5, 1.0, 3.0,
           1e-10);
    return 0;
}
