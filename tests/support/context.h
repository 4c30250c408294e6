/* Functions that set up and tear down a test whose state is a context. The test must free all
 * memory of the context. */
#ifndef TEST_CONTEXT_H
#define TEST_CONTEXT_H

int context_new(void **state);
int context_free(void **state); /* fails if memory was leaked */

#endif
