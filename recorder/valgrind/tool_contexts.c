/* Follows calls and returns, and numbers calling contexts.
 *
 * A calling context is the caller's context and a call instruction. Each thread has a stack of its
 * active calls, with the stack pointer right after each call. A call is removed from this stack if
 * the stack pointer is above the noted one after a return or an indirect jump, or is at least as high
 * as the noted one right after a later call. So tail calls, longjmp(), exceptions and switched stacks
 * need no special treatment.
 *
 * Memory for contexts is bounded. A context deeper than DEPTH_MAX calls, or a new context when
 * there are already CONTEXTS_MAX, is an edge: it and all contexts below it are counted together,
 * under the number of the edge, marked with RDI_CONTEXT_BELOW. The number of the caller would not
 * tell which function made the call. When there are also NUMBERS_MAX numbers, a new context has the
 * marked number of its caller. The stack of calls grows with the program's own stack.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

#define DEPTH_MAX    512
#define CONTEXTS_MAX (1u << 20)
#define NUMBERS_MAX  (2 * CONTEXTS_MAX)

/* A calling context. Context number 0 is the one in which each thread begins. */
typedef struct context {
    Addr site; /* address of the call instruction */
    UInt parent;
    UInt recent; /* the context that was entered last from here; 0: none */
    UInt depth;
    Bool told; /* True: the analyzer knows the context */
} context;

static context *contexts;
static UInt count = 1, room;
static UInt *slots; /* hash table of context numbers, keyed by parent and site; 0: the slot is
                       empty */
static UInt slot_mask;

/* An active call, or a signal handler that runs. */
typedef struct call {
    Addr stack_pointer; /* stack pointer right after the call */
    UInt caller;        /* context of the caller */
    /* For a signal handler: 1 + the value of `protected` before the handler began. 0: this is a
     * call. */
    UInt handler;
} call;

typedef struct call_stack {
    call *calls;
    UInt n, room;
    UInt context; /* the context of the code that runs now */
    /* Number of calls, from the first, that are not examined because the code that runs now is a
     * signal handler on another stack. 0: no such handler runs. */
    UInt protected;
    ThreadId thread;
} call_stack;

static call_stack *stacks; /* one per thread */
static call_stack *now;

Addr contexts_top = ~(Addr)0;

/* ---- contexts ---- */

static UInt home_of(UInt parent, Addr site) {
    ULong hash = (site ^ (ULong)parent << 40) * 0x9e3779b97f4a7c15ULL;
    return (UInt)(hash >> 32) & slot_mask;
}

static void grow(void) {
    room = room ? 2 * room : 4096;
    contexts = VG_(realloc)("reusedist.contexts", contexts, room * sizeof *contexts);
    VG_(free)(slots);
    slots = VG_(calloc)("reusedist.contexts", 2 * room, sizeof *slots);
    slot_mask = 2 * room - 1;
    contexts[0] = (context){.told = True};
    for (UInt i = 1; i < count; i++) {
        UInt at = home_of(contexts[i].parent, contexts[i].site);
        while (slots[at])
            at = (at + 1) & slot_mask;
        slots[at] = i;
    }
}

static Bool is_call(UInt number, UInt parent, Addr site) {
    return contexts[number].parent == parent && contexts[number].site == site;
}

/* Returns `number`, marked with RDI_CONTEXT_BELOW if the context with this number is an edge. */
static UInt marked(UInt number) {
    Bool edge = number >= CONTEXTS_MAX || contexts[number].depth > DEPTH_MAX;
    return edge ? number | RDI_CONTEXT_BELOW : number;
}

/* Returns the number of the context of a call. Makes the context if it does not exist, or returns 0
 * if there are too many. */
static UInt find(UInt parent, Addr site) {
    UInt at = home_of(parent, site);
    for (; slots[at]; at = (at + 1) & slot_mask)
        if (is_call(slots[at], parent, site))
            return slots[at];
    if (count == NUMBERS_MAX)
        return 0;
    if (count == room) {
        grow();
        return find(parent, site);
    }
    contexts[count] =
        (context){.site = site, .parent = parent, .depth = contexts[parent].depth + 1};
    slots[at] = count;
    return count++;
}

