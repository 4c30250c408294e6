/* Parses the options of an analysis and shows its progress. See pipeline.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "pipeline.h"

#include "kinds.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS_MOST      4096
#define AUTO_THREADS_MOST 16   /* more threads need more memory and are hardly faster */
#define WIDTH_USUAL       2048 /* width of the linear bins of `loglinear` */
#define WIDTH_LEAST       32   /* narrower bins would make profiles of large traces long */

/* ---- options ---- */

static int parse_block(rd_ctx *ctx, const char *text, uint64_t *out) {
    uint64_t bytes = 0;
    *out = !text ? RD_BLOCK_AUTO : RD_BLOCK_ADDRESS;
    if (!text || strcmp(text, "addr") == 0)
        return EXIT_OK;
    if (rd_parse_size(ctx, text, &bytes) != RD_OK || bytes == 0 || (bytes & (bytes - 1)) != 0)
        return fail_usage("--block: '%.80s' is neither a power of two nor 'addr'", text);
    *out = bytes;
    return EXIT_OK;
}

/* Returns the number of processors that this process may use. */
static uint32_t count_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

/* Returns whether several threads never make an analysis with this engine slower: engine auto decides
 * by the trace how to use the threads, and if the engine runs on one thread or on a device, the
 * additional threads only read the trace ahead. Other engines use all threads for the analysis even
 * where that is slower. */
static bool threads_help(const char *engine) {
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(engine, ":"), engine);
    const rd_engine_info *info = rd_engine_info_find(name);
    return strcmp(name, "auto") == 0 || (info && !(info->caps & RD_CAP_THREADS));
}

/* Returns the number of threads for -t auto. The number is 1 in three cases: if several threads can make
 * the engine slower, if memory is limited, because several threads need more memory than one, and with a
 * checkpoint, because the engine is then parda. */
static uint32_t choose_threads(const pipeline_options *o) {
    if ((o->engine && !threads_help(o->engine)) || o->checkpoint || o->mem_bytes)
        return 1;
    uint32_t processors = count_processors();
    return processors < AUTO_THREADS_MOST ? processors : AUTO_THREADS_MOST;
}

int pipeline_threads(rd_ctx *ctx, const pipeline_options *o, uint32_t *out) {
    uint64_t n = 0;
    if (strcmp(o->threads, "auto") == 0)
        n = choose_threads(o);
    else if (rd_parse_size(ctx, o->threads, &n) != RD_OK || n < 1 || n > THREADS_MOST)
        return fail_usage("--threads: '%.80s' is neither a number from 1 to %d nor 'auto'",
                          o->threads, THREADS_MOST);
    *out = (uint32_t)n;
    return EXIT_OK;
}

static int parse_peaks(rd_ctx *ctx, const pipeline_options *o, rd_sampler_config *out) {
    if (!o->peaks)
        return EXIT_OK;
    if (o->bound)
        return fail_usage("--peaks needs all distances; omit --bound");
    if (rd_sampler_parse(ctx, o->peaks, out) != RD_OK)
        return fail_usage("--peaks: %s", rd_last_error(ctx));
    return EXIT_OK;
}

bool pipeline_is_lockstep(const pipeline_options *o) {
    return o->interleave && strcmp(o->interleave, "recorded") != 0;
}

static int parse_interleave(pipeline *p, rd_analysis_config *config) {
    const pipeline_options *o = p->options;
    const char *number = o->interleave ? strchr(o->interleave, ':') : NULL;
    p->interleave = (rd_interleave){.size = sizeof p->interleave, .turn = 1, .reorder = o->reorder};
    if (!pipeline_is_lockstep(o))
        return o->reorder ? fail_usage("--reorder needs --interleave=lockstep") : EXIT_OK;
    if (strncmp(o->interleave, "lockstep", 8) != 0 || (o->interleave[8] && !number) ||
        (number && (number != o->interleave + 8 ||
                    rd_parse_size(p->ctx, number + 1, &p->interleave.turn) != RD_OK ||
                    p->interleave.turn == 0 || p->interleave.turn > RD_TURN_MAX)))
        return fail_usage("--interleave: '%.80s' is neither 'recorded' nor 'lockstep' nor "
                          "'lockstep:N', with N from 1 to %d",
                          o->interleave, RD_TURN_MAX);
    config->interleave = &p->interleave;
    return EXIT_OK;
}

/* Returns the largest width of log-linear bins, at most `most`, with which a bin begins at `blocks`;
 * `most` if this width would be below WIDTH_LEAST. */
static uint64_t width_for(uint64_t blocks, uint64_t most) {
    uint64_t width = blocks & -blocks; /* the largest power of two that divides `blocks` */
    bool power = width == blocks;
    return power || width < WIDTH_LEAST || width > most ? most : width;
}

/* Makes the usual bins narrow enough that bins begin at the sizes of the caches that the user named.
 * The miss ratios at these sizes are then exact. Without -b, the trace decides later whether sizes
 * without a unit are bytes or blocks, so both are taken into account. */
static int choose_width(pipeline *p, rd_binning *bins, uint64_t block) {
    const attribute_options *o = &p->options->attribute;
    cache_list caches = {0};
    if (bins->kind != RD_BINS_LOGLINEAR || bins->param || (!o->caches && !o->machine))
        return EXIT_OK;
    int status = caches_choose(p->ctx, o->caches, o->machine, &caches);
    uint64_t width = WIDTH_USUAL;
    for (size_t i = 0; i < caches.n && status == EXIT_OK; i++) {
        uint64_t bytes = caches.level[i].bytes, unit = block ? block : 64;
        width = width_for(block == RD_BLOCK_ADDRESS ? bytes : bytes / unit, width);
        if (block == RD_BLOCK_AUTO && !caches.has_unit)
            width = width_for(bytes, width);
    }
    bins->param = width < WIDTH_USUAL ? width : 0;
    return status;
}

