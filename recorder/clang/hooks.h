/* The interface between the hooks and the rest of the runtime. */
#ifndef RECORDER_HOOKS_H
#define RECORDER_HOOKS_H

#include "live/channel.h"

/* The position of the next record. `next` is equal to `end` at first, and whenever there is no
 * room. */
typedef struct cursor {
    uint64_t *next, *end;
} cursor;

/* Read and set the cursor of a thread, for records of one word. The runtime accesses it only with
 * these functions. Its address never escapes, so the compiler knows that no store of the program
 * changes it. */
cursor recorder_cursor(void);
void recorder_place(cursor to);

/* Writes a record if there is no room at the cursor. Its return address identifies the load or
 * store, so calls must not be merged even if they look the same. */
#ifdef __clang__
__attribute__((nomerge))
#endif
void recorder_record(uint64_t word);

#endif
