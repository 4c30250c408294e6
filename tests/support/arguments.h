/* Functions for tests that pass NULL to public functions: such a call must return RD_EINVAL, with a
 * message that names the parameter if there is a context to store it in. */
#ifndef TEST_ARGUMENTS_H
#define TEST_ARGUMENTS_H

#include "reusedist/profile.h"
#include "support/fixture.h"

#include <stdint.h>

/* The blocks of a few references, and their exact profile, which new_profile() makes in `ctx`. */
#define N_BLOCKS 8
extern const uint64_t blocks[N_BLOCKS];
extern rd_profile *profile;

/* Set up and tear down a group of tests that uses `ctx` and `profile`. */
int new_profile(void **state);
int free_profile(void **state); /* fails if memory was leaked */

/* Checks that a call returns RD_EINVAL. It is for calls with NULL instead of the context, or
 * instead of the object that has the context: they have no place for a message. */
#define REFUSED(call) expect_refused(#call, NULL, (call))
/* Checks that a call with NULL for `argument` returns RD_EINVAL with the message "FUNCTION:
 * ARGUMENT must not be NULL". */
#define EXPLAINED(argument, call) expect_refused(#call, argument, (call))

/* Implements REFUSED() and EXPLAINED(). `call` is the text of the call, and `argument` is the name
 * of the parameter that the message must name; NULL: the message is not checked. */
void expect_refused(const char *call, const char *argument, rd_status status);

/* Checks that `status` is RD_EINVAL, and that the message of `ctx` contains `text`. */
void expect_saying(rd_status status, const char *text);

#endif
