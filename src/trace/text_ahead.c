/* Reads the lines of a trace with several threads. See text_ahead.h. */
#include "trace/text_ahead.h"

#include "base/threads.h"
#include "trace/id_table.h"
#include "trace/lines.h"

/* Maximum number of batches of a portion, which limits the memory. It is enough for
 * RDI_TEXT_AHEAD_PORTION bytes if each reference takes at least two bytes. If a portion has more
 * batches, the caller's thread parses it again. */
#define BATCHES 68

/* CUT: the portion was not read yet; DONE: it was read; AGAIN: the caller's thread must read it. */
typedef enum { CUT, DONE, AGAIN } portion_state;

typedef struct portion {
    char *text;
    size_t n, room;
    uint64_t offset, line; /* position of the text, and number of lines before it */
    uint64_t bytes;        /* number of bytes of the file up to the end of the portion */
    rdi_columns *col[BATCHES];
    rd_refs batch[BATCHES];
    size_t batches;
    portion_state state; /* `lock` protects it */
} portion;

/* A reader of portions with its own state, input buffer and messages. */
typedef struct portion_reader {
    rdi_text_ahead *a;
    rd_ctx *ctx;
    rdi_input in; /* the portion; it is never filled, because eof is set */
    rdi_reader r;
    void *state; /* a copy of the state of the trace's reader */
    rdi_id_log log;
} portion_reader;

struct rdi_text_ahead {
    const rdi_format_ops *ops;
    rdi_lines *lines; /* state of the trace's reader; `cutting` protects it and the input */
    rdi_reader *r;
    rdi_id_table *ids; /* table of the trace's reader, used by the thread whose turn it is; NULL:
                          none */
    void *template;    /* a copy of the initial state of the trace's reader */
    rdi_monitor cutting;
    rdi_crew *crew;
    portion_reader again; /* reader of the caller's thread */
    bool rereading;       /* true: `again` is reading the current portion */
    /* `lock` protects the members after it, up to `numbers_only`. */
    rdi_monitor lock;
    uint64_t cut;      /* number of portions that were cut */
    uint64_t turn;     /* number of portions whose ids were entered */
    uint64_t taken;    /* number of portions that the caller has finished */
    unsigned waiting;  /* number of threads that wait for room or for their turn */
    bool ended;        /* true: no more portions are cut */
    bool stop;         /* true: the caller wants no more portions */
    bool numbers_only; /* true: the table remembers no more numbers */
    /* Only the caller's thread uses `next`, `bytes` and `total`. */
    size_t next;           /* index of the next batch in the current portion */
    uint64_t bytes, total; /* bytes of the file up to the end of the current portion, and in all */
    size_t readers, portions;
    portion *portion;
    portion_reader reader[RDI_TEXT_AHEAD_THREADS];
};

static portion *portion_at(const rdi_text_ahead *a, uint64_t number) {
    return &a->portion[number % a->portions];
}

static rdi_id_table *table_of(const rdi_text_ahead *a, void *state) {
    return a->ops->ids_at ? (rdi_id_table *)((char *)state + a->ops->ids_at) : NULL;
}

/* ---- a reader of portions ---- */

static void reset_reader(portion_reader *p) {
    memcpy(p->state, p->a->template, p->a->ops->state_size);
    p->a->ops->separate(p->state);
    ((rdi_lines *)p->state)->r = &p->r;
    ((rdi_lines *)p->state)->complete = 0;
    rdi_id_table *ids = table_of(p->a, p->state);
    if (ids) {
        rdi_id_table_separate(ids);
        ids->ctx = p->ctx;
        ids->log = &p->log;
    }
}

static rd_status open_reader(rdi_text_ahead *a, portion_reader *p, rd_ctx *ctx) {
    p->a = a;
    p->ctx = ctx;
    p->in = (rdi_input){.ctx = ctx, .name = a->r->in->name, .eof = true};
    p->r = *a->r;
    p->r.ctx = ctx;
    p->r.in = &p->in;
    p->log.ctx = ctx;
    if (!(p->state = rdi_alloc(ctx, 1, a->ops->state_size)))
        return RD_ENOMEM;
    reset_reader(p);
    return RD_OK;
}

static void close_reader(portion_reader *p) {
    if (!p->a)
        return;
    if (p->state && p->a->ops->close)
        p->a->ops->close(p->state);
    rdi_free(p->ctx, p->state);
    rdi_id_log_free(&p->log);
}

