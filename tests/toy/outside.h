/* What the translator's core needs from outside, for one rig at a time. */
#ifndef TESTS_TOY_OUTSIDE_H
#define TESTS_TOY_OUTSIDE_H

#include "rig.h"

/* All calls of the core mean this one from now on. */
void outside_use(struct rig *rig);
/* Where dispatch sends a program that cannot go on. */
extern const uint8_t outside_fault_place[1];
/* The test has failed. */
_Noreturn void outside_stop(const char *message);

#endif
