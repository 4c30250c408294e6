/* Measures how well a method predicts existing profiles: predict --evaluate and --against. */
#ifndef RD_EVALUATION_H
#define RD_EVALUATION_H

#include "training.h"

/* Predicts each input of the set, from index `first` on, from all other inputs, and writes a line
 * with the size of the input, the accuracy, the coverage and the patterns to `output`. An input
 * whose size is unknown also gets a line, but the result is then EXIT_FAILED. Reports a failure and
 * returns the exit status. */
int evaluation_print(rd_ctx *ctx, const rd_model_config *config, training_set *set, size_t first,
                     bool csv, const char *output);

#endif