static void show_portion(portion_reader *p, const portion *from) {
    p->in.data = (const uint8_t *)from->text;
    p->in.avail = from->n;
    p->in.offset = from->offset;
    p->in.line = from->line;
    p->log.n = p->log.used = 0;
}

/* Sets p->r.col to the memory of the next batch of the portion. */
static rd_status provide_columns(portion_reader *p, portion *to) {
    rdi_columns **col = &to->col[to->batches];
    rd_ctx *ctx = p->a->r->ctx;
    if (!*col && (*col = rdi_alloc(ctx, 1, sizeof **col)))
        (*col)->more = NULL;
    if (*col && p->a->r->col->more && !(*col)->more &&
        !((*col)->more = rdi_alloc(ctx, RD_MORE_BYTES + 1, sizeof *(*col)->more)))
        return RD_ENOMEM;
    p->r.col = *col;
    return *col ? RD_OK : RD_ENOMEM;
}

/* Parses a portion into its batches. Fails if the caller's thread must read the portion again. */
static rd_status parse_portion(portion_reader *p, portion *to) {
    show_portion(p, to);
    for (to->batches = 0; to->batches < BATCHES; to->batches++) {
        RD_TRY(provide_columns(p, to));
        rd_refs *refs = &to->batch[to->batches];
        *refs = (rd_refs){0};
        RD_TRY(p->a->ops->read(p->state, refs));
        if (refs->n == 0)
            return RD_OK;
    }
    return RD_ERANGE;
}

/* ---- threads ---- */

/* Returns the number of '\n' in the text. The number of '\n' in 192 characters fits in one byte, so
 * that a vector register holds many such numbers. */
static size_t count_lines(const char *text, size_t n) {
    size_t lines = 0;
    for (size_t i = 0; i < n; i += 192) {
        size_t end = i + 192 < n ? i + 192 : n;
        uint8_t some = 0;
        for (size_t j = i; j < end; j++)
            some = (uint8_t)(some + (text[j] == '\n'));
        lines += some;
    }
    return lines;
}

/* Appends whole lines of the input to a portion. Returns false, and leaves the input unchanged, if
 * there is no further line that ends with '\n', or no room or no memory for it. */
static bool add_lines(rdi_text_ahead *a, portion *to) {
    rdi_input *in = a->r->in;
    const char *p = NULL, *limit = NULL;
    uint64_t line = in->line;
    rd_status status = rdi_lines_fill(a->lines, &p, &limit);
    in->line = line; /* undoes the count of a line that is too long; it is counted again */
    if (status != RD_OK || p == limit || a->lines->complete > in->avail)
        return false;
    size_t n = (size_t)(limit - p);
    if (to->n + n > to->room) {
        if (to->n > 0)
            return false;
        rdi_free(a->r->ctx, to->text);
        to->room = n > RDI_TEXT_AHEAD_PORTION ? n : RDI_TEXT_AHEAD_PORTION;
        if (!(to->text = rdi_alloc(a->r->ctx, to->room, 1))) {
            to->room = 0;
            return false;
        }
    }
    memcpy(to->text + to->n, p, n);
    to->n += n;
    in->line += count_lines(p, n);
    rdi_lines_consume(a->lines, n);
    return true;
}

/* Cuts a portion from the input. Returns false if there are no more whole lines or no memory. */
static bool cut_portion(rdi_text_ahead *a, portion *to) {
    rdi_input *in = a->r->in;
    uint64_t total;
    to->n = 0;
    to->line = in->line;
    if (!add_lines(a, to))
        return false;
    to->offset = in->offset - to->n;
    while (to->n < RDI_TEXT_AHEAD_PORTION && add_lines(a, to)) {
    }
    rdi_input_progress(in, &to->bytes, &total);
    return true;
}

/* Waits until there is room for the next portion. Returns false if there is no next portion: the
 * input has ended, or the caller wants no more portions. */
static bool wait_for_room(rdi_text_ahead *a) {
    rdi_monitor_enter(&a->lock);
    a->waiting++;
    while (a->cut - a->taken == a->portions && !a->stop)
        rdi_monitor_wait(&a->lock);
    a->waiting--;
    bool wanted = !a->stop && !a->ended;
    rdi_monitor_leave(&a->lock);
    return wanted;
}

/* Cuts the next portion, and sets *number to the number of the portion. Returns false if there is
 * no next portion. */
