/* Checks that a public function survives NULL for each of its pointers: it returns RD_EINVAL with a
 * message, or does nothing. Where the header allows NULL, the call works. */
#ifndef TEST_ARGUMENTS_H
#define TEST_ARGUMENTS_H

#include "reusedist/profile.h"
#include "support/fixture.h"

#include <stdint.h>

/* References, and their profile, which is exact and has `ctx` as its context. */
#define N_BLOCKS 8
extern const uint64_t blocks[N_BLOCKS];
extern rd_profile *profile;

/* Set up and tear down a group of tests with the profile. */
int new_profile(void **state);
int free_profile(void **state); /* fails if memory was leaked */

/* Checks a call with NULL as its context, or as the object that has a context, so that no message
 * can be stored. */
#define REFUSED(call) expect_refused(#call, NULL, (call))
/* Checks a call with NULL for `argument`. */
#define EXPLAINED(argument, call) expect_refused(#call, argument, (call))

/* Implements REFUSED() and EXPLAINED(). `call` is the text of the call, and `argument` is the name of
 * the parameter that the message must name; NULL: there is no message. */
void expect_refused(const char *call, const char *argument, rd_status status);

/* Checks that a call was refused with a message that contains `text`. */
void expect_saying(rd_status status, const char *text);

#endif
