/* The network's memory: neurons, inputs, and both sets of weights, a row of weights per F1 neuron. */
#include "art.h"
#include "parameters.h"
#include "prefetch.h"

/* A free category's bottom-up weights are as large as they may be without beating a learned one. */
static void initialize_weights(struct network *network)
{
    double weight = 1.0 / ((1.0 - ART_D) * sqrt((double)network->numf1s));
    for (int i = 0; i < network->numf1s; i++) {
        for (int j = 0; j < network->numf2s; j++) {
            network->bus[i][j] = weight;
            network->tds[i][j] = 0.0;
        }
    }
}

static double **allocate_weights(int rows, int columns)
{
    double **weights =
        program_allocate((size_t)rows + PREFETCH_ROOM(NEURONS_AHEAD), sizeof *weights);
    for (int i = 0; i < rows; i++) {
        weights[i] = program_allocate((size_t)columns, sizeof **weights);
    }
    return weights;
}

struct network network_build(int numf1s, int numf2s, int inputs)
{
    struct network network = {.numf1s = numf1s, .numf2s = numf2s, .inputs = inputs};
    network.f1_layer =
        program_allocate((size_t)numf1s + PREFETCH_ROOM(NEURONS_AHEAD), sizeof *network.f1_layer);
    network.f2_layer = program_allocate((size_t)numf2s, sizeof *network.f2_layer);
    for (int i = 0; i < numf1s; i++) {
        network.f1_layer[i].I = program_allocate((size_t)inputs, sizeof(double));
    }
    network.bus = allocate_weights(numf1s, numf2s);
    network.tds = allocate_weights(numf1s, numf2s);
    network.theta = 1.0 / sqrt((double)numf1s);
    initialize_weights(&network);
    return network;
}

void network_free(struct network *network)
{
    for (int i = 0; i < network->numf1s; i++) {
        free(network->f1_layer[i].I);
        free(network->bus[i]);
        free(network->tds[i]);
    }
    free(network->f1_layer);
    free(network->f2_layer);
    free(network->bus);
    free(network->tds);
}

void network_load(struct network *network, const struct image *image, int slot)
{
    program_check(image->width * image->height == network->numf1s && slot < network->inputs,
                  "an image that does not fit the network");
    for (int i = 0; i < network->numf1s; i++) {
        network->f1_layer[i].I[slot] = image->pixel[i];
    }
}
