/* FACTS: each entry has a tag, a count, a callback (and here a threshold), comparators and an adder of its own. */
#include "check.h"

    .globl _start
_start:
    pass
