/* Prediction: computes the profile of an input that was never run from the profiles of a few other
 * inputs (Zhong, Shen, Ding 2009, section 3).
 *
 *   rd_training runs[2] = {{small, 1e4}, {middle, 1e5}};
 *   rd_model *model;
 *   rd_model_train(ctx, runs, 2, NULL, &model);
 *   rd_model_predict(model, 1e6, &profile);
 *
 * A model predicts from the input size alone. It predicts the distribution of the distances; the
 * number of references is extrapolated and only scales the histogram.
 */
#ifndef REUSEDIST_PREDICT_H
#define REUSEDIST_PREDICT_H

#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pattern says how the distances d of a group change with the input size s: d = c + e f(s). */
typedef enum rd_pattern {
    RD_PATTERN_CONSTANT = 0, /* f(s) = 1 */
    RD_PATTERN_CUBE_ROOT,    /* s^(1/3) */
    RD_PATTERN_SQUARE_ROOT,  /* s^(1/2) */
    RD_PATTERN_TWO_THIRDS,   /* s^(2/3) */
    RD_PATTERN_LINEAR,       /* s */
    RD_PATTERN_COUNT
} rd_pattern;

/* A set of patterns: bit 1 << pattern is set for each pattern in it. The square root fits
 * two-dimensional data; the cube root and two thirds fit three-dimensional data. A set with the
 * square root contains neither the cube root nor two thirds. */
typedef uint32_t rd_patterns;

/* Returns the name of a pattern: "constant", "1/3", "1/2", "2/3" or "linear". */
RD_API const char *rd_pattern_name(rd_pattern pattern);
/* Parses a set such as "constant,1/2,linear". "auto" gives 0, which lets the model choose the set
 * that fits best. */
RD_API RD_CHECKED rd_status rd_patterns_parse(rd_ctx *ctx, const char *text, rd_patterns *out);
/* Writes the name of a set, which rd_patterns_parse() accepts. `text` must have room for 64
 * bytes. */
RD_API void rd_patterns_name(rd_patterns set, char *text);

typedef enum rd_model_method {
    RD_MODEL_SINGLE = 0, /* one pattern per group of references */
    RD_MODEL_MULTI       /* a mixture of patterns per group of references or bin of distances */
} rd_model_method;

typedef struct rd_model_config {
    size_t size; /* sizeof(rd_model_config) */
    rd_model_method method;
    /* RD_MODEL_SINGLE takes reference:K; RD_MODEL_MULTI takes reference:K, log or log-linear. All
     * zero: reference:1000 for RD_MODEL_SINGLE, log-linear for RD_MODEL_MULTI. */
    rd_binning binning;
    rd_patterns patterns; /* patterns to choose from; 0: the set that fits best */
} rd_model_config;

typedef struct rd_training {
    rd_profile *profile; /* borrowed */
    double size;         /* size of the input; greater than 0 */
} rd_training;

#define RD_TRAINING_MAX 64

typedef struct rd_model rd_model;

typedef struct rd_model_facts {
    rd_model_method method;
    rd_binning binning;
    rd_patterns patterns;            /* set of patterns that the model could choose from */
    double shares[RD_PATTERN_COUNT]; /* share of the finite references per pattern */
    double sizes[RD_TRAINING_MAX];   /* sizes of the training inputs, in ascending order */
    size_t n_sizes;
    uint64_t block_bytes;       /* block size of the training profiles */
    bool exact;                 /* false: a training profile is approximate */
    const char *size_unit;      /* see rd_model_set_size_unit(); borrowed */
    rd_sampler_config sampling; /* thresholds of the training profiles, if their sizes are peaks */
} rd_model_facts;

/* Trains a model with 2 to RD_TRAINING_MAX profiles of different input sizes. The function returns
 * RD_EINVAL for profiles that cannot be used together or whose bins have no means; the message
 * gives the reason. `config` NULL selects RD_MODEL_SINGLE. */
RD_API RD_CHECKED rd_status rd_model_train(rd_ctx *ctx, const rd_training *runs, size_t n,
                                           const rd_model_config *config, rd_model **out);
RD_API const rd_model_facts *rd_model_facts_of(const rd_model *m);
/* Sets the unit of the input size: "given" (by the user), "blocks", "peak 3.1" (the first peak of
 * sample 3), or "none" if the model predicts only the constant pattern. The text is copied. */
