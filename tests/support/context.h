/* Set-up and tear-down with a context as the test's state. All its memory must be freed at the end. */
#ifndef TEST_CONTEXT_H
#define TEST_CONTEXT_H

int context_new(void **state);
int context_free(void **state); /* fails if memory was leaked */

#endif
