/* The input layer F1: three coupled stages of normalization and noise suppression, pass by pass. */
#include "art.h"
#include "parameters.h"
#include "prefetch.h"

/* Keeps a black image from dividing by zero. */
#define ART_E 1e-12

static double suppress(const struct network *network, double x)
{
    return x < network->theta ? 0.0 : x;
}

void f1_reset(struct network *network)
{
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&network->f1_layer[i + NEURONS_AHEAD]);
        struct f1_neuron *neuron = &network->f1_layer[i];
        neuron->W = neuron->X = neuron->V = neuron->U = 0.0;
        neuron->P = neuron->Q = neuron->R = 0.0;
    }
}

static void compute_w_and_x(struct network *network, int input)
{
    struct f1_neuron *f1_layer = network->f1_layer;
    double norm = 0.0;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + 2 * NEURONS_AHEAD]);
        PREFETCH(&f1_layer[i + NEURONS_AHEAD].I[input]);
        f1_layer[i].W = f1_layer[i].I[input] + ART_A * f1_layer[i].U;
        norm += f1_layer[i].W * f1_layer[i].W;
    }
    norm = sqrt(norm) + ART_E;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + NEURONS_AHEAD]);
        f1_layer[i].X = f1_layer[i].W / norm;
    }
}

/* Returns how far any U moved. */
static double compute_v_and_u(struct network *network)
{
    struct f1_neuron *f1_layer = network->f1_layer;
    double norm = 0.0;
    double moved = 0.0;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + NEURONS_AHEAD]);
        f1_layer[i].V = suppress(network, f1_layer[i].X) + ART_B * suppress(network, f1_layer[i].Q);
        norm += f1_layer[i].V * f1_layer[i].V;
    }
    norm = sqrt(norm) + ART_E;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + NEURONS_AHEAD]);
        double before = f1_layer[i].U;
        f1_layer[i].U = f1_layer[i].V / norm;
        double difference = f1_layer[i].U - before;
        if (difference < 0.0) {
            difference = -difference;
        }
        if (difference > moved) {
            moved = difference;
        }
    }
    return moved;
}

/* Only the winner of F2 is active, with the output D. */
static double top_down(const struct network *network, int neuron, int winner)
{
    double sum = 0.0;
    for (int j = 0; j < network->numf2s; j++) {
        if (j == winner && network->f2_layer[j].y > 0.0) {
            sum += network->tds[neuron][j] * ART_D;
        }
    }
    return sum;
}

static void compute_p_and_q(struct network *network, int winner)
{
    struct f1_neuron *f1_layer = network->f1_layer;
    double norm = 0.0;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + NEURONS_AHEAD]);
        f1_layer[i].P = f1_layer[i].U;
        if (winner != NOTHING) {
            PREFETCH(&network->tds[i + NEURONS_AHEAD][winner]);
            f1_layer[i].P += top_down(network, i, winner);
        }
        norm += f1_layer[i].P * f1_layer[i].P;
    }
    norm = sqrt(norm) + ART_E;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + NEURONS_AHEAD]);
        f1_layer[i].Q = f1_layer[i].P / norm;
    }
}

void f1_pass(struct network *network, int input, int winner)
{
    network->passes++;
    compute_w_and_x(network, input);
    compute_v_and_u(network);
    compute_p_and_q(network, winner);
}

/* Returns the passes that it took. */
int f1_settle(struct network *network, int input, int winner)
{
    for (int pass = 1; pass <= ART_MAX_PASSES; pass++) {
        network->passes++;
        compute_w_and_x(network, input);
        double moved = compute_v_and_u(network);
        compute_p_and_q(network, winner);
        if (moved < ART_SETTLED) {
            return pass;
        }
    }
    return ART_MAX_PASSES;
}

/* The norm of R: 1 where input and expectation agree. */
double f1_vigilance(struct network *network)
{
    struct f1_neuron *f1_layer = network->f1_layer;
    double norm_u = 0.0;
    double norm_p = 0.0;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + NEURONS_AHEAD]);
        norm_u += f1_layer[i].U * f1_layer[i].U;
        norm_p += f1_layer[i].P * f1_layer[i].P;
    }
    double norm = sqrt(norm_u) + ART_C * sqrt(norm_p) + ART_E;
    double norm_r = 0.0;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + NEURONS_AHEAD]);
        f1_layer[i].R = (f1_layer[i].U + ART_C * f1_layer[i].P) / norm;
        norm_r += f1_layer[i].R * f1_layer[i].R;
    }
    return sqrt(norm_r);
}
