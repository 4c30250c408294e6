/* Copies references from traces into a new trace. See trace_copy.h.
 *
 * This file is long because columns, kinds and marks of a copy share one state. */
#include "trace_copy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The columns of the references that --kinds keeps from a batch. */
typedef struct kept_columns {
    size_t room;
    uint64_t *addr, *pc, *more[RD_MORE_COLUMNS]; /* more[i] is NULL if the trace lacks the column */
    uint32_t *size, *thread;
    uint8_t *kind;
} kept_columns;

struct trace_copy {
    rd_ctx *ctx;
    const copy_options *options;
    const rd_format_info *format; /* format of the new trace */
    uint32_t kinds;               /* mask of the kinds to keep; 0: all */
    rd_trace_writer *writer;      /* opened when the first trace is added */
    uint32_t fields;              /* mask of the columns of the first trace */
    bool ids, sampled, processes;
    bool broken; /* true: writing failed, so the new trace must not be finished */
    uint64_t done_before, references;
    progress bar;
    kept_columns kept;
};

static bool to_standard(const copy_options *o) {
    return !o->output || strcmp(o->output, "-") == 0;
}

/* Returns the format that --to names, or NULL if it is unknown, which rd_trace_writer_open()
 * reports later. */
static const rd_format_info *find_format(const char *spec) {
    char name[64];
    size_t n = spec ? strcspn(spec, ":") : 0;
    if (n >= sizeof name)
        return NULL;
    memcpy(name, spec ? spec : "", n);
    name[n] = '\0';
    return rd_format_info_find(spec ? name : "native");
}

trace_copy *trace_copy_new(rd_ctx *ctx, const copy_options *options, uint32_t kinds, uint64_t total,
                           int *status) {
    const rd_format_info *format = find_format(options->to);
    if (format && format->binary && to_standard(options) && isatty(STDOUT_FILENO)) {
        *status = fail_usage("format %s is binary and cannot be shown on a terminal; name a file "
                             "with -o, or redirect the output",
                             format->name);
        return NULL;
    }
    trace_copy *c = calloc(1, sizeof *c);
    if (!c) {
        *status = fail("out of memory");
        return NULL;
    }
    c->ctx = ctx;
    c->options = options;
    c->format = format;
    c->kinds = kinds;
    progress_when when = options->quiet ? PROGRESS_NEVER : options->progress;
    if (options->keep)
        progress_start_beside(&c->bar, when);
    else
        progress_start(&c->bar, when, total);
    return c;
}

static int report(trace_copy *c, rd_status status) {
    progress_wipe(&c->bar);
    return fail_status(c->ctx, status);
}

/* ---- the new trace ---- */

static const char *field_name(uint32_t field) {
    return field == RD_FIELD_SIZE        ? "sizes"
           : field == RD_FIELD_KIND      ? "kinds"
           : field == RD_FIELD_PC        ? "program counters"
           : field == RD_FIELD_THREAD    ? "thread numbers"
           : field == RD_FIELD_SYNC      ? "events of synchronization"
           : field == RD_FIELD_TIME      ? "times"
           : field == RD_FIELD_LIFETIME  ? "lifetimes"
           : field == RD_FIELD_OPERATION ? "operations"
           : field == RD_FIELD_BYTES     ? "sizes of objects"
           : field == RD_FIELD_CONTEXT   ? "calling contexts"
                                         : rd_field_name(field);
}

static bool writes_native(const trace_copy *c) {
    return c->format && strcmp(c->format->name, "native") == 0;
}

/* Returns whether the recorder of the trace has skipped references, or will skip some. */
static bool is_sampled(const trace_copy *c, const rd_trace *trace) {
    return c->options->sampled || rd_trace_skipped(trace) != 0;
}

/* Returns whether --to says whether the addresses of the new trace name processes. */
static bool names_processes(const trace_copy *c) {
    return c->options->to && strstr(c->options->to, "processes=");
}

/* Tells the user, unless options->quiet is set, which columns of the trace the new trace does not
 * have, because its format cannot store them, and whether the format cannot mark object ids or skipped
 * references. A trace that delivers the sizes of its objects as sizes of references has one column of sizes. */
static void tell_losses(const trace_copy *c, const rd_trace *trace) {
    if (c->options->quiet || !c->format)
        return;
    uint32_t sizes = c->fields & RD_FIELD_SIZE ? RD_FIELD_BYTES : 0;
    uint32_t all = c->fields | (rd_trace_request_fields(trace) & ~sizes);
    uint32_t stored = c->format->fields & ~c->format->unwritten;
    for (uint32_t field = 1; field; field *= 2)
        if (all & ~stored & field)
            tell_user("format %s cannot store %s, so the new trace does not have them",
                      c->format->name, field_name(field));
    if (c->sampled && !writes_native(c))
        tell_user("format %s cannot mark that the recorder skipped references, so analyses of the "
                  "new trace will call their results exact; use --to=native to keep the mark",
                  c->format->name);
    if (c->ids && !c->format->ids && !writes_native(c))
        tell_user(
            "format %s cannot mark addresses as object ids; analyze the new trace with -b addr",
            c->format->name);
}

