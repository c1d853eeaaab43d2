/* The table of the predictors of conditional branches. */
#include "machine/pipeline/direction.h"

#define DIRECTION(name) extern const struct direction_kind direction_##name;
#include "machine/pipeline/directions.def"
#undef DIRECTION

const struct direction_kind *const direction_kinds[DIRECTIONS] = {
#define DIRECTION(name) &direction_##name,
#include "machine/pipeline/directions.def"
#undef DIRECTION
};
