/* The interleaving of threads as docs/threads.md defines it, for whole traces in memory: the
 * simplest possible implementation, which takes at least quadratic time. */
#ifndef INTERLEAVE_ORACLE_H
#define INTERLEAVE_ORACLE_H

#include <stddef.h>
#include <stdint.h>

typedef enum oracle_kind {
    ORACLE_REFERENCE,
    ORACLE_WALL,         /* a module is mapped or unmapped */
    ORACLE_SYNC_RELEASE, /* `address` is the object, and `size` the event's number */
    ORACLE_SYNC_ACQUIRE,
    ORACLE_ALLOCATE, /* `size` bytes from `address` on; size 0 counts as one byte */
    ORACLE_RELEASE,  /* `size` bytes from `address` on; size 0: the allocation at `address` */
    ORACLE_OTHER     /* an event that never waits */
} oracle_kind;

typedef struct oracle_record {
    oracle_kind kind;
    uint32_t process, thread;
    uint64_t address, size; /* `address` has the number of the process in its top 16 bits */
} oracle_record;

/* Writes the indices of the n records to `order`, in the order of lockstep with turns of `turn`
 * references and a reorder buffer of `room` records. Returns the number of overflows. */
uint64_t oracle_interleave(const oracle_record *records, size_t n, uint64_t turn, uint64_t room,
                           size_t *order);

#endif
