/* Solves non-negative least-squares problems for large sparse systems.
 *
 * The solver minimizes |A x - b|^2 over x >= 0 by coordinate descent: it sets one unknown at a time
 * to its best value and leaves all other unknowns unchanged. Every step reduces the sum of squares
 * and takes time proportional to the entries of one column, so tens of thousands of unknowns are
 * feasible.
 */
#ifndef RDI_NNLS_H
#define RDI_NNLS_H

#include "base/common.h"

typedef struct rdi_nnls rdi_nnls;

/* Makes a system with `rows` equations 0 = 0. */
rd_status rdi_nnls_new(rd_ctx *ctx, size_t rows, rdi_nnls **out);
void rdi_nnls_free(rdi_nnls *s);

/* Sets the right-hand side of equation `row` to b. */
void rdi_nnls_set(rdi_nnls *s, size_t row, double b);

/* Adds an unknown and sets *column to its index. rdi_nnls_add_entry() then adds the coefficients of
 * this unknown, at most one per row. */
rd_status rdi_nnls_add_column(rdi_nnls *s, size_t *column);
rd_status rdi_nnls_add_entry(rdi_nnls *s, size_t row, double coefficient);

/* Improves x until a sweep over all unknowns hardly changes the residual, or for about `sweeps`
 * sweeps. x has one entry per column, and all entries are >= 0 at the start. Returns the remaining
 * sum of squares. */
double rdi_nnls_solve(rdi_nnls *s, double *x, unsigned sweeps);

#endif
