/* Files that the translator writes for its user: statistics replace a file when they are complete, dumps grow. */
#ifndef STRATA_TRANSLATOR_HOST_OUTPUT_FILE_H
#define STRATA_TRANSLATOR_HOST_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define OUTPUT_PATH_BYTES 4096 /* Linux's PATH_MAX */

/* Which file it is, whatever it is called. */
struct file_identity {
    uint64_t device, inode;
};

/* A file that is being written. */
struct output_file {
    char path[OUTPUT_PATH_BYTES];   /* behind all links, from the root on */
    char beside[OUTPUT_PATH_BYTES]; /* where it is until it is complete; empty before and after */
    bool in_place;                  /* a device, a pipe or a descriptor, which is never replaced */
};

enum output_status { OUTPUT_OPEN, OUTPUT_IMPOSSIBLE, OUTPUT_IS_INPUT };

/* Opens a file beside the one that `path`, from the root on, leads to, which stays until output_file_finish.
 * Devices, pipes and descriptors are opened themselves.  *fd is one that the program will hardly use.  Refuses the
 * file `input`. */
enum output_status output_file_open(struct output_file *file, const char *path,
                                    const struct file_identity *input, int64_t *fd);
/* All is written: it takes its place.  False if it cannot. */
bool output_file_finish(struct output_file *file);
/* It could not be written: what is there stays. */
void output_file_give_up(struct output_file *file);

/* Opens a file that grows, and is written in place. */
enum output_status output_file_open_in_place(const char *path, const struct file_identity *input,
                                             int64_t *fd);

#endif
