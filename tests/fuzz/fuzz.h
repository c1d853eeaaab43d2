/* What a fuzz target provides, to libFuzzer and to driver.c alike. */
#ifndef STRATA_TESTS_FUZZ_H
#define STRATA_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds one input to the code under test.  A broken promise of that code ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
