/* The main file of the Valgrind tool: its options, and its actions when the program starts or ends,
 * switches threads, calls the system, gets a signal or forks.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

tool_options options = {.loads = True, .stores = True};

static Bool process_option(const HChar *arg) {
    if VG_STR_CLO (arg, "--channel", options.channel) {
    } else if VG_BOOL_CLO (arg, "--loads", options.loads) {
    } else if VG_BOOL_CLO (arg, "--stores", options.stores) {
    } else if VG_BOOL_CLO (arg, "--fetches", options.fetches) {
    } else if VG_BOOL_CLO (arg, "--pc", options.pc) {
    } else if VG_BOOL_CLO (arg, "--events", options.events) {
    } else if VG_BOOL_CLO (arg, "--sync", options.sync) {
    } else if VG_BOOL_CLO (arg, "--contexts", options.contexts) {
    } else if VG_BOOL_CLO (arg, "--children", options.children) {
    } else if VG_BINT_CLO (arg, "--burst", options.burst, 0, 1LL << 62) {
    } else if VG_BINT_CLO (arg, "--gap", options.gap, 0, 1LL << 62) {
    } else if VG_STR_CLO (arg, "--start", options.start) {
    } else if VG_STR_CLO (arg, "--stop", options.stop) {
    } else if VG_STR_CLO (arg, "--inside", options.inside) {
    } else {
        return False;
    }
    return True;
}

static void print_usage(void) {
    VG_(printf)
    ("    --channel=FILE            memory shared with the analyzer; without it, records\n"
     "                              are dropped\n"
     "    --loads=no|yes            record loads [yes]\n"
     "    --stores=no|yes           record stores [yes]\n"
     "    --fetches=no|yes          record instruction fetches [no]\n"
     "    --pc=no|yes               record program counters [no]\n"
     "    --events=no|yes           report modules, allocations and stacks [no]\n"
     "    --sync=no|yes             report synchronization of threads [no]\n"
     "    --contexts=no|yes         record calling contexts [no]\n"
     "    --children=no|yes         also record forked children [no]\n"
     "    --burst=N --gap=M         alternately record N references and skip M references\n"
     "    --start=FUNC              start recording when this function is entered\n"
     "    --stop=FUNC               stop recording when this function is entered\n"
     "    --inside=FUNC             record only while this function runs\n");
}

static void print_debug_usage(void) {
    VG_(printf)("    (none)\n");
}

static UInt threads = 1; /* number of threads of the process that have not ended */

static void create_thread(ThreadId parent, ThreadId thread) {
    if (parent != VG_INVALID_THREADID) { /* not the first thread of the program */
        threads++;
        buffer_count_thread(1);
    }
    if (options.events)
        events_thread_is_created(thread);
    if (options.sync)
        sync_thread_is_created(parent, thread);
}

/* Counts the end of a thread. The last thread ends the program and is not counted, whether it is the
 * first thread or another one: the first thread may end before, with pthread_exit(). */
static void count_end(void) {
    if (threads == 1)
        return;
    threads--;
    buffer_count_thread(-1);
}

static void end_thread(ThreadId thread) {
    if (options.sync)
        sync_thread_ends(thread);
}

/* Makes every function begin a block of code, because the values of the guest registers are in
 * memory only at the beginning of a block of code. */
static void stop_chasing(void) {
    VG_(clo_vex_control).guest_chase = False;
}

static void start_program(void) {
    if (options.channel)
        buffer_open(options.channel);
    if (options.events || options.sync)
        stop_chasing();
    if (options.contexts)
        contexts_start();
    if (options.events)
        events_start();
    if (options.sync)
        sync_start();
}

static void end_program(Int exit_status) {
    (void)exit_status;
    buffer_flush();
    control_finish();
}

static void enter_code(ThreadId thread, ULong blocks) {
    (void)blocks;
    if (options.events)
        events_set_thread(thread);
    if (options.sync)
        sync_set_thread(thread);
    buffer_enter_code(thread);
}

static void leave_code(ThreadId thread, ULong blocks) {
    (void)thread, (void)blocks;
    buffer_leave_code();
}

/* Counts what exec() ends, if `by` is 1: the program, unless its replacement is recorded, and all
 * threads except the one that becomes the first thread of the replacement. If `by` is -1, exec() has
 * failed, so the function undoes these counts. */
static void count_exec(UInt system_call, Int by) {
    if (system_call != __NR_execve && system_call != __NR_execveat)
        return;
    buffer_count_thread(-by * (Int)(threads - 1));
    if (!options.children)
        buffer_count_replaced(by);
}

static void before_system_call(ThreadId thread, UInt number, UWord *args, UInt count) {
    (void)count;
    count_exec(number, 1);
    if (number == __NR_exit) /* only the thread ends, not the program */
        count_end();
    if (options.sync)
        sync_before_system_call(thread, number, args);
}

/* Handles the return of a system call; exec() returns only if it has failed. Looks for new fault handlers
 * and, with options.sync, for synchronization. */
static void after_system_call(ThreadId thread, UInt number, UWord *args, UInt count,
                              SysRes result) {
    (void)count;
    count_exec(number, -1);
    faults_after_system_call(number, args, result);
    if (options.sync)
        sync_after_system_call(thread, number, args, !sr_isError(result));
}

/* Handles a signal before it is delivered. The signal may be a fault in the middle of a block of
 * code. */
static void deliver_signal(ThreadId thread, Int number, Bool other_stack) {
    (void)number;
    buffer_absorb();
    if (options.contexts)
        contexts_begin_handler(thread, other_stack);
}

static void end_signal(ThreadId thread, Int number) {
    (void)number;
    if (options.contexts)
        contexts_end_handler(thread);
}

static void before_fork(ThreadId thread) {
    (void)thread;
    buffer_flush();
}

static void after_fork_in_parent(ThreadId thread) {
    (void)thread;
    if (!options.children)
        buffer_count_child();
}

static void after_fork_in_child(ThreadId thread) {
    threads = 1;
    buffer_restart_in_child(options.children);
    if (options.contexts)
        contexts_restart_in_child();
    if (options.events && options.children)
        events_restart_in_child();
    if (options.sync)
        sync_restart_in_child(thread);
}

static void describe_tool(void) {
    VG_(details_name)("reusedist");
    VG_(details_version)(NULL);
    VG_(details_description)("records memory references");
    VG_(details_copyright_author)("GNU GPL version 2 or later, see recorder/valgrind/LICENSE");
    VG_(details_bug_reports_to)("the issue tracker of reusedist");
    VG_(details_avg_translation_sizeB)(350);
    VG_(basic_tool_funcs)(start_program, instrument, end_program);
    VG_(needs_command_line_options)(process_option, print_usage, print_debug_usage);
    VG_(needs_client_requests)(control_marker);
    VG_(track_start_client_code)(enter_code);
    VG_(track_stop_client_code)(leave_code);
    VG_(track_pre_deliver_signal)(deliver_signal);
    VG_(track_pre_thread_ll_create)(create_thread);
    VG_(track_pre_thread_ll_exit)(end_thread);
    VG_(track_post_deliver_signal)(end_signal);
    faults_start();
    VG_(needs_syscall_wrapper)(before_system_call, after_system_call);
    VG_(atfork)(before_fork, after_fork_in_parent, after_fork_in_child);
}

VG_DETERMINE_INTERFACE_VERSION(describe_tool)
