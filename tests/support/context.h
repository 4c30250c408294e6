/* Set-up and tear-down functions with a context as the state of the test. All memory of the context
 * must be freed at the end. */
#ifndef TEST_CONTEXT_H
#define TEST_CONTEXT_H

int context_new(void **state);
int context_free(void **state); /* fails if memory was leaked */

#endif
