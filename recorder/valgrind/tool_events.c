/* Reports stacks, and memory that is allocated and released.
 *
 * The program uses its own allocator, and the tool watches the functions of the allocator. A call
 * begins with the first instruction of such a function, which is found by its name, and ends with
 * the return that leaves the stack as it was before the call. If functions of the allocator call
 * each other, only the outermost call counts.
 *
 * An allocation must be reported before the allocator clears or copies the memory, so space for the
 * event is reserved when the call begins. A release by free() or delete is reported before the
 * allocator gets the memory.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "reusedist/trace.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"

#define MAP_STACK 0x20000 /* flag of mmap(), which Valgrind's headers do not define */

/* ---- functions ---- */

/* Kinds of functions, which differ in their arguments. */
enum {
    NONE,
    SIZE_FIRST,     /* malloc(size) */
    SIZE_SECOND,    /* memalign(alignment, size) */
    PRODUCT,        /* calloc(n, size) */
    REALLOC,        /* realloc(old, size) */
    REALLOC_ARRAY,  /* reallocarray(old, n, size) */
    POSIX_MEMALIGN, /* posix_memalign(&result, alignment, size) */
    RELEASE,        /* free(old) */
    MAP,            /* mmap(address, size, protection, flags) */
    UNMAP,          /* munmap(old, size) */
    REMAP           /* mremap(old, size, new size) */
};

static const struct {
    const HChar *name;
    UInt function;
} functions[] = {
    {"malloc", SIZE_FIRST},
    {"__libc_malloc", SIZE_FIRST},
    {"valloc", SIZE_FIRST},
    {"__libc_valloc", SIZE_FIRST},
    {"pvalloc", SIZE_FIRST},
    {"__libc_pvalloc", SIZE_FIRST},
    {"memalign", SIZE_SECOND},
    {"__libc_memalign", SIZE_SECOND},
    {"aligned_alloc", SIZE_SECOND},
    {"calloc", PRODUCT},
    {"__libc_calloc", PRODUCT},
    {"realloc", REALLOC},
    {"__libc_realloc", REALLOC},
    {"reallocarray", REALLOC_ARRAY},
    {"__libc_reallocarray", REALLOC_ARRAY},
    {"posix_memalign", POSIX_MEMALIGN},
    {"__posix_memalign", POSIX_MEMALIGN},
    {"free", RELEASE},
    {"cfree", RELEASE},
    {"__libc_free", RELEASE},
    {"mmap", MAP},
    {"mmap64", MAP},
    {"__mmap", MAP},
    {"__mmap64", MAP},
    {"munmap", UNMAP},
    {"__munmap", UNMAP},
    {"mremap", REMAP},
    {"__mremap", REMAP},
};

static Bool begins_with(const HChar *name, const HChar *prefix) {
    return VG_(strncmp)(name, prefix, VG_(strlen)(prefix)) == 0;
}

UInt events_function_at(Addr instruction) {
    const HChar *name;
    if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), instruction, &name))
        return NONE;
    if (begins_with(name, "operator new")) /* placement new, with a void*, allocates nothing */
        return VG_(strstr)(name, "void*") ? NONE : SIZE_FIRST;
    if (begins_with(name, "operator delete"))
        return RELEASE;
    for (SizeT i = 0; i < sizeof functions / sizeof *functions; i++)
        if (VG_(strcmp)(name, functions[i].name) == 0)
            return functions[i].function;
    return NONE;
}

/* ---- live allocations ---- */

/* An allocation. Allocations are kept only if children are recorded, because they are reported
 * again in each child, which inherits them. */
typedef struct given {
    struct given *next; /* the hash table uses `next` and `address` */
    Addr address;
    SizeT size;
    Addr pc;
} given;

static VgHashTable *all_given; /* all live allocations; NULL: they are not kept */

static void forget(Addr address) {
    given *old = all_given ? VG_(HT_remove)(all_given, address) : NULL;
    if (old)
        VG_(free)(old);
}

static void remember(Addr address, SizeT size, Addr pc) {
    if (!all_given)
        return;
    forget(address);
    given *node = VG_(malloc)("reusedist.given", sizeof *node);
    *node = (given){NULL, address, size, pc};
    VG_(HT_add_node)(all_given, node);
}

/* ---- calls ---- */

/* The outermost call of an allocator function in a thread, and whether the thread's stack was
 * reported. */
typedef struct call {
    Addr outside; /* stack pointer after the return; 0: no call */
    Addr return_to;
    UInt function;
    UWord a, b, c, d; /* arguments */
    Bool stack_told;
} call;

static call *calls; /* one entry per thread */
static ThreadId current;

Addr events_stack_outside;

/* Returns whether `c` is still active when another call begins, whose return will leave the stack
 * pointer at `outside`. After an exception or longjmp(), the frame of `c` is gone or reused. */
