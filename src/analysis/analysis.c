/* Opens, runs and closes an analysis. See reusedist/analysis.h. */
#include "analysis/analysis_state.h"
#include "base/number.h"
#include "base/sized.h"
#include "reusedist/experimental.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ---- */

static rd_status check_stores(const rd_analysis *a) {
    if (a->config.kinds && !(a->config.kinds & RD_STORE))
        return rdi_fail(
            a->ctx, RD_EINVAL,
            "private caches need the stores, which remove blocks from the caches of other "
            "threads; add S to the kinds");
    return RD_OK;
}

/* Checks that private stacks, `sharing` and private simulated caches are not combined with a setting that
 * they do not support. */
static rd_status check_stacks(const rd_analysis *a) {
    const rd_analysis_config *c = &a->config;
    bool private = c->stacks == RD_STACKS_PRIVATE;
    if (rdi_analysis_has_private_caches(a)) {
        RD_TRY(rd_hierarchy_check_private(a->ctx, c->hierarchy));
        RD_TRY(check_stores(a));
    }
    if (!private && !c->sharing)
        return RD_OK;
    const char *wrong = c->engine && private     ? "an engine"
                        : c->bound               ? "a bound"
                        : c->checkpoint          ? "a checkpoint"
                        : c->sampling && private ? "peaks"
                        : c->burst               ? "bursts"
                        : c->hierarchy && private && !c->private_caches
                            ? "simulated caches that all threads use"
                        : c->objects ? "bytes of objects"
                                     : NULL;
    if (wrong)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "private %s cannot be combined with %s; omit one of them",
                        private ? "stacks" : "caches of threads", wrong);
    return check_stores(a);
}

static rd_status check_config(rd_analysis *a) {
    const rd_analysis_config *c = &a->config;
    bool bytes = c->block != RD_BLOCK_AUTO && c->block != RD_BLOCK_ADDRESS;
    if (bytes && (c->block & (c->block - 1)))
        return rdi_fail(a->ctx, RD_EINVAL,
                        "the block size is %" PRIu64 " bytes; it must be a power of two", c->block);
    if (c->kinds & ~(uint32_t)RD_ALL_KINDS)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "rd_analysis_config.kinds is %" PRIu32
                        ": it may have only the bits of RD_ALL_KINDS, %u",
                        c->kinds, (unsigned)RD_ALL_KINDS);
    if (c->sampling && c->bound)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "sampling for peaks needs all distances; analyze without a bound");
    if (c->objects &&
        (c->engine || c->block != RD_BLOCK_AUTO || c->kinds || c->bound || c->checkpoint ||
         c->attribution || c->sampling || c->sink || c->distances || c->hierarchy || c->blocks))
        return rdi_fail(a->ctx, RD_EINVAL,
                        "bytes of objects cannot be combined with an engine, block size, kinds, "
                        "bound, checkpoint, distances, peaks, caches or attribution; omit these");
    RD_TRY(check_stacks(a));
    if (c->interleave && (c->checkpoint || c->objects))
        return rdi_fail(a->ctx, RD_EINVAL,
                        "the order of lockstep cannot be combined with %s; omit one of them",
                        c->checkpoint ? "a checkpoint" : "bytes of objects");
    if (c->merge && c->checkpoint)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "a checkpoint needs traces that are read one after the other: analyze "
                        "without a checkpoint, or without merging by time");
    if (c->distances)
        RD_TRY(rd_output_check(a->ctx, c->distances));
    a->block_known = c->block != RD_BLOCK_AUTO;
    a->block_bytes = bytes ? c->block : 0;
    if (c->hierarchy && c->checkpoint)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "a checkpoint does not have the state of simulated caches: analyze without "
                        "a checkpoint, or without simulating caches");
    if (c->hierarchy &&
        (a->block_known || c->live)) /* the trace of a running program has addresses */
        RD_TRY(rd_hierarchy_check(a->ctx, c->hierarchy,
                                  a->block_known ? a->block_bytes : RDI_USUAL_BLOCK_BYTES));
    return RD_OK;
}

static rd_status take_config(rd_analysis *a, const rd_analysis_config *config) {
    if (!config)
        return RD_OK;
    RD_TRY(rdi_sized_copy(a->ctx, "rd_analysis_config", config, &a->config, sizeof a->config));
    if (a->config.attribution) {
        RD_TRY(rdi_sized_copy(a->ctx, "rd_attribution_config", a->config.attribution,
                              &a->attribution_config, sizeof a->attribution_config));
        a->config.attribution = &a->attribution_config;
    }
    if (a->config.hierarchy) {
        RD_TRY(rdi_sized_copy(a->ctx, "rd_hierarchy", a->config.hierarchy, &a->hierarchy_config,
                              sizeof a->hierarchy_config));
        a->hierarchy_config.size = sizeof a->hierarchy_config;
        a->config.hierarchy = &a->hierarchy_config;
    }
    if (a->config.objects) {
        RD_TRY(rdi_sized_copy(a->ctx, "rd_objects_config", a->config.objects, &a->objects_config,
                              sizeof a->objects_config));
        a->config.objects = &a->objects_config;
        a->objects_config.size = sizeof a->objects_config;
    }
    return check_config(a);
}

