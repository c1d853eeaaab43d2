/* The length of wire as half the perimeter of each net's box, kept up to date move by move. */
#include "twolf.h"

int wire_of_box(const struct box *box)
{
    return box->right - box->left + box->top - box->bottom;
}

static void box_include(struct box *box, int x, int y)
{
    if (x < box->left) {
        box->left = x;
    }
    if (x > box->right) {
        box->right = x;
    }
    if (y < box->bottom) {
        box->bottom = y;
    }
    if (y > box->top) {
        box->top = y;
    }
}

/* Over all terminals, each where it would be after the move. */
struct box wire_scan(const struct net *net)
{
    const struct terminal *pin = net->terminals;
    int x = pin->moved ? pin->new_x : pin->x;
    int y = pin->moved ? pin->new_y : pin->y;
    struct box box = {x, x, y, y};
    for (pin = pin->next_on_net; pin != NULL; pin = pin->next_on_net) {
        if (pin->moved) {
            box_include(&box, pin->new_x, pin->new_y);
        } else {
            box_include(&box, pin->x, pin->y);
        }
    }
    return box;
}

void wire_start(struct circuit *circuit)
{
    circuit->wire = 0;
    for (int i = 0; i < circuit->net_count; i++) {
        struct net *net = circuit->nets[i];
        net->box = wire_scan(net);
        circuit->wire += wire_of_box(&net->box);
    }
}

static void net_touch(struct circuit *circuit, struct net *net)
{
    net->touched = true;
    net->rescan = false;
    net->new_box = net->box;
    net->next_touched = circuit->touched;
    circuit->touched = net;
}

/* A terminal that leaves a border may have been the only one there. */
static bool leaves_border(const struct terminal *pin, const struct box *box)
{
    return (pin->x == box->left && pin->new_x > pin->x) ||
           (pin->x == box->right && pin->new_x < pin->x) ||
           (pin->y == box->bottom && pin->new_y > pin->y) ||
           (pin->y == box->top && pin->new_y < pin->y);
}

/* Says where the cell's terminals would be; nothing is changed before wire_finish. */
void wire_shift(struct circuit *circuit, struct cell *cell, int x, int row, bool mirrored)
{
    int y = layout_row_y(row);
    circuit->shifted[circuit->shifted_count++] = cell;
    for (struct terminal *pin = cell->terminals; pin != NULL; pin = pin->next_on_cell) {
        struct net *net = pin->net;
        pin->new_x = mirrored ? x - pin->offset : x + pin->offset;
        pin->new_y = y;
        pin->moved = true;
        if (!net->touched) {
            net_touch(circuit, net);
        }
        if (!net->rescan) {
            if (leaves_border(pin, &net->box)) {
                net->rescan = true;
            } else {
                box_include(&net->new_box, pin->new_x, pin->new_y);
            }
        }
    }
}

int wire_change(struct circuit *circuit)
{
    int change = 0;
    for (struct net *net = circuit->touched; net != NULL; net = net->next_touched) {
        if (net->rescan) {
            net->new_box = wire_scan(net);
        }
        change += wire_of_box(&net->new_box) - wire_of_box(&net->box);
    }
    return change;
}

static void settle_terminals(struct cell *cell, bool commit)
{
    for (struct terminal *pin = cell->terminals; pin != NULL; pin = pin->next_on_cell) {
        pin->moved = false;
        if (commit) {
            pin->x = pin->new_x;
            pin->y = pin->new_y;
        }
    }
}

void wire_finish(struct circuit *circuit, bool commit)
{
    for (struct net *net = circuit->touched; net != NULL; net = net->next_touched) {
        net->touched = false;
        if (commit) {
            circuit->wire += wire_of_box(&net->new_box) - wire_of_box(&net->box);
            net->box = net->new_box;
        }
    }
    circuit->touched = NULL;
    while (circuit->shifted_count > 0) {
        settle_terminals(circuit->shifted[--circuit->shifted_count], commit);
    }
}
