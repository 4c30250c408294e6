/* The table of a stream prefetcher. docs/hierarchies.md defines it. */
#ifndef RDI_STREAMS_H
#define RDI_STREAMS_H

#include "base/common.h"

#define RDI_STREAMS        16
#define RDI_STREAM_REACH   4 /* largest step of a stream in blocks */
#define RDI_STREAM_AHEAD   4 /* number of blocks that are prefetched at a time */
#define RDI_STREAM_TRAINED 2 /* from this number of steps on, a stream prefetches */

typedef struct rdi_stream_entry {
    uint64_t last;
    int direction; /* 0: unknown */
    unsigned steps;
} rdi_stream_entry;

/* The entries, most recently used first. */
typedef struct rdi_streams {
    unsigned n; /* number of entries that are not empty */
    rdi_stream_entry entry[RDI_STREAMS];
} rdi_streams;

/* Trains the table with a reference to `block`. Returns 1 or -1, the direction in which blocks must
 * be prefetched now, or 0 if no block must be prefetched. */
int rdi_streams_train(rdi_streams *s, uint64_t block);

#endif
