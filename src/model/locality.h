/* The internals of a prediction model: the pieces of the distance distribution, and how each piece
 * moves with the input size. Both kinds of models consist of pieces, so prediction is the same for
 * both. */
#ifndef RDI_LOCALITY_H
#define RDI_LOCALITY_H

#include "base/common.h"
#include "model/patterns.h"
#include "reusedist/predict.h"

/* A distance that depends on the input size s: c + e f(s), where f is the pattern. */
typedef struct rdi_edge {
    double c, e;
} rdi_edge;

/* A piece: a share of the finite references, spread evenly between two distances, which may be
 * equal. */
typedef struct rdi_piece {
    rd_pattern pattern;
    double share;
    rdi_edge low, high;
} rdi_piece;

/* The growth of a total with the input size s: factor * s^exponent. */
typedef struct rdi_power {
    double factor, exponent;
} rdi_power;

struct rd_model {
    rd_ctx *ctx;
    rd_model_facts facts; /* owns size_unit */
    rdi_power reuses;     /* number of finite references */
    rdi_power blocks;
    rdi_piece *pieces;
    size_t n, room;
};

#define RDI_MODEL_FAMILY "reusedist.model/"
#define RDI_MODEL_SCHEMA RDI_MODEL_FAMILY "1"
#define RDI_MODEL_GROUPS 1000 /* number of reference groups, as in Zhong, Shen, Ding 2009 */

rd_status rdi_model_new(rd_ctx *ctx, rd_model **out);
rd_status rdi_model_add(rd_model *m, rdi_piece piece);
/* Sets facts.shares to the sums of the shares per pattern, and returns the sum of all shares. */
double rdi_model_sum(rd_model *m);
/* Completes a model after its last piece: scales the shares such that they sum to 1, and sets
 * facts.shares. */
void rdi_model_complete(rd_model *m);

/* A training input: its profile and its reference groups. */
typedef struct rdi_training_run {
    double size;
    rd_profile *profile; /* borrowed */
    rd_bin *groups;      /* all runs have the same number of groups */
    size_t n_groups;
} rdi_training_run;

/* These functions train a model: they add its pieces. The runs must be in ascending order of size,
 * and the facts of the model must contain patterns and bins. */
rd_status rdi_model_train_single(rd_model *m, const rdi_training_run *runs, size_t n);
rd_status rdi_model_train_multi(rd_model *m, const rdi_training_run *runs, size_t n);

/* Makes `groups` reference groups from the profile of a run. The caller frees run->groups, even
 * after a failure. Returns RD_EINVAL if the run has fewer than `groups` reuses. */
rd_status rdi_run_group(rd_ctx *ctx, rdi_training_run *run, uint64_t groups);

/* Returns the mean, over all groups, of the error of the best pattern of `set`. The error is a sum
 * of squared differences of logarithms of distances. */
double rdi_patterns_error(const rdi_training_run *runs, size_t n, rd_patterns set);
/* Chooses the dimension whose patterns fit the groups best, or a lower dimension whose patterns fit
 * nearly as well. Returns the patterns of the chosen dimension, and sets *error to their error. */
rd_patterns rdi_patterns_choose(const rdi_training_run *runs, size_t n, double *error);

#endif
