/* Turns the last bytes of the sorted rotations into positions in a list of recent bytes. */
#include "front.h"
#include <string.h>
#include "format.h"

static void find_used(struct front *front, const struct sort *sort, uint8_t *recent)
{
    memset(front->in_use, 0, sizeof front->in_use);
    for (uint32_t i = 0; i < sort->size; i++) {
        front->in_use[sort->bytes[i]] = true;
    }
    front->used_bytes = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        if (front->in_use[byte]) {
            recent[front->used_bytes++] = (uint8_t)byte;
        }
    }
}

static void put(struct front *front, unsigned symbol)
{
    front->symbols[front->count++] = (uint16_t)symbol;
    front->frequencies[symbol]++;
}

/* A number of zeros in base 2 with the digits 1 and 2, least significant first. */
static void put_zeros(struct front *front, uint32_t zeros)
{
    while (zeros > 0) {
        put(front, (zeros & 1) != 0 ? RUN_A : RUN_B);
        zeros = (zeros - 1) / 2;
    }
}

static unsigned move_to_front(uint8_t *recent, uint8_t byte)
{
    unsigned position = 0;
    uint8_t carried = recent[0];
    while (carried != byte) {
        uint8_t next = recent[++position];
        recent[position] = carried;
        carried = next;
    }
    recent[0] = byte;
    return position;
}

void front_encode(struct front *front, const struct sort *sort)
{
    uint8_t recent[256];
    uint32_t zeros = 0;
    find_used(front, sort, recent);
    memset(front->frequencies, 0, sizeof front->frequencies);
    front->count = 0;
    for (uint32_t i = 0; i < sort->size; i++) {
        uint32_t at = sort->order[i];
        uint8_t byte = sort->bytes[at == 0 ? sort->size - 1 : at - 1];
        if (byte == recent[0]) {
            zeros++;
            continue;
        }
        put_zeros(front, zeros);
        zeros = 0;
        put(front, move_to_front(recent, byte) + 1);
    }
    put_zeros(front, zeros);
    put(front, front->used_bytes + 1);
}
