/* Drives traces, mapper and engine through the public API. See pipeline.h. */
#include "pipeline.h"

#include "distance_file.h"
#include "kinds.h"
#include "read_ahead.h"
#include "trace_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FEED_BLOCKS                                                                                \
    ((size_t)1 << 16) /* at once, of what was read ahead: the bar moves on between */

typedef struct pipeline {
    rd_ctx *ctx;
    const pipeline_options *options;
    const pipeline_input *input;
    const char *distances_path; /* or NULL */
    uint32_t kinds;             /* mask; 0: all */
    char kind_letters[4];       /* the same in fixed order, "" for all */
    rd_binning binning;
    bool block_known;     /* from the options, or else from the first trace */
    uint64_t block_bytes; /* 0: one block per address */
    char *work;           /* described, for the checkpoint */
    rd_engine *engine;
    rd_sampler *sampler;       /* or NULL */
    attribution *attribution;  /* or NULL: not asked for, or no trace yet */
    uint64_t *batch_distances; /* for these two ... */
    size_t distances_room;     /* ... and how many fit */
    distance_file *distances;
    rd_parts parts;     /* when the engine reads the trace itself ... */
    char *parts_text;   /* ... what it is told about it */
    rd_source *sources; /* one per opened trace */
    size_t n_sources;
    progress bar;
    uint64_t bytes_before; /* of the traces that are through */
    uint64_t references;   /* of all traces, before splitting and filtering */
    uint64_t repeats;      /* that were counted when they were recorded: no engine sees them */
    size_t ahead_bytes;    /* memory of those that read ahead, at most */
    uint64_t skipped;      /* when they were recorded; RD_UNKNOWN: some */
    bool sink_failed;      /* and reported */
    bool damaged;          /* a trace could not be read to its end; the engine is intact */
    int status;            /* exit status; not EXIT_OK: reported */
} pipeline;

/* ---- options ---- */

static bool parse_block(pipeline *p, const char *text) {
    if (!text)
        return true;
    p->block_known = true;
    if (strcmp(text, "addr") == 0)
        return true;
    uint64_t bytes = 0;
    if (rd_parse_size(p->ctx, text, &bytes) != RD_OK || bytes == 0 || (bytes & (bytes - 1)) != 0) {
        p->status = fail_usage("--block: '%.80s' is neither a power of two nor 'addr'", text);
        return false;
    }
    p->block_bytes = bytes;
    return true;
}

static bool parse_kinds(pipeline *p, const char *text) {
    static const char letters[] = "LSI";
    if (!kinds_parse(text, &p->kinds)) {
        p->status = EXIT_USAGE;
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; letters[i] && p->kinds != RD_ALL_KINDS; i++)
        if (p->kinds & 1u << i)
            p->kind_letters[n++] = letters[i];
    return true;
}

static bool parse_options(pipeline *p) {
    const pipeline_options *o = p->options;
    if (o->quiet && o->verbose) {
        p->status = fail_usage("-q and -v exclude each other");
        return false;
    }
    if (!parse_block(p, o->block) || !parse_kinds(p, o->kinds))
        return false;
    if (rd_binning_parse(p->ctx, o->hist, &p->binning) != RD_OK) {
        p->status = fail_usage("--hist: %s", rd_last_error(p->ctx));
        return false;
    }
    return true;
}

/* ---- sampling ---- */

static bool open_sampler(pipeline *p) {
    rd_sampler_config config;
    if (!p->options->peaks)
        return true;
    if (p->options->bound) {
        p->status = fail_usage("--peaks: needs all distances: leave --bound out");
        return false;
    }
    if (rd_sampler_parse(p->ctx, p->options->peaks, &config) != RD_OK) {
        p->status = fail_usage("--peaks: %s", rd_last_error(p->ctx));
        return false;
    }
    rd_status status = rd_sampler_new(p->ctx, &config, &p->sampler);
    if (status != RD_OK)
        p->status = fail_status(p->ctx, status);
    return status == RD_OK;
}