static bool next_portion(rdi_text_ahead *a, portion_reader *p, uint64_t *number) {
    rdi_monitor_enter(&a->cutting);
    bool found = false;
    if (wait_for_room(a)) {
        *number = a->cut; /* only the holder of `cutting` changes it */
        found = cut_portion(a, portion_at(a, *number));
        rdi_monitor_enter(&a->lock);
        portion_at(a, *number)->state = CUT;
        a->cut += found;
        a->ended = !found;
        rdi_id_table *ids = table_of(a, p->state);
        if (ids && a->numbers_only)
            ids->numbers_read = RDI_ID_NUMBERS_MAX;
        if (a->ended)
            rdi_monitor_wake(&a->lock);
        rdi_monitor_leave(&a->lock);
    }
    rdi_monitor_leave(&a->cutting);
    return found;
}

/* Waits until the ids of all portions before portion `number` have been entered. Returns false if
 * the caller wants no more portions. */
static bool wait_for_turn(rdi_text_ahead *a, uint64_t number) {
    rdi_monitor_enter(&a->lock);
    a->waiting++;
    while (a->turn != number && !a->stop)
        rdi_monitor_wait(&a->lock);
    a->waiting--;
    bool wanted = !a->stop;
    rdi_monitor_leave(&a->lock);
    return wanted;
}

/* Sets the state of portion `number`, and lets the turn pass to the first portion that is not done.
 * A portion without ids to enter may be done before its turn. */
static void finish_portion(rdi_text_ahead *a, uint64_t number, portion_state state) {
    rdi_monitor_enter(&a->lock);
    portion_at(a, number)->state = state;
    while (a->turn < a->cut && portion_at(a, a->turn)->state == DONE)
        a->turn++;
    if (number == a->taken || a->waiting) /* needless wakes are expensive */
        rdi_monitor_wake(&a->lock);
    rdi_monitor_leave(&a->lock);
}

static void note_numbers(rdi_text_ahead *a) {
    rdi_monitor_enter(&a->lock);
    a->numbers_only = a->ids->numbers_read >= RDI_ID_NUMBERS_MAX;
    rdi_monitor_leave(&a->lock);
}

static void read_portions(void *arg, unsigned worker) {
    rdi_text_ahead *a = arg;
    portion_reader *p = &a->reader[worker - 1];
    uint64_t number = 0;
    while (next_portion(a, p, &number)) {
        rd_status status = parse_portion(p, portion_at(a, number));
        if (status == RD_OK && p->log.n > 0) {
            if (!wait_for_turn(a, number))
                return;
            status = rdi_id_table_enter(a->ids, &p->log);
            note_numbers(a);
        }
        finish_portion(a, number, status == RD_OK ? DONE : AGAIN);
        if (status != RD_OK) {
            if (a->ops->close)
                a->ops->close(p->state);
            reset_reader(p);
        }
    }
}

/* ---- the caller's side ---- */

/* Prepares to read a portion again with the table of the trace's reader. It is the turn of this
 * portion, because all portions before it were delivered. */
static void begin_again(rdi_text_ahead *a, const portion *from) {
    a->rereading = true;
    show_portion(&a->again, from);
    if (a->ids)
        *table_of(a, a->again.state) = *a->ids;
}

/* Hands the table back to the trace's reader, with the ids that were entered. */
static void end_again(rdi_text_ahead *a) {
    a->rereading = false;
    if (!a->ids)
        return;
    rdi_id_table *lent = table_of(a, a->again.state);
    *a->ids = *lent;
    rdi_id_table_separate(lent);
    note_numbers(a);
}

static void give_back(rdi_text_ahead *a) {
    rdi_monitor_enter(&a->lock);
    a->taken++;
    if (a->waiting)
        rdi_monitor_wake(&a->lock);
    rdi_monitor_leave(&a->lock);
}

/* Waits until the current portion has been read, and sets *state to its state. Returns NULL if
 * there are no more portions. */
static portion *wait_for_portion(rdi_text_ahead *a, portion_state *state) {
    rdi_monitor_enter(&a->lock);
    portion *now = portion_at(a, a->taken);
    while (!(a->taken < a->cut ? now->state != CUT : a->ended))
        rdi_monitor_wait(&a->lock);
    bool there = a->taken < a->cut;
    *state = now->state;
    rdi_monitor_leave(&a->lock);
    return there ? now : NULL;
}

