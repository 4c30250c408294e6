/* Reads training inputs and determines their sizes. See training.h. */
#include "training.h"

#include "profile_files.h"
#include "reusedist/experimental.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Splits "SIZE=PATH"; any other word is a path. Returns whether there is a size. */
static bool split_word(const char *word, double *size, const char **path) {
    char *end = NULL;
    double value = rd_strtod(word, &end);
    bool given = end > word && *end == '=';
    *size = given ? value : 0;
    *path = given ? end + 1 : word;
    return given;
}

const char *training_path(const char *word) {
    double size;
    const char *path;
    split_word(word, &size, &path);
    return path;
}

int training_read(rd_ctx *ctx, const rd_strings *words, size_source source, training_set *out) {
    *out = (training_set){.source = source};
    for (size_t i = 0; i < words->n; i++) {
        out->given[i] = split_word(words->value[i], &out->runs[i].size, &out->paths[i]);
        int status = read_profile(ctx, out->paths[i], &out->runs[i].profile);
        if (status != EXIT_OK) {
            training_free(out);
            return status;
        }
        out->n++;
    }
    return EXIT_OK;
}

void training_free(training_set *set) {
    for (size_t i = 0; i < set->n; i++)
        rd_profile_free(set->runs[i].profile);
    set->n = 0;
}

static size_t count_given(const training_set *set) {
    size_t given = 0;
    for (size_t i = 0; i < set->n; i++)
        given += set->given[i];
    return given;
}

static int choose_peak(rd_ctx *ctx, const training_set *set, size_t without, size_choice *out) {
    rd_profile *profiles[RD_TRAINING_MAX];
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++)
        if (i != without)
            profiles[n++] = set->runs[i].profile;
    rd_status status = rd_peak_choose(ctx, profiles, n, &out->peak);
    if (status != RD_OK)
        return fail_status(ctx, status);
    out->constant = out->peak.sample == 0;
    return EXIT_OK;
}

int training_choose(rd_ctx *ctx, training_set *set, size_t without, size_choice *out) {
    size_t given = count_given(set);
    *out = (size_choice){.source = set->source, .given = given > 0};
    if (given > 0 && given < set->n)
        return fail_usage("--train: give a size for all inputs or for none");
    if (given == 0 && set->source == SIZE_PEAKS)
        return choose_peak(ctx, set, without, out);
    for (size_t i = 0; i < set->n && given == 0; i++)
        if (rd_profile_facts_of(set->runs[i].profile)->blocks == RD_UNKNOWN)
            return fail_usage("%s: the number of blocks of this profile is unknown; give the sizes "
                              "of all inputs, such as %s SIZE=%s",
                              set->paths[i],
                              set->against && i == set->n - 1 ? "--against" : "--train",
                              set->paths[i]);
    return EXIT_OK;
}

double training_size(const size_choice *choice, const training_set *set, size_t i) {
    const rd_profile *p = set->runs[i].profile;
    if (choice->given)
        return set->runs[i].size;
    if (choice->constant) /* the sizes have no effect, but must differ */
        return (double)(i + 1);
    if (choice->source == SIZE_BLOCKS)
        return (double)rd_profile_facts_of(p)->blocks;
    const rd_peak *peak = rd_peak_find(p, choice->peak);
    return peak ? (double)peak->distance : 0;
}

void training_unit(const size_choice *choice, char *text) {
    if (choice->given)
        strcpy(text, "given");
    else if (choice->constant)
        strcpy(text, "none");
    else if (choice->source == SIZE_BLOCKS)
        strcpy(text, "blocks");
    else
        snprintf(text, 32, "peak %" PRIu32 ".%" PRIu32, choice->peak.sample, choice->peak.number);
}

int training_learn(rd_ctx *ctx, const training_set *set, size_t without, const size_choice *choice,
                   const rd_model_config *config, rd_model **out) {
    rd_training runs[RD_TRAINING_MAX];
    rd_model_config c = *config;
    char unit[32];
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++)
        if (i != without)
            runs[n++] = (rd_training){set->runs[i].profile, training_size(choice, set, i)};
    if (choice->constant)
        c.patterns = 1u << RD_PATTERN_CONSTANT;
    rd_model *m = NULL;
    rd_status status = rd_model_train(ctx, runs, n, &c, &m);
    training_unit(choice, unit);
    if (status == RD_OK)
        status = rd_model_set_size_unit(m, unit);
    if (status != RD_OK) {
        rd_model_free(m);
        return fail_status(ctx, status);
    }
    *out = m;
    return EXIT_OK;
}
