/* The slices of a program's file: found in its section, or attached to a copy of it.
 *
 * A program with slices runs everywhere as it did: the section is not loaded, and all bytes but those of the
 * section headers, which no loader reads, stay where they are. */
#ifndef STRATA_SLICE_FILE_H
#define STRATA_SLICE_FILE_H

#include "slice/section.h"

/* A program's file in memory. */
struct slice_file {
    const uint8_t *bytes; /* mapped */
    size_t size;
    uint8_t
        hash[SECTION_HASH_BYTES]; /* of its text: all that is loaded and executable, but for the ELF
                                         header, which says where the section headers are */
};

/* SECTION_OK, SECTION_UNREADABLE (errno says why), SECTION_NOT_ELF or SECTION_NO_MEMORY. */
enum section_status slice_file_open(struct slice_file *file, const char *path);
void slice_file_close(struct slice_file *file);

/* The slices in the file; see section_read. */
enum section_status slice_file_slices(const struct slice_file *file, struct slice_set *set,
                                      const char **wrong);

/* All of the above for who only runs the program at `path`. */
enum section_status slice_file_read(const char *path, struct slice_set *set, const char **wrong);

/* A copy of the file, malloc'ed, with these slices instead of those that it has; NULL if its section
 * headers are damaged or memory runs out. */
uint8_t *slice_file_attach(const struct slice_file *file, const struct slice_set *set,
                           size_t *size);

#endif
