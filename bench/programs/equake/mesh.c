/* The mesh: a box of cells, each cut into six tetrahedra, nodes moved and numbered irregularly. */
#include "equake.h"

enum { TETRAHEDRA = 6 };

/* A cell's tetrahedra go from its first to its last corner along the axes in each order. */
static const int axis_orders[TETRAHEDRA][AXES] = {
    {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0},
};

static const struct material rock = {2.7e-3, 3.2, 5.6, 0.02};

/* The basin's sediments grow stiffer with depth. */
static struct material sediment_at(double depth)
{
    struct material sediment = {2.0e-3, 0.8 + 0.25 * depth, 1.9 + 0.45 * depth, 0.12};
    return sediment;
}

static int lattice_number(const struct mesh_shape *shape, const int place[AXES])
{
    int width = shape->cells[0] + 1;
    int breadth = shape->cells[1] + 1;
    return (place[2] * breadth + place[1]) * width + place[0];
}

static void lattice_place(const struct mesh_shape *shape, int number, int place[AXES])
{
    int width = shape->cells[0] + 1;
    int breadth = shape->cells[1] + 1;
    place[0] = number % width;
    place[1] = number / width % breadth;
    place[2] = number / width / breadth;
}

/* Cells grow towards the bottom, where waves are faster and longer. */
static double lattice_coordinate(const struct mesh_shape *shape, int axis, double place)
{
    double part = place / shape->cells[axis];
    if (axis == 2) {
        part = part * (0.6 + 0.4 * part);
    }
    return part * shape->length[axis];
}

static int sides_of(const struct mesh_shape *shape, const int place[AXES])
{
    int sides = 0;
    for (int axis = 0; axis < AXES; axis++) {
        int low = axis == 2 ? SIDE_SURFACE : SIDE_WEST << (2 * axis);
        int high = axis == 2 ? SIDE_BOTTOM : SIDE_EAST << (2 * axis);
        if (place[axis] == 0) {
            sides |= low;
        }
        if (place[axis] == shape->cells[axis]) {
            sides |= high;
        }
    }
    return sides;
}

/* How often the mesh was refined before this node appeared, as a generator by refinement has it. */
static int refinement_of(const int place[AXES], int coarsest)
{
    int all = place[0] | place[1] | place[2];
    int level = coarsest;
    while (level > 0 && (all & 1) == 0) {
        all >>= 1;
        level--;
    }
    return level;
}

static void shuffle(int *numbers, int count, uint64_t *seed)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)program_random_below(seed, (uint32_t)i + 1);
        int swap = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = swap;
    }
}

/* Nodes of the coarse mesh come first, those of each refinement behind them, each in any order. */
static int *number_nodes(const struct mesh_shape *shape, int nodes, uint64_t *seed)
{
    enum { COARSEST = 3 };
    int *order = program_allocate((size_t)nodes, sizeof *order);
    int count = 0;
    for (int level = 0; level <= COARSEST; level++) {
        int first = count;
        for (int number = 0; number < nodes; number++) {
            int place[AXES];
            lattice_place(shape, number, place);
            if (refinement_of(place, COARSEST) == level) {
                order[count++] = number;
            }
        }
        shuffle(order + first, count - first, seed);
    }
    program_check(count == nodes, "nodes without a number");
    int *node_of = program_allocate((size_t)nodes, sizeof *node_of);
    for (int node = 0; node < nodes; node++) {
        node_of[order[node]] = node;
    }
    free(order);
    return node_of;
}

/* Up to 0.15 of a cell: a tetrahedron's height is 0.7 of one, so none can turn inside out. */
static double displaced(int axis, int sides, uint64_t *seed)
{
    double offset = ((double)program_random_below(seed, 3001) - 1500.0) * 1e-4;
    int fixed = axis == 2 ? SIDE_SURFACE | SIDE_BOTTOM : (SIDE_WEST | SIDE_EAST) << (2 * axis);
    return sides & fixed ? 0.0 : offset;
}

static void place_nodes(struct mesh *mesh, const struct mesh_shape *shape, const int *node_of,
                        uint64_t *seed)
{
    for (int number = 0; number < mesh->nodes; number++) {
        int node = node_of[number];
        int place[AXES];
        lattice_place(shape, number, place);
        int sides = sides_of(shape, place);
        mesh->sides[node] = sides;
        for (int axis = 0; axis < AXES; axis++) {
            double at = place[axis] + displaced(axis, sides, seed);
            mesh->coordinate[node][axis] = lattice_coordinate(shape, axis, at);
        }
    }
}