static void add_option(char *spec, const char *option) {
    strcat(spec, strchr(spec, ':') ? "," : ":");
    strcat(spec, option);
}

/* Makes the format specification of the new trace. Options of the native format mark that references
 * were left out, and that addresses do not name processes. Returns NULL if memory is exhausted. */
static char *make_spec(const trace_copy *c) {
    const char *to = c->options->to ? c->options->to : "native";
    char *spec = malloc(strlen(to) + sizeof ":sampled=on,processes=off");
    if (!spec)
        return NULL;
    strcpy(spec, to);
    if (c->sampled && writes_native(c) && !strstr(to, "sampled=on"))
        add_option(spec, "sampled=on");
    if (!c->processes && writes_native(c) && !names_processes(c))
        add_option(spec, "processes=off");
    return spec;
}

static bool open_writer(trace_copy *c, const rd_trace *trace, const rd_refs *first, int *status) {
    c->fields = first->fields;
    c->ids = rd_trace_has_ids(trace);
    c->sampled = is_sampled(c, trace);
    c->processes = rd_trace_has_processes(trace);
    const char *path = to_standard(c->options) ? "-" : c->options->output;
    char *spec = make_spec(c);
    rd_status opened =
        spec ? rd_trace_writer_open(c->ctx, path, spec, c->fields, c->ids, &c->writer) : RD_ENOMEM;
    free(spec);
    if (opened == RD_OK && c->options->keep)
        opened = rd_trace_writer_keep(c->writer);
    if (opened != RD_OK) {
        *status = report(c, opened);
        c->broken = true;
        return false;
    }
    tell_losses(c, trace);
    return true;
}

static bool check_same(trace_copy *c, const char *name, const rd_trace *trace, const rd_refs *refs,
                       int *status) {
    const char *what = NULL;
    uint32_t differing = refs->n ? refs->fields ^ c->fields : 0; /* an empty batch has no columns */
    if (c->ids != rd_trace_has_ids(trace))
        what = "object ids";
    for (uint32_t field = UINT32_C(1) << 31; field; field /= 2)
        if (differing & field)
            what = field_name(field);
    if (!what)
        return true;
    bool here = differing ? (refs->fields & ~c->fields) != 0 : !c->ids;
    progress_wipe(&c->bar);
    *status = fail("%s: this trace has %s%s, unlike the first one; convert the traces one by one",
                   name, here ? "" : "no ", what);
    return false;
}

/* ---- --kinds ---- */

static void free_room(kept_columns *k) {
    free(k->addr);
    free(k->pc);
    free(k->size);
    free(k->thread);
    free(k->kind);
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
        free(k->more[i]);
}

static bool make_room(kept_columns *k, const rd_refs *refs) {
    size_t n = refs->n;
    if (n <= k->room)
        return true;
    free_room(k);
    k->addr = malloc(n * sizeof *k->addr);
    k->pc = malloc(n * sizeof *k->pc);
    k->size = malloc(n * sizeof *k->size);
    k->thread = malloc(n * sizeof *k->thread);
    k->kind = malloc(n);
    k->room = n;
    bool good = k->addr && k->pc && k->size && k->thread && k->kind;
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++) {
        k->more[i] = refs->more[i] ? malloc(n * sizeof *k->more[i]) : NULL;
        good = good && (k->more[i] || !refs->more[i]);
    }
    return good;
}

/* Copies the values of a further column for the references that select_kinds() keeps. */
static void select_more(const trace_copy *c, const rd_refs *refs, uint64_t *kept,
                        const uint64_t *values) {
    for (size_t i = 0, n = 0; i < refs->n; i++) {
        kept[n] = values[i];
        n += (refs->kind[i] & c->kinds) != 0;
    }
}

/* Selects the references of the kinds to keep. In a trace without kinds, all references are
 * loads. Returns false if memory is exhausted. */
static bool select_kinds(trace_copy *c, const rd_refs *refs, rd_refs *out) {
    *out = *refs;
    if (c->kinds == 0 || c->kinds == RD_ALL_KINDS)
        return true;
    if (!refs->kind) {
        out->n = c->kinds & RD_LOAD ? refs->n : 0;
        return true;
    }
    kept_columns *k = &c->kept;
    if (!make_room(k, refs))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < refs->n; i++) {
        k->addr[n] = refs->addr[i];
        k->kind[n] = refs->kind[i];
        k->size[n] = refs->size ? refs->size[i] : 1;
        k->pc[n] = refs->pc ? refs->pc[i] : 0;
        k->thread[n] = refs->thread ? refs->thread[i] : 0;
        n += (refs->kind[i] & c->kinds) != 0;
    }
    *out = (rd_refs){.n = n,
                     .fields = refs->fields,
                     .addr = k->addr,
                     .kind = k->kind,
                     .size = refs->size ? k->size : NULL,
                     .pc = refs->pc ? k->pc : NULL,
                     .thread = refs->thread ? k->thread : NULL};
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
        if (refs->more[i]) {
            select_more(c, refs, k->more[i], refs->more[i]);
            out->more[i] = k->more[i];
        }
    return true;
}

