/* Vectors of the mesh: one small allocation of three numbers for each node; and sines of our own. */
#include "equake.h"

double **rows_allocate(int rows)
{
    double **vector = program_allocate((size_t)rows, sizeof *vector);
    for (int i = 0; i < rows; i++) {
        vector[i] = program_allocate(AXES, sizeof **vector);
    }
    return vector;
}

void rows_clear(double **rows, int count)
{
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < AXES; axis++) {
            rows[i][axis] = 0.0;
        }
    }
}

void rows_free(double **rows, int count)
{
    for (int i = 0; i < count; i++) {
        free(rows[i]);
    }
    free(rows);
}

/* libm's sine may differ in its last bit between hosts.  Series over an eighth of a turn. */
static double sine_series(double x)
{
    double square = x * x;
    double term = x;
    double sum = x;
    for (int n = 3; n <= 21; n += 2) {
        term *= -square / (double)((n - 1) * n);
        sum += term;
    }
    return sum;
}

static double cosine_series(double x)
{
    double square = x * x;
    double term = 1.0;
    double sum = 1.0;
    for (int n = 2; n <= 20; n += 2) {
        term *= -square / (double)((n - 1) * n);
        sum += term;
    }
    return sum;
}

/* Of 0 turns and more. */
double sine_of_turns(double turns)
{
    const double two_pi = 6.283185307179586;
    turns -= (double)(long)turns;
    int quarter = (int)(turns * 4.0 + 0.5);
    double rest = (turns - quarter * 0.25) * two_pi;
    switch (quarter & 3) {
    case 0:
        return sine_series(rest);
    case 1:
        return cosine_series(rest);
    case 2:
        return -sine_series(rest);
    default:
        return -cosine_series(rest);
    }
}

double cosine_of_turns(double turns)
{
    return sine_of_turns(turns + 0.25);
}
