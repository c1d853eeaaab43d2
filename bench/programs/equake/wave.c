/* The wave: masses and damping of the nodes, central differences in time, and where the energy goes. */
#include "equake.h"

/* Dashpots as stiff as the medium, so that waves leave the box instead of coming back. */
static void absorb_faces(struct wave *wave, const struct mesh *mesh, int number)
{
    const int *corner = mesh->corner[number];
    const struct material *material = &mesh->material[number];
    for (int opposite = 0; opposite < CORNERS; opposite++) {
        int normal = 0;
        double area = element_face_area(mesh, corner, opposite, &normal);
        if (area <= 0.0) {
            continue;
        }
        for (int i = 0; i < CORNERS; i++) {
            for (int axis = 0; axis < AXES && i != opposite; axis++) {
                double speed = axis == normal ? material->pressure_speed : material->shear_speed;
                wave->damping[corner[i]][axis] += material->density * speed * area / 3.0;
            }
        }
    }
}

static void add_masses(struct wave *wave, const struct mesh *mesh, int damped)
{
    for (int number = 0; number < mesh->elements; number++) {
        struct element element;
        double damping = damped ? mesh->material[number].damping : 0.0;
        element_measure(&element, mesh, number);
        for (int i = 0; i < CORNERS; i++) {
            int node = mesh->corner[number][i];
            for (int axis = 0; axis < AXES; axis++) {
                wave->mass[node][axis] += element.mass;
                wave->damping[node][axis] += damping * element.mass;
            }
        }
        if (damped) {
            absorb_faces(wave, mesh, number);
        }
    }
}

struct wave wave_start(const struct mesh *mesh, const struct matrix *matrix, int damped)
{
    struct wave wave = {.nodes = mesh->nodes};
    wave.mass = rows_allocate(wave.nodes);
    wave.damping = rows_allocate(wave.nodes);
    wave.before = rows_allocate(wave.nodes);
    wave.now = rows_allocate(wave.nodes);
    wave.after = rows_allocate(wave.nodes);
    wave.force = rows_allocate(wave.nodes);
    wave.velocity = rows_allocate(wave.nodes);
    add_masses(&wave, mesh, damped);
    wave.step_time = 0.95 * 2.0 / sqrt(matrix_row_sum(matrix, wave.mass));
    return wave;
}

void wave_free(struct wave *wave)
{
    rows_free(wave->mass, wave->nodes);
    rows_free(wave->damping, wave->nodes);
    rows_free(wave->before, wave->nodes);
    rows_free(wave->now, wave->nodes);
    rows_free(wave->after, wave->nodes);
    rows_free(wave->force, wave->nodes);
    rows_free(wave->velocity, wave->nodes);
}

static void integrate(struct wave *wave)
{
    double time = wave->step_time;
    for (int i = 0; i < wave->nodes; i++) {
        for (int j = 0; j < AXES; j++) {
            double half_damping = 0.5 * time * wave->damping[i][j];
            wave->after[i][j] = 2.0 * wave->mass[i][j] * wave->now[i][j] -
                                (wave->mass[i][j] - half_damping) * wave->before[i][j] -
                                time * time * wave->force[i][j];
        }
    }
}

static void push_source(struct wave *wave, double amount)
{
    double square = wave->step_time * wave->step_time;
    for (int corner = 0; corner < CORNERS; corner++) {
        double *after = wave->after[wave->source.node[corner]];
        for (int j = 0; j < AXES; j++) {
            after[j] += square * amount * wave->source.force[corner][j];
        }
    }
}

static void divide_by_mass(struct wave *wave)
{
    for (int i = 0; i < wave->nodes; i++) {
        for (int j = 0; j < AXES; j++) {
            wave->after[i][j] /= wave->mass[i][j] + 0.5 * wave->step_time * wave->damping[i][j];
        }
    }
}

static void compute_velocity(struct wave *wave)
{
    for (int i = 0; i < wave->nodes; i++) {
        for (int j = 0; j < AXES; j++) {
            wave->velocity[i][j] = 0.5 * (wave->after[i][j] - wave->before[i][j]) / wave->step_time;
        }
    }
}

/* For central differences the energy between two steps, with the potential taken across them, is
 * exact: it changes by the source's work and by what the damping takes, and by nothing else. */
static void tally_energy(struct wave *wave, double amount)
{
    struct energy *energy = &wave->energy;
    energy->kinetic = 0.0;
    energy->potential = 0.0;
    for (int i = 0; i < wave->nodes; i++) {
        for (int j = 0; j < AXES; j++) {
            double speed = (wave->after[i][j] - wave->now[i][j]) / wave->step_time;
            double central = wave->velocity[i][j];
            energy->kinetic += 0.5 * wave->mass[i][j] * speed * speed;
            energy->potential += 0.5 * wave->after[i][j] * wave->force[i][j];
            energy->dissipated += wave->step_time * wave->damping[i][j] * central * central;
        }
    }
    for (int corner = 0; corner < CORNERS; corner++) {
        const double *velocity = wave->velocity[wave->source.node[corner]];
        for (int j = 0; j < AXES; j++) {
            energy->work += wave->step_time * amount * wave->source.force[corner][j] * velocity[j];
        }
    }
}

void wave_step(struct wave *wave, const struct matrix *matrix)
{
    double amount = source_amount(&wave->source, wave->step * wave->step_time);
    rows_clear(wave->force, wave->nodes);
    smvp(wave->nodes, matrix->block, matrix->column, matrix->index, wave->now, wave->force);
    integrate(wave);
    push_source(wave, amount);
    divide_by_mass(wave);
    compute_velocity(wave);
    tally_energy(wave, amount);

    double **oldest = wave->before;
    wave->before = wave->now;
    wave->now = wave->after;
    wave->after = oldest;
    wave->step++;
}
