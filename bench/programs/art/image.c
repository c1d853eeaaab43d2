/* Images: shapes drawn in them, noise over them, windows cut out of them. */
#include "art.h"

enum shape_kind { SHAPE_ELLIPSE, SHAPE_BAR, SHAPE_RING, SHAPE_WEDGE, SHAPE_KINDS };

/* In thousandths of the image's width, so that a shape looks the same at each size. */
struct shape {
    enum shape_kind kind;
    int x, y;
    int half_width, half_height;
    double brightness;
};

struct image image_allocate(int width, int height)
{
    struct image image = {.width = width, .height = height};
    image.pixel = program_allocate((size_t)(width * height), sizeof *image.pixel);
    return image;
}

void image_free(struct image *image)
{
    free(image->pixel);
}

static int shape_covers(const struct shape *shape, int x, int y)
{
    long dx = x - shape->x;
    long dy = y - shape->y;
    long w = shape->half_width;
    long h = shape->half_height;
    if (labs(dx) > w || labs(dy) > h) {
        return 0;
    }
    long distance = dx * dx * h * h + dy * dy * w * w;
    switch (shape->kind) {
    case SHAPE_ELLIPSE:
        return distance <= w * w * h * h;
    case SHAPE_RING:
        return distance <= w * w * h * h && distance * 4 >= w * w * h * h;
    case SHAPE_WEDGE:
        return (dx + w) * h <= (dy + h) * w;
    default:
        return 1;
    }
}

static void draw_shape(struct image *image, const struct shape *shape)
{
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            if (shape_covers(shape, (2 * x + 1) * 500 / image->width,
                             (2 * y + 1) * 500 / image->width)) {
                image->pixel[y * image->width + x] = shape->brightness;
            }
        }
    }
}

static struct shape random_shape(uint64_t *seed)
{
    struct shape shape;
    shape.kind = (enum shape_kind)program_random_below(seed, SHAPE_KINDS);
    shape.x = 150 + (int)program_random_below(seed, 700);
    shape.y = 150 + (int)program_random_below(seed, 700);
    shape.half_width = 70 + (int)program_random_below(seed, 180);
    shape.half_height = 70 + (int)program_random_below(seed, 180);
    shape.brightness = 0.55 + 0.05 * program_random_below(seed, 10);
    return shape;
}

/* Some bright shapes, one over the other, on a dark ground. */
void image_draw_object(struct image *image, uint64_t *seed)
{
    int shapes = 3 + (int)program_random_below(seed, 3);
    for (int i = 0; i < image->width * image->height; i++) {
        image->pixel[i] = 0.04;
    }
    for (int i = 0; i < shapes; i++) {
        struct shape shape = random_shape(seed);
        draw_shape(image, &shape);
    }
}

void image_add_noise(struct image *image, double strength, uint64_t *seed)
{
    for (int i = 0; i < image->width * image->height; i++) {
        double noise = ((double)program_random_below(seed, 2001) - 1000.0) * 1e-3;
        double value = image->pixel[i] + strength * noise;
        image->pixel[i] = value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
    }
}

void image_copy_window(struct image *window, const struct image *scene, int x, int y)
{
    for (int row = 0; row < window->height; row++) {
        const double *from = scene->pixel + (y + row) * scene->width + x;
        memcpy(window->pixel + row * window->width, from, (size_t)window->width * sizeof *from);
    }
}
