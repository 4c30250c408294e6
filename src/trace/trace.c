/* Opens and reads traces. To detect the format, the probe of every format in formats.def sees the
 * first bytes of the file, and the format with the most certain probe wins. A trace owns the memory
 * of its reader and passes on the reader's batches. */
#include "trace/lookup.h"
#include "trace/text_ahead.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Threads read ahead only if at least this many bytes are left. Fewer bytes are read faster than
 * threads start. */
#define AHEAD_BYTES ((uint64_t)RDI_TEXT_AHEAD_PORTION)

struct rd_trace {
    rd_ctx *ctx;
    const rdi_format_ops *ops;
    char *spec; /* name and option text; string options point into it */
    void *state;
    rdi_reader reader;
    rd_refs refs;
    rd_status broken; /* status of the first failure, after which reading does not continue */
    uint64_t skip;    /* number of references to skip, because seek() stopped before the requested
                         one */
    uint64_t left;    /* number of references until the end of the requested part; UINT64_MAX: the
                         whole trace is read */
    bool began;       /* true: columns were selected, or a batch was read */
    bool last_part;   /* true: the part ends with the trace, whose end must be checked */
    bool counted;     /* true: the references were counted; counting may read the whole file, so it
                         is done once */
    uint64_t count;
    unsigned threads; /* number of threads that may read ahead; 0: none, or they have started */
    rdi_text_ahead *ahead; /* the threads that read ahead; NULL: none */
};

#define RDI_FORMAT(name) extern const rdi_format_ops rdi_format_##name;
#include "trace/formats.def"
#undef RDI_FORMAT

static const rdi_format_ops *const formats[] = {
#define RDI_FORMAT(name) &rdi_format_##name,
#include "trace/formats.def"
#undef RDI_FORMAT
};

const rdi_format_ops *rdi_format_ops_at(size_t index) {
    return index < RDI_COUNT(formats) ? formats[index] : NULL;
}

const rdi_format_ops *rdi_format_ops_find(const char *name) {
    for (size_t i = 0; i < RDI_COUNT(formats); i++)
        if (strcmp(formats[i]->info.name, name) == 0)
            return formats[i];
    return NULL;
}

const rd_format_info *rd_format_info_at(size_t index) {
    const rdi_format_ops *ops = rdi_format_ops_at(index);
    return ops ? &ops->info : NULL;
}

const rd_format_info *rd_format_info_find(const char *name) {
    const rdi_format_ops *ops = name ? rdi_format_ops_find(name) : NULL;
    return ops ? &ops->info : NULL;
}

static const char *next_name(size_t index) {
    const rdi_format_ops *ops = rdi_format_ops_at(index);
    return ops ? ops->info.name : NULL;
}

rd_status rdi_format_require(rd_ctx *ctx, const char *name, const rdi_format_ops **out) {
    const rdi_format_ops *ops = rdi_format_ops_find(name);
    if (!ops)
        return rdi_fail_unknown_name(ctx, "format", name, next_name);
    *out = ops;
    return RD_OK;
}

/* Returns whether the name of a file, without the suffix of a compression, ends with `suffix`. */
static bool is_named(const char *name, const char *suffix) {
    static const char *const packed[] = {".xz", ".gz", ".bz2", ".zst", ".lz4"};
    size_t n = strlen(name), length = strlen(suffix);
    for (size_t i = 0; i < RDI_COUNT(packed); i++) {
        size_t k = strlen(packed[i]);
        if (n > k && strcmp(name + n - k, packed[i]) == 0) {
            n -= k;
            break;
        }
    }
    return n > length && memcmp(name + n - length, suffix, length) == 0;
}

static int probe(const rdi_format_ops *format, const rdi_input *in, size_t n) {
    int sure = format->probe ? format->probe(in->data, n, in->eof && n == in->avail) : RDI_PROBE_NO;
    if (sure != RDI_PROBE_FITS)
        return sure;
    return is_named(in->name, format->suffix) ? RDI_PROBE_NAMED : RDI_PROBE_NO;
}

/* Calls the probe of every format and sets *out to the format whose probe is most certain. Fails if
 * every probe gives RDI_PROBE_NO. */
