/* What the files of art share: images, the two layers of the network and their weights, what a scan finds. */
#ifndef ART_H
#define ART_H

#include <math.h>

#include "program.h"

enum { NOTHING = -1 };

/* Prefetching: memory is 230 cycles away, and a neuron, a line of its own, takes 10 to 20. */
enum { NEURONS_AHEAD = 16 };

struct image {
    int width;
    int height;
    double *pixel; /* 0 dark to 1 bright, row by row */
};

/* One neuron of the input layer F1, with the names of the literature. */
struct f1_neuron {
    double *I; /* a training image each; a scanned window comes to the first */
    double W;
    double X;
    double V;
    double U;
    double P;
    double Q;
    double R;
};

/* One neuron of the category layer F2. */
struct f2_neuron {
    double y;
    int reset;     /* lost the vigilance test for this input */
    int committed; /* has learned something */
};

struct network {
    int numf1s;
    int numf2s;
    int inputs; /* training images at a time */
    struct f1_neuron *f1_layer;
    struct f2_neuron *f2_layer;
    double **bus; /* bottom up, a row for each F1 neuron */
    double **tds; /* top down, the same way round */
    double theta; /* below it, what remains of a pixel is noise */
    long passes;
    long resets;
};

struct match {
    int category; /* NOTHING if every one was rejected */
    double confidence;
};

struct place {
    int x;
    int y;
    int object;
};

/* What a size asks for. */
struct input {
    int window;  /* pixels each way */
    int objects; /* to learn */
    int spare;   /* categories that stay free */
    int columns; /* of windows in the scene */
    int rows;
    int planted;
};

struct scan {
    int stride;
    int columns;
    int rows;
    struct match *matches;
};

struct image image_allocate(int width, int height);
void image_free(struct image *image);
void image_draw_object(struct image *image, uint64_t *seed);
void image_add_noise(struct image *image, double strength, uint64_t *seed);
void image_copy_window(struct image *window, const struct image *scene, int x, int y);

struct image *objects_generate(int count, int window, uint64_t *seed);
void objects_free(struct image *objects, int count);
double objects_similarity(const struct image *a, const struct image *b);
struct image scene_generate(const struct input *input, const struct image *objects,
                            struct place *places, uint64_t *seed);
int scene_stride(const struct input *input);

struct network network_build(int numf1s, int numf2s, int inputs);
void network_free(struct network *network);
void network_load(struct network *network, const struct image *image, int slot);

void f1_reset(struct network *network);
void f1_pass(struct network *network, int input, int winner);
int f1_settle(struct network *network, int input, int winner);
double f1_vigilance(struct network *network);
void f2_clear_resets(struct network *network);
void f2_activate(struct network *network);
int f2_winner(const struct network *network);

struct match match_input(struct network *network, int input);
void train_network(struct network *network, const struct image *objects, int *category_of,
                   uint64_t *seed);

struct scan scan_scene(struct network *network, const struct image *scene,
                       const struct input *input);
int scan_collect(const struct scan *scan, const struct input *input, struct place *found,
                 int limit);
void scan_free(struct scan *scan);

void check_weights(const struct network *network, const int *category_of, int objects);
void check_direct_access(struct network *network, const struct image *objects,
                         const int *category_of);
void check_places(const struct place *found, int count, const struct place *planted,
                  const struct input *input, const int *category_of);
void check_correlation(const struct scan *scan, const struct image *scene,
                       const struct image *objects, const int *category_of,
                       const struct input *input);

#endif
