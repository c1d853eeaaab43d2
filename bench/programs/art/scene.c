/* What there is to learn and to find: objects unlike each other, and a cluttered scene with some of them. */
#include "art.h"

/* A fifth of a window. */
int scene_stride(const struct input *input)
{
    return input->window / 5;
}

/* The cosine between two images after all below their root mean square is taken as ground. */
double objects_similarity(const struct image *a, const struct image *b)
{
    int count = a->width * a->height;
    double square_a = 0.0, square_b = 0.0;
    for (int i = 0; i < count; i++) {
        square_a += a->pixel[i] * a->pixel[i];
        square_b += b->pixel[i] * b->pixel[i];
    }
    double level_a = sqrt(square_a / count), level_b = sqrt(square_b / count);
    double both = 0.0;
    square_a = square_b = 0.0;
    for (int i = 0; i < count; i++) {
        double one = a->pixel[i] < level_a ? 0.0 : a->pixel[i];
        double other = b->pixel[i] < level_b ? 0.0 : b->pixel[i];
        square_a += one * one;
        square_b += other * other;
        both += one * other;
    }
    return square_a > 0.0 && square_b > 0.0 ? both / sqrt(square_a * square_b) : 0.0;
}

static int is_new(const struct image *objects, int count)
{
    for (int i = 0; i < count; i++) {
        if (objects_similarity(&objects[i], &objects[count]) > 0.65) {
            return 0;
        }
    }
    return 1;
}

struct image *objects_generate(int count, int window, uint64_t *seed)
{
    struct image *objects = program_allocate((size_t)count, sizeof *objects);
    for (int i = 0; i < count; i++) {
        objects[i] = image_allocate(window, window);
        do {
            image_draw_object(&objects[i], seed);
        } while (!is_new(objects, i));
    }
    return objects;
}

void objects_free(struct image *objects, int count)
{
    for (int i = 0; i < count; i++) {
        image_free(&objects[i]);
    }
    free(objects);
}

static void paste(struct image *scene, const struct image *object, int x, int y, double gain)
{
    for (int row = 0; row < object->height; row++) {
        for (int column = 0; column < object->width; column++) {
            scene->pixel[(y + row) * scene->width + x + column] =
                gain * object->pixel[row * object->width + column];
        }
    }
}

/* Things that nobody learned. */
static void strew_clutter(struct image *scene, const struct input *input, uint64_t *seed)
{
    for (int i = 0; i < input->columns * input->rows / 6; i++) {
        int side = input->window / 4 + (int)program_random_below(seed, (uint32_t)input->window / 2);
        struct image thing = image_allocate(side, side);
        image_draw_object(&thing, seed);
        int x = (int)program_random_below(seed, (uint32_t)(scene->width - side));
        int y = (int)program_random_below(seed, (uint32_t)(scene->height - side));
        paste(scene, &thing, x, y, 0.8);
        image_free(&thing);
    }
}

static int is_free(const struct place *places, int count, const struct place *place, int window)
{
    for (int i = 0; i < count; i++) {
        if (abs(places[i].x - place->x) < window && abs(places[i].y - place->y) < window) {
            return 0;
        }
    }
    return 1;
}

/* On the grid of the scan, apart from each other. */
static void plant_objects(struct image *scene, const struct input *input,
                          const struct image *objects, struct place *places, uint64_t *seed)
{
    int stride = scene_stride(input);
    for (int i = 0; i < input->planted; i++) {
        do {
            places[i].x = stride * (int)program_random_below(seed, (uint32_t)input->columns);
            places[i].y = stride * (int)program_random_below(seed, (uint32_t)input->rows);
        } while (!is_free(places, i, &places[i], input->window));
        places[i].object = (int)program_random_below(seed, (uint32_t)input->objects);
        double gain = 0.6 + 0.04 * program_random_below(seed, 10);
        paste(scene, &objects[places[i].object], places[i].x, places[i].y, gain);
    }
}

struct image scene_generate(const struct input *input, const struct image *objects,
                            struct place *places, uint64_t *seed)
{
    int stride = scene_stride(input);
    struct image scene = image_allocate(input->window + (input->columns - 1) * stride,
                                        input->window + (input->rows - 1) * stride);
    for (int i = 0; i < scene.width * scene.height; i++) {
        scene.pixel[i] = 0.05;
    }
    strew_clutter(&scene, input, seed);
    plant_objects(&scene, input, objects, places, seed);
    image_add_noise(&scene, 0.06, seed);
    return scene;
}