/* ---- copying ---- */

static bool check_written(trace_copy *c, rd_status written, int *status) {
    if (written == RD_OK)
        return true;
    *status = report(c, written);
    c->broken = true;
    return false;
}

static bool copy_references(trace_copy *c, const rd_refs *refs, int *status) {
    rd_refs chosen;
    if (!select_kinds(c, refs, &chosen)) {
        progress_wipe(&c->bar);
        *status = fail("out of memory");
        c->broken = true;
        return false;
    }
    c->references += refs->n;
    return check_written(c, rd_trace_writer_write(c->writer, &chosen), status);
}

/* Copies a batch of `trace` and its events. `first` is the index in the trace of the first
 * reference of the batch. Returns false after reporting a failure (*status is the exit status). */
static bool copy_batch(trace_copy *c, const rd_trace *trace, const rd_refs *refs, uint64_t first,
                       int *status) {
    const rd_event *events = NULL;
    size_t n = rd_trace_events(trace, &events), done = 0;
    for (size_t i = 0; i < n; i++) {
        size_t until = (size_t)(events[i].at - first);
        if (until > done) {
            rd_refs part = rd_refs_slice(refs, done, until - done);
            if (!copy_references(c, &part, status))
                return false;
            done = until;
        }
        if (!check_written(c, rd_trace_writer_event(c->writer, &events[i]), status))
            return false;
    }
    if (done == refs->n)
        return true;
    rd_refs rest = rd_refs_slice(refs, done, refs->n - done);
    return copy_references(c, &rest, status);
}

/* Fails if the new trace was begun with marks that are wrong for this trace. */
static bool check_marks(trace_copy *c, const char *name, const rd_trace *trace, int *status) {
    if (!c->writer || !writes_native(c))
        return true;
    bool sampled = is_sampled(c, trace) && !c->sampled;
    bool processes = rd_trace_has_processes(trace);
    if (!sampled && (processes == c->processes || names_processes(c)))
        return true;
    progress_wipe(&c->bar);
    *status =
        sampled ? fail("%s: the recorder skipped references of this trace, but not of the first "
                       "one; name this trace first, so that the new trace is marked as sampled",
                       name)
                : fail("%s: the top 16 bits of addresses %s processes in this trace, unlike in the "
                       "first one; say with --to=native:processes=on or --to=native:processes=off "
                       "whether they do in the new trace",
                       name, processes ? "name" : "do not name");
    return false;
}

int trace_copy_add(trace_copy *c, const char *name, rd_trace *trace) {
    int status = EXIT_OK;
    uint64_t done = 0, total = 0, first = 0;
    if (rd_trace_note(trace) && !c->options->quiet)
        tell_user("%s: %s", name, rd_trace_note(trace));
    if (!check_marks(c, name, trace, &status))
        return status;
    /* Columns of requests would only enlarge a trace of addresses. */
    bool requests = rd_trace_has_ids(trace) && c->format && c->format->fields & RD_FIELD_BYTES;
    rd_status selected =
        rd_trace_select(trace, RD_FIELD_CONTEXT | (requests ? RD_REQUEST_FIELDS : 0));
    if (selected != RD_OK)
        return report(c, selected);
    while (true) {
        const rd_refs *refs = NULL;
        rd_status read = rd_trace_read(trace, &refs);
        if (read != RD_OK)
            return report(c, read);
        if (!c->writer && rd_trace_never_began(trace))
            break;
        if (!c->writer && !open_writer(c, trace, refs, &status))
            return status;
        if (!check_same(c, name, trace, refs, &status) ||
            !copy_batch(c, trace, refs, first, &status))
            return status;
        if (refs->n == 0)
            break;
        first += refs->n;
        rd_trace_progress(trace, &done, &total);
        progress_update(&c->bar, c->done_before + done, c->references);
    }
    c->done_before += done;
    return EXIT_OK;
}

static void free_copy(trace_copy *c) {
    rd_trace_writer_close(c->writer);
    free_room(&c->kept);
    free(c);
}

int trace_copy_finish(trace_copy *c, int status) {
    progress_wipe(&c->bar);
    if (c->writer && !c->broken && status != EXIT_USAGE) {
        rd_status finished = rd_trace_writer_finish(c->writer);
        if (finished != RD_OK)
            status = fail_status(c->ctx, finished);
        else if (status != EXIT_OK)
            fail("the new trace has the references up to that point");
    }
    const char *kept = rd_trace_writer_kept(c->writer);
    if (kept)
        fail("%s is unchanged; %s has the references up to that point", c->options->output, kept);
    free_copy(c);
    return status;
}
