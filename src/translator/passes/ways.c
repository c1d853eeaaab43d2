/* Ways home: what must be done so that each register of the program's holds what it should. */
#include "translator/passes/ways.h"

#include "translator/passes/registers.h"

#include "target_facts.h"

/* Puts moves into an order in which each register is read before it is written.  Returns how many they are then. */
static unsigned order_moves(struct move *pending, unsigned count, struct move *moves)
{
    uint8_t readers[OPS_REGISTERS] = {
        0}; /* pending moves that read the register, but for the one that writes it */
    unsigned done = 0, left = count, at = 0, waited = 0;

    for (unsigned i = 0; i < count; i++) {
        if (pending[i].src != NO_REGISTER && pending[i].src != pending[i].dst) {
            readers[pending[i].src]++;
        }
    }
    while (left != 0) {
        struct move *move = &pending[at];
        if (waited == left) { /* they read each other */
            moves[done++] = (struct move){.dst = PLACE_SCRATCH, .src = move->dst};
            for (unsigned i = 0; i < left; i++) {
                pending[i].src =
                    pending[i].src == move->dst ? (uint8_t)PLACE_SCRATCH : pending[i].src;
            }
            readers[move->dst] = 0;
        }
        if (readers[move->dst] != 0) {
            waited++;
            at = at + 1 < left ? at + 1 : 0;
            continue;
        }
        if (move->src != NO_REGISTER && move->src != move->dst) {
            readers[move->src]--;
        }
        moves[done++] = *move;
        *move = pending[--left];
        at = at < left ? at : 0;
        waited = 0;
    }
    return done;
}

/* What must be done so that each register holds what it should: an order in which nothing is overwritten too early.
 * Returns how many moves. */
static unsigned list_moves(struct place *place, struct move *moves)
{
    struct move pending[OPS_REGISTERS];
    unsigned count = 0;

    if ((place->astray & place->ops->named) == 0) {
        return 0;
    }

    for (uint32_t mask = place->astray & place->ops->named; mask != 0; mask &= mask - 1) {
        const unsigned reg = lowest_bit(mask);
        const struct value value = place->guest[reg];
        unsigned from = registers_find_exact(place, value, reg);
        if (from == NO_REGISTER && (value.root != 0 || !target_adds(value.offset))) {
            from = registers_find_near(place, value, ~UINT32_C(0));
            place->failed |= from == NO_REGISTER && value.root != 0;
        }
        if (from == 0) {
            from = NO_REGISTER;
        }
        pending[count++] =
            (struct move){.dst = (uint8_t)reg,
                          .src = (uint8_t)from,
                          .constant = from == NO_REGISTER || place->failed
                                          ? value.offset
                                          : (int64_t)((uint64_t)value.offset -
                                                      (uint64_t)place->held[from].offset)};
    }
    return order_moves(pending, count, moves);
}

#define MOVES_AT_ONCE (2 * OPS_REGISTERS)

/* Of a way out of the trace. */
void ways_place_out(struct place *place, struct item *item)
{
    struct arranged *to = place->to;

    if (to->move_count + MOVES_AT_ONCE > MOVES_MAX) {
        place->failed = true;
        to->move_count = 0;
    }
    item->first_move = (uint16_t)to->move_count;
    item->move_count = (uint8_t)list_moves(place, &to->moves[to->move_count]);
    to->move_count += item->move_count;
}

/* Each register becomes what it should be. */
void ways_go_home(struct place *place)
{
    struct move moves[MOVES_AT_ONCE];
    const unsigned count = list_moves(place, moves);
    bool scratch = false;

    for (unsigned i = 0; i < count; i++) {
        const struct move *move = &moves[i];
        const struct value value =
            move->dst != PLACE_SCRATCH ? place->guest[move->dst] : place->held[move->src];
        registers_add_move(place, move->dst, move->src, move->constant, value,
                           place->left_by[move->dst]);
        scratch |= move->dst == PLACE_SCRATCH;
    }
    if (scratch) {
        registers_add_note(place, PLACE_SCRATCH, NO_REGISTER, NOTHING);
    }
}