static UInt context_of_call(UInt parent, Addr site) {
    if (parent & RDI_CONTEXT_BELOW)
        return parent;
    UInt recent = contexts[parent].recent;
    if (recent && contexts[recent].site == site)
        return marked(recent);
    UInt found = find(parent, site);
    contexts[parent].recent = found;
    return found ? marked(found) : parent | RDI_CONTEXT_BELOW;
}

Bool contexts_is_told(UInt number) {
    return number == 0 || contexts[number & ~RDI_CONTEXT_BELOW].told;
}

void contexts_tell(UInt number) {
    if (contexts_is_told(number))
        return;
    number &= ~RDI_CONTEXT_BELOW;
    contexts_tell(contexts[number].parent);
    contexts[number].told = True;
    buffer_define_context(number, contexts[number].parent, contexts[number].site);
}

/* ---- calls ---- */

static void push(call one) {
    if (now->n == now->room) {
        now->room = now->room ? 2 * now->room : 1024;
        now->calls = VG_(realloc)("reusedist.calls", now->calls, now->room * sizeof *now->calls);
    }
    now->calls[now->n++] = one;
    contexts_top = one.stack_pointer;
}

static void pop(void) {
    const call *gone = &now->calls[--now->n];
    now->context = gone->caller;
    if (gone->handler)
        now->protected = gone->handler - 1;
}

/* Returns whether a handler on another stack was left by a jump to the thread's own stack. */
static Bool handler_was_left(Addr stack_pointer) {
    Addr end = VG_(thread_get_stack_max)(now->thread);
    return now->n > 0 && now->n == now->protected && stack_pointer <= end &&
           end - stack_pointer < VG_(thread_get_stack_size)(now->thread);
}

/* Removes the innermost calls whose stack pointers are below `stack_pointer`, except protected
 * ones. If a handler on another stack was left, the protected calls are examined too. */
static void pop_below(Addr stack_pointer) {
    while (now->n > now->protected && now->calls[now->n - 1].stack_pointer < stack_pointer)
        pop();
    if (handler_was_left(stack_pointer)) {
        now->protected = 0;
        pop_below(stack_pointer);
    }
    contexts_top = now->n ? now->calls[now->n - 1].stack_pointer : ~(Addr)0;
}

Addr contexts_call(Addr next, Addr stack_pointer, Addr site) {
    if (contexts_top <= stack_pointer)
        pop_below(stack_pointer + 1);
    push((call){stack_pointer, now->context, 0});
    now->context = context_of_call(now->context, site);
    return buffer_switch_context(next, now->context);
}

Addr contexts_return(Addr next, Addr stack_pointer) {
    if (contexts_top < stack_pointer)
        pop_below(stack_pointer);
    return buffer_switch_context(next, now->context);
}

void contexts_jump(Addr stack_pointer) {
    pop_below(stack_pointer);
    buffer_set_context(now->context);
}

/* ---- signals and threads ---- */

void contexts_begin_handler(ThreadId thread, Bool other_stack) {
    Addr stack_pointer = VG_(get_SP)(thread);
    now = &stacks[thread];
    push((call){stack_pointer - 1, now->context, now->protected + 1});
    now->context = context_of_call(now->context, VG_(get_IP)(thread));
    if (other_stack)
        now->protected = now->n;
    buffer_set_context(now->context);
}

void contexts_end_handler(ThreadId thread) {
    Bool handler = False;
    now = &stacks[thread];
    while (now->n && !handler) {
        handler = now->calls[now->n - 1].handler != 0;
        pop();
    }
    pop_below(0);
    buffer_set_context(now->context);
}

UInt contexts_set_thread(ThreadId thread) {
    if (!options.contexts)
        return 0;
    now = &stacks[thread];
    now->thread = thread;
    contexts_top = now->n ? now->calls[now->n - 1].stack_pointer : ~(Addr)0;
    return now->context;
}

void contexts_begin_thread(ThreadId thread) {
    call_stack *stack = &stacks[thread];
    stack->n = stack->context = stack->protected = 0;
}

void contexts_start(void) {
    grow();
    stacks = VG_(calloc)("reusedist.stacks", VG_N_THREADS, sizeof *stacks);
    now = stacks;
}

void contexts_restart_in_child(void) {
    for (UInt i = 1; i < count; i++)
        contexts[i].told = False;
}
