/* predict: predicts the profile of an input that was never run from the profiles of other
 * inputs. */
#include "caches.h"
#include "evaluation.h"
#include "option_rows.h"
#include "output_file.h"
#include "profile_files.h"
#include "terminal.h"
#include "training.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct predict_options {
    rd_strings train;
    double size;
    const char *size_of;
    uint32_t size_from; /* a size_source */
    uint32_t method;    /* an rd_model_method */
    const char *hist, *patterns;
    const char *model;
    bool evaluate;
    const char *against;
    rd_sizes caches;
    uint32_t out;
    const char *output;
    bool ascii;
} predict_options;

#define FIELD(member) offsetof(predict_options, member)

static const rd_opt predict_opts[] = {
    {.name = "train",
     .arg = "[SIZE=]PROFILE",
     .type = RD_OPT_STRINGS,
     .offset = FIELD(train),
     .help = "learn from the profile of this input; give two or more"},
    {.name = "size-from",
     .arg = "WHAT",
     .type = RD_OPT_CHOICE,
     .offset = FIELD(size_from),
     .choices = "blocks|peaks",
     .def = "blocks",
     .help =
         "what the size of an input is if SIZE is not given; blocks: its number of blocks; peaks: "
         "a peak of its distances"},
    {.name = "size",
     .arg = "SIZE",
     .type = RD_OPT_DOUBLE,
     .offset = FIELD(size),
     .help = "predict the profile of an input of this size"},
    {.name = "size-of",
     .arg = "PROFILE",
     .type = RD_OPT_STRING,
     .offset = FIELD(size_of),
     .help =
         "predict the profile of the input whose size this profile shows; this profile may cover "
         "only the start of a run"},
    {.name = "method",
     .arg = "METHOD",
     .type = RD_OPT_CHOICE,
     .offset = FIELD(method),
     .choices = "single|multi",
     .def = "single",
     .help = "single: one pattern for each group of reuses; multi: a mixture of patterns for each "
             "group or bin"},
    OPTION_HIST(FIELD(hist), NULL,
                "bins of the model: reference:K or, with multi, also log or loglinear "
                "[single: reference:1000; multi: loglinear]"),
    {.name = "patterns",
     .arg = "SET",
     .type = RD_OPT_STRING,
     .offset = FIELD(patterns),
     .def = "auto",
     .help = "patterns that the model may use, from constant,1/3,1/2,2/3,linear"},
    {.name = "model",
     .arg = "FILE",
     .type = RD_OPT_STRING,
     .offset = FIELD(model),
     .help = "write the model to this file; without --train, read the model from it"},
    {.name = "evaluate",
     .type = RD_OPT_BOOL,
     .offset = FIELD(evaluate),
     .help = "report how well each training input is predicted from all others"},
    {.name = "against",
     .arg = "PROFILE",
     .type = RD_OPT_STRING,
     .offset = FIELD(against),
     .help = "report how well this profile is predicted from the training inputs"},
    {.name = "cache",
     .arg = "SIZES",
     .type = RD_OPT_SIZES,
     .min = 1,
     .max = 0x1p64,
     .offset = FIELD(caches),
     .help = "print only the miss ratios of caches of these sizes, like mrc"},
    OPTION_OUT(FIELD(out), "text: print a report; csv: the histogram; json: a profile"),
    OPTION_OUTPUT(FIELD(output), "FILE", "write the result to this file [standard output]"),
    OPTION_ASCII(FIELD(ascii), "draw the report with ASCII characters only"),
    {.name = NULL},
};

static int parse_config(rd_ctx *ctx, const predict_options *o, rd_model_config *out) {
    *out = (rd_model_config){.size = sizeof(rd_model_config), .method = (rd_model_method)o->method};
    if (o->hist && rd_binning_parse(ctx, o->hist, &out->binning) != RD_OK)
        return fail_usage("--hist: %s", rd_last_error(ctx));
    if (o->hist && o->method == RD_MODEL_SINGLE && out->binning.kind != RD_BINS_REFERENCE)
        return fail_usage("--hist: method single needs reference:K, for example reference:1000");
    if (rd_patterns_parse(ctx, o->patterns, &out->patterns) != RD_OK)
        return fail_usage("--patterns: %s", rd_last_error(ctx));
    return EXIT_OK;
}

