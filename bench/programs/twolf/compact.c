/* From the annealed placement to rows without gaps or overlap, and small repairs within the rows. */
#include "twolf.h"

static bool stands_left(const struct cell *a, const struct cell *b)
{
    return a->x < b->x || (a->x == b->x && a->index < b->index);
}

static void sort_row(struct row *row)
{
    for (int i = 1; i < row->cells; i++) {
        struct cell *cell = row->order[i];
        int place = i;
        while (place > 0 && stands_left(cell, row->order[place - 1])) {
            row->order[place] = row->order[place - 1];
            place--;
        }
        row->order[place] = cell;
    }
}

static void move_to(struct circuit *circuit, struct cell *cell, int x)
{
    if (cell->x != x) {
        wire_shift(circuit, cell, x, cell->row, cell->mirrored);
        wire_change(circuit);
        wire_finish(circuit, true);
        cell->x = x;
    }
}

void compact_row(struct circuit *circuit, int row)
{
    int left = 0;
    for (int i = 0; i < circuit->rows[row].cells; i++) {
        struct cell *cell = circuit->rows[row].order[i];
        move_to(circuit, cell, left + cell->width / 2);
        left += cell->width;
    }
    circuit->rows[row].used = left;
}

void compact_rows(struct circuit *circuit)
{
    for (int i = 0; i < circuit->standard_cells; i++) {
        circuit->rows[circuit->cells[i]->row].cells++;
    }
    for (int r = 0; r < circuit->row_count; r++) {
        struct row *row = &circuit->rows[r];
        row->order = program_allocate((size_t)row->cells + 1, sizeof *row->order);
        row->cells = 0;
    }
    for (int i = 0; i < circuit->standard_cells; i++) {
        struct row *row = &circuit->rows[circuit->cells[i]->row];
        row->order[row->cells++] = circuit->cells[i];
    }
    for (int r = 0; r < circuit->row_count; r++) {
        sort_row(&circuit->rows[r]);
        compact_row(circuit, r);
    }
}

/* Neighbours change places; the space that both take stays the same. */
static bool try_neighbours(struct circuit *circuit, struct cell **pair)
{
    struct cell *a = pair[0];
    struct cell *b = pair[1];
    int left = a->x - a->width / 2;
    int b_x = left + b->width / 2;
    int a_x = left + b->width + a->width / 2;
    wire_shift(circuit, a, a_x, a->row, a->mirrored);
    wire_shift(circuit, b, b_x, b->row, b->mirrored);
    bool better = wire_change(circuit) < 0;
    wire_finish(circuit, better);
    if (better) {
        a->x = a_x;
        b->x = b_x;
        pair[0] = b;
        pair[1] = a;
    }
    return better;
}

static bool try_mirror(struct circuit *circuit, struct cell *cell)
{
    wire_shift(circuit, cell, cell->x, cell->row, !cell->mirrored);
    bool better = wire_change(circuit) < 0;
    wire_finish(circuit, better);
    cell->mirrored ^= better;
    return better;
}

static int improve_row(struct circuit *circuit, struct row *row)
{
    int changes = 0;
    for (int i = 0; i + 1 < row->cells; i++) {
        changes += try_neighbours(circuit, &row->order[i]);
    }
    for (int i = 0; i < row->cells; i++) {
        changes += try_mirror(circuit, row->order[i]);
    }
    return changes;
}

/* Until nothing changes any more, or twelve times; returns the changes. */
int compact_improve(struct circuit *circuit)
{
    int changes = 0;
    for (int pass = 0; pass < 12; pass++) {
        int before = changes;
        for (int r = 0; r < circuit->row_count; r++) {
            changes += improve_row(circuit, &circuit->rows[r]);
        }
        if (changes == before) {
            break;
        }
    }
    return changes;
}
