/* Merges open traces by time. See rd_trace_merge() in reusedist/trace.h.
 *
 * The time of a reference is its own time, or the latest time before it in the same trace if that
 * is later. Each trace offers its first reference that was not delivered yet. The offered reference
 * with the smallest time is delivered next. If several offered references have this time, the
 * reference of the trace with the smallest index is next. A heap orders the traces, so a reference
 * costs O(log traces).
 *
 * A batch ends where one of the traces needs its next batch. A trace that is damaged therefore
 * fails only after all references before the damage have been delivered.
 */
#include "trace/lookup.h"

#include <string.h>

/* One of the traces. */
typedef struct merge_part {
    rd_trace *trace;
    const rd_refs *refs; /* the current batch; NULL: none was read yet */
    size_t next;         /* index in the batch of the first reference that was not delivered */
    uint64_t time;       /* time of that reference */
    rd_merged_facts facts;
} merge_part;

/* The arguments of rd_trace_merge(), which merge_open() receives in rdi_reader.source. */
typedef struct merge_source {
    rd_trace *const *traces;
    const char *const *names;
    size_t n;
} merge_source;

typedef struct merge_reader {
    rdi_reader *r;
    merge_part *part;
    char **name; /* names of the traces */
    size_t n;
    size_t *heap; /* indices of the traces that offer a reference, with the smallest time first */
    size_t n_heap;
    size_t reread;                   /* index of the trace that needs its next batch; n: none */
    size_t started;                  /* number of traces whose first batch was read */
    size_t first;                    /* index of the first trace that has references; n: none yet */
    uint32_t fields;                 /* columns of trace `first` */
    bool selected;                   /* true: the columns of the traces were selected */
    bool give_times;                 /* true: the caller has selected times */
    uint64_t *more[RD_MORE_COLUMNS]; /* memory for the further columns of a batch; NULL: none */
} merge_reader;

static rd_status merge_select(void *self, uint32_t fields) {
    merge_reader *m = self;
    m->selected = true;
    m->give_times = fields & RD_FIELD_TIME;
    for (size_t i = 0; i < m->n; i++)
        RD_TRY(rd_trace_select(m->part[i].trace, fields | RD_FIELD_TIME));
    return RD_OK;
}

/* Copies the names, because the caller's names may be gone when a message needs them. */
static rd_status copy_names(merge_reader *m, const char *const *names) {
    for (size_t i = 0; i < m->n; i++)
        if (!(m->name[i] = rdi_strdup(m->r->ctx, names[i])))
            return RD_ENOMEM;
    return RD_OK;
}

static rd_status merge_open(void *self, rdi_reader *r) {
    merge_reader *m = self;
    const merge_source *source = r->source;
    m->r = r;
    m->n = m->reread = m->first = source->n;
    m->part = rdi_calloc(r->ctx, m->n, sizeof *m->part);
    m->name = rdi_calloc(r->ctx, m->n, sizeof *m->name);
    m->heap = rdi_alloc(r->ctx, m->n, sizeof *m->heap);
    if (!m->part || !m->name || !m->heap)
        return RD_ENOMEM;
    RD_TRY(copy_names(m, source->names));
    r->ids = rd_trace_has_ids(source->traces[0]);
    for (size_t i = 0; i < m->n; i++)
        r->requests |= rd_trace_request_fields(source->traces[i]);
    r->hex_ids = true;
    for (size_t i = 0; i < m->n; i++) {
        m->part[i].trace = source->traces[i];
        r->hex_ids = r->hex_ids && rd_trace_has_hex_ids(source->traces[i]);
        if (rd_trace_has_ids(source->traces[i]) != r->ids)
            return rdi_fail(r->ctx, RD_EINVAL,
                            "%s: this trace has %s, but %s has %s; merge "
                            "traces of the same kind only",
                            m->name[i], r->ids ? "addresses" : "object ids", m->name[0],
                            r->ids ? "object ids" : "addresses");
    }
    r->source = NULL; /* *source ends with the call of rd_trace_merge() */
    return RD_OK;
}

/* ---- the heap ---- */

static bool is_before(const merge_reader *m, size_t a, size_t b) {
    uint64_t x = m->part[a].time, y = m->part[b].time;
    return x < y || (x == y && a < b);
}

