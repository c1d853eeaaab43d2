/* What a file is called while it is written, before it takes the place of another: PREFIX, the process, a number,
 * ENDING. */
#ifndef STRATA_BASE_RESULT_NAME_H
#define STRATA_BASE_RESULT_NAME_H

#define RESULT_FILE_PREFIX ".strata-"
#define RESULT_FILE_ENDING ".new"

/* Mode of a file that is not there yet, less what the user's mask takes away. */
#define RESULT_FILE_MODE 0666

#endif
