/* In unit tests without the label "threads", built with a sanitizer: starting one fails.
 *
 * Only what has the label is run under ThreadSanitizer, and a test that lacks it would not be
 * missed.
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
    fprintf(stderr, "this test starts threads: list it in tests/CMakeLists.txt\n");
    abort();
}
