/* Computes again, from nothing, what the moves kept up to date, and looks for what was lost. */
#include "twolf.h"

static int64_t count_wire(const struct circuit *circuit)
{
    int64_t wire = 0;
    for (int i = 0; i < circuit->net_count; i++) {
        const struct net *net = circuit->nets[i];
        struct box box = wire_scan(net);
        program_check(memcmp(&box, &net->box, sizeof box) == 0, "a net's box");
        wire += wire_of_box(&box);
    }
    return wire;
}

static void check_terminals(const struct cell *cell)
{
    int y = layout_row_y(cell->row);
    for (const struct terminal *pin = cell->terminals; pin != NULL; pin = pin->next_on_cell) {
        int x = cell->mirrored ? cell->x - pin->offset : cell->x + pin->offset;
        program_check(pin->x == x && pin->y == y && !pin->moved, "a terminal is at its cell");
    }
}

void check_costs(const struct circuit *circuit)
{
    program_check(count_wire(circuit) == circuit->wire, "the length of wire");
    for (int i = 0; i < circuit->standard_cells + circuit->pads + circuit->feeds; i++) {
        check_terminals(circuit->cells[i]);
    }
}

static int overlap(int left, int right, int other_left, int other_right)
{
    int from = left > other_left ? left : other_left;
    int to = right < other_right ? right : other_right;
    return to > from ? to - from : 0;
}

/* By all cells of the row for each bin, slowly: another way than that of the moves. */
static int count_covered(const struct circuit *circuit, int row, int b)
{
    int covered = 0;
    for (int i = 0; i < circuit->standard_cells; i++) {
        const struct cell *cell = circuit->cells[i];
        if (cell->row == row) {
            int left = cell->x - cell->width / 2;
            covered += overlap(left, left + cell->width, b * circuit->bin_width,
                               (b + 1) * circuit->bin_width);
        }
    }
    return covered;
}

static int count_row(const struct circuit *circuit, int row)
{
    int used = 0;
    for (int i = 0; i < circuit->standard_cells; i++) {
        if (circuit->cells[i]->row == row) {
            used += circuit->cells[i]->width;
        }
    }
    return used;
}

void check_bins(struct circuit *circuit)
{
    int64_t bin_penalty = 0, row_penalty = 0;
    int cells = 0;
    for (int r = 0; r < circuit->row_count; r++) {
        program_check(count_row(circuit, r) == circuit->rows[r].used, "the width of a row");
        row_penalty += penalty_of_row(circuit, &circuit->rows[r]);
        for (int b = 0; b < circuit->bins_in_row; b++) {
            struct bin *bin = &circuit->rows[r].bins[b];
            program_check(count_covered(circuit, r, b) == bin->covered, "what covers a bin");
            bin_penalty += penalty_of_bin(bin);
            for (struct cell *cell = bin->cells; cell != NULL; cell = cell->next_in_bin) {
                program_check(bin_at(circuit, cell->row, cell->x) == bin, "a cell is in its bin");
                cells++;
            }
        }
    }
    program_check(cells == circuit->standard_cells, "no cell is lost from the bins");
    program_check(bin_penalty == circuit->bin_penalty, "the penalty of bins");
    program_check(row_penalty == circuit->row_penalty, "the penalty of rows");
}

void check_rows(const struct circuit *circuit)
{
    int all = circuit->standard_cells + circuit->pads + circuit->feeds;
    bool *seen = program_allocate((size_t)all, sizeof *seen);
    int cells = 0;
    for (int r = 0; r < circuit->row_count; r++) {
        int right = 0;
        for (int i = 0; i < circuit->rows[r].cells; i++) {
            const struct cell *cell = circuit->rows[r].order[i];
            program_check(!seen[cell->index] && cell->kind != CELL_PAD, "a cell stands once");
            seen[cell->index] = true;
            cells++;
            program_check(cell->row == r && cell->x - cell->width / 2 == right,
                          "cells of a row stand side by side");
            right += cell->width;
        }
    }
    program_check(cells == circuit->standard_cells + circuit->feeds, "no cell is lost");
    free(seen);
}

/* As many segments as pins, less one, are a tree if they also reach every pin. */
static void check_net(const struct circuit *circuit, const struct net *net)
{
    int segments = 0;
    for (const struct segment *s = net->segments; s != NULL; s = s->next_on_net) {
        int low = s->from->cell->row, high = s->to->cell->row;
        program_check(s->from->net == net && s->to->net == net, "a segment is in its net");
        program_check(high - low == 0 || high - low == 1, "a segment crosses no row");
        program_check(s->channel == high || (low == high && s->channel == low + 1),
                      "a segment is beside its pins");
        program_check(s->channel >= 0 && s->channel <= circuit->row_count, "a channel");
        segments++;
    }
    program_check(segments == net->pins - 1, "a net is a tree");
    for (struct terminal *pin = net->terminals; pin != NULL; pin = pin->next_on_net) {
        pin->moved = pin == net->terminals;
    }
    for (int reached = 1, before = 0; reached != before;) {
        before = reached;
        for (struct segment *s = net->segments; s != NULL; s = s->next_on_net) {
            if (s->from->moved != s->to->moved) {
                s->from->moved = s->to->moved = true;
                reached++;
            }
        }
    }
    for (struct terminal *pin = net->terminals; pin != NULL; pin = pin->next_on_net) {
        program_check(pin->moved, "a net is connected");
        pin->moved = false;
    }
}

static void check_channel(const struct circuit *circuit, int c)
{
    int *density = program_allocate((size_t)circuit->columns, sizeof *density);
    int tracks = 0;
    for (int i = 0; i < circuit->segment_count; i++) {
        const struct segment *segment = circuit->segments[i];
        for (int column = segment->left; segment->channel == c && column <= segment->right;
             column++) {
            density[column]++;
        }
    }
    for (int column = 0; column < circuit->columns; column++) {
        program_check(density[column] == circuit->channels[c].density[column], "a density");
        tracks = density[column] > tracks ? density[column] : tracks;
    }
    program_check(tracks == circuit->channels[c].tracks, "the tracks of a channel");
    free(density);
}

void check_routing(struct circuit *circuit)
{
    for (int i = 0; i < circuit->net_count; i++) {
        check_net(circuit, circuit->nets[i]);
    }
    for (int c = 0; c <= circuit->row_count; c++) {
        check_channel(circuit, c);
    }
}

uint64_t check_digest(const struct circuit *circuit)
{
    uint64_t digest = program_mix(0, (uint64_t)circuit->wire);
    for (int i = 0; i < circuit->standard_cells + circuit->pads + circuit->feeds; i++) {
        const struct cell *cell = circuit->cells[i];
        digest = program_mix(digest, (uint64_t)cell->x);
        digest = program_mix(digest, (uint64_t)(cell->row + 1) * 2 + cell->mirrored);
    }
    for (int i = 0; i < circuit->segment_count; i++) {
        digest = program_mix(digest, (uint64_t)circuit->segments[i]->channel);
    }
    return program_mix(digest, (uint64_t)channel_total_tracks(circuit));
}
