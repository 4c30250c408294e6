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

#include "live/channel.h"

/* ---- options (tool_main.c) ---- */

typedef struct tool_options {
    const HChar *channel; /* path of the shared memory */
    Bool loads, stores, fetches;
    Bool pc;                            /* record program counters */
    Bool events;                        /* tell of modules, allocations and stacks; with pc */
    Bool children;                      /* record forked children too */
    Long burst;                         /* record so many references ... */
    Long gap;                           /* ... then skip so many; burst 0: record all */
    const HChar *start, *stop, *inside; /* patterns of function names; NULL: none */
} tool_options;

extern tool_options options;

/* ---- where records go (tool_buffer.c) ---- */

/* Instrumented code writes records at `next` and moves it on. Before it writes, it compares once:
 * past `limit`, it calls buffer_make_room() first. Behind `limit` there is room for
 * BUFFER_SLACK_BYTES, so that a few hundred records need no other comparison.
 *
 * While a thread's code runs, the cursor lies where the shadow of its first register would be,
 * which instructions reach by a short address. */
typedef struct buffer_cursor {
    Addr next, limit;
} buffer_cursor;

#define BUFFER_SLACK_BYTES 8192

void buffer_open(const HChar *channel_path);
/* Called from instrumented code. */
void buffer_make_room(void);
/* From now on, records are wanted or not, in all processes that share the channel. */
void buffer_set_recording(Bool on);
/* Code of this thread runs from now on; and no longer. */
void buffer_enter_code(ThreadId thread);
void buffer_leave_code(void);
/* A signal interrupted a block of code: takes over what it had written so far. */
void buffer_absorb(void);
/* An event (enum rd_event_kind) behind what was recorded so far, also while nothing is recorded.
 * `path`: a module's, else NULL. */
void buffer_event(UInt kind, ThreadId thread, Addr address, SizeT size, Addr pc, const HChar *path);
/* Keeps a place for an event, which buffer_fill() puts there; it says if that is too late, because
 * very much was recorded since. buffer_release(): no event comes. One place at a time. */
void buffer_reserve(void);
Bool buffer_fill(UInt kind, ThreadId thread, Addr address, SizeT size, Addr pc);
void buffer_release(void);
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

/* ---- modules, allocations and stacks (tool_events.c, tool_modules.c) ---- */

/* Has Valgrind tell us. */
void events_start(void);
/* The allocator function whose first instruction this is: a number for events_call(); 0: none. */
UInt events_function_at(Addr instruction);
/* Called by its first instruction. */
void events_call(UWord function, Addr stack_pointer, UWord a, UWord b, UWord c, UWord d);
/* To be called by a return instruction that leaves the stack pointer at events_stack_outside. */
extern Addr events_stack_outside;
void events_return(Addr to, UWord result);
/* From now on, this thread runs. */
void events_set_thread(ThreadId thread);
/* In a forked child: what the parent told holds here, too. */
void events_restart_in_child(void);

void modules_start(void);
void modules_restart_in_child(void);

/* ---- statements (tool_instrument.c) ---- */

IRExpr *ir_word(ULong value);
/* Adds a statement that computes it, into a temporary of its own: instrumented code must be flat.
 */
IRExpr *ir_compute(IRSB *to, IRType type, IRExpr *value);

/* ---- registers written in parts (tool_registers.c) ---- */

/* The same block of code, faster. */
IRSB *registers_made_whole(const IRSB *in);

/* ---- flags with less work (tool_flags.c) ---- */

/* The same block of code, which begins at this address, faster. */
IRSB *flags_made_short(IRSB *in, Addr address);

/* ---- code that comes next (tool_ahead.c) ---- */

/* Whether instructions from there on replace all flags before one reads any; False: not known. The
 * block of code at `block` can come there. */
Bool ahead_flags_are_replaced(Addr code, Addr block);

/* ---- registers at faults (tool_faults.c) ---- */

/* Has Valgrind tell us when the program begins to handle them. */
void faults_start(void);
/* Whether it does: registers must be right where instructions can fault. */
Bool faults_need_registers(void);

/* ---- instrumentation (tool_instrument.c) ---- */

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word);

#endif
