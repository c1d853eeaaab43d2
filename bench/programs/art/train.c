/* Learning: each object is shown in several epochs, and the winner's weights move towards it. */
#include "art.h"
#include "parameters.h"
#include "prefetch.h"

enum { EPOCHS = 3, STEPS = 20 };

static void adjust_weights(struct network *network, int winner)
{
    const struct f1_neuron *f1_layer = network->f1_layer;
    for (int i = 0; i < network->numf1s; i++) {
        PREFETCH(&f1_layer[i + NEURONS_AHEAD].P);
        PREFETCH(&network->tds[i + NEURONS_AHEAD][winner]);
        PREFETCH(&network->bus[i + NEURONS_AHEAD][winner]);
        double *down = &network->tds[i][winner];
        double *up = &network->bus[i][winner];
        *down += ART_DELTA_T * ART_D * (f1_layer[i].P - *down);
        *up += ART_DELTA_T * ART_D * (f1_layer[i].P - *up);
    }
}

static void learn(struct network *network, int input, int winner)
{
    network->f2_layer[winner].committed = 1;
    for (int step = 0; step < STEPS; step++) {
        f1_pass(network, input, winner);
        adjust_weights(network, winner);
    }
}

/* Each epoch sees the objects with other noise. */
static void load_objects(struct network *network, const struct image *objects, uint64_t *seed)
{
    for (int object = 0; object < network->inputs; object++) {
        struct image seen = image_allocate(objects[object].width, objects[object].height);
        image_copy_window(&seen, &objects[object], 0, 0);
        image_add_noise(&seen, 0.05, seed);
        network_load(network, &seen, object);
        image_free(&seen);
    }
}

void train_network(struct network *network, const struct image *objects, int *category_of,
                   uint64_t *seed)
{
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        load_objects(network, objects, seed);
        for (int object = 0; object < network->inputs; object++) {
            struct match match = match_input(network, object);
            program_check(match.category != NOTHING, "no category is left for an object");
            program_check(epoch == 0 || match.category == category_of[object],
                          "an object changed its category");
            category_of[object] = match.category;
            learn(network, object, match.category);
        }
    }
}
