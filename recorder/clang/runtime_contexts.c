/* Follows the calls of a thread, and numbers calling contexts. See runtime_contexts.h.
 *
 * A calling context is the caller's context and a call instruction. Contexts are looked up only
 * when a reference needs them, so entering a function changes only the stack of calls. A signal
 * handler may begin at any instruction of this file. When the handler ends, the entry above the
 * calls that were active is restored, because the interrupted code may be in the middle of writing
 * this entry. A handler cannot make new contexts while the interrupted code makes one.
 *
 * If a function is called from code without hooks, such as qsort(), its context contains two calls:
 * the call of qsort() by the function that was active, and the call in qsort(). A function calls
 * hooks and other functions with the same stack pointer, so its last return address lies directly
 * below the stack pointer of its last record. Only variable-length arrays change the stack pointer;
 * reusedist-cc inserts a call of recorder_before_array() before them.
 *
 * The program may release the stack of a coroutine whose calls are still in the stack of calls. So this file
 * only reads words on the thread's own stack, and in the page of the stack where the code runs now.
 *
 * Memory is bounded. A context deeper than DEPTH_MAX calls, or a new context when there are already
 * CONTEXTS_MAX, is an edge: it and all contexts below it are counted together, under the number of
 * the edge, marked with RDI_CONTEXT_BELOW. The number of the caller would not tell which function
 * made the call. When there are also NUMBERS_MAX numbers, a new context has the marked number of its
 * caller. Calls that do not fit into the stack of calls are not followed.
 *
 * This file is compiled without vector registers, because they hold arguments of the functions that
 * begin.
 */
#define _GNU_SOURCE
#include "runtime_contexts.h"

#include "live/channel.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH_MAX        512
#define CONTEXTS_MAX     (1u << 20)
#define NUMBERS_MAX      (2 * CONTEXTS_MAX)
#define CALLS_MIN        ((size_t)1 << 20) /* limits of the room for active calls */
#define CALLS_MAX        ((size_t)1 << 24)
#define PAGE_BYTES       4096
#define FRAME_BYTES      16 /* least number of bytes that a call takes on the stack */
#define CONTEXTS_AT_ONCE 1024

/* A calling context. The context with index 0, in which a thread begins, has no call. */
typedef struct context {
    uintptr_t site;  /* address in the call instruction */
    uint32_t parent; /* index of the caller's context */
    uint32_t number; /* number in the channel */
    uint32_t depth;
    uint32_t told; /* the largest `telling` for which the analyzer knows the context */
} context;

/* The contexts of a thread, in `room` entries of `all`. A hash table with two slots per entry
 * follows, keyed by parent and site. A slot has the index of a context, or 0 if the slot is
 * empty. */
typedef struct contexts {
    size_t bytes;
    uint32_t count, room;
    context all[];
} contexts;

#define HANDLER 0 /* the site of an entry that is a signal handler */
#define UNKNOWN UINT32_MAX

typedef struct call_stack {
    active_call *calls;
    size_t n;
    /* Number of calls, from the first, that are not examined because the code that runs now is a
     * signal handler on another stack, from `alternate` to `alternate_end`. 0: no such handler
     * runs. */
    size_t protected;
    uintptr_t alternate, alternate_end;
    uintptr_t stack, stack_bytes; /* the thread's own stack; 0 and 0: unknown */
    contexts *known;
    int making; /* true: a context is being made */
    /* 1 + the number of handlers that run. The buffer of a handler is submitted before the buffer
     * of the interrupted code, so definitions in the buffer of the interrupted code come too late
     * for the handler. */
    uint32_t telling;
} call_stack;

/* Linkers define these symbols: the beginning of the program, and the end of its code. */
extern char __executable_start[], etext[];

static __thread call_stack own = {.telling = 1};
static size_t room; /* number of calls in the stack of calls of a thread */
static uint32_t numbers = 1;
unsigned char recorder_follows_calls;

/* Must be called when a function begins. `place` is the place of its return address, and `function`
 * an address in the function. */
