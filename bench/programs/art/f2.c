/* The category layer F2: how strongly each category answers, which one wins, and the search by resets. */
#include "art.h"
#include "parameters.h"
#include "prefetch.h"

void f2_clear_resets(struct network *network)
{
    for (int j = 0; j < network->numf2s; j++) {
        network->f2_layer[j].y = 0.0;
        network->f2_layer[j].reset = 0;
    }
}

/* Category by category through weights that are stored by neuron of F1. */
void f2_activate(struct network *network)
{
    for (int j = 0; j < network->numf2s; j++) {
        double sum = 0.0;
        if (!network->f2_layer[j].reset) {
            for (int i = 0; i < network->numf1s; i++) {
                PREFETCH(&network->f1_layer[i + NEURONS_AHEAD].P);
                PREFETCH(&network->bus[i + NEURONS_AHEAD][j]);
                sum += network->f1_layer[i].P * network->bus[i][j];
            }
        }
        network->f2_layer[j].y = sum;
    }
}

int f2_winner(const struct network *network)
{
    int winner = NOTHING;
    for (int j = 0; j < network->numf2s; j++) {
        const struct f2_neuron *neuron = &network->f2_layer[j];
        if (!neuron->reset && (winner == NOTHING || neuron->y > network->f2_layer[winner].y)) {
            winner = j;
        }
    }
    return winner;
}

/* Lets F1 settle on the input alone, then asks the categories in the order of their answers until
 * one expects what is there.  A free category expects nothing and is always satisfied. */
struct match match_input(struct network *network, int input)
{
    struct match match = {NOTHING, 0.0};
    f1_reset(network);
    f2_clear_resets(network);
    for (int tries = 0; tries < network->numf2s; tries++) {
        f1_settle(network, input, NOTHING);
        f2_activate(network);
        int winner = f2_winner(network);
        f1_pass(network, input, winner);
        match.confidence = f1_vigilance(network);
        if (!network->f2_layer[winner].committed || match.confidence >= ART_VIGILANCE) {
            match.category = winner;
            return match;
        }
        network->f2_layer[winner].reset = 1;
        network->resets++;
    }
    return match;
}