/* Reads the next batch of the portion that is read again. Sets refs->n to 0 at the end of the
 * portion. */
static rd_status read_again(rdi_text_ahead *a, rd_refs *refs) {
    *refs = (rd_refs){0};
    rd_status status = a->ops->read(a->again.state, refs);
    if (status == RD_OK && refs->n > 0)
        return RD_OK;
    end_again(a);
    if (status == RD_OK)
        finish_portion(a, a->taken, DONE);
    return status;
}

rd_status rdi_text_ahead_read(rdi_text_ahead *a, rd_refs *refs) {
    portion *now = NULL;
    portion_state state = DONE;
    while ((now = wait_for_portion(a, &state))) {
        a->bytes = now->bytes;
        if (state == AGAIN) {
            if (!a->rereading)
                begin_again(a, now);
            RD_TRY(read_again(a, refs));
            if (refs->n > 0)
                return RD_OK;
            a->next = now->batches = 0;
        }
        if (a->next < now->batches) {
            *refs = now->batch[a->next++];
            return RD_OK;
        }
        a->next = 0;
        give_back(a);
    }
    return RD_OK;
}

uint64_t rdi_text_ahead_bytes(const rdi_text_ahead *a, uint64_t *total) {
    *total = a->total;
    return a->bytes;
}

static rd_status start(rdi_text_ahead *a, void *self, unsigned threads) {
    rd_ctx *ctx = a->r->ctx;
    a->template = rdi_alloc(ctx, 1, a->ops->state_size);
    a->portions = threads + 2;
    a->portion = rdi_calloc(ctx, a->portions, sizeof *a->portion);
    if (!a->template || !a->portion)
        return RD_ENOMEM;
    memcpy(a->template, self, a->ops->state_size);
    RD_TRY(open_reader(a, &a->again, ctx));
    a->again.r.col = a->r->col;
    for (; a->readers < threads; a->readers++) {
        rd_ctx *own = NULL;
        RD_TRY(rdi_ctx_within(ctx, &own));
        rd_status status = open_reader(a, &a->reader[a->readers], own);
        if (status != RD_OK) {
            a->readers++;
            return status;
        }
    }
    RD_TRY(rdi_crew_new(ctx, threads, read_portions, a, &a->crew));
    return rdi_crew_size(a->crew) > 0 ? RD_OK : RD_ENOMEM;
}

rd_status rdi_text_ahead_open(const rdi_format_ops *ops, void *self, rdi_reader *r,
                              unsigned threads, rdi_text_ahead **out) {
    rdi_text_ahead *a = rdi_calloc(r->ctx, 1, sizeof *a);
    if (!a)
        return RD_ENOMEM;
    a->ops = ops;
    a->lines = self;
    rdi_input_progress(r->in, &a->bytes, &a->total);
    a->r = r;
    a->ids = table_of(a, self);
    rdi_monitor_init(&a->cutting);
    rdi_monitor_init(&a->lock);
    rd_status status =
        start(a, self, threads < RDI_TEXT_AHEAD_THREADS ? threads : RDI_TEXT_AHEAD_THREADS);
    if (status != RD_OK) {
        rdi_text_ahead_close(a);
        return status;
    }
    *out = a;
    return RD_OK;
}

static void free_portion(rd_ctx *ctx, portion *p) {
    rdi_free(ctx, p->text);
    for (size_t i = 0; i < BATCHES; i++) {
        if (p->col[i])
            rdi_free(ctx, p->col[i]->more);
        rdi_free(ctx, p->col[i]);
    }
}

void rdi_text_ahead_close(rdi_text_ahead *a) {
    if (!a)
        return;
    rd_ctx *ctx = a->r->ctx;
    rdi_monitor_enter(&a->lock);
    a->stop = true;
    rdi_monitor_wake(&a->lock);
    rdi_monitor_leave(&a->lock);
    rdi_crew_free(a->crew);
    if (a->rereading)
        end_again(a);
    for (size_t i = 0; i < a->readers; i++) {
        close_reader(&a->reader[i]);
        rd_ctx_free(a->reader[i].ctx);
    }
    close_reader(&a->again);
    for (size_t i = 0; i < a->portions && a->portion; i++)
        free_portion(ctx, &a->portion[i]);
    rdi_free(ctx, a->portion);
    rdi_free(ctx, a->template);
    rdi_monitor_fini(&a->lock);
    rdi_monitor_fini(&a->cutting);
    rdi_free(ctx, a);
}