/* ---- who wants distances with their blocks ---- */

static bool wants_distances(const pipeline *p) {
    return p->sampler || p->options->attribute.on;
}

static rd_status reserve_distances(pipeline *p, size_t n) {
    if (n <= p->distances_room)
        return RD_OK;
    free(p->batch_distances);
    p->distances_room = 0;
    if (!(p->batch_distances = malloc(n * sizeof *p->batch_distances)))
        return RD_ENOMEM;
    p->distances_room = n;
    return RD_OK;
}

/* Blocks of `refs`, which the mapper has just given. */
static rd_status feed_engine(pipeline *p, const rd_refs *refs, const uint32_t *origins,
                             const uint64_t *blocks, size_t n) {
    if (!wants_distances(p))
        return rd_engine_feed(p->engine, blocks, n, NULL);
    rd_status status = reserve_distances(p, n);
    if (status == RD_OK)
        status = rd_engine_feed(p->engine, blocks, n, p->batch_distances);
    if (status == RD_OK && p->sampler)
        rd_sampler_feed(p->sampler, blocks, p->batch_distances, n);
    if (status == RD_OK && p->attribution)
        status = attribute_feed(p->attribution,
                                &(rd_attributed){refs, origins, blocks, p->batch_distances, n});
    return status;
}

static rd_status keep_peaks(const pipeline *p, rd_profile *profile) {
    rd_peak peaks[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    if (!p->sampler)
        return RD_OK;
    rd_profile_set_sampling(profile, rd_sampler_config_of(p->sampler));
    return rd_profile_set_peaks(profile, peaks, rd_sampler_peaks(p->sampler, peaks));
}

/* ---- the parts ---- */

/* The file is opened once a trace is there: until then there is nothing to write. */
static rd_status write_distances(void *user, const uint64_t *distances, size_t n) {
    pipeline *p = user;
    rd_status status = distance_file_sink(p->distances, distances, n);
    p->sink_failed = status != RD_OK;
    return status;
}

/* A file that has changed is another one. Of a pipe only its name is known. */
static void describe_file(FILE *out, const char *path) {
    struct stat file;
    fprintf(out, "%s\n", path);
    if (strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode))
        fprintf(out, "%jd %jd.%ld\n", (intmax_t)file.st_size, (intmax_t)file.st_mtim.tv_sec,
                file.st_mtim.tv_nsec);
}

/* What is analysed, in words: a checkpoint is good for the same only. NULL: out of memory. */
static char *describe_work(const pipeline *p) {
    const pipeline_options *o = p->options;
    const char *parts[] = {o->block, o->kinds, o->format};
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fprintf(out, "%s\n", parts[i] ? parts[i] : "");
    for (int i = 0; i < p->input->n; i++)
        describe_file(out, p->input->paths[i]);
    return fclose(out) == 0 ? text : NULL;
}

bool pipeline_gives_distances(const rd_engine *engine, const char *option) {
    const rd_engine_info *info = rd_engine_info_of(engine);
    bool possible = (info->caps & (RD_CAP_DISTANCES | RD_CAP_LATE)) == RD_CAP_DISTANCES;
    if (!possible)
        fail_usage("%s: engine %s does not give distances at once", option, info->name);
    return possible;
}

static bool gives_distances(pipeline *p) {
    const char *option = p->sampler ? "--peaks" : "--attribute";
    if (!wants_distances(p) || pipeline_gives_distances(p->engine, option))
        return true;
    p->status = EXIT_USAGE;
    return false;
}

