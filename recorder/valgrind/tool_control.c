/* Decides when to record: functions that start and stop recording, and markers in the program.
 *
 * A function is recognized when its first instruction is instrumented. A function of options.inside
 * has ended when a return instruction leaves the stack as it was before the call, or shorter. So a
 * function that is left by longjmp() ends with the first such return after it.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "reusedist/marker.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_seqmatch.h"
#include "pub_tool_threadstate.h"

/* The thread whose call of a function of options.inside is being recorded, and for each option
 * whether the beginning of one of its functions was instrumented. */
static ThreadId inside_thread;
static Bool met_start, met_stop, met_inside;

#define OUTSIDE (~(Addr)0)
Addr control_stack_outside = OUTSIDE;

static void start(Addr stack_pointer, Addr instruction) {
    (void)stack_pointer, (void)instruction;
    buffer_set_recording(True);
}

static void stop(Addr stack_pointer, Addr instruction) {
    (void)stack_pointer, (void)instruction;
    buffer_set_recording(False);
}

/* Starts recording at a call of a function of options.inside. Until the recorded call returns,
 * further calls are ignored, even in other threads. */
static void enter(Addr stack_pointer, Addr instruction) {
    (void)instruction;
    if (control_stack_outside != OUTSIDE)
        return;
    control_stack_outside = stack_pointer + sizeof(Addr);
    inside_thread = VG_(get_running_tid)();
    buffer_set_recording(True);
}

void control_return(void) {
    if (VG_(get_running_tid)() != inside_thread)
        return; /* this is another thread, whose stack lies above that of inside_thread */
    control_stack_outside = OUTSIDE;
    buffer_set_recording(False);
}

static Bool matches(const HChar *pattern, const HChar *name, Bool *met) {
    if (!pattern || !VG_(string_match)(pattern, name))
        return False;
    *met = True;
    return True;
}

control_action control_action_at(Addr instruction) {
    const HChar *name;
    if (!options.start && !options.stop && !options.inside)
        return NULL;
    if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), instruction, &name))
        return NULL;
    Bool enters = matches(options.inside, name, &met_inside); /* a function may match all */
    Bool starts = matches(options.start, name, &met_start);
    Bool stops = matches(options.stop, name, &met_stop);
    return enters ? enter : starts ? start : stops ? stop : NULL;
}

Bool control_marker(ThreadId thread, UWord *args, UWord *result) {
    (void)thread;
    if (args[0] != RD_MARKER_START && args[0] != RD_MARKER_STOP)
        return False;
    buffer_set_recording(args[0] == RD_MARKER_START);
    *result = 0;
    return True;
}

static void complain(const HChar *option, const HChar *pattern, Bool met) {
    if (pattern && !met)
        VG_(umsg)
    ("reusedist: %s: the program entered no function %s; check the name\n", option, pattern);
}

void control_finish(void) {
    complain("--start", options.start, met_start);
    complain("--stop", options.stop, met_stop);
    complain("--inside", options.inside, met_inside);
}
