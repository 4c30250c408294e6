/* Writes the verdicts of rules as JUnit XML, which continuous-integration servers display. */
#ifndef RD_JUNIT_H
#define RD_JUNIT_H

#include "compare_rules.h"

/* Writes one test suite with a test case per verdict. Reports a failure and returns the exit
 * status. */
int junit_write(rd_ctx *ctx, const char *path, const verdict *verdicts, size_t n);

#endif
