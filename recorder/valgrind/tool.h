/* The Valgrind tool that records memory references for reusedist: what its files share.
 *
 * This file is part of reusedist's recorder for Valgrind, which is free software: you can
 * redistribute it and/or modify it under the terms of the GNU General Public License as published
 * by the Free Software Foundation, either version 2 of the License, or (at your option) any later
 * version. See the file LICENSE beside it. The rest of reusedist has its own licence.
 */
#ifndef RECORDER_TOOL_H
#define RECORDER_TOOL_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "trace/ring.h"

/* ---- options (tool_main.c) ---- */

typedef struct tool_options {
    const HChar *ring; /* path of the shared memory */
    Bool loads, stores, fetches;
    Bool pc;                            /* record program counters */
    Bool children;                      /* record forked children too */
    Long burst;                         /* record so many references ... */
    Long gap;                           /* ... then skip so many; burst 0: record all */
    const HChar *start, *stop, *inside; /* patterns of function names; NULL: none */
} tool_options;

extern tool_options options;

/* ---- where records go (tool_buffer.c) ---- */

/* Instrumented code writes records at `next` and moves it on. Before it writes, it compares once:
 * past `limit`, it calls buffer_make_room() first. Behind `limit` there is room for
 * BUFFER_SLACK_BYTES, so that a few hundred records need no other comparison. */
typedef struct buffer_cursor {
    Addr next, limit;
} buffer_cursor;

#define BUFFER_SLACK_BYTES 8192

extern buffer_cursor cursor;

void buffer_open(const HChar *ring_path);
/* Called from instrumented code. */
void buffer_make_room(void);
/* From now on, records are wanted or not, in all processes that share the ring. */
void buffer_set_recording(Bool on);
/* From now on, records are of this thread. */
void buffer_set_thread(ThreadId thread);
/* A signal interrupted a block of code: takes over what it had written so far. */
void buffer_absorb(void);
/* Hands everything over. */
void buffer_flush(void);
/* In a forked child: another recording, or none. */
void buffer_restart_in_child(Bool recording);

/* ---- functions that start and stop recording (tool_control.c) ---- */

/* What shall happen when execution reaches an instruction: a function to be called with the stack
 * pointer and the instruction's address; NULL: nothing. */
typedef void (*control_action)(Addr stack_pointer, Addr instruction);
control_action control_action_at(Addr instruction);

/* With options.inside: to be called by a return instruction that leaves the stack pointer at
 * control_stack_outside or above. */
extern Addr control_stack_outside;
void control_return(void);

/* A program's marker: on or off. */
Bool control_marker(ThreadId thread, UWord *args, UWord *result);
/* Complains about functions that were never met. */
void control_finish(void);

/* ---- instrumentation (tool_instrument.c) ---- */

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word);

#endif