static int parse_options(pipeline *p, rd_analysis_config *config) {
    const pipeline_options *o = p->options;
    if (o->quiet && o->verbose)
        return fail_usage("-q and -v cannot be combined; give only one of them");
    int status = parse_block(p->ctx, o->block, &config->block);
    if (status == EXIT_OK)
        status = pipeline_threads(p->ctx, o, &config->threads);
    if (status == EXIT_OK && !kinds_parse(o->kinds, &config->kinds))
        status = EXIT_USAGE;
    if (status == EXIT_OK && rd_binning_parse(p->ctx, o->hist, &config->binning) != RD_OK)
        status = fail_usage("--hist: %s", rd_last_error(p->ctx));
    if (status == EXIT_OK)
        status = parse_peaks(p->ctx, o, &p->sampling);
    if (status == EXIT_OK)
        status = parse_interleave(p, config);
    if (status == EXIT_OK && o->attribute.on)
        status = attribute_parse(p->ctx, &o->attribute, &p->attribute);
    if (status == EXIT_OK)
        status = choose_width(p, &config->binning, config->block);
    return status;
}

/* ---- callbacks of the analysis ---- */

static bool show_progress(void *user, const rd_progress *now) {
    pipeline *p = user;
    p->bar.total = now->total_bytes;
    progress_update(&p->bar, now->bytes, now->references);
    return true;
}

static void show_note(void *user, rd_note_kind kind, const char *text) {
    pipeline *p = user;
    if (kind == RD_NOTE_CHOICE ? !p->options->verbose : p->options->quiet)
        return;
    progress_wipe(&p->bar);
    tell_user("%s", text);
}

/* ---- opening, running, closing ---- */

int pipeline_open(pipeline *p, rd_ctx *ctx, const pipeline_options *o,
                  const pipeline_extras *extras) {
    *p = (pipeline){.ctx = ctx, .options = o};
    if (extras)
        p->extras = *extras;
    bool only_caches = p->extras.hierarchy && o->engine && strcmp(o->engine, "null") == 0;
    rd_analysis_config config = {
        .size = sizeof config,
        .engine = o->engine,
        .format = o->format,
        .kinds_chosen = p->extras.kinds_chosen,
        .bound = o->bound,
        .mem_bytes = o->mem_bytes,
        .checkpoint = o->checkpoint,
        .live = p->extras.live,
        .burst = p->extras.burst,
        .partial = o->partial,
        .attribution = o->attribute.on ? &p->attribute.config : NULL,
        .sampling = o->peaks ? &p->sampling : NULL,
        .progress = show_progress,
        .progress_user = p,
        .note = show_note,
        .note_user = p,
        .distances = p->extras.distances,
        .sharing_interleave = o->interleave ? NULL : &p->interleave,
        .hierarchy = p->extras.hierarchy,
        .without_causes = p->extras.without_causes,
        .blocks = p->extras.blocks,
        .blocks_user = p->extras.blocks_user,
        .objects = p->extras.objects,
        .merge = (rd_merge)o->merge,
        .stacks = only_caches ? RD_STACKS_SHARED : (rd_stacks)o->stacks,
        .private_caches = o->stacks == RD_STACKS_PRIVATE,
        .sharing = p->extras.sharing,
    };
    int parsed = parse_options(p, &config);
    if (parsed != EXIT_OK)
        return parsed;
    if (o->mem_bytes)
        rd_ctx_set_limit(ctx, (size_t)o->mem_bytes);
    rd_status status = rd_analysis_open(ctx, &config, &p->analysis);
    return status == RD_OK ? EXIT_OK : fail_status(ctx, status);
}

static void tell_result(const pipeline *p, const rd_profile *profile) {
    const rd_profile_facts *facts = rd_profile_facts_of(profile);
    const char *note = rd_analysis_engine_note(p->analysis);
    char references[16], rate[16], memory[16], resident[16];
    rd_format_count((double)facts->references, references);
    rd_format_count((double)facts->references / facts->seconds, rate);
    rd_format_bytes((double)rd_ctx_peak_bytes(p->ctx), memory);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    rd_format_bytes((double)usage.ru_maxrss * 1024, resident);
    tell_user("engine %s%s%s%s%s", facts->engine, *facts->engine_options ? ":" : "",
              facts->engine_options, *note ? ": " : "", note);
    tell_user("the analysis of %s %s%s took %.2f s (%s/s); its peak memory was %s, and that of the "
              "process was %s",
              references, rd_profile_objects(profile) ? "request" : "block reference",
              facts->references == 1 ? "" : "s", facts->seconds, rate, memory, resident);
}

int pipeline_run(pipeline *p, rd_profile **out) {
    const pipeline_options *o = p->options;
    rd_profile *profile = NULL;
    int exit_status = EXIT_OK;
    progress_when when = o->quiet ? PROGRESS_NEVER : o->progress;
    if (p->extras.live)
        progress_start_beside(&p->bar, when);
    else
        progress_start(&p->bar, when, 0);
    rd_status status = rd_analysis_run(p->analysis);
    progress_wipe(&p->bar);
    if (status != RD_OK)
        exit_status = fail_status(p->ctx, status);
    bool result =
        rd_analysis_has_profile(p->analysis) && rd_analysis_profile(p->analysis, &profile) == RD_OK;
    if (result && status != RD_OK)
        fail("the result covers the trace up to that point");
    if (result && o->verbose)
        tell_result(p, profile);
    *out = profile;
    return exit_status;
}

void pipeline_close(pipeline *p) {
    rd_analysis_close(p->analysis);
    attribute_free(&p->attribute);
}
