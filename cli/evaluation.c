/* Evaluates predictions. See evaluation.h. */
#include "evaluation.h"

#include "output_file.h"

#include <stdlib.h>

/* Returns the coverage: the share of the run that remains when the peak that gives the input size is
 * found; 1 if no size is needed. A negative value means that there is no coverage, because the user
 * gave the size, because the size is the number of blocks, or because the profile does not have the
 * peak. */
static double coverage_of(const size_choice *choice, const rd_profile *p) {
    uint64_t references = rd_profile_facts_of(p)->references;
    if (choice->constant)
        return 1;
    const rd_peak *peak = choice->given ? NULL : rd_peak_find(p, choice->peak);
    return peak && references ? 1 - (double)peak->time / (double)references : -1;
}

/* The result for one input. */
typedef struct case_result {
    const char *path;
    size_choice choice;
    double size, coverage; /* a negative coverage means that there is none */
    double accuracy;       /* negative: not predicted */
    rd_model_facts facts;  /* facts of the model, which is freed: pointers must not be used */
} case_result;

/* Writes a share, in a column of `width` characters unless `csv` is true. A negative share is
 * unknown: "-", or empty in CSV. */
static void add_share(FILE *out, bool csv, int width, double share) {
    if (csv && share >= 0)
        fprintf(out, "%.6f", share);
    else if (share >= 0)
        fprintf(out, "%*.2f %%", width - 2, 100 * share);
    else if (!csv)
        fprintf(out, "%*s", width, "-");
}

static void add_row(FILE *out, bool csv, const case_result *c) {
    char unit[32], patterns[64];
    training_unit(&c->choice, unit);
    rd_patterns_name(c->facts.patterns, patterns);
    if (csv) {
        print_csv_field(out, c->path);
        fprintf(out, ",%s,%.10g,", unit, c->size);
        add_share(out, csv, 0, c->accuracy);
        putc(',', out);
        add_share(out, csv, 0, c->coverage);
        fprintf(out, ",\"%s\",%.6f\n", patterns, c->facts.shares[RD_PATTERN_CONSTANT]);
    } else {
        print_name(out, 32, 0, c->path);
        fprintf(out, " %10.4g %-9s ", c->size, unit);
        add_share(out, csv, 9, c->accuracy);
        add_share(out, csv, 11, c->coverage);
        fprintf(out, "  %s\n", patterns);
    }
}

/* Names the first setting of a set of differences that a prediction cannot cross, or returns NULL. */
static const char *find_unlike(uint32_t different) {
    return different & RD_DIFFERENT_BLOCKS   ? "another block size (-b)"
           : different & RD_DIFFERENT_KINDS  ? "other kinds of references (--kinds)"
           : different & RD_DIFFERENT_STACKS ? "other stacks (--stacks)"
           : different & RD_DIFFERENT_ORDERS
               ? "another order of the threads' references (--interleave)"
               : NULL;
}

/* Predicts input `i` from all other inputs. An input whose size is unknown gets no accuracy.
 * Reports a failure and returns the exit status. */
static int evaluate_one(rd_ctx *ctx, const rd_model_config *config, training_set *set, size_t i,
                        case_result *c) {
    rd_model *m = NULL;
    rd_profile *predicted = NULL;
    rd_comparison how;
    *c = (case_result){.path = set->paths[i], .accuracy = -1};
    int status = training_choose(ctx, set, i, &c->choice);
    if (status == EXIT_OK)
        status = training_learn(ctx, set, i, &c->choice, config, &m);
    if (status != EXIT_OK)
        return status;
    c->facts = *rd_model_facts_of(m);
    const char *unlike =
        find_unlike(rd_profile_differences(set->runs[i ? 0 : 1].profile, set->runs[i].profile));
    if (unlike) {
        rd_model_free(m);
        return fail_usage("%s: this profile has %s than the training profiles; analyze all inputs "
                          "alike",
                          c->path, unlike);
    }
    c->size = training_size(&c->choice, set, i);
    c->coverage = coverage_of(&c->choice, set->runs[i].profile);
    rd_status predicting = RD_OK;
    if (c->size > 0)
        predicting = rd_model_predict(m, c->size, &predicted);
    if (predicting == RD_OK && predicted)
        predicting =
            rd_compare(ctx, predicted, set->runs[i].profile, (rd_binning){RD_BINS_LOG, 0}, &how);
    if (predicting != RD_OK)
        status = fail_status(ctx, predicting);
    else if (predicted)
        c->accuracy = how.accuracy;
    rd_profile_free(predicted);
    rd_model_free(m);
    return status;
}

static void report_missing_size(const case_result *c) {
    char unit[32];
    training_unit(&c->choice, unit);
    fail(
        "%s: this profile cannot be predicted: it has no %s, which is the input size in this model",
        c->path, unit);
}

static int add_rows(rd_ctx *ctx, const rd_model_config *config, training_set *set, size_t first,
                    bool csv, FILE *out) {
    double sum = 0;
    size_t n = 0;
    if (csv)
        fputs("profile,size_unit,size,accuracy,coverage,patterns,constant\n", out);
    else
        fprintf(out, "%-32s %10s %-9s %9s %10s  %s\n", "predicted", "size", "by", "accuracy",
                "coverage", "patterns");
    for (size_t i = first; i < set->n; i++) {
        case_result c;
        int status = evaluate_one(ctx, config, set, i, &c);
        if (status != EXIT_OK)
            return status;
        add_row(out, csv, &c);
        if (c.accuracy < 0) {
            report_missing_size(&c);
        } else {
            sum += c.accuracy;
            n++;
        }
    }
    if (!csv && n > 1)
        fprintf(out, "%-32s %10s %-9s %7.2f %%\n", "average", "", "", 100 * sum / (double)n);
    return n == set->n - first ? EXIT_OK : EXIT_FAILED;
}

int evaluation_print(rd_ctx *ctx, const rd_model_config *config, training_set *set, size_t first,
                     bool csv, const char *output) {
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return fail("out of memory");
    int status = add_rows(ctx, config, set, first, csv, out);
    if (fclose(out) != 0)
        status = fail("out of memory");
    else if (status != EXIT_USAGE && output_text(ctx, output, text, n) != EXIT_OK)
        status = EXIT_FAILED;
    free(text);
    return status;
}
