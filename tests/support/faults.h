/* Fault injection: repeats some work and lets its first, second, third ... allocation fail. */
#ifndef TEST_FAULTS_H
#define TEST_FAULTS_H

#include "reusedist/base.h"

#include <stddef.h>

/* A function that does the work with a new context. It frees everything that it allocated, even
 * after a failure, and returns the status. */
typedef rd_status (*faults_body)(rd_ctx *ctx, void *user);

/* Fails the test unless every run with a failing allocation ends with RD_ENOMEM and a message, and
 * no run leaves memory behind. For k = 1, 2, 3 ..., one run lets only the k-th allocation fail, and
 * another run all from the k-th on. Under a sanitizer, skips most k above 128. Stops at the first k
 * that the work does not reach, where the status must be `expected`. Returns this k. `what` names
 * the work in failure messages. */
size_t faults_inject(const char *what, faults_body body, void *user, rd_status expected);

#endif
