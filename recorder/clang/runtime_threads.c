/* Takes notice of new threads, whoever makes them: pthread_create(), in front of the C library's.
 *
 * Only for programs that are linked dynamically: in others it would take the place of the C
 * library's. In an archive of its own, which reusedist-cc asks for the name below.
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
    union { /* C knows no conversion between the two */
        void *object;
        creator *function;
    } next = {.object = dlsym(RTLD_NEXT, "pthread_create")};
    runtime_before_thread();
    return next.function(thread, attributes, start, argument);
}
