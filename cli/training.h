/* The inputs that a model learns from: [SIZE=]PROFILE words of a command line, and how large each
 * input is. */
#ifndef RD_TRAINING_FILES_H
#define RD_TRAINING_FILES_H

#include "cli.h"

typedef enum size_source {
    SIZE_BLOCKS, /* distinct blocks of the profile */
    SIZE_PEAKS   /* a peak found by distance-based sampling */
} size_source;

typedef struct training_set {
    rd_training runs[RD_TRAINING_MAX];
    const char *paths[RD_TRAINING_MAX];
    bool given[RD_TRAINING_MAX]; /* the size stands before the '=' */
    size_t n;
    size_source source;
} training_set;

/* What training on some of the set has decided about sizes. */
typedef struct size_choice {
    size_source source;
    rd_peak_choice peak;
    bool constant; /* no peak: sizes are of no use, only the constant pattern is predicted */
    bool given;
} size_choice;

/* Reads the profiles. Returns the exit status, failures having been reported. */
int training_read(rd_ctx *ctx, const rd_strings *words, size_source source, training_set *out);
void training_free(training_set *set);

/* Decides what sizes are and sets them for all of the set but `without` (set->n: none). */
int training_choose(rd_ctx *ctx, training_set *set, size_t without, size_choice *out);

/* The size of one profile by a choice; 0 when it has no such peak. */
double training_size(const size_choice *choice, const training_set *set, size_t i);

/* Learns from all but `without`, under the choice. */
int training_learn(rd_ctx *ctx, const training_set *set, size_t without, const size_choice *choice,
                   const rd_model_config *config, rd_model **out);

/* "given", "blocks", "peak 3.1" or "none". `text` has room for 32 bytes. */
void training_unit(const size_choice *choice, char *text);

#endif
