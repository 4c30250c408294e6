/* The insides of a prediction model: pieces of the distribution of distances, and how each moves
 * with the input size. Both kinds of models end up as pieces, so predicting is one thing. */
#ifndef RDI_LOCALITY_H
#define RDI_LOCALITY_H

#include "base/common.h"
#include "model/patterns.h"
#include "reusedist/predict.h"

/* A distance c + e f(s). */
typedef struct rdi_edge {
    double c, e;
} rdi_edge;

/* A share of the finite references, spread evenly between two distances; at one when they are the
 * same. */
typedef struct rdi_piece {
    rd_pattern pattern;
    double share;
    rdi_edge low, high;
} rdi_piece;

/* factor * s^exponent: how totals grow. */
typedef struct rdi_power {
    double factor, exponent;
} rdi_power;

struct rd_model {
    rd_ctx *ctx;
    rd_model_facts facts; /* size_unit owned */
    rdi_power reuses;     /* finite references */
    rdi_power blocks;
    rdi_piece *pieces;
    size_t n, room;
};

#define RDI_MODEL_FAMILY "reusedist.model/"
#define RDI_MODEL_SCHEMA RDI_MODEL_FAMILY "1"
#define RDI_MODEL_GROUPS 1000 /* the paper's number */

rd_status rdi_model_new(rd_ctx *ctx, rd_model **out);
rd_status rdi_model_add(rd_model *m, rdi_piece piece);
/* Counts the shares per pattern; their sum. */
double rdi_model_sum(rd_model *m);
/* After the last piece: the same, and makes the sum 1. */
void rdi_model_complete(rd_model *m);

/* A training input: its profile and the reference groups of it. */
typedef struct rdi_run {
    double size;
    rd_profile *profile; /* borrowed */
    rd_bin *groups;      /* as many as every other run has */
    size_t n_groups;
} rdi_run;

/* Ascending sizes; the model's facts say which patterns and bins. */
rd_status rdi_model_train_single(rd_model *m, const rdi_run *runs, size_t n);
rd_status rdi_model_train_multi(rd_model *m, const rdi_run *runs, size_t n);

/* Makes the reference groups of a run; RD_EINVAL when it has too few references. Caller frees. */
rd_status rdi_run_group(rd_ctx *ctx, rdi_run *run, uint64_t groups);

/* Mean square by which the logarithms of the groups' distances miss the closest of these patterns.
 */
double rdi_patterns_error(const rdi_run *runs, size_t n, rd_patterns set);
/* The patterns of the dimension that fits the groups best, and how well. */
rd_patterns rdi_patterns_choose(const rdi_run *runs, size_t n, double *error);

#endif