static rd_status detect(rdi_input *in, const rdi_format_ops **out) {
    RD_TRY(rdi_input_fill(in, 1, RDI_PROBE_MAX));
    size_t n = in->avail < RDI_PROBE_MAX ? in->avail : RDI_PROBE_MAX;
    int best = RDI_PROBE_NO;
    for (size_t i = 0; i < RDI_COUNT(formats); i++) {
        int sure = probe(formats[i], in, n);
        if (sure > best) {
            best = sure;
            *out = formats[i];
        }
    }
    if (best > RDI_PROBE_NO)
        return RD_OK;
    char valid[512];
    rdi_list_names(valid, sizeof valid, next_name);
    return rdi_fail(
        in->ctx, RD_EFORMAT,
        "%s: cannot detect the trace format from the content; name it with -f (one of: %s)",
        in->name, valid);
}

/* Allocates the state and a batch, parses the options and calls open(). `owner` is "format",
 * "generator" or "source", for messages. */
static rd_status start(rd_trace *t, const char *owner, char *options) {
    char name[64];
    snprintf(name, sizeof name, "%s %s", owner, t->ops->info.name);
    t->reader.ids = t->ops->info.ids;
    t->state = rdi_calloc(t->ctx, 1, t->ops->state_size ? t->ops->state_size : 1);
    t->reader.col = rdi_alloc(t->ctx, 1, sizeof *t->reader.col);
    if (t->reader.col)
        t->reader.col->more = NULL;
    if (!t->state || !t->reader.col)
        return RD_ENOMEM;
    RD_TRY(rdi_opts_parse(t->ctx, name, t->ops->info.opts, t->state, options));
    return t->ops->open(t->state, &t->reader);
}

static rd_status start_reading(rd_trace *t, const char *spec) {
    char *options = NULL;
    rdi_input *in = t->reader.in;
    RD_TRY(rdi_input_fill(in, 1, 1));
    if (in->avail == 0) /* an empty file is probably a mistake, for any format */
        return rdi_fail(t->ctx, RD_EFORMAT, "%s: the file is empty", in->name);
    if (spec && strcmp(spec, "auto") != 0) {
        RD_TRY(rdi_spec_split(t->ctx, spec, &t->spec, &options));
        RD_TRY(rdi_format_require(t->ctx, t->spec, &t->ops));
    } else {
        RD_TRY(detect(in, &t->ops));
    }
    return start(t, "format", options);
}

static rd_status start_generating(rd_trace *t, const char *spec) {
    char *options = NULL;
    RD_TRY(rdi_spec_split(t->ctx, spec, &t->spec, &options));
    RD_TRY(rdi_generator_require(t->ctx, t->spec, &t->ops));
    return start(t, "generator", options);
}

static rd_trace *new_trace(rd_ctx *ctx) {
    rd_trace *t = rdi_calloc(ctx, 1, sizeof *t);
    if (t) {
        t->ctx = ctx;
        t->left = UINT64_MAX;
        t->reader.ctx = ctx;
    }
    return t;
}

/* Sets *out to the trace if starting it succeeded, and closes it otherwise. Returns `started`. */
static rd_status deliver(rd_trace *t, rd_status started, rd_trace **out) {
    if (started == RD_OK)
        *out = t;
    else
        rd_trace_close(t);
    return started;
}

/* Opens a trace that reads from `in`. The function takes ownership of `in`, even if it fails. */
static rd_status open_input(rd_ctx *ctx, rdi_input *in, const char *spec, rd_trace **out) {
    rd_trace *t = new_trace(ctx);
    if (!t) {
        rdi_input_close(in);
        return RD_ENOMEM;
    }
    t->reader.in = in;
    return deliver(t, start_reading(t, spec), out);
}

rd_status rd_trace_generate(rd_ctx *ctx, const char *spec, rd_trace **out) {
    RDI_NEED(ctx, ctx, spec, out);
    rd_trace *t = new_trace(ctx);
    return t ? deliver(t, start_generating(t, spec), out) : RD_ENOMEM;
}

rd_status rdi_trace_open_from(rd_ctx *ctx, const rdi_format_ops *ops, void *source,
                              rd_trace **out) {
    rd_trace *t = new_trace(ctx);
    if (!t)
        return RD_ENOMEM;
    t->ops = ops;
    t->reader.source = source;
    return deliver(t, start(t, "source", NULL), out);
}

