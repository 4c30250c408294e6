/* Writes --distances=FILE: one line per block reference, a number or "inf". */
#ifndef RD_DISTANCE_FILE_H
#define RD_DISTANCE_FILE_H

#include "cli.h"

typedef struct distance_file distance_file;

/* Opens a file; "-" is standard output. Returns NULL after reporting a failure. */
distance_file *distance_file_open(const char *path);

/* A sink for engines; `user` is the distance_file. A failure is reported immediately, and the file
 * then keeps only complete lines. */
rd_status distance_file_sink(void *user, const uint64_t *distances, size_t n);

/* Writes the buffered lines and closes the file. Reports a failure and returns the exit status.
 * NULL is allowed. */
int distance_file_close(distance_file *f);

#endif
