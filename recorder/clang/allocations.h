/* Wrappers of functions that allocate and release memory. The linker option --wrap inserts them.
 *
 * If such functions call each other, only the outermost call counts. A release is reported before
 * the library gets the memory, because another thread may allocate it at once.
 *
 * The wrappers are in two objects, because everything that an object of an archive refers to must
 * be linked. So only programs with a C++ library use operators.c.
 */
#ifndef RECORDER_ALLOCATIONS_H
#define RECORDER_ALLOCATIONS_H

#include "runtime.h"

/* Begins a call. Returns whether the call is to be reported. */
int allocation_enter(void);
/* Ends a call, even after an exception. */
void allocation_leave(const int *told);
/* Report an allocation or a release, if `told` is set. */
void allocation_give(int told, void *memory, size_t size, uint64_t pc);
void allocation_take_back(int told, const void *memory, size_t size);

/* Begins the body of a wrapper. */
#define CALL __attribute__((cleanup(allocation_leave))) int told = allocation_enter()

/* Wraps NAME, which returns RESULT, has PARAMETERS, is called with ARGUMENTS and allocates SIZE
 * bytes. */
#define ALLOCATOR(result, name, parameters, arguments, size)                                       \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters {                                                              \
        CALL;                                                                                      \
        result memory = __real_##name arguments;                                                   \
        allocation_give(told, memory, told &&memory ? size : 0, CALL_SITE());                      \
        return memory;                                                                             \
    }

/* Wraps NAME, which releases its first argument. */
#define RELEASER(name, parameters, arguments)                                                      \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters {                                                                \
        CALL;                                                                                      \
        allocation_take_back(told, memory, 0);                                                     \
        __real_##name arguments;                                                                   \
    }

#endif
