/* The boxes of nets during placement: how many terminals are on each side says when one must be scanned. */
#include "vpr.h"

struct net_box box_scan(const struct fpga *fpga, const struct net *net)
{
    const struct block *first = &fpga->blocks[net->blocks[0]];
    struct net_box result = {{first->x, first->x, first->y, first->y}, {1, 1, 1, 1}};
    struct bounding_box *box = &result.box;
    struct bounding_box *on = &result.on_edge;
    for (int i = 1; i < net->terminals; i++) {
        const struct block *block = &fpga->blocks[net->blocks[i]];
        if (block->x == box->left) {
            on->left++;
        } else if (block->x < box->left) {
            box->left = block->x;
            on->left = 1;
        }
        if (block->x == box->right) {
            on->right++;
        } else if (block->x > box->right) {
            box->right = block->x;
            on->right = 1;
        }
        if (block->y == box->bottom) {
            on->bottom++;
        } else if (block->y < box->bottom) {
            box->bottom = block->y;
            on->bottom = 1;
        }
        if (block->y == box->top) {
            on->top++;
        } else if (block->y > box->top) {
            box->top = block->y;
            on->top = 1;
        }
    }
    return result;
}

/* One border; `out` is the direction in which it lies.  False if it would have to be looked for. */
static bool shift_border(int *border, int *on, int old, int new, int out)
{
    if (old == new) {
        return true;
    }
    if (out * new > out **border) {
        *border = new;
        *on = 1;
        return true;
    }
    *on += (new == *border) - (old == *border);
    return *on > 0;
}

/* Moves one terminal; false if the box must be scanned again. */
bool box_shift(struct net_box *box, int old_x, int old_y, int x, int y)
{
    return shift_border(&box->box.left, &box->on_edge.left, old_x, x, -1) &&
           shift_border(&box->box.right, &box->on_edge.right, old_x, x, 1) &&
           shift_border(&box->box.bottom, &box->on_edge.bottom, old_y, y, -1) &&
           shift_border(&box->box.top, &box->on_edge.top, old_y, y, 1);
}

/* Nets with many terminals need more wire than half the perimeter. */
static double crossing_factor(int terminals)
{
    static const double factors[] = {1.0,    1.0,    1.0,    1.0,    1.0828, 1.1536,
                                     1.2206, 1.2823, 1.3385, 1.3991, 1.4493, 1.4974,
                                     1.5455, 1.5937, 1.6418, 1.6899};
    enum { KNOWN = sizeof factors / sizeof *factors };
    return terminals < KNOWN ? factors[terminals] : 1.6899 + 0.045 * (terminals - KNOWN + 1);
}

double box_cost(const struct net_box *box, int terminals)
{
    const struct bounding_box *b = &box->box;
    return crossing_factor(terminals) * (b->right - b->left + b->top - b->bottom + 2);
}
