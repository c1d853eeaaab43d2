/* What must hold: a symmetric matrix, no force in a rigid motion, the dense product, the energy. */
#include "equake.h"

static double magnitude(double x)
{
    return x < 0.0 ? -x : x;
}

static double random_part(uint64_t *seed)
{
    return ((double)program_random_below(seed, 2000001) - 1e6) * 1e-6;
}

static void fill_random(double **rows, int count, uint64_t *seed)
{
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < AXES; axis++) {
            rows[i][axis] = random_part(seed);
        }
    }
}

static double dot_rows(double **a, double **b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i][0] * b[i][0] + a[i][1] * b[i][1] + a[i][2] * b[i][2];
    }
    return sum;
}

static double largest_part(double **rows, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < AXES; axis++) {
            double part = magnitude(rows[i][axis]);
            largest = part > largest ? part : largest;
        }
    }
    return largest;
}

static void multiply(const struct matrix *matrix, double **v, double **w)
{
    rows_clear(w, matrix->rows);
    smvp(matrix->rows, matrix->block, matrix->column, matrix->index, v, w);
}

/* Motions 0 to 2 shift along an axis, 3 to 5 turn about one. */
static void fill_rigid(double **rows, const struct mesh *mesh, int motion)
{
    int first = (motion + 1) % 3;
    int second = (motion + 2) % 3;
    for (int i = 0; i < mesh->nodes; i++) {
        rows[i][0] = rows[i][1] = rows[i][2] = 0.0;
        if (motion < 3) {
            rows[i][motion] = 1.0;
        } else {
            rows[i][first] = -mesh->coordinate[i][second];
            rows[i][second] = mesh->coordinate[i][first];
        }
    }
}

static void check_structure(const struct matrix *matrix)
{
    for (int row = 0; row < matrix->rows; row++) {
        program_check(matrix->column[matrix->index[row]] == row, "a row without its diagonal");
        for (int at = matrix->index[row] + 1; at < matrix->index[row + 1]; at++) {
            program_check(matrix->column[at] > matrix->column[at - 1], "a row out of order");
        }
        double **block = matrix->block[matrix->index[row]];
        for (int i = 0; i < AXES; i++) {
            program_check(block[i][i] > 0.0, "a node without stiffness");
            for (int j = 0; j < i; j++) {
                program_check(magnitude(block[i][j] - block[j][i]) <=
                                  1e-12 * (block[i][i] + block[j][j]),
                              "a diagonal block is not symmetric");
            }
        }
    }
}

void check_matrix(const struct matrix *matrix, const struct mesh *mesh)
{
    uint64_t seed = 77;
    double **x = rows_allocate(mesh->nodes), **y = rows_allocate(mesh->nodes);
    double **product = rows_allocate(mesh->nodes);
    check_structure(matrix);
    fill_random(x, mesh->nodes, &seed);
    fill_random(y, mesh->nodes, &seed);
    multiply(matrix, y, product);
    double scale = largest_part(product, mesh->nodes);
    double one = dot_rows(x, product, mesh->nodes);
    multiply(matrix, x, product);
    double other = dot_rows(y, product, mesh->nodes);
    program_check(magnitude(one - other) <= 1e-12 * scale * mesh->nodes,
                  "the matrix is not symmetric");
    program_check(dot_rows(x, product, mesh->nodes) > 0.0, "the matrix is not positive");
    for (int motion = 0; motion < 6; motion++) {
        fill_rigid(x, mesh, motion);
        multiply(matrix, x, product);
        double size = largest_part(x, mesh->nodes);
        program_check(largest_part(product, mesh->nodes) <= 1e-11 * scale * size,
                      "a rigid motion meets a force");
    }
    rows_free(x, mesh->nodes);
    rows_free(y, mesh->nodes);
    rows_free(product, mesh->nodes);
}

/* Both triangles, straight from the elements, with no use of the sparse structure. */
static double *assemble_dense(const struct mesh *mesh)
{
    size_t width = (size_t)mesh->nodes * AXES;
    double *dense = program_allocate(width * width, sizeof *dense);
    for (int number = 0; number < mesh->elements; number++) {
        struct element element;
        element_compute(&element, mesh, number);
        for (int part = 0; part < CORNERS * CORNERS * AXES * AXES; part++) {
            int a = part / (CORNERS * AXES * AXES), b = part / (AXES * AXES) % CORNERS;
            int i = part / AXES % AXES, j = part % AXES;
            size_t row = (size_t)(mesh->corner[number][a] * AXES + i);
            size_t column = (size_t)(mesh->corner[number][b] * AXES + j);
            dense[row * width + column] += element.stiffness[a][b][i][j];
        }
    }
    return dense;
}

