/* Follows the calls of a thread, and numbers calling contexts.
 *
 * clang begins every function with a call of __fentry__() (reusedist-cc), which adds the function
 * to the thread's stack of active calls. A call stays there until the stack pointer of a record is
 * above the place of its return address, or a later call has its return address at this place or
 * above. So returns, tail calls, longjmp() and exceptions need no further hooks.
 */
#ifndef RECORDER_RUNTIME_CONTEXTS_H
#define RECORDER_RUNTIME_CONTEXTS_H

#include <stddef.h>
#include <stdint.h>

/* Returns the stack pointer that the caller of the current function had before the call. */
#define CALLER_STACK() ((uintptr_t)__builtin_frame_address(0) + 16)

/* Nonzero: calls are followed. */
extern unsigned char recorder_follows_calls __attribute__((visibility("hidden")));

/* Returns zeroed memory, of which only the pages that are written take up space, or NULL. Preserves errno,
 * which belongs to the program. */
void *recorder_take_memory(size_t bytes);

/* Starts to follow calls. */
void contexts_start(void);
/* Says where the stack of this thread is. */
void contexts_begin_thread(const void *stack, size_t size);
/* Notes that code with this stack pointer runs now, and ends the calls that were left. */
void contexts_see(uintptr_t stack_pointer);

/* Returns the calling context of the code that runs now, for the functions below. It is a number
 * that is valid in this thread only, and 0 if no call is active. */
uint32_t contexts_now(void);

/* A definition that the analyzer needs. */
typedef struct context_definition {
    uint32_t number, parent; /* numbers in the channel */
    uintptr_t site;
} context_definition;

/* Stores a definition that the analyzer needs before the first reference of `context`, and marks it
 * as reported. Returns 0 if none is missing. */
int contexts_next_definition(uint32_t context, context_definition *out);
/* Returns the number of `context` in the channel. */
uint32_t contexts_number(uint32_t context);

/* An active call, or a signal handler that runs. */
typedef struct active_call {
    uintptr_t stack;    /* where the return address is */
    uintptr_t site;     /* address in the call instruction; 0: a signal handler */
    uintptr_t function; /* address in the function that was called */
    uint32_t floor;     /* bytes from the stack pointer of its last record to `stack`; 0: unknown */
    uint32_t context;   /* its context; UINT32_MAX: not looked up yet */
} active_call;

/* The calls that were active when a signal handler began, and the entry above them. */
typedef struct interrupted_calls {
    size_t n, protected;
    uint32_t telling;
    active_call above;
} interrupted_calls;

/* contexts_begin_handler() must be called before a signal handler of the program runs, and
 * contexts_end_handler(), with its result, afterwards. The handler runs on a stack of its own from
 * address `alternate` to `alternate_end`, or on the stack of the interrupted code if both are 0. */
interrupted_calls contexts_begin_handler(uintptr_t stack_pointer, uintptr_t alternate,
                                         uintptr_t alternate_end);
void contexts_end_handler(interrupted_calls before);

/* Must be called in a forked child: the analyzer knows none of its contexts. */
void contexts_restart_in_child(void);
/* Releases the memory of a thread that ends. */
void contexts_end_thread(void);

#endif