static bool open_engine(pipeline *p) {
    const pipeline_options *o = p->options;
    const char *usual = o->checkpoint ? "parda" : NULL; /* of those that write checkpoints */
    if (o->mem_bytes)
        rd_ctx_set_limit(p->ctx, (size_t)o->mem_bytes);
    if (o->checkpoint && !(p->work = describe_work(p))) {
        p->status = fail("out of memory");
        return false;
    }
    rd_engine_config config = {.bound = o->bound,
                               .threads = (uint32_t)o->threads,
                               .live = p->input->live != NULL,
                               .mem_bytes = o->mem_bytes,
                               .binning = p->binning,
                               .checkpoint = o->checkpoint,
                               .checkpoint_of = p->work,
                               .sink = p->distances_path ? write_distances : NULL,
                               .sink_user = p};
    rd_status status = rd_engine_open(p->ctx, o->engine ? o->engine : usual, &config, &p->engine);
    if (status != RD_OK)
        p->status = fail_status(p->ctx, status);
    return status == RD_OK && gives_distances(p);
}

/* The first trace decides about the granularity unless -b did, and all must agree. */
static bool choose_block(pipeline *p, const char *path, const rd_trace *trace) {
    uint64_t natural = rd_trace_has_ids(trace) ? 0 : 64;
    if (!p->block_known) {
        p->block_bytes = natural;
        p->block_known = true;
    } else if (!p->options->block && p->block_bytes != natural) {
        p->status =
            fail_usage("%s: has %s, and the trace before %s: choose a granularity with -b", path,
                       natural ? "addresses" : "object ids", natural ? "object ids" : "addresses");
        return false;
    }
    return true;
}

static void tell_about_trace(const pipeline *p, const char *path, const rd_trace *trace) {
    const rd_format_info *format = rd_trace_format(trace);
    if (p->options->verbose && p->block_bytes)
        tell_user("%s: format %s, blocks of %" PRIu64 " bytes", path, format->name, p->block_bytes);
    else if (p->options->verbose)
        tell_user("%s: format %s, one block per %s", path, format->name,
                  rd_trace_has_ids(trace) ? "object id" : "address");
    if (p->kinds && !(format->fields & RD_FIELD_KIND) && !p->options->quiet)
        tell_user("%s: format %s does not tell kinds: all count as loads", path, format->name);
}

/* ---- one trace ---- */

/* Before a message. Readers of parts draw from their own threads: that ends first. */
static void wipe_bar(pipeline *p) {
    trace_parts_watch(NULL, NULL);
    progress_wipe(&p->bar);
}

/* Bad input: what came before it is still good. */
static void report_damage(pipeline *p, rd_status status) {
    wipe_bar(p);
    p->status = fail_status(p->ctx, status);
    p->damaged = true;
}

static void report_engine(pipeline *p, rd_status status) {
    wipe_bar(p);
    p->status = p->sink_failed ? EXIT_FAILED : fail_status(p->ctx, status);
}

/* One batch of references. */
static bool feed_batch(pipeline *p, rd_mapper *mapper, const char *path, const rd_refs *refs) {
    rd_status status;
    rd_mapper_feed(mapper, refs);
    while (true) {
        const uint64_t *blocks = NULL;
        size_t n = 0;
        if (rd_mapper_next(mapper, &blocks, &n) != RD_OK) {
            wipe_bar(p);
            p->status = fail("%s: %s", path, rd_last_error(p->ctx));
            p->damaged = true;
            return false;
        }
        if (n == 0)
            status = p->attribution ? attribute_refs_end(p->attribution) : RD_OK;
        else
            status = feed_engine(p, refs, rd_mapper_origins(mapper), blocks, n);
        if (status != RD_OK)
            report_engine(p, status);
        if (status != RD_OK || n == 0)
            return status == RD_OK;
    }
}

/* What attribution wants to know of a batch before its blocks. */
static bool prepare_batch(pipeline *p, const rd_trace *trace, const rd_source *source,
                          const rd_refs *refs) {
    if (!p->attribution)
        return true;
    if (source->references == 0 && !refs->pc && !p->options->quiet) {
        progress_wipe(&p->bar);
        tell_user("%s: has no program counters: all of it is one line, 0x0", source->path);
    }
    rd_status status = attribute_refs(p->attribution, trace, source->references, refs);
    if (status != RD_OK)
        report_engine(p, status);
    return status == RD_OK;
}

