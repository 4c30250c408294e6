/* Functions that give out memory and take it back, linked in by --wrap: how to tell of them.
 *
 * Of functions that call each other, the outermost counts. Memory is said to come back before the
 * library has it: another thread may get it at once.
 *
 * In two objects, because what one object of an archive refers to must be there: operators.c is for
 * programs that have a C++ library.
 */
#ifndef RECORDER_ALLOCATIONS_H
#define RECORDER_ALLOCATIONS_H

#include "runtime.h"

/* Begins a call: whether it is to be told. */
int allocation_enter(void);
/* Its end, also by an exception. */
void allocation_leave(const int *told);
/* If it is to be told. */
void allocation_give(int told, void *memory, size_t size, uint64_t pc);
void allocation_take_back(int told, const void *memory, size_t size);

/* In front of the body of such a function. */
#define CALL __attribute__((cleanup(allocation_leave))) int told = allocation_enter()

/* NAME of RESULT and PARAMETERS, called with ARGUMENTS, gives SIZE bytes. */
#define ALLOCATOR(result, name, parameters, arguments, size)                                       \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters {                                                              \
        CALL;                                                                                      \
        result memory = __real_##name arguments;                                                   \
        allocation_give(told, memory, told &&memory ? size : 0, CALL_SITE());                      \
        return memory;                                                                             \
    }

/* Releases its first argument. */
#define RELEASER(name, parameters, arguments)                                                      \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters {                                                                \
        CALL;                                                                                      \
        allocation_take_back(told, memory, 0);                                                     \
        __real_##name arguments;                                                                   \
    }

#endif
