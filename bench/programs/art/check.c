/* What must hold: weights at their fixed point, the planted objects and no others found, and plain correlation. */
#include "art.h"
#include "parameters.h"

/* Learned weights tend to U / (1 - D), the same both ways; free categories are as they were. */
void check_weights(const struct network *network, const int *category_of, int objects)
{
    int committed = 0;
    for (int object = 0; object < objects; object++) {
        int category = category_of[object];
        for (int other = 0; other < object; other++) {
            program_check(category_of[other] != category, "two objects share a category");
        }
        double square = 0.0;
        for (int i = 0; i < network->numf1s; i++) {
            double down = network->tds[i][category];
            double difference = network->bus[i][category] - down;
            program_check(difference < 0.05 && difference > -0.05,
                          "weights up and down differ after learning");
            square += down * down;
        }
        double norm = sqrt(square) * (1.0 - ART_D);
        program_check(norm > 0.95 && norm < 1.05, "learned weights are off their fixed point");
    }
    for (int j = 0; j < network->numf2s; j++) {
        committed += network->f2_layer[j].committed;
    }
    program_check(committed == objects, "a category without an object");
}

/* Once learning is over, an object that was learned wins its category without a search. */
void check_direct_access(struct network *network, const struct image *objects,
                         const int *category_of)
{
    for (int object = 0; object < network->inputs; object++) {
        long resets = network->resets;
        network_load(network, &objects[object], 0);
        struct match match = match_input(network, 0);
        program_check(match.category == category_of[object], "a learned object is not known");
        program_check(network->resets == resets, "a learned object had to be searched for");
    }
}

static int is_found(const struct place *found, int count, const struct place *place, int category)
{
    for (int i = 0; i < count; i++) {
        if (found[i].x == place->x && found[i].y == place->y && found[i].object == category) {
            return 1;
        }
    }
    return 0;
}

void check_places(const struct place *found, int count, const struct place *planted,
                  const struct input *input, const int *category_of)
{
    for (int i = 0; i < input->planted; i++) {
        program_check(is_found(found, count, &planted[i], category_of[planted[i].object]),
                      "a planted object was not found");
    }
    program_check(count == input->planted, "something was found that was not planted");
}

static int most_similar(const struct image *window, const struct image *objects, int count,
                        double *similarity)
{
    int best = 0;
    *similarity = 0.0;
    for (int i = 0; i < count; i++) {
        double value = objects_similarity(window, &objects[i]);
        if (value > *similarity) {
            *similarity = value;
            best = i;
        }
    }
    return best;
}

/* Correlation with the clean objects, which the network never saw, has to agree: on all windows
 * where something was found, and on some of the others. */
void check_correlation(const struct scan *scan, const struct image *scene,
                       const struct image *objects, const int *category_of,
                       const struct input *input)
{
    struct image window = image_allocate(input->window, input->window);
    for (int i = 0; i < scan->columns * scan->rows; i++) {
        int category = scan->matches[i].category;
        if (category == NOTHING && i % 8 != 0) {
            continue;
        }
        double similarity;
        image_copy_window(&window, scene, i % scan->columns * scan->stride,
                          i / scan->columns * scan->stride);
        int best = most_similar(&window, objects, input->objects, &similarity);
        if (category == NOTHING) {
            program_check(similarity < 0.9, "a window with an object was rejected");
        } else {
            program_check(category == category_of[best] && similarity > 0.7,
                          "the network and correlation disagree");
        }
    }
    image_free(&window);
}
