/* The moves of the annealing: each is tried on wire and penalties, then kept or taken back. */
#include "twolf.h"

static bool decide(struct circuit *circuit, enum move move, int bin_change, int row_change)
{
    double change = wire_change(circuit);
    change += circuit->bin_factor * bin_change + circuit->row_factor * row_change;
    bool accepted = accept_change(circuit, change);
    wire_finish(circuit, accepted);
    circuit->counts.tried[move]++;
    if (accepted) {
        circuit->counts.accepted[move]++;
        circuit->bin_penalty += bin_change;
        circuit->row_penalty += row_change;
    }
    return accepted;
}

static int clamp_x(const struct circuit *circuit, const struct cell *cell, int x)
{
    int low = cell->width / 2;
    int high = circuit->row_length - (cell->width - cell->width / 2);
    return x < low ? low : x > high ? high : x;
}

static void settle(struct circuit *circuit, struct cell *cell, int row, int x)
{
    bin_remove(circuit, cell);
    cell->row = row;
    cell->x = x;
    bin_insert(circuit, cell);
}

bool move_displace(struct circuit *circuit, struct cell *cell, int row, int x)
{
    x = clamp_x(circuit, cell, x);
    int bin_change = penalty_cover(circuit, cell->row, cell->x, cell->width, -1);
    bin_change += penalty_cover(circuit, row, x, cell->width, 1);
    int row_change = 0;
    if (row != cell->row) {
        row_change = penalty_use_row(circuit, cell->row, -cell->width);
        row_change += penalty_use_row(circuit, row, cell->width);
    }
    wire_shift(circuit, cell, x, row, cell->mirrored);
    if (decide(circuit, MOVE_DISPLACE, bin_change, row_change)) {
        settle(circuit, cell, row, x);
        return true;
    }
    penalty_cover(circuit, row, x, cell->width, -1);
    penalty_cover(circuit, cell->row, cell->x, cell->width, 1);
    if (row != cell->row) {
        penalty_use_row(circuit, row, -cell->width);
        penalty_use_row(circuit, cell->row, cell->width);
    }
    return false;
}

bool move_exchange(struct circuit *circuit, struct cell *a, struct cell *b)
{
    int a_row = b->row, b_row = a->row;
    int a_x = clamp_x(circuit, a, b->x), b_x = clamp_x(circuit, b, a->x);
    int wider = a->width - b->width;
    int bin_change = penalty_cover(circuit, a->row, a->x, a->width, -1);
    bin_change += penalty_cover(circuit, b->row, b->x, b->width, -1);
    bin_change += penalty_cover(circuit, a_row, a_x, a->width, 1);
    bin_change += penalty_cover(circuit, b_row, b_x, b->width, 1);
    int row_change = 0;
    if (a_row != b_row && wider != 0) {
        row_change = penalty_use_row(circuit, a_row, wider);
        row_change += penalty_use_row(circuit, b_row, -wider);
    }
    wire_shift(circuit, a, a_x, a_row, a->mirrored);
    wire_shift(circuit, b, b_x, b_row, b->mirrored);
    if (decide(circuit, MOVE_EXCHANGE, bin_change, row_change)) {
        settle(circuit, a, a_row, a_x);
        settle(circuit, b, b_row, b_x);
        return true;
    }
    penalty_cover(circuit, a_row, a_x, a->width, -1);
    penalty_cover(circuit, b_row, b_x, b->width, -1);
    penalty_cover(circuit, a->row, a->x, a->width, 1);
    penalty_cover(circuit, b->row, b->x, b->width, 1);
    if (a_row != b_row && wider != 0) {
        penalty_use_row(circuit, a_row, -wider);
        penalty_use_row(circuit, b_row, wider);
    }
    return false;
}

bool move_mirror(struct circuit *circuit, struct cell *cell)
{
    wire_shift(circuit, cell, cell->x, cell->row, !cell->mirrored);
    if (decide(circuit, MOVE_MIRROR, 0, 0)) {
        cell->mirrored = !cell->mirrored;
        return true;
    }
    return false;
}

bool move_pads(struct circuit *circuit, struct cell *a, struct cell *b)
{
    wire_shift(circuit, a, b->x, b->row, false);
    wire_shift(circuit, b, a->x, a->row, false);
    if (!decide(circuit, MOVE_PADS, 0, 0)) {
        return false;
    }
    int x = a->x, row = a->row;
    a->x = b->x;
    a->row = b->row;
    b->x = x;
    b->row = row;
    return true;
}
