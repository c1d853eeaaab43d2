/* The rows and their bins, the places of the pads around them, and the first, random placement. */
#include "twolf.h"

/* Row -1 is the lower edge of pads. */
int layout_row_y(int row)
{
    return (row + 1) * ROW_HEIGHT;
}

static int total_width(const struct circuit *circuit)
{
    int width = 0;
    for (int i = 0; i < circuit->standard_cells; i++) {
        width += circuit->cells[i]->width;
    }
    return width;
}

static int widest_cell(const struct circuit *circuit)
{
    int widest = 0;
    for (int i = 0; i < circuit->standard_cells; i++) {
        if (circuit->cells[i]->width > widest) {
            widest = circuit->cells[i]->width;
        }
    }
    return widest;
}

void layout_build_rows(struct circuit *circuit, int rows)
{
    int width = total_width(circuit);
    circuit->row_count = rows;
    circuit->row_length = width / rows + width / rows / 32 + 1;
    program_check(widest_cell(circuit) < circuit->row_length, "a cell fits into a row");
    circuit->bin_width = 3 * width / circuit->standard_cells;
    circuit->bins_in_row = (circuit->row_length + circuit->bin_width - 1) / circuit->bin_width;
    circuit->rows = program_allocate((size_t)rows, sizeof *circuit->rows);
    for (int r = 0; r < rows; r++) {
        struct row *row = &circuit->rows[r];
        row->bins = program_allocate((size_t)circuit->bins_in_row, sizeof *row->bins);
        for (int b = 0; b < circuit->bins_in_row; b++) {
            int left = b * circuit->bin_width;
            int rest = circuit->row_length - left;
            row->bins[b].capacity = rest < circuit->bin_width ? rest : circuit->bin_width;
        }
    }
}

static void set_terminals(struct cell *cell)
{
    int y = layout_row_y(cell->row);
    for (struct terminal *pin = cell->terminals; pin != NULL; pin = pin->next_on_cell) {
        pin->x = cell->x + (cell->mirrored ? -pin->offset : pin->offset);
        pin->y = y;
    }
}

/* A quarter of the slots is below the rows, a quarter above, and one at either end of them. */
void layout_set_pad(struct circuit *circuit, struct cell *pad, int slot)
{
    int side = slot % 4;
    int position = slot / 4;
    int slots = (circuit->pads + 3) / 4;
    int along_x = (2 * position + 1) * circuit->row_length / (2 * slots);
    int along_y = position * circuit->row_count / slots;
    pad->x = side < 2 ? along_x : side == 2 ? 0 : circuit->row_length;
    pad->row = side == 0 ? -1 : side == 1 ? circuit->row_count : along_y;
}

static int random_below(struct circuit *circuit, int limit)
{
    return (int)program_random_below(&circuit->random, (uint32_t)limit);
}

/* Anywhere, as long as the cell lies within the row: the annealing removes what overlaps. */
static void place_cell(struct circuit *circuit, struct cell *cell)
{
    cell->row = random_below(circuit, circuit->row_count);
    cell->x = cell->width / 2 + random_below(circuit, circuit->row_length - cell->width);
    cell->mirrored = random_below(circuit, 2);
    bin_insert(circuit, cell);
    penalty_cover(circuit, cell->row, cell->x, cell->width, 1);
    circuit->rows[cell->row].used += cell->width;
}

void layout_place(struct circuit *circuit)
{
    for (int i = 0; i < circuit->standard_cells; i++) {
        place_cell(circuit, circuit->cells[i]);
        set_terminals(circuit->cells[i]);
    }
    for (int i = 0; i < circuit->pads; i++) {
        struct cell *pad = circuit->cells[circuit->standard_cells + i];
        layout_set_pad(circuit, pad, i);
        set_terminals(pad);
    }
    circuit->bin_penalty = 0;
    circuit->row_penalty = 0;
    for (int r = 0; r < circuit->row_count; r++) {
        circuit->row_penalty += penalty_of_row(circuit, &circuit->rows[r]);
        for (int b = 0; b < circuit->bins_in_row; b++) {
            circuit->bin_penalty += penalty_of_bin(&circuit->rows[r].bins[b]);
        }
    }
}
