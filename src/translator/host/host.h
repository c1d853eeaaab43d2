/* The operating system as the translator itself uses it: calls, memory, messages, the end. */
#ifndef STRATA_TRANSLATOR_HOST_HOST_H
#define STRATA_TRANSLATOR_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The translator's own exit statuses; a program's passes through. */
enum { STATUS_FAILED = 125, STATUS_UNUSABLE = 126, STATUS_MISSING = 127 };

/* Arguments of a call must be as wide as a register. */
int64_t host_call(long number, ...);
static inline bool host_is_error(int64_t result)
{
    return (uint64_t)result > (uint64_t)-4096;
}

/* A whole number of pages, all zero, readable, writable and, if asked, executable; NULL if there is no
 * memory. */
void *host_map(size_t bytes, bool executable);
void host_unmap(void *memory, size_t bytes);
/* What the program may do with some of its pages. */
enum { HOST_READ = 1, HOST_WRITE = 2, HOST_EXECUTE = 4 };
bool host_protect(uint64_t start, uint64_t bytes, unsigned permissions);

/* How many of the highest numbers are for descriptors of Strata's own; some may be another Strata's. */
#define HOST_HIGH_DESCRIPTORS 16
/* Moves a descriptor out of the program's way, to one of these; where that cannot be done it stays. */
int64_t host_move_up(int64_t fd);

void host_print(const char *string);
/* One line on standard error that begins with "strata: ", from up to four parts. */
void host_warn(const char *a, const char *b, const char *c, const char *d);
_Noreturn void host_exit(int status);
/* The line, then the end of the process with `status`. */
_Noreturn void host_fail(int status, const char *a, const char *b, const char *c, const char *d);

#endif
