/* art: an ART 2 neural network learns some objects and looks for them in a cluttered scene. */
#include "art.h"
#include "study.h"

static const struct input inputs[SIZES] = {
    [SIZE_TEST] = {.window = 15, .objects = 3, .spare = 2, .columns = 9, .rows = 7, .planted = 2},
    [SIZE_SMALL] =
        {.window = 40, .objects = 6, .spare = 3, .columns = 11, .rows = 11, .planted = 3},
    [SIZE_FULL] =
        {.window = 100, .objects = 8, .spare = 4, .columns = 15, .rows = 15, .planted = 4},
};

static void print_found(const struct place *found, int count)
{
    for (int i = 0; i < count; i++) {
        printf("category %d found at %d, %d\n", found[i].object, found[i].x, found[i].y);
    }
}

static uint64_t digest_of(const struct network *network, const struct scan *scan)
{
    uint64_t digest = 0;
    for (int i = 0; i < network->numf1s; i++) {
        for (int j = 0; j < network->numf2s; j++) {
            digest = program_mix_double(digest, network->bus[i][j]);
            digest = program_mix_double(digest, network->tds[i][j]);
        }
    }
    for (int i = 0; i < scan->columns * scan->rows; i++) {
        digest = program_mix(digest, (uint64_t)(scan->matches[i].category + 1));
        digest = program_mix_double(digest, scan->matches[i].confidence);
    }
    digest = program_mix(digest, (uint64_t)network->passes);
    return program_mix(digest, (uint64_t)network->resets);
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    const struct input *input = &inputs[size];
    uint64_t seed = 19870814;

    struct image *objects = objects_generate(input->objects, input->window, &seed);
    int *category_of = program_allocate((size_t)input->objects, sizeof *category_of);
    struct network network =
        network_build(input->window * input->window, input->objects + input->spare, input->objects);
    train_network(&network, objects, category_of, &seed);
    check_weights(&network, category_of, input->objects);
    check_direct_access(&network, objects, category_of);
    printf("learned %d objects of %d pixels in %ld passes, %ld resets\n", input->objects,
           network.numf1s, network.passes, network.resets);

    int limit = input->columns * input->rows;
    struct place *planted = program_allocate((size_t)input->planted, sizeof *planted);
    struct place *found = program_allocate((size_t)limit, sizeof *found);
    struct image scene = scene_generate(input, objects, planted, &seed);
    struct scan scan = scan_scene(&network, &scene, input);
    int count = scan_collect(&scan, input, found, limit);
    printf("scanned %d windows of %d by %d pixels, %ld passes and %ld resets in all\n", limit,
           scene.width, scene.height, network.passes, network.resets);
    print_found(found, count);
    check_places(found, count, planted, input, category_of);
    check_correlation(&scan, &scene, objects, category_of, input);
    uint64_t digest = digest_of(&network, &scan);

    scan_free(&scan);
    image_free(&scene);
    free(found);
    free(planted);
    free(category_of);
    network_free(&network);
    objects_free(objects, input->objects);
    study_report("art", size, digest);
    return 0;
}