static Bool is_inside(const call *c, Addr outside) {
    return c->outside && outside <= c->outside &&
           *(Addr *)(c->outside - sizeof(Addr)) == c->return_to;
}

static void give(Addr address, SizeT size, Bool in_reserved) {
    Addr pc = calls[current].return_to - 1;
    if (!address)
        return;
    if (!in_reserved || !buffer_fill(RD_EVENT_ALLOCATE, current, address, size, pc))
        buffer_event(RD_EVENT_ALLOCATE, current, address, size, pc, NULL);
    remember(address, size, pc);
}

static void take_back(Addr address, SizeT size) {
    if (!address)
        return;
    buffer_event(RD_EVENT_RELEASE, current, address, size, 0, NULL);
    forget(address);
}

void events_call(UWord function, Addr stack_pointer, UWord a, UWord b, UWord c, UWord d) {
    call *outermost = &calls[current];
    Addr outside = stack_pointer + sizeof(Addr);
    if (is_inside(outermost, outside))
        return;
    outermost->outside = events_stack_outside = outside;
    outermost->return_to = *(Addr *)stack_pointer;
    outermost->function = function;
    outermost->a = a, outermost->b = b, outermost->c = c, outermost->d = d;
    if (function == RELEASE)
        take_back(a, 0);
    else if (function != UNMAP)
        buffer_reserve();
}

/* Reports the result of realloc(). Memory that stays in place is reported as released and allocated
 * again. */
static void end_realloc(Addr old, SizeT size, Addr result) {
    if (result && result != old) {
        give(result, size, True);
        take_back(old, 0);
    } else if (result || size == 0) {
        take_back(old, 0);
        give(result, size, False);
    }
}

static Bool is_error(UWord result) {
    return result > ~(UWord)4095;
}

/* Returns whether a mapping is new anonymous memory. Mapped files do not count as data of the
 * program, stacks are reported when their thread begins to run, and a mapping at a fixed address is
 * part of something that is already known, such as the variables of a library. */
static Bool is_plain_memory(UWord map_flags) {
    return map_flags & VKI_MAP_ANONYMOUS && !(map_flags & (VKI_MAP_FIXED | MAP_STACK));
}

static void end_remap(Addr old, SizeT old_size, SizeT size, Addr result) {
    if (is_error(result))
        return;
    take_back(old, old_size);
    give(result, size, False);
}

static void end_call(const call *c, UWord result) {
    switch (c->function) {
    case SIZE_FIRST:
        give(result, c->a, True);
        break;
    case SIZE_SECOND:
        give(result, c->b, True);
        break;
    case PRODUCT:
        give(result, c->a * c->b, True);
        break;
    case REALLOC:
        end_realloc(c->a, c->b, result);
        break;
    case REALLOC_ARRAY:
        end_realloc(c->a, c->b * c->c, result);
        break;
    case POSIX_MEMALIGN:
        if ((UInt)result == 0)
            give(*(Addr *)c->a, c->c, True);
        break;
    case MAP:
        if (!is_error(result) && is_plain_memory(c->d))
            give(result, c->b, False);
        break;
    case UNMAP:
        if (result == 0)
            take_back(c->a, c->b);
        break;
    case REMAP:
        end_remap(c->a, c->b, c->c, result);
        break;
    default:
        break;
    }
}

void events_return(Addr to, UWord result) {
    call *c = &calls[current];
    if (to == c->return_to)
        end_call(c, result);
    buffer_release();
    c->outside = events_stack_outside = 0;
}

/* ---- threads ---- */

static void tell_stack(ThreadId thread) {
    SizeT size = VG_(thread_get_stack_size)(thread);
    Addr end = VG_(thread_get_stack_max)(thread) + 1;
    if (size > 0 && end > size)
        buffer_event(RD_EVENT_STACK, thread, end - size, size, 0, NULL);
    calls[thread].stack_told = True;
}

void events_thread_is_created(ThreadId thread) {
    calls[thread] = (call){0};
    if (options.contexts)
        contexts_begin_thread(thread);
}

void events_set_thread(ThreadId thread) {
    current = thread;
    events_stack_outside = calls[thread].outside;
    if (!calls[thread].stack_told)
        tell_stack(thread);
}

/* ---- start ---- */

void events_start(void) {
    calls = VG_(calloc)("reusedist.calls", VG_N_THREADS, sizeof *calls);
    if (options.children)
        all_given = VG_(HT_construct)("reusedist.all_given");
    modules_start();
}

void events_restart_in_child(void) {
    given *g;
    modules_restart_in_child();
    tell_stack(current);
    VG_(HT_ResetIter)(all_given);
    while ((g = VG_(HT_Next)(all_given)) != NULL)
        buffer_event(RD_EVENT_ALLOCATE, current, g->address, g->size, g->pc, NULL);
}
