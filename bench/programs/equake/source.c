/* The earthquake itself: slip on a fault inside one element, as the forces at its four corners. */
#include "equake.h"

/* Normal of the fault plane and direction of the slip, x to the north and z downward. */
static void fault_vectors(const struct fault *fault, double normal[AXES], double slip[AXES])
{
    double sin_strike = sine_of_turns(fault->strike), cos_strike = cosine_of_turns(fault->strike);
    double sin_dip = sine_of_turns(fault->dip), cos_dip = cosine_of_turns(fault->dip);
    double sin_rake = sine_of_turns(fault->rake), cos_rake = cosine_of_turns(fault->rake);
    normal[0] = -sin_dip * sin_strike;
    normal[1] = sin_dip * cos_strike;
    normal[2] = -cos_dip;
    slip[0] = cos_rake * cos_strike + cos_dip * sin_rake * sin_strike;
    slip[1] = cos_rake * sin_strike - cos_dip * sin_rake * cos_strike;
    slip[2] = -sin_dip * sin_rake;
}

static int contains(const struct mesh *mesh, int number, const double position[AXES])
{
    struct element element;
    const double *last = mesh->coordinate[mesh->corner[number][0]];
    element_measure(&element, mesh, number);
    double rest = 1.0;
    for (int corner = 1; corner < CORNERS; corner++) {
        double weight = 0.0;
        for (int axis = 0; axis < AXES; axis++) {
            weight += element.gradient[corner][axis] * (position[axis] - last[axis]);
        }
        if (weight < 0.0) {
            return 0;
        }
        rest -= weight;
    }
    return rest >= 0.0;
}

/* A double couple: the moment tensor times the gradients.  It has no net force and no net torque. */
struct source source_place(const struct fault *fault, const struct mesh *mesh)
{
    struct source source = {.element = 0, .rise_time = fault->rise_time};
    double normal[AXES];
    double slip[AXES];
    struct element element;
    while (source.element < mesh->elements && !contains(mesh, source.element, fault->position)) {
        source.element++;
    }
    program_check(source.element < mesh->elements, "the source is outside the mesh");
    element_measure(&element, mesh, source.element);
    fault_vectors(fault, normal, slip);
    for (int corner = 0; corner < CORNERS; corner++) {
        source.node[corner] = mesh->corner[source.element][corner];
        for (int i = 0; i < AXES; i++) {
            for (int j = 0; j < AXES; j++) {
                double moment = fault->moment * (normal[i] * slip[j] + slip[i] * normal[j]);
                source.force[corner][i] += moment * element.gradient[corner][j];
            }
        }
    }
    return source;
}

/* The part of the slip that has happened: it begins and ends without a jump in speed. */
double source_amount(const struct source *source, double time)
{
    const double two_pi = 6.283185307179586;
    if (source->rise_time <= 0.0 || time >= source->rise_time) {
        return 1.0;
    }
    double part = time / source->rise_time;
    return part - sine_of_turns(part) / two_pi;
}
