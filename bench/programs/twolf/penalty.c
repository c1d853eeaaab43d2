/* What overlapping cells and uneven rows cost, by bin and by row, and the lists of cells in bins. */
#include "twolf.h"

/* Too little is as bad as too much: an empty bin means an overfull one elsewhere. */
int penalty_of_bin(const struct bin *bin)
{
    return abs(bin->covered - bin->capacity);
}

int penalty_of_row(const struct circuit *circuit, const struct row *row)
{
    return abs(row->used - circuit->row_length);
}

/* Puts (sign 1) or takes (-1) a cell's extent; returns by how much the penalty changes. */
int penalty_cover(struct circuit *circuit, int row, int x, int width, int sign)
{
    int left = x - width / 2;
    int right = left + width;
    int b = left / circuit->bin_width;
    int bin_left = b * circuit->bin_width;
    struct bin *bin = &circuit->rows[row].bins[b];
    int change = 0;
    while (left < right) {
        int end = bin_left + circuit->bin_width;
        int part = (right < end ? right : end) - left;
        change -= penalty_of_bin(bin);
        bin->covered += sign * part;
        change += penalty_of_bin(bin);
        left = end;
        bin_left = end;
        bin++;
    }
    return change;
}

int penalty_use_row(struct circuit *circuit, int row, int width)
{
    struct row *used = &circuit->rows[row];
    int before = penalty_of_row(circuit, used);
    used->used += width;
    return penalty_of_row(circuit, used) - before;
}

struct bin *bin_at(struct circuit *circuit, int row, int x)
{
    return &circuit->rows[row].bins[x / circuit->bin_width];
}

void bin_insert(struct circuit *circuit, struct cell *cell)
{
    struct bin *bin = bin_at(circuit, cell->row, cell->x);
    cell->next_in_bin = bin->cells;
    cell->link_in_bin = &bin->cells;
    if (bin->cells != NULL) {
        bin->cells->link_in_bin = &cell->next_in_bin;
    }
    bin->cells = cell;
    bin->count++;
}

void bin_remove(struct circuit *circuit, struct cell *cell)
{
    *cell->link_in_bin = cell->next_in_bin;
    if (cell->next_in_bin != NULL) {
        cell->next_in_bin->link_in_bin = cell->link_in_bin;
    }
    bin_at(circuit, cell->row, cell->x)->count--;
}
