/* A context for all functions of a test program. new_ctx() sets up a test, or a group of tests,
 * with a new context. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include "reusedist/base.h"

extern rd_ctx *ctx;

int new_ctx(void **state);
int free_ctx(void **state); /* fails if memory was leaked */

/* Fails the test with the message of `ctx` unless the status is RD_OK. */
void ok(rd_status status);

/* Skips the rest of a test under ThreadSanitizer, which can find nothing in a test without threads.
 * cmocka.h must be included before. */
#ifdef __SANITIZE_THREAD__
#define SKIP_WITHOUT_THREADS() skip()
#else
#define SKIP_WITHOUT_THREADS() ((void)0)
#endif

#endif
