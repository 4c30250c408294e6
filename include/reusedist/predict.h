/* Prediction: from the profiles of a few inputs to the profile of an input that was never run
 * (Zhong, Shen, Ding 2009, section 3).
 *
 *   rd_training runs[2] = {{small, 1e4}, {middle, 1e5}};
 *   rd_model *model;
 *   rd_model_train(ctx, runs, 2, NULL, &model);
 *   rd_model_predict(model, 1e6, &profile);
 *
 * The only thing a model is asked for is an input size. It says how the distances are distributed;
 * how many references there are is extrapolated and serves as scale.
 */
#ifndef REUSEDIST_PREDICT_H
#define REUSEDIST_PREDICT_H

#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the distances of a group change with the input size s: d = c + e f(s). */
typedef enum rd_pattern {
    RD_PATTERN_CONSTANT = 0, /* not at all */
    RD_PATTERN_CUBE_ROOT,    /* s^(1/3) */
    RD_PATTERN_SQUARE_ROOT,  /* s^(1/2) */
    RD_PATTERN_TWO_THIRDS,   /* s^(2/3) */
    RD_PATTERN_LINEAR,       /* s */
    RD_PATTERN_COUNT
} rd_pattern;

/* A set of patterns has bit 1 << pattern. The square root belongs to data of two dimensions, the
 * others to three: a set has the one or the others. */
typedef uint32_t rd_patterns;

/* "constant", "1/3", "1/2", "2/3", "linear". */
RD_API const char *rd_pattern_name(rd_pattern pattern);
/* "constant,1/2,linear", or "auto": 0, to be found. */
RD_API RD_CHECKED rd_status rd_patterns_parse(rd_ctx *ctx, const char *text, rd_patterns *out);
/* The inverse; `text` has room for 64 bytes. */
RD_API void rd_patterns_name(rd_patterns set, char *text);

typedef enum rd_model_method {
    RD_MODEL_SINGLE = 0, /* a pattern per group of references */
    RD_MODEL_MULTI       /* every group, or bin of distances, is a mixture of patterns */
} rd_model_method;

typedef struct rd_model_config {
    size_t size; /* sizeof(rd_model_config) */
    rd_model_method method;
    /* single: reference:K. multi: reference:K, log or log-linear. All zero: reference:1000 for
     * single, log-linear for multi. */
    rd_binning binning;
    rd_patterns patterns; /* 0: those that fit best */
} rd_model_config;

typedef struct rd_training {
    rd_profile *profile; /* borrowed */
    double size;         /* of its input, above 0 */
} rd_training;

#define RD_TRAINING_MAX 64

typedef struct rd_model rd_model;

typedef struct rd_model_facts {
    rd_model_method method;
    rd_binning binning;
    rd_patterns patterns;            /* those allowed */
    double shares[RD_PATTERN_COUNT]; /* of the finite references, per pattern */
    double sizes[RD_TRAINING_MAX];   /* of the training inputs, ascending */
    size_t n_sizes;
    uint64_t block_bytes;       /* of the training profiles */
    bool exact;                 /* false: a training profile is approximate */
    const char *size_unit;      /* what a size is, for people; borrowed */
    rd_sampler_config sampling; /* of the training profiles, where sizes are peaks */
} rd_model_facts;

/* Learns from two or more profiles of different sizes. RD_EINVAL, with the reason, for profiles
 * that cannot be used together or have no means of bins. `config` NULL: single-model. */
RD_API RD_CHECKED rd_status rd_model_train(rd_ctx *ctx, const rd_training *runs, size_t n,
                                           const rd_model_config *config, rd_model **out);
RD_API const rd_model_facts *rd_model_facts_of(const rd_model *m);
/* What sizes mean: "given", "blocks", "peak 3.1" (of sample 3 the first), or "none": only the
 * constant pattern is predicted. Copied. */
RD_API RD_CHECKED rd_status rd_model_set_size_unit(rd_model *m, const char *unit);
/* The size of a profile in this unit. RD_EINVAL when it does not tell. */
RD_API RD_CHECKED rd_status rd_model_size_of(const rd_model *m, const rd_profile *p, double *out);

/* The profile that an input of this size would have. Its engine is "predict". */
RD_API RD_CHECKED rd_status rd_model_predict(const rd_model *m, double size, rd_profile **out);

/* The model file (JSON, schema "reusedist.model/1"). `path` "-" is standard input. */
RD_API RD_CHECKED rd_status rd_model_read(rd_ctx *ctx, const char *path, rd_model **out);
RD_API RD_CHECKED rd_status rd_model_parse(rd_ctx *ctx, const char *name, const char *text,
                                           size_t n, rd_model **out);
/* Whole text in one allocation, NUL-ended; free with rd_text_free(). */
RD_API RD_CHECKED rd_status rd_model_json(const rd_model *m, char **out, size_t *n);

RD_API void rd_model_free(rd_model *m);

/* ---- the size of an input from the beginning of its run (section 3.5) ----
 *
 * Distance-based sampling watches long distances. A block that is reused over the qualification
 * threshold becomes a data sample, unless it lies closer to another one than the spatial threshold.
 * Of each sample the distances over the temporal threshold are looked at, and one that exceeds both
 * its neighbours is a peak. Peaks change with the input as the long distances do.
 */
#define RD_SAMPLES_MAX 16 /* data samples */
#define RD_PEAKS_MAX   4  /* peaks of each */

typedef struct rd_sampler rd_sampler;

/* "auto", or "QUALIFICATION:TEMPORAL:SPATIAL", all above 0. RD_EINVAL for anything else. */
RD_API RD_CHECKED rd_status rd_sampler_parse(rd_ctx *ctx, const char *text, rd_sampler_config *out);

/* `config` NULL: all automatic. */
RD_API RD_CHECKED rd_status rd_sampler_new(rd_ctx *ctx, const rd_sampler_config *config,
                                           rd_sampler **out);
/* Block references with the distances that an engine gave for them. Cannot fail. */
RD_API void rd_sampler_feed(rd_sampler *s, const uint64_t *blocks, const uint64_t *distances,
                            size_t n);
/* The peaks so far, ready for rd_profile_set_peaks(); room for RD_SAMPLES_MAX * RD_PEAKS_MAX. */
RD_API size_t rd_sampler_peaks(const rd_sampler *s, rd_peak *out);
RD_API const rd_sampler_config *rd_sampler_config_of(const rd_sampler *s);
RD_API void rd_sampler_free(rd_sampler *s);

/* Which peak stands for the input size of a program: the first of those under which the
 * training profiles fit the patterns best, or nearly so. *out is {0} when there is no such peak, or
 * when the distances do not change with the input: only the constant pattern is predicted then.
 * RD_EINVAL for profiles that were sampled with different thresholds. */
typedef struct rd_peak_choice {
    uint32_t sample, number; /* 0: none */
} rd_peak_choice;
RD_API RD_CHECKED rd_status rd_peak_choose(rd_ctx *ctx, rd_profile *const *profiles, size_t n,
                                           rd_peak_choice *out);
/* The chosen peak of a profile; NULL when it has none of that number. */
RD_API const rd_peak *rd_peak_find(const rd_profile *p, rd_peak_choice choice);

#ifdef __cplusplus
}
#endif
#endif