static bool feed_trace(pipeline *p, rd_trace *trace, rd_mapper *mapper, rd_source *source) {
    while (true) {
        const rd_refs *refs = NULL;
        rd_status status = rd_trace_read(trace, &refs);
        uint64_t total;
        rd_trace_progress(trace, &source->bytes, &total);
        if (status != RD_OK) {
            report_damage(p, status);
            return false;
        }
        if (refs->n == 0)
            return true;
        if (!prepare_batch(p, trace, source, refs) || !feed_batch(p, mapper, source->path, refs))
            return false;
        source->references += refs->n;
        p->references += refs->n;
        progress_update(&p->bar, p->bytes_before + source->bytes, p->references);
    }
}

/* Whether the engine can read the trace itself, in parts. What comes before damage is only known
 * when one reader reads it all. */
static bool can_share(const pipeline *p, rd_trace *trace) {
    bool alone = p->input->n == 1 && !p->input->live && !p->input->head && !p->options->partial;
    return alone && !wants_distances(p) && rd_engine_takes_parts(p->engine) &&
           rd_trace_count(trace);
}

/* References are all that the readers of parts can tell: bytes are taken to be read alike. */
static void show_parts(void *user, uint64_t references) {
    pipeline *p = user;
    double share = (double)references / (double)p->parts.references;
    progress_update(&p->bar, (uint64_t)(share * (double)p->bar.total), references);
}

static bool share_trace(pipeline *p, rd_trace *trace, const rd_mapping *mapping,
                        rd_source *source) {
    p->parts = trace_parts;
    p->parts.references = source->references = p->references = rd_trace_count(trace);
    p->parts.what = p->parts_text = trace_parts_describe(source->path, p->options->format, mapping);
    rd_trace_progress(trace, &source->bytes, &source->bytes); /* all of them will be read */
    trace_parts_watch(show_parts, p);
    rd_status status = p->parts_text ? rd_engine_feed_parts(p->engine, &p->parts) : RD_ENOMEM;
    if (status != RD_OK)
        report_engine(p, status);
    return status == RD_OK;
}

/* Several decoders use memory that no limit counts. A short trace is read before they have started.
 */
static bool can_read_ahead(const pipeline *p, rd_trace *trace) {
    const pipeline_options *o = p->options;
    return o->threads > 1 && !o->mem_bytes && !wants_distances(p) &&
           rd_trace_count(trace) > READ_AHEAD_SLICE;
}

/* Of a batch that was read ahead, `share` is through. */
static void show_progress(pipeline *p, const read_ahead_batch *batch, const rd_source *source,
                          double share) {
    double bytes = share * (double)(batch->bytes - source->bytes);
    double references = share * (double)batch->references;
    progress_update(&p->bar, p->bytes_before + source->bytes + (uint64_t)bytes,
                    p->references + (uint64_t)references);
}

static bool feed_read(pipeline *p, const read_ahead_batch *batch, rd_source *source) {
    for (size_t at = 0; at < batch->n; at += FEED_BLOCKS) {
        size_t n = batch->n - at < FEED_BLOCKS ? batch->n - at : FEED_BLOCKS;
        rd_status status = rd_engine_feed(p->engine, batch->blocks + at, n, NULL);
        if (status != RD_OK) {
            report_engine(p, status);
            return false;
        }
        show_progress(p, batch, source, (double)(at + n) / (double)batch->n);
    }
    source->references += batch->references;
    p->references += batch->references;
    source->bytes = batch->bytes;
    return true;
}