const void *rdi_trace_state(const rd_trace *t, const rdi_format_ops *ops) {
    return t && t->ops == ops ? t->state : NULL;
}

rd_status rd_trace_open(rd_ctx *ctx, const char *path, const char *spec, rd_trace **out) {
    RDI_NEED(ctx, ctx, path, out);
    rdi_input *in;
    RD_TRY(rdi_input_open(ctx, path, &in));
    return open_input(ctx, in, spec, out);
}

rd_status rd_trace_open_fd(rd_ctx *ctx, int fd, const char *name, const void *head, size_t n,
                           const char *spec, rd_trace **out) {
    RDI_NEED(ctx, ctx, name, out);
    if (n)
        RDI_NEED(ctx, head);
    rdi_input *in;
    RD_TRY(rdi_input_open_fd(ctx, fd, name, head, n, &in));
    return open_input(ctx, in, spec, out);
}

rd_status rd_trace_open_memory(rd_ctx *ctx, const char *name, const void *data, size_t n,
                               const char *spec, rd_trace **out) {
    RDI_NEED(ctx, ctx, name, out);
    if (n)
        RDI_NEED(ctx, data);
    rdi_input *in;
    RD_TRY(rdi_input_open_memory(ctx, name, data, n, &in));
    return open_input(ctx, in, spec, out);
}

uint32_t rd_trace_request_fields(const rd_trace *t) {
    return t ? t->reader.requests : 0;
}

rd_status rd_trace_select(rd_trace *t, uint32_t fields) {
    RDI_NEED(t ? t->ctx : NULL, t);
    if (fields & ~(uint32_t)(RD_REQUEST_FIELDS | RD_FIELD_CONTEXT))
        return rdi_fail(t->ctx, RD_EINVAL,
                        "rd_trace_select: the fields are 0x%" PRIx32
                        ": they may have only the bits of RD_REQUEST_FIELDS and RD_FIELD_CONTEXT",
                        fields);
    if (t->began)
        return rdi_fail(t->ctx, RD_ESTATE,
                        "rd_trace_select: call it only once, and before rd_trace_read()");
    t->began = true;
    return t->ops->select ? t->ops->select(t->state, fields) : RD_OK;
}

void rd_trace_read_ahead(rd_trace *t, unsigned threads) {
    if (t)
        t->threads = threads > 1 ? threads : 0;
}

/* Starts the threads that read ahead, if the trace allows it and is long enough for them to be
 * useful. If they cannot be started, the format's reader reads the trace alone. */
static void start_ahead(rd_trace *t) {
    unsigned threads = t->threads;
    t->threads = 0;
    uint64_t done = 0, total = 0;
    rd_trace_progress(t, &done, &total);
    if (t->ops->separate && total >= done + AHEAD_BYTES && !t->ahead)
        (void)!rdi_text_ahead_open(t->ops, t->state, &t->reader, threads, &t->ahead);
}

/* Reads the next batch of the format's reader, or of the threads that read ahead of it. */
static rd_status read_next(rd_trace *t) {
    if (t->threads)
        start_ahead(t);
    if (t->ahead) {
        rd_status status = rdi_text_ahead_read(t->ahead, &t->refs);
        if (status != RD_OK || t->refs.n > 0)
            return status;
        rdi_text_ahead_close(t->ahead);
        t->ahead = NULL;
    }
    return t->ops->read(t->state, &t->refs);
}

/* Reads a batch into t->refs, or nothing at the end of a part. Only the last part reports damage at
 * the end of the trace, so that reading all parts reports the same damage as one reader. */
static rd_status read_batch(rd_trace *t) {
    rd_status status = RD_OK;
    t->refs = (rd_refs){0};
    t->reader.event_count = 0;
    if (t->left || t->last_part)
        status = read_next(t);
    if (t->left == 0) {
        t->last_part = false;
        t->refs = (rd_refs){0};
    }
    return status;
}