void recorder_enter(const uintptr_t *place, uintptr_t function)
    __attribute__((visibility("hidden")));
__attribute__((visibility("default"))) void recorder_before_array(void);

/* The function that clang calls at the beginning of each function, before it has changed the stack.
 * All registers that may hold arguments keep their values. */
__asm__(".text\n"
        ".globl __fentry__\n"
        ".type __fentry__, @function\n"
        "__fentry__:\n"
        "cmpb $0, recorder_follows_calls(%rip)\n"
        "jne 1f\n"
        "ret\n"
        "1: push %rax\n push %rcx\n push %rdx\n push %rsi\n"
        "push %rdi\n push %r8\n push %r9\n push %r10\n"
        "lea 72(%rsp), %rdi\n"
        "mov 64(%rsp), %rsi\n"
        "call recorder_enter\n"
        "pop %r10\n pop %r9\n pop %r8\n pop %rdi\n"
        "pop %rsi\n pop %rdx\n pop %rcx\n pop %rax\n"
        "ret\n"
        ".size __fentry__, . - __fentry__\n");

/* ---- memory ---- */

/* Calls the kernel directly, because the program's mmap() is wrapped. */
void *recorder_take_memory(size_t bytes) {
    int before = errno;
    long memory = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    errno = before;
    return memory == -1 ? NULL : (void *)memory;
}

static void give_memory(void *memory, size_t bytes) {
    int before = errno;
    if (memory)
        syscall(SYS_munmap, memory, bytes);
    errno = before;
}

void contexts_start(void) {
    struct rlimit stack = {.rlim_cur = RLIM_INFINITY};
    getrlimit(RLIMIT_STACK, &stack);
    room = stack.rlim_cur / FRAME_BYTES < CALLS_MAX ? stack.rlim_cur / FRAME_BYTES : CALLS_MAX;
    room = room > CALLS_MIN ? room : CALLS_MIN;
    recorder_follows_calls = 1;
}

void contexts_begin_thread(const void *stack, size_t size) {
    own.stack = (uintptr_t)stack;
    own.stack_bytes = size;
}

/* ---- active calls ---- */

/* Ends the last call. If it is a handler, it was left together with the code that it interrupted,
 * because contexts_end_handler() ends a handler that returns. */
static void end_call(void) {
    if (own.calls[--own.n].site == HANDLER)
        own.making = 0;
}

/* Ends the calls whose return addresses lie below `address`, except protected calls. If `address`
 * is not on the stack of the handler that protects them, the handler was left and ends too. */
static void end_below(uintptr_t address) {
    if (own.protected && (address < own.alternate || address > own.alternate_end)) {
        own.n = own.protected; /* the handler on the other stack was left */
        own.protected = 0;
        end_call();
    }
    while (own.n > own.protected && own.calls[own.n - 1].stack < address)
        end_call();
}

static int is_in_program(uintptr_t address) {
    return address >= (uintptr_t)__executable_start && address < (uintptr_t)etext;
}

static int is_on_own_stack(uintptr_t place) {
    return place - own.stack < own.stack_bytes;
}

/* Returns whether the word at `place`, on a stack that the thread uses or has used, is known to exist. */
static int is_readable(uintptr_t place) {
    return is_on_own_stack(place) || (place ^ (uintptr_t)__builtin_frame_address(0)) < PAGE_BYTES;
}

static int is_overwritten(const active_call *call) {
    return call->site != HANDLER && *(const uintptr_t *)call->stack != call->site + 1;
}

/* Ends the calls whose return addresses have been overwritten, and all calls after them. The code
 * that runs now was called by code without hooks, which may have been called right after a function
 * that returned. Only the last DEPTH_MAX calls are examined, and only those that can be read. Each
 * call has a lower stack address than the one before it, so usually looking at two of them is enough to
 * know that all can be read. */
