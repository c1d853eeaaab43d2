/* The grid of spots, logic inside and pads around it, and the first placement, at random. */
#include "vpr.h"

struct spot *grid_at(const struct fpga *fpga, int x, int y)
{
    return &fpga->grid[x * (fpga->side + 2) + y];
}

bool grid_is_edge(const struct fpga *fpga, int x, int y)
{
    return x == 0 || y == 0 || x == fpga->side + 1 || y == fpga->side + 1;
}

void grid_build(struct fpga *fpga)
{
    int logic = 0;
    for (int b = 0; b < fpga->block_count; b++) {
        logic += fpga->blocks[b].kind == BLOCK_LOGIC;
    }
    int pads = fpga->block_count - logic;
    fpga->side = 1;
    while (fpga->side * fpga->side < logic || 4 * fpga->side * PADS_PER_SPOT < pads) {
        fpga->side++;
    }
    size_t spots = (size_t)(fpga->side + 2) * (size_t)(fpga->side + 2);
    fpga->grid = program_allocate(spots, sizeof *fpga->grid);
    for (size_t i = 0; i < spots; i++) {
        for (int pad = 0; pad < PADS_PER_SPOT; pad++) {
            fpga->grid[i].blocks[pad] = NONE;
        }
    }
}

/* The n-th pad spot, around the chip. */
static void edge_spot(const struct fpga *fpga, int n, int *x, int *y)
{
    int along = 1 + n % fpga->side;
    int sides[4][2] = {{along, 0}, {along, fpga->side + 1}, {0, along}, {fpga->side + 1, along}};
    *x = sides[n / fpga->side][0];
    *y = sides[n / fpga->side][1];
}

static int *shuffled(struct fpga *fpga, int count)
{
    int *order = program_allocate((size_t)count, sizeof *order);
    for (int i = 0; i < count; i++) {
        int j = (int)program_random_below(&fpga->random, (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

void grid_place_first(struct fpga *fpga)
{
    int *logic = shuffled(fpga, fpga->side * fpga->side);
    int *pads = shuffled(fpga, 4 * fpga->side * PADS_PER_SPOT);
    int next_logic = 0, next_pad = 0;
    for (int b = 0; b < fpga->block_count; b++) {
        struct block *block = &fpga->blocks[b];
        if (block->kind == BLOCK_LOGIC) {
            block->x = 1 + logic[next_logic] / fpga->side;
            block->y = 1 + logic[next_logic++] % fpga->side;
        } else {
            edge_spot(fpga, pads[next_pad] / PADS_PER_SPOT, &block->x, &block->y);
            block->pad = pads[next_pad++] % PADS_PER_SPOT;
        }
        grid_at(fpga, block->x, block->y)->blocks[block->pad] = b;
    }
    free(logic);
    free(pads);
}
