/* Wrappers of functions that allocate and release memory. The linker option --wrap inserts them.
 *
 * If these functions call each other, only the outermost call is reported. A release is reported
 * before the library gets the memory, because another thread may allocate it at once.
 *
 * The wrappers are in two objects, allocations.c and operators.c, because the linker must find
 * everything that an object of an archive refers to: only programs with a C++ library can link
 * operators.c.
 */
#ifndef RECORDER_ALLOCATIONS_H
#define RECORDER_ALLOCATIONS_H

#include "runtime.h"
#include "runtime_contexts.h"

/* Begins a wrapped call by code with this stack pointer. Returns whether the call must be reported:
 * it is the outermost one, and the analyzer wants events. */
int allocation_enter(uintptr_t stack_pointer);
/* Ends a wrapped call, even if an exception leaves it. The cleanup attribute in CALL passes `told`,
 * which is not used. */
void allocation_leave(const int *told);
/* These functions report an allocation or a release, unless `told` is 0 or `memory` is NULL. */
void allocation_give(int told, void *memory, size_t size, uint64_t pc);
void allocation_take_back(int told, const void *memory, size_t size);

/* Begins the body of a wrapper: declares `told` and ends the wrapped call when the body is left. */
#define CALL __attribute__((cleanup(allocation_leave))) int told = allocation_enter(CALLER_STACK())

/* Defines the wrapper of function `name`, which returns `result`, has `parameters`, is called with
 * `arguments` and allocates `size` bytes. */
#define ALLOCATOR(result, name, parameters, arguments, size)                                       \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters {                                                              \
        CALL;                                                                                      \
        result memory = __real_##name arguments;                                                   \
        allocation_give(told, memory, told &&memory ? size : 0, CALL_SITE());                      \
        return memory;                                                                             \
    }

/* Defines the wrapper of function `name`, which releases the memory at its parameter `memory`. */
#define RELEASER(name, parameters, arguments)                                                      \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters {                                                                \
        CALL;                                                                                      \
        allocation_take_back(told, memory, 0);                                                     \
        __real_##name arguments;                                                                   \
    }

#endif