static void end_overwritten(void) {
    const active_call *calls = own.calls;
    size_t n = own.n, least = n < DEPTH_MAX ? 0 : n - DEPTH_MAX;
    size_t i = least > own.protected ? least : own.protected;
    if (i >= n)
        return;
    if (is_on_own_stack(calls[i].stack) && is_on_own_stack(calls[n - 1].stack))
        while (i < n && !is_overwritten(&calls[i]))
            i++;
    else
        while (i < n && !(is_readable(calls[i].stack) && is_overwritten(&calls[i])))
            i++;
    own.n = i;
}

void recorder_enter(const uintptr_t *place, uintptr_t function) {
    uintptr_t stack = (uintptr_t)place;
    if (!own.calls && !(own.calls = recorder_take_memory(room * sizeof *own.calls)))
        return;
    end_below(stack + 1);
    if (is_in_program(*place) != is_in_program(function))
        end_overwritten();
    if (own.n == room)
        return;
    own.calls[own.n] = (active_call){stack, *place - 1, function, 0, UNKNOWN};
    __atomic_store_n(&own.n, own.n + 1, __ATOMIC_RELEASE);
}

void contexts_see(uintptr_t stack_pointer) {
    end_below(stack_pointer);
    if (own.n && own.calls[own.n - 1].stack - stack_pointer < UINT32_MAX)
        own.calls[own.n - 1].floor = (uint32_t)(own.calls[own.n - 1].stack - stack_pointer);
}

void recorder_before_array(void) {
    if (recorder_follows_calls)
        end_below(CALLER_STACK());
}

/* ---- contexts ---- */

static uint32_t *slots_of(contexts *c) {
    return (uint32_t *)(void *)(c->all + c->room);
}

/* Returns the slot of a context, or the empty slot where it belongs. */
static uint32_t *find_slot(contexts *c, uint32_t parent, uintptr_t site) {
    uint64_t hash = (site ^ (uint64_t)parent << 40) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t mask = 2 * c->room - 1, *slots = slots_of(c);
    uint32_t at = (uint32_t)(hash >> 32) & mask;
    while (slots[at] && (c->all[slots[at]].parent != parent || c->all[slots[at]].site != site))
        at = (at + 1) & mask;
    return &slots[at];
}

/* Returns the contexts of this thread, with room for one more, or NULL if there is no memory. */
static contexts *make_room(void) {
    contexts *old = own.known;
    if (old && old->count < old->room)
        return old;
    uint32_t wanted = old ? 2 * old->room : CONTEXTS_AT_ONCE;
    size_t bytes = sizeof *old + wanted * (sizeof *old->all + 2 * sizeof(uint32_t));
    contexts *made = recorder_take_memory(bytes);
    if (!made)
        return NULL;
    made->bytes = bytes;
    made->room = wanted;
    made->count = old ? old->count : 1;
    made->all[0].told = UINT32_MAX;
    for (uint32_t i = 1; i < made->count; i++) {
        made->all[i] = old->all[i];
        *find_slot(made, old->all[i].parent, old->all[i].site) = i;
    }
    own.known = made;
    if (old)
        give_memory(old, old->bytes);
    return made;
}

/* Makes the context of a call. Returns its index, or 0 if NUMBERS_MAX is reached, there is no
 * memory, or a handler has interrupted this function. */
static uint32_t make_context(uint32_t parent, uintptr_t site) {
    if (own.making || __atomic_load_n(&numbers, __ATOMIC_RELAXED) >= NUMBERS_MAX)
        return 0;
    own.making = 1;
    contexts *c = make_room();
    uint32_t index = 0;
    if (c) {
        index = c->count;
        uint32_t number = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
        c->all[index] = (context){site, parent, number, c->all[parent].depth + 1, 0};
        c->count++;
        __atomic_store_n(find_slot(c, parent, site), index, __ATOMIC_RELEASE);
    }
    own.making = 0;
    return index;
}

static uint32_t context_of_call(uint32_t parent, uintptr_t site) {
    if (parent & RDI_CONTEXT_BELOW)
        return parent;
    uint32_t found = own.known ? *find_slot(own.known, parent, site) : 0;
    if (!found)
        found = make_context(parent, site);
    if (!found)
        return parent | RDI_CONTEXT_BELOW;
    const context *one = &own.known->all[found];
    int edge = one->number >= CONTEXTS_MAX || one->depth > DEPTH_MAX;
    return edge ? found | RDI_CONTEXT_BELOW : found;
}

