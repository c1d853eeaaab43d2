/* The circuit that is placed and routed: cells, terminals, nets, rows with bins, channels with segments. */
#ifndef TWOLF_H
#define TWOLF_H

#include "program.h"
#include "words.h"

#include <stdbool.h>

enum { ROW_HEIGHT = 24, FEED_WIDTH = 2, COLUMN_WIDTH = 8, SYMBOLS = 512 };

enum cell_kind { CELL_STANDARD, CELL_PAD, CELL_FEED };

struct box {
    int left, right, bottom, top;
};

/* One pin of a cell: on the list of its cell, and on the list of its net. */
struct terminal {
    struct terminal *next_on_net;
    struct terminal *next_on_cell;
    struct cell *cell;
    struct net *net;
    int offset; /* from the cell's centre, as long as the cell is not mirrored */
    int x, y;
    int new_x, new_y; /* valid while `moved` */
    bool moved;
};

struct net {
    struct net *next_symbol;
    struct terminal *terminals;
    struct segment *segments;
    struct net *next_touched;
    struct box box;
    struct box new_box; /* valid while `touched` */
    bool touched;
    bool rescan; /* a terminal left the border of the box, which may now be smaller */
    int pins;
    int index;
    char name[WORD_BYTES];
};

struct cell {
    struct terminal *terminals;
    struct cell *next_in_bin;
    struct cell **link_in_bin; /* what points at this cell */
    enum cell_kind kind;
    int index;
    int width;
    int x; /* of the centre */
    int row;
    bool mirrored;
    char name[WORD_BYTES];
};

/* A part of a row: the cells whose centre is in it, and how much of it cells cover. */
struct bin {
    struct cell *cells;
    int count;
    int capacity;
    int covered;
};

struct row {
    int used; /* the widths of its cells */
    struct bin *bins;
    struct cell **order; /* from left to right, once the rows are compacted */
    int cells;
};

/* A piece of a net in a channel.  Between two pins of the same row it may as well run above as below. */
struct segment {
    struct segment *next_on_net;
    struct terminal *from, *to;
    int left, right; /* columns */
    int channel;
    int other; /* the channel to which it could be switched, or -1 */
};

struct channel {
    int *density;   /* by column */
    int *histogram; /* how many columns have each density */
    int tracks;     /* the highest density */
};

struct move_counts {
    int tried[4];
    int accepted[4];
};

enum move { MOVE_DISPLACE, MOVE_EXCHANGE, MOVE_MIRROR, MOVE_PADS };

struct circuit {
    uint64_t random;
    struct cell **cells; /* standard cells first, then pads, then feeds */
    int standard_cells, pads, feeds, cell_space;
    struct net **nets;
    int net_count, net_space;
    int terminal_count;
    struct net *symbols[SYMBOLS];
    struct net *touched;
    struct cell *shifted[2]; /* by the move that is tried */
    int shifted_count;

    struct row *rows;
    int row_count;
    int row_length; /* what each row should be */
    int bin_width;
    int bins_in_row;

    int64_t wire; /* the sum over all nets of half the perimeter of the box */
    int64_t bin_penalty;
    int64_t row_penalty;
    double bin_factor;
    double row_factor;
    double temperature;
    int window_x, window_rows;
    struct move_counts counts;

    struct channel *channels; /* channel r is below row r */
    int columns;
    struct segment **segments;
    int segment_count;
};

struct twolf_size {
    int cells;
    int pads;
    int rows;
    int iterations;
    int moves_per_cell;
};

/* generate.c, read.c */
char *generate_text(const struct twolf_size *size, uint64_t seed);
void read_circuit(struct circuit *circuit, const char *text);
struct cell *circuit_add_cell(struct circuit *circuit, enum cell_kind kind, int width);
struct terminal *circuit_add_terminal(struct circuit *circuit, struct cell *cell, struct net *net,
                                      int offset);

/* layout.c */
int layout_row_y(int row);
void layout_build_rows(struct circuit *circuit, int rows);
void layout_place(struct circuit *circuit);
void layout_set_pad(struct circuit *circuit, struct cell *pad, int slot);

/* penalty.c */
int penalty_of_bin(const struct bin *bin);
int penalty_of_row(const struct circuit *circuit, const struct row *row);
int penalty_cover(struct circuit *circuit, int row, int x, int width, int sign);
int penalty_use_row(struct circuit *circuit, int row, int width);
struct bin *bin_at(struct circuit *circuit, int row, int x);
void bin_insert(struct circuit *circuit, struct cell *cell);
void bin_remove(struct circuit *circuit, struct cell *cell);

/* wire.c */
int wire_of_box(const struct box *box);
struct box wire_scan(const struct net *net);
void wire_start(struct circuit *circuit);
void wire_shift(struct circuit *circuit, struct cell *cell, int x, int row, bool mirrored);
int wire_change(struct circuit *circuit);
void wire_finish(struct circuit *circuit, bool commit);

/* accept.c */
void accept_build_table(void);
bool accept_change(struct circuit *circuit, double change);

/* moves.c */
bool move_displace(struct circuit *circuit, struct cell *cell, int row, int x);
bool move_exchange(struct circuit *circuit, struct cell *a, struct cell *b);
bool move_mirror(struct circuit *circuit, struct cell *cell);
bool move_pads(struct circuit *circuit, struct cell *a, struct cell *b);

/* anneal.c */
void anneal(struct circuit *circuit, const struct twolf_size *size);

/* compact.c */
void compact_rows(struct circuit *circuit);
void compact_row(struct circuit *circuit, int row);
int compact_improve(struct circuit *circuit);

/* feeds.c */
void feeds_insert(struct circuit *circuit);
int feeds_improve(struct circuit *circuit);

/* globe.c, channel.c */
void globe_route(struct circuit *circuit);
void channel_build(struct circuit *circuit);
int channel_add(struct channel *channel, const struct segment *segment);
int channel_remove(struct channel *channel, const struct segment *segment);
int channel_total_tracks(const struct circuit *circuit);
int channel_switch_segments(struct circuit *circuit, int tries_per_segment);

/* check.c */
void check_costs(const struct circuit *circuit);
void check_bins(struct circuit *circuit);
void check_rows(const struct circuit *circuit);
void check_routing(struct circuit *circuit);
uint64_t check_digest(const struct circuit *circuit);

#endif
