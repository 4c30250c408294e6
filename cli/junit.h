/* Verdicts of rules as JUnit XML, which servers of continuous integration show. */
#ifndef RD_JUNIT_H
#define RD_JUNIT_H

#include "compare_rules.h"

/* Writes one test suite with a test case per verdict. Returns the exit status, a failure having
 * been reported. */
int junit_write(rd_ctx *ctx, const char *path, const verdict *verdicts, size_t n);

#endif