static int run_evaluation(rd_ctx *ctx, const predict_options *o, const rd_model_config *config) {
    training_set set;
    rd_strings words = o->train;
    if (o->against && words.n == RD_STRINGS_MAX)
        return fail_usage("predict: at most %d inputs are supported, and --against counts as one",
                          RD_STRINGS_MAX);
    if (o->against)
        words.value[words.n++] = o->against;
    if (words.n < 3)
        return fail_usage("predict: %s", o->against
                                             ? "--against needs two or more training inputs"
                                             : "--evaluate needs three or more training inputs");
    int status = training_read(ctx, &words, (size_source)o->size_from, &set);
    if (status != EXIT_OK)
        return status;
    set.against = o->against != NULL;
    status = evaluation_print(ctx, config, &set, o->against ? set.n - 1 : 0, o->out == OUT_CSV,
                              o->output);
    training_free(&set);
    return status;
}

/* ---- predicting ---- */

static int keep_model(rd_ctx *ctx, const rd_model *m, const char *path) {
    char *text = NULL;
    size_t n = 0;
    rd_status status = rd_model_json(m, &text, &n);
    return output_made(ctx, path, status, text, n);
}

static int learn(rd_ctx *ctx, const predict_options *o, const rd_model_config *config,
                 rd_model **out) {
    training_set set;
    size_choice choice;
    int status = training_read(ctx, &o->train, (size_source)o->size_from, &set);
    if (status != EXIT_OK)
        return status;
    status = training_choose(ctx, &set, set.n, &choice);
    if (status == EXIT_OK)
        status = training_learn(ctx, &set, set.n, &choice, config, out);
    training_free(&set);
    if (status == EXIT_OK && choice.constant)
        tell_user(
            "no peak of the distances represents the input size, so the model predicts only "
            "the constant pattern; if the distances grow with the input, use --size-from=blocks");
    if (status == EXIT_OK && o->model)
        status = keep_model(ctx, *out, o->model);
    return status;
}

static int find_model(rd_ctx *ctx, const predict_options *o, const rd_model_config *config,
                      rd_model **out) {
    if (o->train.n)
        return learn(ctx, o, config, out);
    if (!o->model)
        return fail_usage("predict: there are no training inputs: give --train PROFILE two or more "
                          "times, or --model FILE");
    rd_status status = rd_model_read(ctx, o->model, out);
    return status == RD_OK ? EXIT_OK : fail_status(ctx, status);
}

/* Reads a profile and sets *out to its input size in the unit of the model. Reports a failure and
 * returns the exit status. */
static int size_of_profile(rd_ctx *ctx, const rd_model *m, const char *path, double *out) {
    rd_profile *p = NULL;
    int status = read_profile(ctx, path, &p);
    if (status != EXIT_OK)
        return status;
    rd_status sized = rd_model_size_of(m, p, out);
    rd_profile_free(p);
    return sized == RD_OK ? EXIT_OK : fail_status(ctx, sized);
}

static void print_model(const rd_model *m, double size) {
    const rd_model_facts *f = rd_model_facts_of(m);
    char bins[32];
    rd_binning_name(f->binning, bins);
    printf("Model\n  method           %s, %s\n", f->method == RD_MODEL_SINGLE ? "single" : "multi",
           bins);
    show("  learned from     %zu %s inputs of size %.4g to %.4g (%s)", f->n_sizes,
         f->exact ? "exact" : "approximate", f->sizes[0], f->sizes[f->n_sizes - 1], f->size_unit);
    printf("  patterns        ");
    for (rd_pattern p = 0; p < RD_PATTERN_COUNT; p++)
        if (f->patterns >> p & 1)
            printf(" %s %.1f %%", rd_pattern_name(p), 100 * f->shares[p]);
    printf("\n  predicted size   %.6g\n\n", size);
}

/* Makes the text of the result. `blocks` has the sizes of --cache in blocks. */
static rd_status make_text(const predict_options *o, rd_profile *p, const uint64_t *blocks,
                           char **text, size_t *n) {
    rd_report_style style = terminal_style(o->output, o->ascii);
    if (o->caches.n)
        return o->out == OUT_CSV    ? rd_report_mrc_csv(p, blocks, o->caches.n, text, n)
               : o->out == OUT_JSON ? rd_report_mrc_json(p, blocks, o->caches.n, text, n)
                                    : rd_report_mrc_text(p, &style, blocks, o->caches.n, text, n);
    return o->out == OUT_CSV    ? rd_report_csv(p, text, n)
           : o->out == OUT_JSON ? rd_profile_json(p, text, n)
                                : rd_report_text(p, &style, text, n);
}

