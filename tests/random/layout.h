/* Where things are in a generated program: fixed addresses, so that every run computes the same. */
#ifndef TESTS_RANDOM_LAYOUT_H
#define TESTS_RANDOM_LAYOUT_H

#include <stdint.h>

#define TEXT_BASE UINT64_C(0x100000)
#define DATA_BASE UINT64_C(0x40000000)

/* The stack of the handler, since sp may hold anything.  Far from what a group could compute: with
 * sp inside of this stack, a signal would not start at its end. */
#define STACK_BASE UINT64_C(0x36d2b3000)
#define STACK_BYTES 65536

/* The data starts with what the frame of the program needs, as offsets from DATA_BASE. */
#define DATA_STACK 0   /* stack_t */
#define DATA_ACTION 32 /* struct sigaction of the handler */
#define DATA_TRAP 64   /* what the handler gathers */
#define DATA_BLOCKS 256

/* A block: one set of inputs of one group, its memory, and the state after it.  All offsets are
 * in reach of a 12-bit immediate. */
#define BLOCK_NEXT 0 /* the next block of the group, or 0 */
#define BLOCK_X 0    /* x1 to x31; x0's place is BLOCK_NEXT */
#define BLOCK_F 256
#define BLOCK_FCSR 512
#define BLOCK_RECORD 768 /* what the program writes out */
#define BLOCK_OUT_FCSR 768
#define BLOCK_OUT_X 768 /* x0's place is BLOCK_OUT_FCSR */
#define BLOCK_OUT_F 1024
#define BLOCK_OUT_TRAP 1280
#define BLOCK_BUFFER 1296
#define BUFFER_BYTES 256
#define RECORD_BYTES (BLOCK_BUFFER + BUFFER_BYTES - BLOCK_RECORD)

/* A multiple of 16 that is no divisor of a page: some buffers cross into the next one. */
#define BLOCK_BYTES 1568

#endif
