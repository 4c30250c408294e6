/* The wrappers of C++'s operators new and delete, by their mangled names. See allocations.h. */
#include "allocations.h"

#define NEW(name, parameters, arguments) ALLOCATOR(void *, name, parameters, arguments, size)

NEW(_Znwm, (size_t size), (size))
NEW(_Znam, (size_t size), (size))
NEW(_ZnwmRKSt9nothrow_t, (size_t size, const void *tag), (size, tag))
NEW(_ZnamRKSt9nothrow_t, (size_t size, const void *tag), (size, tag))
NEW(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment))
NEW(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment))
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const void *tag),
    (size, alignment, tag))
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const void *tag),
    (size, alignment, tag))

RELEASER(_ZdlPv, (void *memory), (memory))
RELEASER(_ZdaPv, (void *memory), (memory))
RELEASER(_ZdlPvm, (void *memory, size_t size), (memory, size))
RELEASER(_ZdaPvm, (void *memory, size_t size), (memory, size))
RELEASER(_ZdlPvRKSt9nothrow_t, (void *memory, const void *tag), (memory, tag))
RELEASER(_ZdaPvRKSt9nothrow_t, (void *memory, const void *tag), (memory, tag))
RELEASER(_ZdlPvSt11align_val_t, (void *memory, size_t alignment), (memory, alignment))
RELEASER(_ZdaPvSt11align_val_t, (void *memory, size_t alignment), (memory, alignment))
RELEASER(_ZdlPvmSt11align_val_t, (void *memory, size_t size, size_t alignment),
         (memory, size, alignment))
RELEASER(_ZdaPvmSt11align_val_t, (void *memory, size_t size, size_t alignment),
         (memory, size, alignment))
