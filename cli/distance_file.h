/* --distances=FILE: one line per block reference, a number or "inf". */
#ifndef RD_DISTANCE_FILE_H
#define RD_DISTANCE_FILE_H

#include "cli.h"

typedef struct distance_file distance_file;

/* "-" is standard output. NULL after having reported why. */
distance_file *distance_file_open(const char *path);

/* A sink for engines; `user` is the distance_file. A failure is reported at once, and whole lines
 * are all that stays in the file. */
rd_status distance_file_sink(void *user, const uint64_t *distances, size_t n);

/* Writes what is buffered and closes. The exit status, a failure having been reported. NULL is
 * allowed. */
int distance_file_close(distance_file *f);

#endif
