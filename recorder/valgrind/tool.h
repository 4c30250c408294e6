/* The declarations that the files of the Valgrind tool share. The tool records memory references
 * for reusedist.
 *
 * This file is part of reusedist's recorder for Valgrind, which is free software: you can
 * redistribute it and/or modify it under the terms of the GNU General Public License as published
 * by the Free Software Foundation, either version 2 of the License, or (at your option) any later
 * version. See the file LICENSE in this folder. The rest of reusedist has its own license.
 */
#ifndef RECORDER_TOOL_H
#define RECORDER_TOOL_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "live/channel.h"

/* ---- options (tool_main.c) ---- */

typedef struct tool_options {
    const HChar *channel; /* path of the channel */
    Bool loads, stores, fetches;
    Bool pc;       /* True: record program counters */
    Bool events;   /* True: report modules, allocations and stacks; needs pc */
    Bool sync;     /* True: report synchronization of threads */
    Bool contexts; /* True: record calling contexts; needs events */
    Bool children; /* True: also record forked children */
    Long burst;    /* number of references in a burst, which are recorded; 0: record all
                      references */
    Long gap;      /* number of references in a gap between bursts, which are skipped */
    const HChar *start, *stop, *inside; /* patterns of function names; NULL: none */
} tool_options;

extern tool_options options;

/* ---- the destination of records (tool_buffer.c) ---- */

/* Instrumented code writes records at `next` and advances `next`. Before it writes, usually once
 * per block of code, it compares: if `next` is beyond `limit`, it calls buffer_make_room(). There
 * is room for BUFFER_SLACK_BYTES after `limit`, so at least 512 records need no other comparison.
 *
 * While a thread's code runs, the cursor is stored where the shadow of the thread's first register
 * would be, because instructions reach this place with a short address.
 */
typedef struct buffer_cursor {
    Addr next, limit;
} buffer_cursor;

#define BUFFER_SLACK_BYTES 8192

void buffer_open(const HChar *channel_path);
/* Makes room for records. Instrumented code calls this function when `next` is beyond `limit`. */
void buffer_make_room(void);
/* Starts or stops recording, in all processes that share the channel. */
void buffer_set_recording(Bool on);
/* buffer_enter_code() gives the cursor to the code of `thread`, which is about to run, and
 * buffer_leave_code() takes the cursor back. If another thread ran before, buffer_enter_code()
 * first submits the records of that thread. */
void buffer_enter_code(ThreadId thread);
void buffer_leave_code(void);
/* Moves the cursor past the records that a block of code has written so far. Must be called when a
 * signal may have interrupted a block, because a block usually moves the cursor only at its exits.
 * Does nothing while the records go to the scratch buffer. */
void buffer_absorb(void);
/* Reports an event (enum rd_event_kind) after the records so far, even while recording is stopped.
 * `path` is the path of a module, otherwise NULL. */
void buffer_event(UInt kind, ThreadId thread, Addr address, SizeT size, Addr pc, const HChar *path);
/* Both functions set the calling context of the following references. Instrumented code calls
 * buffer_switch_context() with the position of the cursor; the function returns the new position.
 * buffer_set_context() may be called at any time. */
Addr buffer_switch_context(Addr next, UInt context);
void buffer_set_context(UInt context);
/* Reports the definition of a calling context: the context of its caller, and the call
 * instruction. */
void buffer_define_context(UInt context, UInt parent, Addr site);
/* buffer_reserve() reserves space for one event, and buffer_fill() writes the event there.
 * buffer_release() gives up the space. There is only one reservation at a time. buffer_fill()
 * returns False if no space is reserved any more, for example because too much was recorded in
 * between or another thread ran. */
void buffer_reserve(void);
Bool buffer_fill(UInt kind, ThreadId thread, Addr address, SizeT size, Addr pc);
void buffer_release(void);
/* Submits all records. */
void buffer_flush(void);
/* Forgets the parent's recording in a forked child, and starts a recording of the child if
 * `recording` is True. */
void buffer_restart_in_child(Bool recording);
/* Returns whether this process is the first one that was recorded. */
Bool buffer_is_first_process(void);
/* Counts a process that was started and is not recorded, for a message at the end. */
void buffer_count_child(void);
/* Adds `by` to the number of threads that the program has created and that have not ended. */
void buffer_count_thread(Int by);
/* Adds `by` to the number of recorded programs that were replaced by programs that are not
 * recorded: 1 before exec(), -1 if exec() failed. */
void buffer_count_replaced(Int by);

/* ---- functions that start and stop recording (tool_control.c) ---- */

/* Returns the function to call whenever execution reaches `instruction`, with the stack pointer and
 * the address of the instruction, or NULL if there is none. */
typedef void (*control_action)(Addr stack_pointer, Addr instruction);
control_action control_action_at(Addr instruction);

/* For options.inside: a return instruction calls control_return() if it leaves the stack pointer at
 * control_stack_outside or above. */
extern Addr control_stack_outside;
void control_return(void);

/* Handles a marker of the program, which turns recording on or off. Returns False if `args` are not
 * a marker. */
Bool control_marker(ThreadId thread, UWord *args, UWord *result);
/* Prints a message for each of the options --start, --stop and --inside if the program entered none
 * of its functions. */
void control_finish(void);

/* ---- modules, allocations and stacks (tool_events.c, tool_modules.c) ---- */