/* Returns an address in the last call instruction that a function has executed, or an address at
 * the beginning of the function if the instruction is unknown. */
static uintptr_t last_site_in(const active_call *function) {
    uintptr_t place = function->stack - function->floor - sizeof(uintptr_t);
    if (function->floor < sizeof(uintptr_t) || !is_readable(place))
        return function->function;
    uintptr_t site = *(const uintptr_t *)place - 1;
    return is_in_program(site) == is_in_program(function->function) ? site : function->function;
}

/* Returns whether `caller` may have made the call itself: the return address is where `caller` puts
 * it, or both `caller` and the call instruction are in the program, or both are in libraries. */
static int is_direct(const active_call *caller, const active_call *call) {
    return (caller->floor && call->stack == caller->stack - caller->floor - sizeof(uintptr_t)) ||
           is_in_program(call->site) == is_in_program(caller->function);
}

/* Returns the context of call number `i`. All calls before it must have contexts. */
static uint32_t find_context(size_t i) {
    const active_call *call = &own.calls[i];
    int handler = call->site == HANDLER;
    if (i == 0)
        return handler ? 0 : context_of_call(0, call->site);
    const active_call *caller = &own.calls[i - 1];
    if (caller->site == HANDLER) /* the runtime made this call, of the handler */
        return caller->context;
    uint32_t parent = caller->context;
    if (handler || !is_direct(caller, call))
        parent = context_of_call(parent, last_site_in(caller));
    return handler ? parent : context_of_call(parent, call->site);
}

uint32_t contexts_now(void) {
    size_t i = own.n;
    while (i > 0 && own.calls[i - 1].context == UNKNOWN)
        i--;
    for (; i < own.n; i++)
        own.calls[i].context = find_context(i);
    return own.n ? own.calls[own.n - 1].context : 0;
}

int contexts_next_definition(uint32_t index, context_definition *out) {
    index &= ~RDI_CONTEXT_BELOW;
    if (!index || own.known->all[index].told >= own.telling)
        return 0;
    while (own.known->all[own.known->all[index].parent].told < own.telling)
        index = own.known->all[index].parent;
    context *one = &own.known->all[index];
    one->told = own.telling;
    *out = (context_definition){one->number, own.known->all[one->parent].number, one->site};
    return 1;
}

uint32_t contexts_number(uint32_t index) {
    uint32_t below = index & RDI_CONTEXT_BELOW;
    return index == below ? below : own.known->all[index & ~RDI_CONTEXT_BELOW].number | below;
}

/* ---- signal handlers, processes and threads ---- */

interrupted_calls contexts_begin_handler(uintptr_t stack_pointer, uintptr_t alternate,
                                         uintptr_t alternate_end) {
    interrupted_calls before = {own.n, own.protected, own.telling, {0}};
    own.telling++;
    if (!own.calls || own.n == room)
        return before;
    before.above = own.calls[own.n];
    end_overwritten();
    own.calls[own.n++] = (active_call){.stack = stack_pointer, .site = HANDLER, .context = UNKNOWN};
    if (alternate_end && !own.protected) {
        own.protected = own.n;
        own.alternate = alternate;
        own.alternate_end = alternate_end;
    }
    return before;
}

void contexts_end_handler(interrupted_calls before) {
    own.n = before.n;
    own.protected = before.protected;
    own.telling = before.telling;
    if (own.calls && own.n < room)
        own.calls[own.n] = before.above;
}

void contexts_restart_in_child(void) {
    for (uint32_t i = 1; own.known && i < own.known->count; i++)
        own.known->all[i].told = 0;
}

void contexts_end_thread(void) {
    active_call *calls = own.calls;
    own.n = own.protected = 0;
    own.calls = NULL;
    give_memory(calls, room * sizeof *calls);
    if (own.known)
        give_memory(own.known, own.known->bytes);
    own.known = NULL;
}
