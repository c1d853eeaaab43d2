/* One linear tetrahedron: its shape functions' gradients, its stiffness, its mass, its outer faces. */
#include "equake.h"

static void subtract(double difference[AXES], const double *a, const double *b)
{
    for (int axis = 0; axis < AXES; axis++) {
        difference[axis] = a[axis] - b[axis];
    }
}

static void cross(double product[AXES], const double a[AXES], const double b[AXES])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[AXES], const double b[AXES])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The gradient of a corner's function is the opposite face's normal over six volumes.  Half of the
 * cell's tetrahedra are left-handed: the signed volume makes up for it. */
static void compute_gradients(struct element *element, const struct mesh *mesh, const int *corner)
{
    double edge[CORNERS][AXES];
    double normal[AXES];
    for (int i = 1; i < CORNERS; i++) {
        subtract(edge[i], mesh->coordinate[corner[i]], mesh->coordinate[corner[0]]);
    }
    cross(normal, edge[2], edge[3]);
    double six_volumes = dot(edge[1], normal);
    program_check(six_volumes != 0.0, "an element without volume");
    for (int i = 1; i < CORNERS; i++) {
        cross(normal, edge[i % 3 + 1], edge[(i + 1) % 3 + 1]);
        for (int axis = 0; axis < AXES; axis++) {
            element->gradient[i][axis] = normal[axis] / six_volumes;
        }
    }
    for (int axis = 0; axis < AXES; axis++) {
        element->gradient[0][axis] =
            -(element->gradient[1][axis] + element->gradient[2][axis] + element->gradient[3][axis]);
    }
    element->volume = (six_volumes < 0.0 ? -six_volumes : six_volumes) / 6.0;
}

static void compute_block(double block[AXES][AXES], const double a[AXES], const double b[AXES],
                          double lambda, double mu)
{
    double both = mu * dot(a, b);
    for (int i = 0; i < AXES; i++) {
        for (int j = 0; j < AXES; j++) {
            block[i][j] = lambda * a[i] * b[j] + mu * a[j] * b[i];
        }
        block[i][i] += both;
    }
}

/* All but the stiffness. */
void element_measure(struct element *element, const struct mesh *mesh, int number)
{
    compute_gradients(element, mesh, mesh->corner[number]);
    element->mass = mesh->material[number].density * element->volume / CORNERS;
}

void element_compute(struct element *element, const struct mesh *mesh, int number)
{
    const struct material *material = &mesh->material[number];
    element_measure(element, mesh, number);
    double mu = material->density * material->shear_speed * material->shear_speed;
    double lambda =
        material->density * material->pressure_speed * material->pressure_speed - 2.0 * mu;
    for (int a = 0; a < CORNERS; a++) {
        for (int b = 0; b < CORNERS; b++) {
            compute_block(element->stiffness[a][b], element->gradient[a], element->gradient[b],
                          lambda * element->volume, mu * element->volume);
        }
    }
}

/* The area of the face opposite a corner if it lies on a side that absorbs waves, and the axis that
 * it is normal to; 0 for inner faces and the free surface. */
double element_face_area(const struct mesh *mesh, const int *corner, int opposite, int *axis)
{
    const int absorbing = SIDE_WEST | SIDE_EAST | SIDE_SOUTH | SIDE_NORTH | SIDE_BOTTOM;
    int face[AXES];
    int count = 0;
    int common = absorbing;
    for (int i = 0; i < CORNERS; i++) {
        if (i != opposite) {
            face[count++] = corner[i];
            common &= mesh->sides[corner[i]];
        }
    }
    if (common == 0) {
        return 0.0;
    }
    double first[AXES];
    double second[AXES];
    double normal[AXES];
    subtract(first, mesh->coordinate[face[1]], mesh->coordinate[face[0]]);
    subtract(second, mesh->coordinate[face[2]], mesh->coordinate[face[0]]);
    cross(normal, first, second);
    *axis = common & SIDE_BOTTOM ? 2 : common & (SIDE_SOUTH | SIDE_NORTH) ? 1 : 0;
    return 0.5 * sqrt(dot(normal, normal));
}