static void cut_cell(struct mesh *mesh, const struct mesh_shape *shape, const int *node_of,
                     const int cell[AXES], const int *element_of, int first)
{
    for (int i = 0; i < TETRAHEDRA; i++) {
        int *corner = mesh->corner[element_of[first + i]];
        int place[AXES] = {cell[0], cell[1], cell[2]};
        corner[0] = node_of[lattice_number(shape, place)];
        for (int j = 0; j < AXES; j++) {
            place[axis_orders[i][j]]++;
            corner[j + 1] = node_of[lattice_number(shape, place)];
        }
    }
}

static void cut_cells(struct mesh *mesh, const struct mesh_shape *shape, const int *node_of,
                      uint64_t *seed)
{
    int *element_of = program_allocate((size_t)mesh->elements, sizeof *element_of);
    for (int i = 0; i < mesh->elements; i++) {
        element_of[i] = i;
    }
    shuffle(element_of, mesh->elements, seed);
    int first = 0;
    int cell[AXES];
    for (cell[2] = 0; cell[2] < shape->cells[2]; cell[2]++) {
        for (cell[1] = 0; cell[1] < shape->cells[1]; cell[1]++) {
            for (cell[0] = 0; cell[0] < shape->cells[0]; cell[0]++) {
                cut_cell(mesh, shape, node_of, cell, element_of, first);
                first += TETRAHEDRA;
            }
        }
    }
    free(element_of);
}

/* The basin is half an ellipsoid, open at the surface. */
static struct material material_at(const struct mesh_shape *shape, const double centre[AXES])
{
    if (!shape->basin) {
        return rock;
    }
    double distance = 0.0;
    for (int axis = 0; axis < AXES; axis++) {
        double middle = axis == 2 ? 0.0 : 0.55 * shape->length[axis];
        double radius = (axis == 2 ? 0.4 : 0.3) * shape->length[axis];
        double part = (centre[axis] - middle) / radius;
        distance += part * part;
    }
    return distance < 1.0 ? sediment_at(centre[2]) : rock;
}

static void fill_materials(struct mesh *mesh, const struct mesh_shape *shape)
{
    for (int i = 0; i < mesh->elements; i++) {
        double centre[AXES] = {0.0, 0.0, 0.0};
        for (int corner = 0; corner < CORNERS; corner++) {
            for (int axis = 0; axis < AXES; axis++) {
                centre[axis] += 0.25 * mesh->coordinate[mesh->corner[i][corner]][axis];
            }
        }
        mesh->material[i] = material_at(shape, centre);
    }
}

struct mesh mesh_generate(const struct mesh_shape *shape)
{
    const int *cells = shape->cells;
    uint64_t seed = shape->seed;
    struct mesh mesh = {0};
    mesh.nodes = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
    mesh.elements = cells[0] * cells[1] * cells[2] * TETRAHEDRA;
    mesh.coordinate = rows_allocate(mesh.nodes);
    mesh.sides = program_allocate((size_t)mesh.nodes, sizeof *mesh.sides);
    mesh.material = program_allocate((size_t)mesh.elements, sizeof *mesh.material);
    mesh.corner = program_allocate((size_t)mesh.elements, sizeof *mesh.corner);
    for (int i = 0; i < mesh.elements; i++) {
        mesh.corner[i] = program_allocate(CORNERS, sizeof **mesh.corner);
    }
    int *node_of = number_nodes(shape, mesh.nodes, &seed);
    place_nodes(&mesh, shape, node_of, &seed);
    cut_cells(&mesh, shape, node_of, &seed);
    fill_materials(&mesh, shape);
    free(node_of);
    return mesh;
}

void mesh_free(struct mesh *mesh)
{
    rows_free(mesh->coordinate, mesh->nodes);
    for (int i = 0; i < mesh->elements; i++) {
        free(mesh->corner[i]);
    }
    free(mesh->corner);
    free(mesh->sides);
    free(mesh->material);
}

/* Of the nodes that lie on all of these sides. */
int mesh_nearest_node(const struct mesh *mesh, const double position[AXES], int sides)
{
    int nearest = -1;
    double shortest = 0.0;
    for (int node = 0; node < mesh->nodes; node++) {
        if ((mesh->sides[node] & sides) != sides) {
            continue;
        }
        double distance = 0.0;
        for (int axis = 0; axis < AXES; axis++) {
            double difference = mesh->coordinate[node][axis] - position[axis];
            distance += difference * difference;
        }
        if (nearest < 0 || distance < shortest) {
            nearest = node;
            shortest = distance;
        }
    }
    return nearest;
}
