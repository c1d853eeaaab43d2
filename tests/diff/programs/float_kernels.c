/* Shows floating-point programs: planets, matrix product, fast Fourier transform, Mandelbrot,
 * integration. */
#include "common.h"
#include <complex.h>
#include <math.h>

struct body {
    double x[3];
    double v[3];
    double mass;
};

static double orbit(int steps)
{
    struct body bodies[4] = {{{0, 0, 0}, {0, 0, 0}, 40},
                             {{5, 0, 0.1}, {0, 2.8, 0}, 0.04},
                             {{0, 9, 0}, {-2.1, 0, 0.1}, 0.02},
                             {{-14, 0, 1}, {0, -1.7, 0}, 0.01}};
    double energy = 0;

    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 4; k++) {
                double d[3];
                double squared = 0.001;

                if (i == k) {
                    continue;
                }
                for (int axis = 0; axis < 3; axis++) {
                    d[axis] = bodies[k].x[axis] - bodies[i].x[axis];
                    squared += d[axis] * d[axis];
                }
                for (int axis = 0; axis < 3; axis++) {
                    bodies[i].v[axis] +=
                        d[axis] * bodies[k].mass / (squared * sqrt(squared)) * 0.001;
                }
            }
        }
        for (int i = 0; i < 4; i++) {
            for (int axis = 0; axis < 3; axis++) {
                bodies[i].x[axis] += bodies[i].v[axis] * 0.001;
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        energy += bodies[i].x[0] + bodies[i].v[1] * bodies[i].mass;
    }
    return energy;
}

static void transform(double complex *data, size_t size)
{
    double complex half[256];

    if (size == 1) {
        return;
    }
    for (size_t i = 0; i < size / 2; i++) {
        half[i] = data[2 * i];
        half[i + size / 2] = data[2 * i + 1];
    }
    memcpy(data, half, size * sizeof(*data));
    transform(data, size / 2);
    transform(data + size / 2, size / 2);
    for (size_t i = 0; i < size / 2; i++) {
        double complex odd = data[i + size / 2] * cexp(-2 * I * M_PI * (double)i / (double)size);

        data[i + size / 2] = data[i] - odd;
        data[i] += odd;
    }
}

int main(void)
{
    static double a[60][60];
    static double b[60][60];
    static double c[60][60];
    double complex signal[256];
    double trace = 0;
    long points = 0;
    float sum = 0;

    printf("orbit %.15g\n", orbit(5000));
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 60; k++) {
            a[i][k] = sin(i * 0.1) + k;
            b[i][k] = cos(k * 0.2) - i;
        }
    }
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 60; k++) {
            for (int m = 0; m < 60; m++) {
                c[i][k] += a[i][m] * b[m][k];
            }
        }
        trace += c[i][i];
    }
    printf("matrix %.15g %016lx\n", trace, checksum(CHECKSUM_START, c, sizeof(c)));
    for (int i = 0; i < 256; i++) {
        signal[i] = sin(i * 0.3) + I * cos(i * 0.7);
    }
    transform(signal, 256);
    printf("transform %.12g %.12g\n", creal(signal[12]), cimag(signal[200]));
    for (int y = -40; y < 40; y++) {
        for (int x = -60; x < 20; x++) {
            double re = 0;
            double im = 0;
            int count = 0;

            while (count < 200 && re * re + im * im < 4) {
                double next = re * re - im * im + x * 0.035;

                im = 2 * re * im + y * 0.03;
                re = next;
                count++;
            }
            points += count;
        }
    }
    printf("mandelbrot %ld\n", points);
    for (int i = 1; i < 100000; i++) {
        sum += 1.0f / ((float)i * (float)i);
    }
    printf("single sum %.9g\n", (double)sum);
    return 0;
}
