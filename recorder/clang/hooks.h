/* Between the hooks and the rest of the runtime. */
#ifndef RECORDER_HOOKS_H
#define RECORDER_HOOKS_H

#include "live/channel.h"

/* Where the next record goes. `next` equals `end` at first and whenever there is no room. */
typedef struct cursor {
    uint64_t *next, *end;
} cursor;

/* A thread's, for records of one word. The runtime reads and changes it by these: nobody has its
 * address, so that the compiler knows that no store of the program changes it. */
cursor recorder_cursor(void);
void recorder_place(cursor to);

/* What the hooks do where there is no room. Whoever calls it is taken for the place of the load or
 * store: calls stay apart, however alike. */
#ifdef __clang__
__attribute__((nomerge))
#endif
void recorder_record(uint64_t word);

#endif
