/* The common part of formats with one record per line.
 *
 * A format gives a parser for one line; rdi_lines_read() feeds it complete lines straight from the
 * input window and makes batches of what it returns. The parser is inlined into the loop, which is
 * what makes text formats fast: no call and no search for the end of line per record.
 *
 * Lines end with "\n" or "\r\n" (to a parser '\r' is a blank), the last one may lack its end, and
 * a byte order mark in front of the file is skipped. A line has at most `max` bytes with its end.
 */
#ifndef RDI_LINES_H
#define RDI_LINES_H

#include "trace/format.h"
#include "trace/scan.h"

#include <string.h>

/* What one line says. Parsers find size 1, kind RD_LOAD and zeros, and change what they know. */
typedef struct rdi_ref {
    uint64_t addr, pc;
    uint32_t size, thread;
    uint8_t kind; /* 0: the line is no reference; RDI_MODIFY: two, a load and then a store */
} rdi_ref;

#define RDI_MODIFY (RD_LOAD | RD_STORE)

/* First member of a line format's state. */
typedef struct rdi_lines {
    rdi_reader *r;
    const char *expected; /* what a good line looks like, for the message about a bad one */
    size_t max;           /* longest line with its end, in bytes; a power of two */
    size_t complete;      /* bytes of complete lines at the front of the window */
    rd_status failed;     /* why the parser refused a line, when it has set a message itself */
} rdi_lines;

/* Reads the line at p, one of the complete lines up to `limit`. Returns the byte behind its '\n',
 * or NULL: malformed, or l->failed. A refused line is parsed once more when the references before
 * it were delivered, so parsing must be repeatable. Probes pass l == NULL. */
typedef const char *rdi_line_parser(rdi_lines *l, const char *p, const char *limit, rdi_ref *ref);

/* `expected` may be NULL when the parser sets all messages itself. */
void rdi_lines_open(rdi_lines *l, rdi_reader *r, const char *expected);

/* The complete lines now in the window, reading on if there is none: *p .. *limit, empty only at
 * the end of the file. limit[-1] is a '\n', for the last line of a file perhaps the window's own.
 */
rd_status rdi_lines_fill(rdi_lines *l, const char **p, const char **limit);

/* Drops the first n bytes of the lines that rdi_lines_fill() showed. */
void rdi_lines_consume(rdi_lines *l, size_t n);

/* The message about the line at p, which is the next one to be counted. */
rd_status rdi_lines_fail(rdi_lines *l, const char *p, const char *limit);

/* `sure`, if every line of a file's head is good and at least one is a reference. A guess, if
 * nearly all are: should no other format know better, the reader will say what is wrong. Else "no".
 */
int rdi_lines_probe(const uint8_t *head, size_t n, bool whole, rdi_line_parser *parse, int sure);

/* Start of the first line in a head (behind a byte order mark), and where its complete lines end.
 */
const char *rdi_lines_in_head(const uint8_t *head, size_t n, bool whole, const char **limit);

/* Where the line at p ends: its '\n'. */
static inline const char *rdi_line_end(const char *p, const char *limit) {
    return memchr(p, '\n', (size_t)(limit - p));
}

/* A line that is no reference: what follows it. */
static inline const char *rdi_line_skip(const char *p, const char *limit, rdi_ref *ref) {
    ref->kind = 0;
    return rdi_line_end(p, limit) + 1;
}

#define RDI_EXCERPT_MAX 80

/* The beginning of a text as it can be shown in a message: unprintable bytes as \x1b. */
void rdi_excerpt(char out[RDI_EXCERPT_MAX], const char *text, size_t n);

/* Appends to a batch; there is always room for a modify. */
static inline size_t rdi_lines_add(rdi_columns *col, size_t n, uint32_t fields,
                                   const rdi_ref *ref) {
    /* Both references are written whatever the kind, and counted as the kind asks: no branch. */
    for (size_t i = n; i <= n + 1; i++) {
        col->addr[i] = ref->addr;
        if (fields & RD_FIELD_SIZE)
            col->size[i] = ref->size;
        if (fields & RD_FIELD_PC)
            col->pc[i] = ref->pc;
        if (fields & RD_FIELD_THREAD)
            col->thread[i] = ref->thread;
    }
    if (fields & RD_FIELD_KIND) {
        col->kind[n] = ref->kind == RDI_MODIFY ? RD_LOAD : ref->kind;
        col->kind[n + 1] = RD_STORE;
    }
    return n + (ref->kind != 0) + (ref->kind == RDI_MODIFY);
}

static inline void rdi_lines_deliver(rd_refs *refs, const rdi_columns *col, size_t n,
                                     uint32_t fields) {
    *refs = (rd_refs){
        .n = n,
        .fields = fields,
        .addr = col->addr,
        .size = fields & RD_FIELD_SIZE ? col->size : NULL,
        .kind = fields & RD_FIELD_KIND ? col->kind : NULL,
        .pc = fields & RD_FIELD_PC ? col->pc : NULL,
        .thread = fields & RD_FIELD_THREAD ? col->thread : NULL,
    };
}

/* A format's read(): one batch. */
static inline __attribute__((always_inline)) rd_status
rdi_lines_read(rdi_lines *l, rd_refs *refs, uint32_t fields, rdi_line_parser *parse) {
    rdi_columns *col = l->r->col;
    size_t n = 0;
    while (n == 0) {
        const char *start = NULL, *limit = NULL, *next = NULL;
        RD_TRY(rdi_lines_fill(l, &start, &limit));
        if (start == limit)
            break;
        const char *p = start;
        uint64_t line = l->r->in->line;
        l->failed = RD_OK;
        for (; p < limit && n < RDI_REFS_MAX - 1; p = next, line++) {
            rdi_ref ref = {.size = 1, .kind = RD_LOAD};
            next = parse(l, p, limit, &ref);
            if (RDI_UNLIKELY(!next))
                break;
            n = rdi_lines_add(col, n, fields, &ref);
        }
        l->r->in->line = line;
        if (!next && (n == 0 || l->failed == RD_ENOMEM))
            return rdi_lines_fail(l, p, limit);
        rdi_lines_consume(l, (size_t)(p - start));
    }
    rdi_lines_deliver(refs, col, n, fields);
    return RD_OK;
}

/* ---- formats without sizes ---- */

/* Gives every reference of a batch the size that the user named; 1 needs no column. */
void rdi_lines_set_size(rdi_lines *l, rd_refs *refs, uint64_t size);

/* The option for it: `state` has a field `uint64_t size`. */
#define RDI_LINES_SIZE_OPT(state)                                                                  \
    {                                                                                              \
        .name = "size", .type = RD_OPT_SIZE, .offset = offsetof(state, size), .def = "1",          \
        .min = 1, .max = UINT32_MAX, .help = "bytes that every reference touches"                  \
    }

/* ---- writing ---- */

#define RDI_LINE_ROOM 64 /* bytes that a formatter may need */

/* Puts the line for one reference at p; returns the byte behind it. */
typedef char *rdi_line_formatter(const rdi_writer *w, const rdi_ref *ref, char *p);

/* State and open() of a writer of lines. */
typedef struct rdi_lines_writer {
    rdi_writer *w;
} rdi_lines_writer;

rd_status rdi_lines_writer_open(void *self, rdi_writer *w);

/* A format's write(). */
rd_status rdi_lines_write(rdi_lines_writer *l, const rd_refs *refs, rdi_line_formatter *format);

#endif
