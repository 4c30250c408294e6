/* Training inputs of a model: [SIZE=]PROFILE words of a command line, and the size of each
 * input. */
#ifndef RD_TRAINING_FILES_H
#define RD_TRAINING_FILES_H

#include "cli.h"

typedef enum size_source {
    SIZE_BLOCKS, /* the size is the number of distinct blocks of the profile */
    SIZE_PEAKS   /* the size is a peak found by distance-based sampling */
} size_source;

typedef struct training_set {
    rd_training runs[RD_TRAINING_MAX];
    const char *paths[RD_TRAINING_MAX];
    bool given[RD_TRAINING_MAX]; /* true: the user gave the size, SIZE=PROFILE */
    size_t n;
    bool against; /* true: the last input is the profile of --against */
    size_source source;
} training_set;

/* The way in which the sizes of a training set are determined. */
typedef struct size_choice {
    size_source source;
    rd_peak_choice peak;
    bool constant; /* true: there is no suitable peak, so only the constant pattern is predicted */
    bool given;    /* true: the user gave the sizes */
} size_choice;

/* Returns the path in a [SIZE=]PROFILE word. It is borrowed from the word. */
const char *training_path(const char *word);

/* Reads the profiles of [SIZE=]PROFILE words. Reports a failure and returns the exit status. After
 * EXIT_OK, free the set with training_free(). */
int training_read(rd_ctx *ctx, const rd_strings *words, size_source source, training_set *out);
void training_free(training_set *set);

/* Decides how sizes are determined. If the sizes are peaks, chooses the peak by the profiles of all
 * inputs except input `without`; if `without` is set->n, by the profiles of all inputs. Reports a
 * failure and returns the exit status. */
int training_choose(rd_ctx *ctx, training_set *set, size_t without, size_choice *out);

/* Returns the size of input `i` according to `choice`, or 0 if its profile does not have the
 * peak. */
double training_size(const size_choice *choice, const training_set *set, size_t i);

/* Trains a model with all inputs except input `without`, and with sizes according to `choice`.
 * Reports a failure and returns the exit status. */
int training_learn(rd_ctx *ctx, const training_set *set, size_t without, const size_choice *choice,
                   const rd_model_config *config, rd_model **out);

/* Writes the unit of sizes: "given", "blocks", "peak 3.1" or "none". `text` must have room for 32
 * bytes. */
void training_unit(const size_choice *choice, char *text);

#endif