static void check_dense(const struct matrix *matrix, const struct mesh *mesh)
{
    uint64_t seed = 99;
    size_t width = (size_t)mesh->nodes * AXES;
    double *dense = assemble_dense(mesh);
    double **x = rows_allocate(mesh->nodes), **product = rows_allocate(mesh->nodes);
    fill_random(x, mesh->nodes, &seed);
    multiply(matrix, x, product);
    double scale = largest_part(product, mesh->nodes);
    for (size_t row = 0; row < width; row++) {
        double sum = 0.0;
        for (size_t column = 0; column < width; column++) {
            double value = dense[row * width + column];
            program_check(magnitude(value - dense[column * width + row]) <= 1e-13 * scale,
                          "the dense matrix is not symmetric");
            sum += value * x[column / AXES][column % AXES];
        }
        program_check(magnitude(sum - product[row / AXES][row % AXES]) <= 1e-13 * scale * 10.0,
                      "the sparse product differs from the dense one");
    }
    rows_free(x, mesh->nodes);
    rows_free(product, mesh->nodes);
    free(dense);
}

/* In rock everywhere, an even strain meets forces at the sides only. */
static void check_even_strain(const struct matrix *matrix, const struct mesh *mesh)
{
    static const double strain[AXES][AXES] = {{0.3, -0.1, 0.2}, {0.4, 0.1, -0.2}, {0.0, 0.3, 0.5}};
    double **x = rows_allocate(mesh->nodes), **product = rows_allocate(mesh->nodes);
    for (int i = 0; i < mesh->nodes; i++) {
        const double *at = mesh->coordinate[i];
        for (int axis = 0; axis < AXES; axis++) {
            const double *row = strain[axis];
            x[i][axis] = row[0] * at[0] + row[1] * at[1] + row[2] * at[2];
        }
    }
    multiply(matrix, x, product);
    double scale = largest_part(product, mesh->nodes);
    for (int i = 0; i < mesh->nodes; i++) {
        for (int axis = 0; axis < AXES && mesh->sides[i] == 0; axis++) {
            program_check(magnitude(product[i][axis]) <= 1e-11 * scale,
                          "an even strain meets a force inside");
        }
    }
    program_check(scale > 0.0, "a strain without forces");
    rows_free(x, mesh->nodes);
    rows_free(product, mesh->nodes);
}

/* Without damping and source a random motion keeps its energy. */
static void check_conservation(const struct matrix *matrix, const struct mesh *mesh)
{
    uint64_t seed = 55;
    struct wave wave = wave_start(mesh, matrix, 0);
    fill_random(wave.before, mesh->nodes, &seed);
    fill_random(wave.now, mesh->nodes, &seed);
    wave_step(&wave, matrix);
    double first = wave.energy.kinetic + wave.energy.potential;
    program_check(first > 0.0, "a motion without energy");
    for (int step = 0; step < 20; step++) {
        wave_step(&wave, matrix);
        double energy = wave.energy.kinetic + wave.energy.potential;
        program_check(magnitude(energy - first) <= 1e-11 * first, "energy is not conserved");
    }
    wave_free(&wave);
}

void check_small_mesh(void)
{
    static const struct mesh_shape shape = {
        .cells = {3, 3, 3}, .length = {4.0, 3.5, 3.0}, .basin = 0, .seed = 4711};
    struct mesh mesh = mesh_generate(&shape);
    struct matrix matrix = matrix_build(&mesh);
    matrix_assemble(&matrix, &mesh);
    check_matrix(&matrix, &mesh);
    check_dense(&matrix, &mesh);
    check_even_strain(&matrix, &mesh);
    check_conservation(&matrix, &mesh);
    matrix_free(&matrix);
    mesh_free(&mesh);
}

/* What the source put in is in motion, in strain, or gone by damping. */
void check_energy(const struct wave *wave, double peak)
{
    const struct energy *energy = &wave->energy;
    double present = energy->kinetic + energy->potential;
    program_check(present >= 0.0, "the energy is below zero");
    program_check(magnitude(present + energy->dissipated - energy->work) <= 1e-10 * peak,
                  "the energy does not add up");
}