static rd_status check_distances(const rd_analysis *a) {
    const rd_engine_info *info = rd_engine_info_of(a->engine);
    bool at_once = (info->caps & (RD_CAP_DISTANCES | RD_CAP_LATE)) == RD_CAP_DISTANCES;
    if (!rdi_analysis_wants_distances(a) || at_once)
        return RD_OK;
    return rdi_fail(
        a->ctx, RD_EINVAL,
        "engine %s does not deliver distances immediately, which %s needs; use engine auto",
        info->name, a->sampler ? "sampling" : "attribution");
}

/* Opens the file of distances if it is not open yet. This happens when the first distances arrive, or
 * at the end if there were none, so that an analysis that cannot begin does not open the file. */
static rd_status open_distances(rd_analysis *a) {
    return a->distance_file
               ? RD_OK
               : rdi_distance_file_open(a->ctx, a->config.distances, &a->distance_file);
}

static rd_status write_lines(rd_analysis *a, const uint64_t *distances, size_t n) {
    RD_TRY(open_distances(a));
    return rdi_distance_file_write(a->distance_file, distances, n);
}

/* Stores the first failure for rd_analysis_run(), because the engine keeps the status of a failed
 * sink but not the message. */
static void note_failure(rd_analysis *a, rd_status status) {
    if (a->distances_status != RD_OK)
        return;
    a->distances_status = status;
    snprintf(a->distances_error, sizeof a->distances_error, "%s", rd_last_error(a->ctx));
}

static rd_status write_distances(void *user, const uint64_t *distances, size_t n) {
    rd_analysis *a = user;
    rd_status status = write_lines(a, distances, n);
    if (status != RD_OK)
        note_failure(a, status);
    if (status == RD_OK && a->config.sink)
        status = a->config.sink(a->config.sink_user, distances, n);
    return status;
}

bool rdi_analysis_is_exact(const rd_analysis *a) {
    const rd_engine_info *info = rd_engine_info_of(a->engine);
    bool at_once = (info->caps & (RD_CAP_DISTANCES | RD_CAP_LATE)) == RD_CAP_DISTANCES;
    return at_once && strcmp(info->error_kind, "exact") == 0;
}

/* Makes the estimator of the error of bursts, if the trace was recorded in bursts and the engine
 * is exact and immediate. */
static rd_status open_bursts(rd_analysis *a) {
    if (!a->config.burst || !rdi_analysis_is_exact(a))
        return RD_OK;
    return rdi_bursts_new(a->ctx, a->config.burst, &a->bursts);
}

static rd_status open_engine(rd_analysis *a) {
    const rd_analysis_config *c = &a->config;
    /* With a checkpoint, the default engine is parda, because it can write one. */
    const char *usual = c->checkpoint ? "parda" : NULL;
    if (c->checkpoint && !(a->checkpoint_of = rdi_checkpoint_words(a)))
        return RD_ENOMEM;
    rd_engine_config config = {.size = sizeof config,
                               .bound = c->bound,
                               .threads = c->threads,
                               .live = c->live,
                               .mem_bytes = c->mem_bytes,
                               .binning = c->binning,
                               .checkpoint = c->checkpoint,
                               .checkpoint_of = a->checkpoint_of,
                               .sink = a->sink,
                               .sink_user = a->sink_user};
    RD_TRY(rd_engine_open(a->ctx, c->engine ? c->engine : usual, &config, &a->engine));
    RD_TRY(check_distances(a));
    return open_bursts(a);
}

/* Copies the configuration, and makes the sampler and the object cache or the engine. With a
 * checkpoint, the engine is opened later, because the checkpoint needs the names of the traces. */
static rd_status prepare(rd_analysis *a, const rd_analysis_config *config) {
    RD_TRY(take_config(a, config));
    a->sink = a->config.distances ? write_distances : a->config.sink;
    a->sink_user = a->config.distances ? a : a->config.sink_user;
    if (a->config.sampling)
        RD_TRY(rd_sampler_new(a->ctx, a->config.sampling, &a->sampler));
    if (a->config.objects)
        return rd_objects_new(a->ctx, a->config.objects, &a->objects);
    return a->config.checkpoint || !rdi_analysis_has_engine(a) ? RD_OK : open_engine(a);
}