static void sift_down(merge_reader *m, size_t at) {
    size_t moved = m->heap[at];
    for (size_t child; (child = 2 * at + 1) < m->n_heap; at = child) {
        if (child + 1 < m->n_heap && is_before(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!is_before(m, m->heap[child], moved))
            break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = moved;
}

static void push(merge_reader *m, size_t part) {
    size_t at = m->n_heap++;
    for (; at > 0 && is_before(m, part, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
        m->heap[at] = m->heap[(at - 1) / 2];
    m->heap[at] = part;
}

/* ---- reading ---- */

/* Returns the title that a column usually has in a table. Messages put it between quotes, so the
 * text of two titles has quotes inside. */
static const char *title_of(uint32_t field) {
    return field == RD_FIELD_KIND    ? "kind' or 'op"
           : field == RD_FIELD_BYTES ? "size"
                                     : rd_field_name(field);
}

static rd_status check_columns(merge_reader *m, size_t i) {
    const rd_refs *refs = m->part[i].refs;
    if (!refs->more[RD_MORE_TIME])
        return rdi_fail(m->r->ctx, RD_EINVAL,
                        "%s: this trace has no times, which --merge=time needs; if a column has "
                        "them, name it, for example with -f csv:time=1",
                        m->name[i]);
    if (m->first == m->n) {
        m->first = i;
        m->fields = refs->fields;
    }
    uint32_t differ = refs->fields ^ m->fields;
    if (!differ)
        return RD_OK;
    /* Kinds follow from operations, so that only operations are a column of the file. */
    if (differ & RD_FIELD_OPERATION)
        differ = RD_FIELD_OPERATION;
    uint32_t field = differ & (~differ + 1);
    return rdi_fail(m->r->ctx, RD_EINVAL,
                    "%s: this trace has %s column '%s', but %s has %s; merge traces with the same "
                    "columns only",
                    m->name[i], refs->fields & field ? "the" : "no", title_of(field),
                    m->name[m->first], refs->fields & field ? "none" : "it");
}

/* Sets p->time to the time of the next reference. If this time is before p->time, leaves p->time
 * unchanged and counts the reference in facts.backwards. */
static void note_time(merge_part *p) {
    uint64_t time = p->refs->more[RD_MORE_TIME][p->next];
    p->facts.backwards += time < p->time;
    p->time = time > p->time ? time : p->time;
}

/* Reads the next batch of a trace and, unless the trace has ended, adds the trace to the heap. */
static rd_status refill(merge_reader *m, size_t i) {
    merge_part *p = &m->part[i];
    const rd_event *events;
    RD_TRY(rd_trace_read(p->trace, &p->refs));
    p->next = 0;
    if (rd_trace_events(p->trace, &events) > 0)
        return rdi_fail(
            m->r->ctx, RD_EINVAL,
            "%s: this trace has events, such as modules, which cannot be merged by time",
            m->name[i]);
    if (p->refs->n == 0)
        return RD_OK;
    RD_TRY(check_columns(m, i));
    note_time(p);
    push(m, i);
    return RD_OK;
}

static rd_status make_columns(merge_reader *m) {
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
        if (m->fields & RD_FIELD_MORE(i) && !m->more[i] &&
            !(m->more[i] = rdi_alloc(m->r->ctx, RDI_REFS_MAX, sizeof *m->more[i])))
            return RD_ENOMEM;
    return RD_OK;
}

/* Reads the batches that decide which reference comes next. */
static rd_status prepare(merge_reader *m) {
    if (!m->selected)
        RD_TRY(merge_select(m, 0));
    for (; m->started < m->n; m->started++)
        RD_TRY(refill(m, m->started));
    if (m->reread < m->n) {
        size_t i = m->reread;
        m->reread = m->n;
        RD_TRY(refill(m, i));
    }
    return make_columns(m);
}

static void copy_reference(merge_reader *m, const rd_refs *refs, size_t from, size_t to) {
    rdi_columns *col = m->r->col;
    col->addr[to] = refs->addr[from];
    if (refs->size)
        col->size[to] = refs->size[from];
    if (refs->kind)
        col->kind[to] = refs->kind[from];
    if (refs->pc)
        col->pc[to] = refs->pc[from];
    if (refs->thread)
        col->thread[to] = refs->thread[from];
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
        if (refs->more[i])
            m->more[i][to] = refs->more[i][from];
}

static void deliver(merge_reader *m, size_t n, rd_refs *refs) {
    const rdi_columns *col = m->r->col;
    uint32_t fields = m->give_times ? m->fields : m->fields & ~(uint32_t)RD_FIELD_TIME;
    *refs = (rd_refs){.n = n,
                      .fields = fields,
                      .addr = col->addr,
                      .size = fields & RD_FIELD_SIZE ? col->size : NULL,
                      .kind = fields & RD_FIELD_KIND ? col->kind : NULL,
                      .pc = fields & RD_FIELD_PC ? col->pc : NULL,
                      .thread = fields & RD_FIELD_THREAD ? col->thread : NULL};
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
        refs->more[i] = fields & RD_FIELD_MORE(i) ? m->more[i] : NULL;
}

static void tell_progress(merge_reader *m) {
    m->r->done = m->r->total = 0;
    for (size_t i = 0; i < m->n; i++) {
        uint64_t done, total;
        rd_trace_progress(m->part[i].trace, &done, &total);
        m->r->done += done;
        m->r->total += total;
    }
}

static rd_status merge_read(void *self, rd_refs *refs) {
    merge_reader *m = self;
    size_t n = 0;
    RD_TRY(prepare(m));
    while (n < RDI_REFS_MAX && m->n_heap > 0 && m->reread == m->n) {
        merge_part *p = &m->part[m->heap[0]];
        copy_reference(m, p->refs, p->next++, n++);
        p->facts.references++;
        if (p->next < p->refs->n) {
            note_time(p);
        } else {
            m->reread = m->heap[0];
            m->heap[0] = m->heap[--m->n_heap];
        }
        if (m->n_heap)
            sift_down(m, 0);
    }
    tell_progress(m);
    if (n > 0)
        deliver(m, n, refs);
    return RD_OK;
}

static void merge_omitted(const void *self, uint64_t *skipped, uint64_t *repeats) {
    const merge_reader *m = self;
    *skipped = *repeats = 0;
    for (size_t i = 0; i < m->n; i++) {
        uint64_t here = rd_trace_skipped(m->part[i].trace);
        bool known = here != UINT64_MAX && *skipped != UINT64_MAX;
        *skipped = known ? *skipped + here : UINT64_MAX;
        *repeats += rd_trace_repeats(m->part[i].trace);
    }
}

static void merge_close(void *self) {
    merge_reader *m = self;
    if (!m->r)
        return;
    for (size_t i = 0; m->name && i < m->n; i++)
        rdi_free(m->r->ctx, m->name[i]);
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
        rdi_free(m->r->ctx, m->more[i]);
    rdi_free(m->r->ctx, m->name);
    rdi_free(m->r->ctx, m->part);
    rdi_free(m->r->ctx, m->heap);
}

static const rdi_format_ops merge_ops = {
    .info =
        {
            .name = "merged",
            .summary = "several traces, merged by time",
            .fields =
                RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_REQUEST_FIELDS,
        },
    .state_size = sizeof(merge_reader),
    .open = merge_open,
    .select = merge_select,
    .read = merge_read,
    .omitted = merge_omitted,
    .close = merge_close,
};

rd_status rd_trace_merge(rd_ctx *ctx, rd_trace *const *traces, const char *const *names, size_t n,
                         rd_trace **out) {
    RDI_NEED(ctx, ctx, traces, names, out);
    if (n == 0)
        return rdi_fail(ctx, RD_EINVAL, "there is no trace to merge");
    for (size_t i = 0; i < n; i++)
        RDI_NEED(ctx, traces[i], names[i]);
    merge_source source = {traces, names, n};
    return rdi_trace_open_from(ctx, &merge_ops, &source, out);
}

rd_merged_facts rd_trace_merged(const rd_trace *t, size_t i) {
    const merge_reader *m = rdi_trace_state(t, &merge_ops);
    return m && i < m->n ? m->part[i].facts : (rd_merged_facts){0, 0};
}
