/* Bench kernel: double-precision n-body and a blocked matrix product.
 *
 * Exercises floating-point add, multiply, divide, square root and fused multiply-add, in loops
 * with few branches, and loads with regular strides.  Contraction is off and fused
 * operations are written out, so that every IEEE 754 host gives the same bits.  The scale is the
 * number of rounds; a round is 1000 steps of 12 bodies and one product of 96 x 96 matrices. */
#include <math.h>

#include "kernel.h"

#define SCALE_DEFAULT 14u
#define BODIES 12u
#define STEPS 1000u
#define ORDER 96u
#define BLOCK 32u

struct body {
    double position[3];
    double velocity[3];
    double mass;
};

static double random_unit(uint64_t *random)
{
    return (double)program_random(random) / 4294967296.0;
}

static void bodies_init(struct body *bodies, uint64_t *random)
{
    double momentum[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i].mass = i == 0 ? 40.0 : 0.001 + 0.1 * random_unit(random);
        for (uint32_t axis = 0; axis < 3; axis++) {
            double spread = i == 0 ? 0.0 : 1.0;
            bodies[i].position[axis] = spread * (40.0 * random_unit(random) - 20.0);
            bodies[i].velocity[axis] = spread * (2.0 * random_unit(random) - 1.0);
            momentum[axis] += bodies[i].mass * bodies[i].velocity[axis];
        }
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        bodies[0].velocity[axis] -= momentum[axis] / bodies[0].mass;
    }
}

static double bodies_energy(const struct body *bodies)
{
    double energy = 0.0;
    for (uint32_t i = 0; i < BODIES; i++) {
        const double *v = bodies[i].velocity;
        energy += 0.5 * bodies[i].mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (uint32_t j = i + 1; j < BODIES; j++) {
            double distance2 = 0.01;
            for (uint32_t axis = 0; axis < 3; axis++) {
                double delta = bodies[i].position[axis] - bodies[j].position[axis];
                distance2 += delta * delta;
            }
            energy -= bodies[i].mass * bodies[j].mass / sqrt(distance2);
        }
    }
    return energy;
}

/* Softened by 0.1, so that a close pass cannot blow up. */
static void bodies_step(struct body *bodies, double step)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        struct body *a = &bodies[i];
        for (uint32_t j = i + 1; j < BODIES; j++) {
            struct body *b = &bodies[j];
            double dx = a->position[0] - b->position[0];
            double dy = a->position[1] - b->position[1];
            double dz = a->position[2] - b->position[2];
            double distance2 = dx * dx + dy * dy + dz * dz + 0.01;
            double pull = step / (distance2 * sqrt(distance2));
            a->velocity[0] -= dx * b->mass * pull;
            a->velocity[1] -= dy * b->mass * pull;
            a->velocity[2] -= dz * b->mass * pull;
            b->velocity[0] += dx * a->mass * pull;
            b->velocity[1] += dy * a->mass * pull;
            b->velocity[2] += dz * a->mass * pull;
        }
    }
    for (uint32_t i = 0; i < BODIES; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            bodies[i].position[axis] += step * bodies[i].velocity[axis];
        }
    }
}

static void matrix_fill(double *matrix, uint64_t *random)
{
    for (size_t i = 0; i < (size_t)ORDER * ORDER; i++) {
        matrix[i] = random_unit(random) - 0.5;
    }
}

static void matrix_multiply(double *product, const double *left, const double *right)
{
    memset(product, 0, sizeof(*product) * ORDER * ORDER);
    for (size_t row0 = 0; row0 < ORDER; row0 += BLOCK) {
        for (size_t inner0 = 0; inner0 < ORDER; inner0 += BLOCK) {
            for (size_t column0 = 0; column0 < ORDER; column0 += BLOCK) {
                for (size_t row = row0; row < row0 + BLOCK; row++) {
                    for (size_t inner = inner0; inner < inner0 + BLOCK; inner++) {
                        double factor = left[row * ORDER + inner];
                        const double *from = right + inner * ORDER;
                        double *to = product + row * ORDER;
                        for (size_t column = column0; column < column0 + BLOCK; column++) {
                            to[column] = fma(factor, from[column], to[column]);
                        }
                    }
                }
            }
        }
    }
}

/* Freivalds: product * v must equal left * (right * v), at the cost of three vector products. */
static double matrix_error(const double *product, const double *left, const double *right)
{
    double through[ORDER];
    for (size_t row = 0; row < ORDER; row++) {
        through[row] = 0.0;
        for (size_t column = 0; column < ORDER; column++) {
            through[row] += right[row * ORDER + column] * (double)(column % 7);
        }
    }
    double worst = 0.0;
    for (size_t row = 0; row < ORDER; row++) {
        double error = 0.0;
        for (size_t column = 0; column < ORDER; column++) {
            error += product[row * ORDER + column] * (double)(column % 7);
            error -= left[row * ORDER + column] * through[column];
        }
        worst = fmax(worst, fabs(error));
    }
    return worst;
}

int main(int argc, char **argv)
{
    uint32_t scale = kernel_scale(argc, argv, SCALE_DEFAULT);
    static double left[ORDER * ORDER];
    static double right[ORDER * ORDER];
    static double product[ORDER * ORDER];
    uint64_t random = 1687;
    uint64_t sum = 0;
    for (uint32_t round = 0; round < scale; round++) {
        struct body bodies[BODIES];
        bodies_init(bodies, &random);
        double before = bodies_energy(bodies);
        for (uint32_t step = 0; step < STEPS; step++) {
            bodies_step(bodies, 0.001);
        }
        double after = bodies_energy(bodies);
        program_check(fabs(after - before) < 0.01 * (1.0 + fabs(before)),
                      "energy is not conserved");
        sum = program_mix_double(sum, before);
        sum = program_mix_double(sum, after);

        matrix_fill(left, &random);
        matrix_fill(right, &random);
        matrix_multiply(product, left, right);
        program_check(matrix_error(product, left, right) < 1e-10, "matrix product");
        for (size_t i = 0; i < (size_t)ORDER * ORDER; i++) {
            sum = program_mix_double(sum, product[i]);
        }
    }
    kernel_report("float", scale, sum);
    return 0;
}
