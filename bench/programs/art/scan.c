/* The scan: a window moves over the scene, and of windows that overlap the surest one counts. */
#include "art.h"

struct scan scan_scene(struct network *network, const struct image *scene,
                       const struct input *input)
{
    struct scan scan = {scene_stride(input), input->columns, input->rows, NULL};
    struct image window = image_allocate(input->window, input->window);
    scan.matches = program_allocate((size_t)(scan.columns * scan.rows), sizeof *scan.matches);
    for (int row = 0; row < scan.rows; row++) {
        for (int column = 0; column < scan.columns; column++) {
            struct match *match = &scan.matches[row * scan.columns + column];
            image_copy_window(&window, scene, column * scan.stride, row * scan.stride);
            network_load(network, &window, 0);
            *match = match_input(network, 0);
            if (match->category != NOTHING && !network->f2_layer[match->category].committed) {
                match->category = NOTHING;
            }
        }
    }
    image_free(&window);
    return scan;
}

void scan_free(struct scan *scan)
{
    free(scan->matches);
}

static int is_surest(const struct scan *scan, int column, int row, int reach)
{
    const struct match *match = &scan->matches[row * scan->columns + column];
    for (int y = row - reach; y <= row + reach; y++) {
        for (int x = column - reach; x <= column + reach; x++) {
            if (x < 0 || y < 0 || x >= scan->columns || y >= scan->rows) {
                continue;
            }
            const struct match *other = &scan->matches[y * scan->columns + x];
            if (other->category != NOTHING && other->confidence > match->confidence) {
                return 0;
            }
        }
    }
    return 1;
}

/* Returns how many were found; object holds the category. */
int scan_collect(const struct scan *scan, const struct input *input, struct place *found, int limit)
{
    int reach = input->window / 2 / scan->stride;
    int count = 0;
    for (int row = 0; row < scan->rows; row++) {
        for (int column = 0; column < scan->columns; column++) {
            int category = scan->matches[row * scan->columns + column].category;
            if (category == NOTHING || !is_surest(scan, column, row, reach)) {
                continue;
            }
            program_check(count < limit, "far more found than planted");
            found[count++] = (struct place){column * scan->stride, row * scan->stride, category};
        }
    }
    return count;
}
