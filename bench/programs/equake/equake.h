/* What the files of equake share: the mesh, the element, the sparse matrix, the source, and the wave. */
#ifndef EQUAKE_H
#define EQUAKE_H

#include <math.h>

#include "program.h"

/* Lengths in km, times in s, densities in 10^12 kg/km^3: moduli come out in 10^9 Pa. */

enum { AXES = 3, CORNERS = 4 };

/* Prefetching: memory is 230 cycles away, and a block of the product takes about 40. */
enum { BLOCKS_AHEAD = 6 };

/* Which sides of the box a node lies on. */
enum side {
    SIDE_WEST = 1,
    SIDE_EAST = 2,
    SIDE_SOUTH = 4,
    SIDE_NORTH = 8,
    SIDE_BOTTOM = 16,
    SIDE_SURFACE = 32
};

struct material {
    double density;
    double shear_speed;
    double pressure_speed;
    double damping; /* force per mass and speed */
};

struct mesh_shape {
    int cells[AXES];
    double length[AXES]; /* z is the depth, 0 at the surface */
    int basin;           /* soft sediments in the middle of the surface, or rock everywhere */
    uint64_t seed;
};

struct mesh {
    int nodes;
    int elements;
    double **coordinate;
    int **corner;
    int *sides;
    struct material *material; /* of each element */
};

/* What an element adds to the matrices of the whole. */
struct element {
    double volume;
    double gradient[CORNERS][AXES];
    double stiffness[CORNERS][CORNERS][AXES][AXES];
    double mass; /* at each corner */
};

/* Symmetric: each row has its diagonal block, then the blocks right of it by ascending column. */
struct matrix {
    int rows;
    int blocks;
    int *index; /* of the diagonal block of each row; rows + 1 of them */
    int *column;
    double ***block;
};

struct fault {
    double position[AXES];
    double strike, dip, rake; /* in turns */
    double moment;
    double rise_time;
};

struct source {
    int element;
    int node[CORNERS];
    double force[CORNERS][AXES];
    double rise_time;
};

struct energy {
    double kinetic;
    double potential;
    double work;       /* by the source until now */
    double dissipated; /* by the damping until now */
};

struct wave {
    int nodes;
    double step_time;
    int step;
    double **mass;
    double **damping;
    double **before; /* displacements, one step ago */
    double **now;
    double **after;
    double **force; /* inner forces: stiffness times displacement */
    double **velocity;
    struct source source;
    struct energy energy;
};

double **rows_allocate(int rows);
void rows_clear(double **rows, int count);
void rows_free(double **rows, int count);

double sine_of_turns(double turns);
double cosine_of_turns(double turns);

struct mesh mesh_generate(const struct mesh_shape *shape);
void mesh_free(struct mesh *mesh);
int mesh_nearest_node(const struct mesh *mesh, const double position[AXES], int sides);

void element_measure(struct element *element, const struct mesh *mesh, int number);
void element_compute(struct element *element, const struct mesh *mesh, int number);
double element_face_area(const struct mesh *mesh, const int *corner, int opposite, int *axis);

struct matrix matrix_build(const struct mesh *mesh);
void matrix_free(struct matrix *matrix);
void matrix_assemble(struct matrix *matrix, const struct mesh *mesh);
double matrix_row_sum(const struct matrix *matrix, double **mass);
void smvp(int nodes, double ***a, const int *column, const int *index, double **v, double **w);

struct source source_place(const struct fault *fault, const struct mesh *mesh);
double source_amount(const struct source *source, double time);

struct wave wave_start(const struct mesh *mesh, const struct matrix *matrix, int damped);
void wave_step(struct wave *wave, const struct matrix *matrix);
void wave_free(struct wave *wave);

void check_matrix(const struct matrix *matrix, const struct mesh *mesh);
void check_small_mesh(void);
void check_energy(const struct wave *wave, double peak);

#endif
