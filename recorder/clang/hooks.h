/* The interface between the hooks and the rest of the runtime. */
#ifndef RECORDER_HOOKS_H
#define RECORDER_HOOKS_H

#include "live/channel.h"

/* The position of the next record, and the end of the room for records. `next` is equal to `end` at
 * first, and whenever there is no room. */
typedef struct cursor {
    uint64_t *next, *end;
} cursor;

/* These functions return and set the current thread's cursor for records of one word. The runtime
 * accesses the cursor only through them. So the address of the cursor never escapes, and the
 * compiler knows that no store of the program changes the cursor. */
cursor recorder_cursor(void);
void recorder_place(cursor to);

/* Writes the record `word`, after making room for it if necessary. Drops the record if the runtime
 * is in the middle of changing the state of this thread. Hooks call this function when their cursor
 * has no room. The return address identifies the load or store, so the compiler must not merge
 * calls even if they are identical. */
#ifdef __clang__
__attribute__((nomerge))
#endif
void recorder_record(uint64_t word);

#endif
