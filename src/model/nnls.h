/* Least squares without negative unknowns, for large sparse systems.
 *
 * Minimises |A x - b|^2 over x >= 0 by coordinate descent: one unknown at a time is set to what is
 * best with all others fixed. Every step makes the sum of squares smaller and costs as much as the
 * column has entries, so tens of thousands of unknowns are no trouble.
 */
#ifndef RDI_NNLS_H
#define RDI_NNLS_H

#include "base/common.h"

typedef struct rdi_nnls rdi_nnls;

/* A system with `rows` equations, all 0 = 0. */
rd_status rdi_nnls_new(rd_ctx *ctx, size_t rows, rdi_nnls **out);
void rdi_nnls_free(rdi_nnls *s);

/* The right side of an equation. */
void rdi_nnls_set(rdi_nnls *s, size_t row, double b);

/* Begins a new unknown; returns its number through *column. Then its coefficients, each row once.
 */
rd_status rdi_nnls_add_column(rdi_nnls *s, size_t *column);
rd_status rdi_nnls_add_entry(rdi_nnls *s, size_t row, double coefficient);

/* Improves x, which has room for every column and holds a start of numbers >= 0, until nothing
 * changes any more or `sweeps` sweeps are done. Returns the sum of squares that is left. */
double rdi_nnls_solve(rdi_nnls *s, double *x, unsigned sweeps);

#endif