static int print_prediction(rd_ctx *ctx, const predict_options *o, const rd_model *m, double size) {
    rd_profile *p = NULL;
    char *text = NULL;
    size_t n = 0;
    uint64_t blocks[RD_SIZES_MAX];
    rd_status status = rd_model_predict(m, size, &p);
    int converted = status == RD_OK ? caches_in_blocks("--cache", &o->caches, p, blocks) : EXIT_OK;
    if (status == RD_OK && converted == EXIT_OK)
        status = make_text(o, p, blocks, &text, &n);
    rd_profile_free(p);
    if (converted != EXIT_OK)
        return converted;
    if (status == RD_OK && o->out == OUT_TEXT && (!o->output || strcmp(o->output, "-") == 0))
        print_model(m, size);
    return output_made(ctx, o->output, status, text, n);
}

static int predict(rd_ctx *ctx, const predict_options *o, const rd_model_config *config) {
    rd_model *m = NULL;
    double size = o->size;
    int status = find_model(ctx, o, config, &m);
    if (status == EXIT_OK && o->size_of)
        status = size_of_profile(ctx, m, o->size_of, &size);
    if (status == EXIT_OK && (size > 0 || o->size_of))
        status = print_prediction(ctx, o, m, size);
    rd_model_free(m);
    return status;
}

static int check_options(const predict_options *o) {
    bool sized = o->size != 0 || o->size_of;
    if (o->evaluate + (o->against != NULL) + sized > 1)
        return fail_usage("predict: give only one of --size, --size-of, --evaluate, --against");
    if (!o->evaluate && !o->against && !sized && !(o->model && o->train.n))
        return fail_usage(
            "predict: there is nothing to predict; give --size SIZE, --size-of PROFILE, "
            "--against PROFILE or --evaluate");
    if ((o->evaluate || o->against) && (o->model || o->caches.n || o->out == OUT_JSON))
        return fail_usage("predict: --evaluate and --against do not work with --model, --cache or "
                          "--out=json; omit these");
    if (!o->train.n && (o->hist || strcmp(o->patterns, "auto") != 0))
        return fail_usage("predict: --hist and --patterns need --train; a model from a file has "
                          "its own bins and patterns");
    if (o->size < 0)
        return fail_usage("--size: %g is not greater than 0; give a size above 0", o->size);
    if (o->train.n == 1 && !o->evaluate && !o->against)
        return fail_usage("--train: a model needs two or more training inputs");
    return EXIT_OK;
}

/* Checks that the outputs can be written and overwrite no profile or model that the command reads.
 * Reports a failure and returns the exit status. */
static int check_outputs(rd_ctx *ctx, const predict_options *o) {
    output_place places[] = {{.option = "-o", .path = o->output},
                             {.option = "--model", .path = o->model}};
    bool keeps_model = o->model && o->train.n;
    const char *inputs[RD_STRINGS_MAX + 3] = {o->size_of, o->against,
                                              keeps_model ? NULL : o->model};
    for (size_t i = 0; i < o->train.n; i++)
        inputs[3 + i] = training_path(o->train.value[i]);
    return output_check(ctx, places, keeps_model ? 2 : 1, inputs, 3 + o->train.n);
}

static int run_predict(rd_ctx *ctx, void *opts, int n, char **operands) {
    const predict_options *o = opts;
    rd_model_config config;
    (void)n;
    (void)operands;
    int status = check_options(o);
    if (status == EXIT_OK)
        status = parse_config(ctx, o, &config);
    if (status == EXIT_OK)
        status = check_outputs(ctx, o);
    if (status != EXIT_OK)
        return status;
    return o->evaluate || o->against ? run_evaluation(ctx, o, &config) : predict(ctx, o, &config);
}

const command command_predict = {
    .name = "predict",
    .summary = "predict the profile of an input from the profiles of others",

    .details =
        "From the profiles of two or more inputs of a program, this command learns how distances\n"
        "grow with the input size, and predicts the profile of any size. The size of an input is\n"
        "SIZE, the number of distinct blocks, or a peak of the distances near the beginning of a\n"
        "run ('analyze --peaks' or 'run --peaks').\n"
        "\n"
        "  reusedist predict --train small.json --train middle.json --size=1e7\n"
        "  reusedist predict --train 100=a.json --train 200=b.json --model=m.json\n"
        "  reusedist predict --model=m.json --size=5000 --out=json -o predicted.json\n"
        "  reusedist predict --train a.json --train b.json --train c.json --evaluate\n",
    .opts = predict_opts,
    .opts_size = sizeof(predict_options),
    .min_operands = 0,
    .max_operands = 0,
    .run = run_predict,
};
