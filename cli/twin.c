/* Runs a program and its twin. See twin.h.
 *
 * The twin is analyzed, with sampling, until the peak is found that represents the size in the
 * model. Peaks below half the size of the smallest training input belong to the start of the
 * program and are ignored.
 */
#include "twin.h"

#include "recorder_signals.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

typedef struct twin {
    rd_ctx *ctx;
    const analysis_options *options;
    const rd_model *model;
    rd_peak_choice peak; /* the peak that represents the size */
    rd_analysis *analysis;
    uint64_t references; /* number of block references until the size was known */
    double size;         /* input size; 0: not yet known */
} twin;

/* ---- watching the twin ---- */

/* Stores the number of block references and looks for the peak. When the peak is found, stores its
 * distance in t->size and returns false, which cancels the analysis. */
static bool look_for_peak(void *user, const rd_progress *now) {
    twin *t = user;
    rd_peak peaks[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    size_t n = rd_analysis_peaks(t->analysis, peaks);
    double least = rd_model_facts_of(t->model)->sizes[0] / 2;
    for (size_t i = 0; i < n; i++)
        if (peaks[i].sample == t->peak.sample && peaks[i].number == t->peak.number &&
            (double)peaks[i].distance >= least)
            t->size = (double)peaks[i].distance;
    t->references = now->block_references;
    return t->size == 0;
}

/* Analyzes the twin until the size is known or the twin has ended. */
static rd_status observe(twin *t, rd_live *live) {
    rd_trace *trace = NULL;
    rd_status status = rd_trace_open_live(t->ctx, live, &trace);
    if (status == RD_OK)
        status = rd_analysis_add_trace(t->analysis, trace, "twin");
    if (status == RD_OK)
        status = rd_analysis_run(t->analysis);
    rd_trace_close(trace);
    return status == RD_ECANCELED ? RD_OK : status;
}

/* Opens the analysis of the twin, before a program is started. Reports a failure and returns the
 * exit status. */
static int open_analysis(twin *t) {
    const pipeline_options *o = &t->options->pipe;
    const rd_model_facts *facts = rd_model_facts_of(t->model);
    rd_analysis_config config = {.size = sizeof config,
                                 .engine = o->engine,
                                 .block =
                                     facts->block_bytes ? facts->block_bytes : RD_BLOCK_ADDRESS,
                                 .mem_bytes = o->mem_bytes,
                                 .sampling = &facts->sampling,
                                 .progress = look_for_peak,
                                 .progress_user = t};
    int parsed = pipeline_threads(t->ctx, o, &config.threads);
    if (parsed != EXIT_OK)
        return parsed;
    if (o->mem_bytes)
        rd_ctx_set_limit(t->ctx, (size_t)o->mem_bytes);
    rd_status status = rd_analysis_open(t->ctx, &config, &t->analysis);
    return status == RD_OK ? EXIT_OK : fail_status(t->ctx, status);
}

/* ---- predicting ---- */

static int print_prediction(const twin *t) {
    rd_profile *p = NULL;
    rd_status status = rd_model_predict(t->model, t->size, &p);
    if (status != RD_OK)
        return fail_status(t->ctx, status);
    if (!t->options->pipe.quiet && t->references)
        tell_user("the input size is %.10g (%s); it was known after %" PRIu64 " block references",
                  t->size, rd_model_facts_of(t->model)->size_unit, t->references);
    int exit_status = analysis_print(t->ctx, t->options, p);
    fflush(stdout);
    rd_profile_free(p);
    return exit_status;
}

static int predict_by_twin(twin *t, recorder_options *what, int n, char **words) {
    bool cut_short;
    int status = EXIT_OK;
    what->silent = true;
    recorder *r = recorder_start(t->ctx, what, n, words, &status);
    if (!r)
        return status;
    rd_status watched = observe(t, recorder_live(r));
    if (watched != RD_OK)
        status = fail_status(t->ctx, watched);
    else if (t->size > 0)
        status = print_prediction(t);
    /* This call terminates the twin, so its exit status means nothing. */
    (void)recorder_finish(r, &cut_short);
    return status;
}

/* ---- the program itself ---- */

static int wait_for(pid_t program, bool *killed) {
    int status;
    while (waitpid(program, &status, 0) < 0)
        if (errno != EINTR)
            return fail("cannot wait for the program: %s", strerror(errno));
    *killed = WIFSIGNALED(status);
    return *killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Parses the model's unit of sizes: "peak S.N" sets t->peak, and "none" sets t->size. Returns false
 * for any other unit, because a run cannot determine such sizes. */
static bool parse_unit(twin *t) {
    const rd_model_facts *f = rd_model_facts_of(t->model);
    if (strcmp(f->size_unit, "none") == 0) {
        t->size = f->sizes[f->n_sizes - 1];
        return true;
    }
    return sscanf(f->size_unit, "peak %" SCNu32 ".%" SCNu32, &t->peak.sample, &t->peak.number) == 2;
}

static int run_both(twin *t, recorder_options *what, int n, char **words) {
    pid_t program;
    char **args = calloc((size_t)n + 1, sizeof *args);
    if (!args)
        return fail("out of memory");
    memcpy(args, words, (size_t)n * sizeof *args);
    if (t->size > 0) { /* otherwise, the recorder of the twin handles signals */
        recorder_signals_take(NULL, 0, false);
        recorder_signals_end_recording();
    }
    int error = recorder_spawn(&program, args, false, t->size > 0);
    free(args);
    if (error)
        return fail("%s: cannot start: %s", words[0], strerror(error));
    bool killed = false;
    what->beside = program;
    int predicted = t->size > 0 ? print_prediction(t) : predict_by_twin(t, what, n, words);
    int of_program = wait_for(program, &killed);
    /* A signal that killed the program also ended the twin. No message is needed then. */
    if (predicted == EXIT_OK && t->size == 0 && !killed)
        predicted = fail("the twin ended without %s, which represents the input size in this "
                         "model; run the command without --predict",
                         rd_model_facts_of(t->model)->size_unit);
    return predicted != EXIT_OK ? predicted : of_program;
}

/* Reports options that do not work with a model, which has its own block size and bins, and returns
 * the exit status. */
static int check_options(const twin *t, const recorder_options *what) {
    const analysis_options *o = t->options;
    uint64_t bytes = 0, expected = rd_model_facts_of(t->model)->block_bytes;
    const char *block = o->pipe.block;
    if (what->children || recorder_is_sampling(what) || o->distances || o->pipe.peaks ||
        o->pipe.bound || o->pipe.attribute.on || strcmp(o->pipe.hist, "loglinear") != 0)
        return fail_usage(
            "run: --predict does not work with --trace-children, --distances, "
            "--peaks, --attribute, --bound, --hist, --burst, --start, --stop, --inside or "
            "--paused; omit them");
    if (block && strcmp(block, "addr") != 0 && rd_parse_size(t->ctx, block, &bytes) != RD_OK)
        return fail_usage("--block: '%.80s' is neither a size in bytes nor 'addr'", block);
    char made_with[24] = "addr";
    if (expected)
        snprintf(made_with, sizeof made_with, "%" PRIu64, expected);
    if (block && bytes != expected)
        return fail_usage("--block: the model was made with -b %s, not -b %.80s; omit -b",
                          made_with, block);
    return EXIT_OK;
}

int twin_run(rd_ctx *ctx, const analysis_options *o, recorder_options *what, const char *path,
             int n, char **words) {
    rd_model *m = NULL;
    rd_status status = rd_model_read(ctx, path, &m);
    if (status != RD_OK)
        return fail_status(ctx, status);
    twin t = {.ctx = ctx, .options = o, .model = m};
    int exit_status = check_options(&t, what);
    if (exit_status == EXIT_OK && !parse_unit(&t))
        exit_status =
            fail_usage("%s: the input size of this model ('%s') cannot be determined during "
                       "a run; train with --size-from=peaks",
                       path, rd_model_facts_of(m)->size_unit);
    if (exit_status == EXIT_OK)
        exit_status = open_analysis(&t);
    if (exit_status == EXIT_OK)
        exit_status = run_both(&t, what, n, words);
    rd_analysis_close(t.analysis);
    rd_model_free(m);
    return exit_status;
}
