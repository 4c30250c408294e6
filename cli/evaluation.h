/* How well a method predicts profiles that are there: predict --evaluate and --against. */
#ifndef RD_EVALUATION_H
#define RD_EVALUATION_H

#include "training.h"

/* Predicts each input from `first` on from all others of the set, and prints a line for it: its
 * size, the accuracy, the coverage and the patterns. Returns the exit status; an input that could
 * not be predicted has its line and is a failure. */
int evaluation_print(rd_ctx *ctx, const rd_model_config *config, training_set *set, size_t first,
                     bool csv, const char *output);

#endif
