/* The file of a program that has run: its bytes, its symbols, and where it stood in memory. */
#ifndef STRATA_REPORT_PROGRAM_FILE_H
#define STRATA_REPORT_PROGRAM_FILE_H

#include "symbols/symbols.h"

#include <jansson.h>
#include <stddef.h>

struct program_file;

/* Opens the program that the statistics `run` are of.  NULL if it cannot be told what it was: then
 * *why says so in words that a person reads; they are constant. */
struct program_file *program_file_open(const json_t *run, const char **why);
void program_file_close(struct program_file *program);

/* Function and line of one of hotspots.loops or of pipeline.loads, and its address as the linker
 * assigned it.  False if it is not in this file, but in a library or in code made at run time. */
bool program_file_find(struct program_file *program, const json_t *loop, uint64_t *linked,
                       struct symbol_place *place);

/* Sets function and source of a loop that has no such keys.  Without them it cannot be told where a
 * position-independent program was loaded: its loops stay as they are. */
void program_file_name(struct program_file *program, json_t *loop);

/* Linked to run-time address. */
uint64_t program_file_bias(const struct program_file *program);

/* The bytes of the file from a linked address on, *count of them; NULL if it is not code. */
const uint8_t *program_file_code(const struct program_file *program, uint64_t linked,
                                 size_t *count);

#endif
