/* Patterns describe how distances change with the input size (Zhong, Shen, Ding 2009, section
 * 3.2). */
#ifndef RDI_PATTERNS_H
#define RDI_PATTERNS_H

#include "base/common.h"
#include "reusedist/predict.h"

/* Returns f(`size`), where f is the function of the pattern. It is 1 for the constant pattern. */
double rdi_pattern_at(rd_pattern pattern, double size);

static inline bool rdi_patterns_has(rd_patterns set, rd_pattern pattern) {
    return set >> pattern & 1;
}

/* Checks a set. Returns RD_EINVAL for an empty set, for unknown bits, and for roots of different
 * dimensions. */
rd_status rdi_patterns_check(rd_ctx *ctx, rd_patterns set);

/* The patterns that data of 1, 2 and 3 dimensions can have. */
#define RDI_DIMENSIONS 3
extern const rd_patterns rdi_patterns_of_dimension[RDI_DIMENSIONS];

#endif