static bool feed_all_read(pipeline *p, read_ahead *ahead, rd_source *source) {
    while (true) {
        const read_ahead_batch *batch = NULL;
        if (read_ahead_next(ahead, &batch) != RD_OK) {
            wipe_bar(p);
            p->status = fail("%s", read_ahead_error(ahead));
            p->damaged = true;
            return false;
        }
        if (!batch)
            return true;
        if (!feed_read(p, batch, source))
            return false;
    }
}

/* While others decode what comes next. */
static bool feed_ahead(pipeline *p, rd_trace *trace, rd_mapper *mapper, const rd_mapping *mapping,
                       rd_source *source) {
    read_ahead *ahead = read_ahead_open(&(read_ahead_config){.path = source->path,
                                                             .format = p->options->format,
                                                             .mapping = *mapping,
                                                             .references = rd_trace_count(trace),
                                                             .slice = READ_AHEAD_SLICE,
                                                             .decoders = p->options->threads});
    if (!ahead) /* it goes on, if slower */
        return feed_trace(p, trace, mapper, source);
    bool good = feed_all_read(p, ahead, source);
    size_t bytes = read_ahead_peak_bytes(ahead);
    p->ahead_bytes = p->ahead_bytes > bytes ? p->ahead_bytes : bytes;
    read_ahead_close(ahead);
    return good;
}

/* With an opened trace everything else falls into place. */
static bool analyse_opened(pipeline *p, const char *path, rd_trace *trace) {
    if (!choose_block(p, path, trace))
        return false;
    if (p->distances_path && !p->distances &&
        !(p->distances = distance_file_open(p->distances_path))) {
        p->status = EXIT_FAILED;
        return false;
    }
    tell_about_trace(p, path, trace);
    rd_mapping mapping = {.block_bytes = p->block_bytes,
                          .kinds = p->input->only_wanted ? 0 : p->kinds,
                          .origins = p->options->attribute.on};
    if (mapping.origins && !p->attribution &&
        !(p->attribution = attribute_open(p->ctx, &p->options->attribute, &mapping,
                                          p->options->bound, &p->status)))
        return false;
    rd_mapper *mapper = NULL;
    rd_status status = rd_mapper_new(p->ctx, &mapping, &mapper);
    if (status != RD_OK) {
        p->status = fail_status(p->ctx, status);
        return false;
    }
    rd_source *source = &p->sources[p->n_sources++];
    *source = (rd_source){.path = path, .format = rd_trace_format(trace)->name};
    bool good;
    if (can_share(p, trace))
        good = share_trace(p, trace, &mapping, source);
    else if (can_read_ahead(p, trace))
        good = feed_ahead(p, trace, mapper, &mapping, source);
    else
        good = feed_trace(p, trace, mapper, source);
    p->bytes_before += source->bytes;
    uint64_t repeats = rd_trace_repeats(trace);
    source->references += repeats;
    p->repeats += repeats;
    uint64_t skipped = rd_trace_skipped(trace);
    bool known = skipped != RD_UNKNOWN && p->skipped != RD_UNKNOWN;
    p->skipped = known ? p->skipped + skipped : RD_UNKNOWN;
    rd_mapper_free(mapper);
    return good;
}

static rd_status open_trace(const pipeline *p, const char *path, rd_trace **out) {
    if (p->input->live)
        return rd_trace_open_live(p->ctx, p->input->live, out);
    if (p->input->head && strcmp(path, "-") == 0)
        return rd_trace_open_fd(p->ctx, STDIN_FILENO, "(standard input)", p->input->head,
                                p->input->head_bytes, p->options->format, out);
    return rd_trace_open(p->ctx, path, p->options->format, out);
}

static bool analyse_trace(pipeline *p, const char *path) {
    rd_trace *trace = NULL;
    rd_status status = open_trace(p, path, &trace);
    if (status != RD_OK) {
        report_damage(p, status);
        return false;
    }
    bool good = analyse_opened(p, path, trace);
    rd_trace_close(trace);
    return good;
}

/* ---- the whole ---- */

