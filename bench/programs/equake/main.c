/* equake: an earthquake under a sediment basin, simulated on an irregular mesh of tetrahedra. */
#include "equake.h"
#include "study.h"

enum { STATIONS = 5 };

struct input {
    int cells[AXES];
    int steps;
};

static const struct input inputs[SIZES] = {
    [SIZE_TEST] = {{4, 4, 3}, 40},
    [SIZE_SMALL] = {{11, 11, 10}, 80},
    [SIZE_FULL] = {{24, 24, 22}, 130},
};

struct station {
    int node;
    double peak; /* the largest displacement, squared */
    int peak_step;
};

static struct mesh_shape shape_of(const struct input *input)
{
    struct mesh_shape shape = {.length = {50.0, 50.0, 25.0}, .basin = 1, .seed = 19940117};
    for (int axis = 0; axis < AXES; axis++) {
        shape.cells[axis] = input->cells[axis];
    }
    return shape;
}

static struct fault fault_of(const struct mesh_shape *shape, double rise_time)
{
    struct fault fault = {.strike = 111.0 / 360.0,
                          .dip = 44.0 / 360.0,
                          .rake = 70.0 / 360.0,
                          .moment = 1.0,
                          .rise_time = rise_time};
    static const double part[AXES] = {0.47, 0.44, 0.31};
    for (int axis = 0; axis < AXES; axis++) {
        fault.position[axis] = part[axis] * shape->length[axis];
    }
    return fault;
}

/* The first stands over the source, the others on a line away from it. */
static void place_stations(struct station stations[STATIONS], const struct mesh *mesh,
                           const struct fault *fault, const struct mesh_shape *shape)
{
    for (int i = 0; i < STATIONS; i++) {
        double position[AXES] = {fault->position[0], fault->position[1], 0.0};
        position[0] += (shape->length[0] - fault->position[0]) * i / STATIONS;
        stations[i].node = mesh_nearest_node(mesh, position, SIDE_SURFACE);
        stations[i].peak = 0.0;
        stations[i].peak_step = 0;
    }
}

static void watch_stations(struct station stations[STATIONS], const struct wave *wave)
{
    for (int i = 0; i < STATIONS; i++) {
        const double *at = wave->now[stations[i].node];
        double square = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
        if (square > stations[i].peak) {
            stations[i].peak = square;
            stations[i].peak_step = wave->step;
        }
    }
}

static void run_wave(struct wave *wave, const struct matrix *matrix, int steps,
                     struct station stations[STATIONS])
{
    double peak = 0.0;
    for (int step = 0; step < steps; step++) {
        wave_step(wave, matrix);
        watch_stations(stations, wave);
        double scale = wave->energy.kinetic + wave->energy.dissipated;
        peak = scale > peak ? scale : peak;
        if (step > 1) {
            check_energy(wave, peak);
        }
    }
}

static void print_run(const struct wave *wave, const struct station stations[STATIONS])
{
    const struct energy *energy = &wave->energy;
    printf("%d steps of %.3f ms, work %.3e, kinetic %.3e, potential %.3e, dissipated %.3e\n",
           wave->step, wave->step_time * 1e3, energy->work, energy->kinetic, energy->potential,
           energy->dissipated);
    for (int i = 0; i < STATIONS; i++) {
        printf("station %d at node %d: peak %.3e in step %d\n", i, stations[i].node,
               sqrt(stations[i].peak), stations[i].peak_step);
    }
}

static uint64_t digest_of(const struct wave *wave, const struct station stations[STATIONS])
{
    uint64_t digest = 0;
    for (int i = 0; i < wave->nodes; i++) {
        for (int axis = 0; axis < AXES; axis++) {
            digest = program_mix_double(digest, wave->now[i][axis]);
        }
    }
    for (int i = 0; i < STATIONS; i++) {
        digest = program_mix_double(digest, stations[i].peak);
    }
    return program_mix_double(digest, wave->energy.work);
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    const struct input *input = &inputs[size];
    check_small_mesh();

    struct mesh_shape shape = shape_of(input);
    struct mesh mesh = mesh_generate(&shape);
    struct matrix matrix = matrix_build(&mesh);
    matrix_assemble(&matrix, &mesh);
    check_matrix(&matrix, &mesh);
    printf("nodes %d, elements %d, blocks %d\n", mesh.nodes, mesh.elements, matrix.blocks);

    struct wave wave = wave_start(&mesh, &matrix, 1);
    struct fault fault = fault_of(&shape, 0.3 * input->steps * wave.step_time);
    struct station stations[STATIONS];
    wave.source = source_place(&fault, &mesh);
    place_stations(stations, &mesh, &fault, &shape);
    run_wave(&wave, &matrix, input->steps, stations);
    program_check(stations[0].peak > 0.0, "the wave never reached the surface");
    print_run(&wave, stations);
    uint64_t digest = digest_of(&wave, stations);

    wave_free(&wave);
    matrix_free(&matrix);
    mesh_free(&mesh);
    study_report("equake", size, digest);
    return 0;
}