rd_status rd_analysis_open(rd_ctx *ctx, const rd_analysis_config *config, rd_analysis **out) {
    RDI_NEED(ctx, ctx, out);
    rd_analysis *a = rdi_calloc(ctx, 1, sizeof *a);
    if (!a)
        return RD_ENOMEM;
    a->ctx = ctx;
    rdi_parts_watch_init(&a->watch);
    rd_status status = prepare(a, config);
    if (status != RD_OK) {
        rd_analysis_close(a);
        return status;
    }
    *out = a;
    return RD_OK;
}

void rd_analysis_close(rd_analysis *a) {
    if (!a)
        return;
    rd_engine_close(a->engine); /* comes first, because the engine's threads may still read parts */
    rdi_distance_file_close(a->distance_file);
    rdi_parts_watch_fini(&a->watch);
    rd_sampler_free(a->sampler);
    rdi_attribution_feed_free(a->attribution);
    rdi_bursts_free(a->bursts);
    rdi_hierarchy_feed_free(a->hierarchy);
    rd_objects_free(a->objects);
    rd_sharing_free(a->sharing);
    rdi_recorded_order_free(a->recorded_order);
    rd_profile_free(a->profile);
    for (size_t i = 0; i < a->n_inputs; i++)
        rdi_free(a->ctx, a->inputs[i].name);
    rdi_free(a->ctx, a->inputs);
    rdi_free(a->ctx, a->sources);
    rdi_free(a->ctx, a->distances);
    rdi_free(a->ctx, a->checkpoint_of);
    rdi_free(a->ctx, a->parts_text);
    rdi_free(a->ctx, a);
}

/* ---- adding ---- */

static rd_status add_input(rd_analysis *a, const char *name, rd_trace *trace) {
    if (a->ran)
        return rdi_fail(a->ctx, RD_ESTATE,
                        "%s: cannot add a trace after the analysis has run; start a new analysis",
                        name);
    if (a->n_inputs == a->inputs_room) {
        void *grown = rdi_grow(a->ctx, a->inputs, &a->inputs_room, sizeof *a->inputs);
        if (!grown)
            return RD_ENOMEM;
        a->inputs = grown;
    }
    char *copy = rdi_strdup(a->ctx, name);
    if (!copy)
        return RD_ENOMEM;
    a->inputs[a->n_inputs++] = (rdi_analysis_input){.name = copy, .trace = trace};
    return RD_OK;
}

rd_status rd_analysis_add_file(rd_analysis *a, const char *path) {
    RDI_NEED(a ? a->ctx : NULL, a, path);
    return add_input(a, path, NULL);
}

rd_status rd_analysis_add_trace(rd_analysis *a, rd_trace *trace, const char *name) {
    RDI_NEED(a ? a->ctx : NULL, a, trace, name);
    return add_input(a, name, trace);
}

/* ---- reporting ---- */

/* Returns the size of the input in bytes, or 0 if it is unknown, for example for a pipe. */
static uint64_t bytes_of(const rdi_analysis_input *input) {
    uint64_t done, total = 0;
    struct stat file;
    if (input->trace) {
        rd_trace_progress(input->trace, &done, &total);
        return total;
    }
    bool standard = strcmp(input->name, "-") == 0;
    int found = standard ? fstat(STDIN_FILENO, &file) : stat(input->name, &file);
    return found == 0 && S_ISREG(file.st_mode) ? (uint64_t)file.st_size : 0;
}

static uint64_t bytes_of_all(const rd_analysis *a) {
    uint64_t total = 0;
    for (size_t i = 0; i < a->n_inputs; i++) {
        uint64_t bytes = bytes_of(&a->inputs[i]);
        if (bytes == 0)
            return 0;
        total += bytes;
    }
    return total;
}

rd_status rdi_analysis_tell(rd_analysis *a, const rd_progress *progress) {
    if (!a->config.progress || a->config.progress(a->config.progress_user, progress))
        return RD_OK;
    return rdi_fail(a->ctx, RD_ECANCELED, "the analysis was canceled");
}

rd_status rdi_analysis_tell_read(rd_analysis *a, const rdi_analysis_reading *r, size_t n) {
    r->source->references += n;
    a->progress.references += n;
    a->progress.bytes = a->bytes_before + r->source->bytes;
    rd_status status = rdi_analysis_tell(a, &a->progress);
    return status == RD_OK ? RD_OK : rdi_analysis_end_early(a, status);
}

void rdi_analysis_note(const rd_analysis *a, rd_note_kind kind, const char *format, ...) {
    char text[1024];
    va_list args;
    if (!a->config.note)
        return;
    va_start(args, format);
    rdi_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    a->config.note(a->config.note_user, kind, text);
}

rd_status rdi_analysis_end_early(rd_analysis *a, rd_status status) {
    a->ended_early = true;
    return status;
}