/* Prepares the reporting of events, and registers the callbacks for it. */
void events_start(void);
/* Returns the kind of the allocator function that begins at this instruction, as a number for
 * events_call(), or 0 if there is none. */
UInt events_function_at(Addr instruction);
/* Handles a call of an allocator function of the kind `function`. `a` to `d` are its first four
 * arguments. */
void events_call(UWord function, Addr stack_pointer, UWord a, UWord b, UWord c, UWord d);
/* Handles a return instruction that leaves the stack pointer at events_stack_outside. `to` is the
 * return address and `result` the value that is returned. */
extern Addr events_stack_outside;
void events_return(Addr to, UWord result);
/* Notes that `thread` starts to run, and reports its stack the first time. */
void events_set_thread(ThreadId thread);
/* Reports again, in a forked child, the modules, the stack and the live allocations that the child
 * has inherited. */
void events_restart_in_child(void);

/* Initializes the event state and the calling context of `thread`, which is about to be created. */
void events_thread_is_created(ThreadId thread);

void modules_start(void);
void modules_restart_in_child(void);

/* ---- synchronization of threads (tool_sync.c) ---- */

/* Prepares the reporting of synchronization. */
void sync_start(void);
/* Returns the number of the watched function that begins at this instruction, for
 * sync_call_begins(), or 0 if there is none. */
UInt sync_function_at(Addr instruction);
/* Handles a call of a watched function. `a` to `c` are its first three arguments. */
void sync_call_begins(UWord function, Addr stack_pointer, UWord a, UWord b, UWord c);
/* Handles a return instruction that leaves the stack pointer at sync_stack_outside. `to` is the
 * return address and `result` the value that is returned. */
extern Addr sync_stack_outside;
void sync_call_returns(Addr to, UWord result);
void sync_before_system_call(ThreadId thread, UInt number, const UWord *args);
void sync_after_system_call(ThreadId thread, UInt number, const UWord *args, Bool success);
void sync_thread_is_created(ThreadId parent, ThreadId child);
void sync_thread_ends(ThreadId thread);
/* Notes that `thread` starts to run. */
void sync_set_thread(ThreadId thread);
#define SYNC_QUANTUM_BYTES 16384
/* Lets other threads run. Must be called when the current thread has written SYNC_QUANTUM_BYTES of
 * records, or has filled a buffer. */
void sync_after_records(void);
/* Must be called in a forked child, whose only thread is `thread`. */
void sync_restart_in_child(ThreadId thread);

/* ---- calling contexts (tool_contexts.c) ---- */

/* Instrumented code calls these functions after a call and after a return, with the position of the
 * cursor and the stack pointer. They return the new position of the cursor. `site` is the address
 * of the call instruction. */
Addr contexts_call(Addr next, Addr stack_pointer, Addr site);
Addr contexts_return(Addr next, Addr stack_pointer);
/* The stack pointer right after the innermost call, or the largest address if there is no call. If
 * contexts_top is below the stack pointer after an indirect jump, instrumented code calls
 * contexts_jump(). */
extern Addr contexts_top;
void contexts_jump(Addr stack_pointer);
/* contexts_begin_handler() is called before a signal handler runs, and contexts_end_handler() after
 * the handler has returned. If `other_stack` is True, the handler has another stack than the code
 * that it interrupts. */
void contexts_begin_handler(ThreadId thread, Bool other_stack);
void contexts_end_handler(ThreadId thread);
/* Notes that `thread` starts to run, and returns its context. */
UInt contexts_set_thread(ThreadId thread);
void contexts_begin_thread(ThreadId thread);
/* contexts_is_told() returns whether the analyzer knows a context. contexts_tell() reports the
 * definition of the context if the analyzer does not know it. */
Bool contexts_is_told(UInt context);
void contexts_tell(UInt context);
void contexts_start(void);
void contexts_restart_in_child(void);

/* ---- statements (tool_instrument.c) ---- */

IRExpr *ir_word(ULong value);
/* Adds a statement that computes `value` into a new temporary, because instrumented code must be
 * flat. Returns an expression that reads the temporary. */
IRExpr *ir_compute(IRSB *to, IRType type, IRExpr *value);

/* ---- partly written registers (tool_registers.c) ---- */

/* Returns an equivalent, faster block of code, which writes whole registers instead of parts. */
IRSB *registers_made_whole(const IRSB *in);

/* ---- flags with less work (tool_flags.c) ---- */

/* Returns an equivalent, faster block of code, which stores fewer flags. The block begins at
 * `address`. */
IRSB *flags_made_short(IRSB *in, Addr address);

/* ---- look-ahead (tool_ahead.c) ---- */

/* Returns True if the instructions at `code` are known to replace all flags before they read any.
 * `block` is the address of a block of code that can continue at `code`. */
Bool ahead_flags_are_replaced(Addr code, Addr block);

/* ---- registers at faults (tool_faults.c) ---- */

/* Makes Valgrind translate code as for programs without fault handlers, which gives faster code. */
void faults_start(void);
/* Checks whether a system call has installed a fault handler that needs more precise registers than
 * translated code has. If so, makes Valgrind discard its translations and translate with registers
 * that are precise enough. */
void faults_after_system_call(UInt number, const UWord *args, SysRes result);
/* Returns whether the program has installed fault handlers that may look at registers. Registers
 * must then be correct wherever instructions can fault. */
Bool faults_need_registers(void);

/* ---- instrumentation (tool_instrument.c) ---- */

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word);

#endif
