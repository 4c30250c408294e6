/* Detects new threads: pthread_create() is defined here and calls the function of the C library.
 *
 * This works only in dynamically linked programs, because in static ones this definition would
 * replace the C library's function. This file is in a separate archive, from which reusedist-cc
 * requests the symbol below.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>

extern const char recorder_sees_threads;
const char recorder_sees_threads = 1;

typedef int creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *argument) {
    union { /* a union, because ISO C has no conversion between object and function pointers */
        void *object;
        creator *function;
    } next = {.object = dlsym(RTLD_NEXT, "pthread_create")};
    runtime_before_thread();
    return next.function(thread, attributes, start, argument);
}
