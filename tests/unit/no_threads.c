/* Makes starting a thread fail in unit tests without the label "threads", in builds with a
 * sanitizer. tests/CMakeLists.txt lists the exceptions in _threads_of_others.
 *
 * ThreadSanitizer runs only the tests with the label. Without this file, a test that uses threads
 * but lacks the label would go unnoticed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *user);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *user) {
    (void)thread;
    (void)attributes;
    (void)start;
    (void)user;
    fprintf(stderr,
            "this test starts threads: add it to the list _threads in tests/CMakeLists.txt\n");
    abort();
}
