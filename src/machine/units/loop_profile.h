/* Counts how often each backward branch's target is reached through one: an exact, slow loop profile. */
#ifndef STRATA_MACHINE_UNITS_LOOP_PROFILE_H
#define STRATA_MACHINE_UNITS_LOOP_PROFILE_H

#include "machine/state/hart.h"
#include "machine/engine/unit.h"

struct loop_profile;

struct loop_profile *loop_profile_create(struct unit_host host);
struct unit *loop_profile_unit(struct loop_profile *profile);

struct loop_count {
    guest_addr head;
    uint64_t executions; /* backward branches, jumps and calls that led to it */
    uint64_t turns;      /* of them, those without a link: it is the head of a loop */
};
/* The loops, most executed first; valid until the machine runs again. */
const struct loop_count *loop_profile_loops(struct loop_profile *profile, size_t *count);

#endif