RD_API RD_CHECKED rd_status rd_model_set_size_unit(rd_model *m, const char *unit);
/* Computes the input size of a profile in the model's unit; for the unit "none", this is the
 * largest training size. The function returns RD_EINVAL if the profile does not contain the size,
 * or has another block size or other thresholds than the training profiles. */
RD_API RD_CHECKED rd_status rd_model_size_of(const rd_model *m, const rd_profile *p, double *out);

/* Predicts the profile of an input of size `size`. The profile's engine is "predict". */
RD_API RD_CHECKED rd_status rd_model_predict(const rd_model *m, double size, rd_profile **out);

/* These functions read a model from a file or from text (JSON, schema "reusedist.model/1"). `path`
 * "-" is standard input. Messages call the text `name`. */
RD_API RD_CHECKED rd_status rd_model_read(rd_ctx *ctx, const char *path, rd_model **out);
RD_API RD_CHECKED rd_status rd_model_parse(rd_ctx *ctx, const char *name, const char *text,
                                           size_t n, rd_model **out);
/* Makes the text of the model file, terminated by NUL. Free the text with rd_text_free(). */
RD_API RD_CHECKED rd_status rd_model_json(const rd_model *m, char **out, size_t *n);

RD_API void rd_model_free(rd_model *m);

/* ---- measuring the size of an input at the beginning of its run (section 3.5) ----
 *
 * Distance-based sampling watches long distances. A block becomes a data sample if it is reused at
 * a distance of at least the qualification threshold and its block id differs from that of every other
 * sample by at least the spatial threshold. For each sample, the sampler looks only at distances of at
 * least the temporal threshold. A distance that is longer than the distance before and the distance
 * after it is a peak. Peaks grow with the input in the same way as the long distances.
 */
#define RD_SAMPLES_MAX 16 /* maximum number of data samples */
#define RD_PEAKS_MAX   4  /* maximum number of peaks per sample */

typedef struct rd_sampler rd_sampler;

/* Parses "auto" or "QUALIFICATION:TEMPORAL:SPATIAL", three thresholds greater than 0. The function
 * returns RD_EINVAL for any other text. */
RD_API RD_CHECKED rd_status rd_sampler_parse(rd_ctx *ctx, const char *text, rd_sampler_config *out);

/* Makes a sampler. `config` NULL chooses all thresholds automatically. */
RD_API RD_CHECKED rd_status rd_sampler_new(rd_ctx *ctx, const rd_sampler_config *config,
                                           rd_sampler **out);
/* Samples block references with the distances that an engine computed for them. This function
 * cannot fail. */
RD_API void rd_sampler_feed(rd_sampler *s, const uint64_t *blocks, const uint64_t *distances,
                            size_t n);
/* Writes the peaks found so far to `out`, ready for rd_profile_set_peaks(), and returns their
 * number. `out` must have room for RD_SAMPLES_MAX * RD_PEAKS_MAX peaks. */
RD_API size_t rd_sampler_peaks(const rd_sampler *s, rd_peak *out);
RD_API const rd_sampler_config *rd_sampler_config_of(const rd_sampler *s);
RD_API void rd_sampler_free(rd_sampler *s);

/* A choice of a peak: the number of its sample, and its number among the peaks of the sample. {0, 0} is
 * no peak. */
typedef struct rd_peak_choice {
    uint32_t sample, number;
} rd_peak_choice;
/* Chooses the peak that represents the input size of a program: the first peak with which the
 * patterns fit the training profiles best or nearly as well. *out is {0, 0} if there is no such
 * peak, or if the distances do not change with the input. A model then predicts only the constant
 * pattern. The function returns RD_EINVAL for profiles that were sampled with different
 * thresholds. */
RD_API RD_CHECKED rd_status rd_peak_choose(rd_ctx *ctx, rd_profile *const *profiles, size_t n,
                                           rd_peak_choice *out);
/* Returns the chosen peak of a profile, or NULL if the profile does not have it. */
RD_API const rd_peak *rd_peak_find(const rd_profile *p, rd_peak_choice choice);

#ifdef __cplusplus
}
#endif
#endif