/* ---- running ---- */

static rd_status read_all(rd_analysis *a) {
    if (a->config.merge == RD_MERGE_TIME)
        return rdi_analysis_read_merged(a);
    if (a->n_inputs > 1 && (a->config.interleave || rdi_analysis_has_own_order(a)))
        return rdi_analysis_read_joined(a);
    for (size_t i = 0; i < a->n_inputs; i++)
        RD_TRY(rdi_analysis_read_input(a, &a->inputs[i]));
    return RD_OK;
}

/* Checks that a file that the analysis writes is not one of its inputs. */
static rd_status check_output(const rd_analysis *a, const char *what, const char *path) {
    for (size_t i = 0; path && i < a->n_inputs; i++)
        if (!a->inputs[i].trace && rd_output_is_input(path, a->inputs[i].name))
            return rdi_fail(a->ctx, RD_EINVAL, "%s: %s is also an input; name another file", what,
                            path);
    return RD_OK;
}

static bool never_began(const rd_analysis *a) {
    const rd_trace *trace = a->inputs[0].trace;
    return a->n_inputs == 1 && trace && rd_trace_never_began(trace);
}

/* Checks that the file of distances does not overwrite a source file that the analysis has read for
 * the profile. */
static rd_status check_sources(const rd_analysis *a) {
    const rd_details *details = a->profile ? rd_profile_details(a->profile) : NULL;
    const rd_attribution *code = details ? details->attribution : NULL;
    for (size_t i = 0; code && i < code->n_sources; i++)
        if (rd_output_is_input(a->config.distances, code->sources[i]))
            return rdi_fail(a->ctx, RD_EINVAL, "distances: %s is also an input; name another file",
                            a->config.distances);
    return RD_OK;
}

/* Finishes the file of distances. A trace without references gets an empty file. */
static rd_status finish_distances(rd_analysis *a) {
    if (!a->config.distances)
        return RD_OK;
    RD_TRY(check_sources(a));
    RD_TRY(open_distances(a));
    return rdi_distance_file_finish(a->distance_file);
}

/* Runs the analysis. The function finishes the engine even if the trace ended early, because a late
 * engine still has to deliver distances to the sink. */
static rd_status run(rd_analysis *a) {
    RD_TRY(check_output(a, "checkpoint", a->config.checkpoint));
    RD_TRY(check_output(a, "distances", a->config.distances));
    if (!a->engine && rdi_analysis_has_engine(a))
        RD_TRY(open_engine(a));
    if (!(a->sources = rdi_calloc(a->ctx, a->n_inputs, sizeof *a->sources)))
        return RD_ENOMEM;
    a->progress.total_bytes = bytes_of_all(a);
    rd_status status = read_all(a);
    bool intact = status == RD_OK || (a->ended_early && a->n_sources > 0);
    if (!intact || never_began(a))
        return status;
    if (a->engine)
        RD_TRY(rd_engine_finish(a->engine));
    if (status == RD_OK || a->config.partial)
        RD_TRY(rdi_analysis_make_profile(a));
    rd_status finished = finish_distances(a);
    if (finished == RD_OK)
        return status;
    rd_profile_free(a->profile);
    a->profile = NULL;
    return finished;
}

rd_status rd_analysis_run(rd_analysis *a) {
    RDI_NEED(NULL, a);
    if (a->ran)
        return rdi_fail(a->ctx, RD_ESTATE, "an analysis can run only once; start a new one");
    if (a->n_inputs == 0)
        return rdi_fail(a->ctx, RD_ESTATE, "nothing to analyze: add a trace first");
    a->ran = true;
    rd_status status = run(a);
    if (a->distances_status != RD_OK)
        status = rdi_fail(a->ctx, a->distances_status, "%s", a->distances_error);
    rdi_parts_watch_end(&a->watch);
    return status;
}

bool rd_analysis_has_profile(const rd_analysis *a) {
    return a && a->profile;
}

rd_status rd_analysis_profile(rd_analysis *a, rd_profile **out) {
    RDI_NEED(a ? a->ctx : NULL, a, out);
    if (!a->profile)
        return rdi_fail(a->ctx, RD_ESTATE,
                        a->ran ? "the analysis has no profile: it failed, or the profile was "
                                 "already handed over"
                               : "the analysis has not run, so it has no profile; call "
                                 "rd_analysis_run() first");
    *out = a->profile;
    a->profile = NULL;
    return RD_OK;
}

size_t rd_analysis_peaks(const rd_analysis *a, rd_peak *out) {
    return a && a->sampler ? rd_sampler_peaks(a->sampler, out) : 0;
}

const char *rd_analysis_engine_note(const rd_analysis *a) {
    return a && a->engine ? rd_engine_note(a->engine) : "";
}