static void tell_result(const pipeline *p, const rd_profile *profile) {
    const rd_profile_facts *facts = rd_profile_facts_of(profile);
    const char *note = rd_engine_note(p->engine);
    char references[16], rate[16], memory[16], resident[16];
    rd_format_count((double)facts->references, references);
    rd_format_count((double)facts->references / facts->seconds, rate);
    rd_format_bytes((double)(rd_ctx_peak_bytes(p->ctx) + p->ahead_bytes), memory);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    rd_format_bytes((double)usage.ru_maxrss * 1024, resident);
    tell_user("engine %s%s%s%s%s", facts->engine, *facts->engine_options ? ":" : "",
              facts->engine_options, *note ? ": " : "", note);
    tell_user("%s block references in %.2f s, %s/s; memory at most %s, process %s", references,
              facts->seconds, rate, memory, resident);
}

/* Adds what only we know. */
static rd_status complete_profile(const pipeline *p, rd_profile *profile) {
    rd_profile_set_block_bytes(profile, p->block_bytes);
    rd_profile_set_partial(profile, p->damaged);
    rd_profile_set_skipped(profile, p->skipped);
    rd_status status = rd_profile_add_repeats(profile, p->repeats);
    if (status == RD_OK && p->kind_letters[0])
        status = rd_profile_set_kinds(profile, p->kind_letters);
    for (size_t i = 0; i < p->n_sources && status == RD_OK; i++)
        status = rd_profile_add_source(profile, &p->sources[i]);
    if (status == RD_OK)
        status = keep_peaks(p, profile);
    return status == RD_OK && p->attribution ? attribute_finish(p->attribution, profile) : status;
}

static void make_profile(pipeline *p, rd_profile **out) {
    rd_profile *profile = NULL;
    rd_status status = rd_engine_profile(p->engine, &profile);
    if (status == RD_OK)
        status = complete_profile(p, profile);
    if (status != RD_OK) {
        p->status = fail_status(p->ctx, status);
        rd_profile_free(profile);
        return;
    }
    if (p->damaged)
        fail("the result is of what comes before that");
    if (p->options->verbose)
        tell_result(p, profile);
    *out = profile;
}

static void run(pipeline *p, rd_profile **out) {
    if (!parse_options(p) || !open_sampler(p) || !open_engine(p))
        return;
    if (!(p->sources = calloc((size_t)p->input->n, sizeof *p->sources))) {
        p->status = fail("out of memory");
        return;
    }
    progress_start(&p->bar, p->options->quiet ? PROGRESS_NEVER : p->options->progress,
                   p->input->live ? 0 : progress_total(p->input->n, p->input->paths));
    bool good = true;
    for (int i = 0; i < p->input->n && good; i++)
        good = analyse_trace(p, p->input->paths[i]);
    bool intact = good || (p->damaged && p->n_sources > 0);
    if (intact) { /* also after damage: late engines still owe distances */
        rd_status status = rd_engine_finish(p->engine);
        wipe_bar(p);
        if (status != RD_OK) {
            report_engine(p, status);
            return;
        }
        if (good || p->options->partial)
            make_profile(p, out);
    }
}

int pipeline_run(rd_ctx *ctx, const pipeline_options *options, const pipeline_input *input,
                 const char *distances, rd_profile **out) {
    pipeline p = {.ctx = ctx,
                  .options = options,
                  .input = input,
                  .distances_path = distances,
                  .status = EXIT_OK};
    rd_profile *profile = NULL;
    run(&p, &profile);
    if (distance_file_close(p.distances) != EXIT_OK) { /* half of what was asked for is no result */
        p.status = EXIT_FAILED;
        rd_profile_free(profile);
        profile = NULL;
    }
    rd_engine_close(p.engine);
    rd_sampler_free(p.sampler);
    attribute_close(p.attribution);
    free(p.batch_distances);
    free(p.sources);
    free(p.parts_text);
    free(p.work);
    *out = profile;
    return p.status;
}