rd_status rd_trace_read(rd_trace *t, const rd_refs **out) {
    RDI_NEED(t ? t->ctx : NULL, t, out);
    if (t->broken != RD_OK)
        return t->broken;
    t->began = true;
    size_t skipped = 0;
    do {
        rd_status status = read_batch(t);
        if (status != RD_OK)
            return t->broken = status;
        skipped = t->skip < t->refs.n ? (size_t)t->skip : t->refs.n;
        t->skip -= skipped;
        if (skipped)
            t->refs = rd_refs_slice(&t->refs, skipped, t->refs.n - skipped);
    } while (skipped > 0 && t->refs.n == 0);
    t->refs.n = t->refs.n < t->left ? t->refs.n : (size_t)t->left;
    t->left -= t->left == UINT64_MAX ? 0 : t->refs.n;
    *out = &t->refs;
    return RD_OK;
}

size_t rd_trace_events(const rd_trace *t, const rd_event **out) {
    if (out)
        *out = t ? t->reader.events : NULL;
    return t ? t->reader.event_count : 0;
}

uint64_t rd_trace_count(rd_trace *t) {
    if (!t)
        return 0;
    rdi_input *in = t->reader.in;
    if (!t->counted && t->ops->count && in && rdi_input_size(in))
        t->count = t->ops->count(t->state);
    t->counted = true;
    return t->count;
}

rd_status rd_trace_seek(rd_trace *t, uint64_t first, uint64_t n) {
    RDI_NEED(NULL, t);
    uint64_t count = rd_trace_count(t);
    const char *name = t->reader.in ? t->reader.in->name : t->ops->info.name;
    if (count == 0)
        return rdi_fail(t->ctx, RD_EINVAL,
                        "%s: this trace can only be read from its beginning; do not call "
                        "rd_trace_seek()",
                        name);
    if (first + n > count || first + n < n)
        return rdi_fail(t->ctx, RD_EINVAL,
                        "%s: cannot read %" PRIu64 " references from reference %" PRIu64
                        " on, because the trace has only %" PRIu64 " references; read fewer",
                        name, n, first, count);
    t->broken = RD_OK;
    t->left = n;
    t->last_part = first + n == t->count;
    return t->ops->seek(t->state, first, &t->skip);
}

const rd_format_info *rd_trace_format(const rd_trace *t) {
    return !t ? NULL : t->reader.info ? t->reader.info : &t->ops->info;
}

bool rd_trace_has_processes(const rd_trace *t) {
    return t && t->reader.processes;
}

bool rd_trace_has_ids(const rd_trace *t) {
    return t && t->reader.ids;
}

bool rd_trace_has_hex_ids(const rd_trace *t) {
    return t && t->reader.ids && t->reader.hex_ids;
}

const char *rd_trace_note(const rd_trace *t) {
    return t ? t->reader.note : NULL;
}

uint64_t rd_trace_skipped(const rd_trace *t) {
    uint64_t skipped = t && t->reader.sampled ? UINT64_MAX : 0, repeats;
    if (t && t->ops->omitted)
        t->ops->omitted(t->state, &skipped, &repeats);
    return skipped;
}

uint64_t rd_trace_line(const rd_trace *t) {
    return t && t->reader.in ? t->reader.in->line : 0;
}

bool rd_trace_never_began(const rd_trace *t) {
    return t && t->reader.never_began;
}

uint64_t rd_trace_repeats(const rd_trace *t) {
    uint64_t skipped, repeats = 0;
    if (t && t->ops->omitted)
        t->ops->omitted(t->state, &skipped, &repeats);
    return repeats;
}

void rd_trace_progress(const rd_trace *t, uint64_t *done, uint64_t *total) {
    uint64_t so_far = t ? t->reader.done : 0, all = t ? t->reader.total : 0;
    if (t && t->ahead)
        so_far = rdi_text_ahead_bytes(t->ahead, &all);
    else if (t && t->reader.in)
        rdi_input_progress(t->reader.in, &so_far, &all);
    if (done)
        *done = so_far;
    if (total)
        *total = all;
}

void rd_trace_close(rd_trace *t) {
    if (!t)
        return;
    rdi_text_ahead_close(t->ahead);
    if (t->ops && t->state && t->ops->close)
        t->ops->close(t->state);
    rdi_input_close(t->reader.in);
    if (t->reader.col)
        rdi_free(t->ctx, t->reader.col->more);
    rdi_free(t->ctx, t->reader.col);
    rdi_free(t->ctx, t->state);
    rdi_free(t->ctx, t->spec);
    rdi_free(t->ctx, t);
}
