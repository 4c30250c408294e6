/* Functions that formats with one record per line share.
 *
 * A format has a parser for one line; rdi_lines_read() passes complete lines of the input buffer to the
 * parser, and makes batches of the references that the parser returns. A parser that is inlined into the
 * loop, and scans up to the end of its line, needs neither a call nor a search for the end of line per
 * record.
 *
 * Lines end with "\n" or "\r\n" (a parser treats '\r' as a blank), the last line may lack its end,
 * and a byte order mark at the beginning of the file is skipped. A line, with its end, has at most
 * `max` bytes.
 */
#ifndef RDI_LINES_H
#define RDI_LINES_H

#include "trace/format.h"
#include "trace/scan.h"

#include <string.h>

/* The reference of one line. The caller sets it to size 1, kind RD_LOAD and zeros before it calls
 * the parser; the parser changes the fields that the line has. */
typedef struct rdi_ref {
    uint64_t addr, pc;
    uint32_t size, thread;
    uint8_t kind; /* 0: no reference; RDI_MODIFY: two references, a load and then a store */
} rdi_ref;

#define RDI_MODIFY (RD_LOAD | RD_STORE)

/* The first member of a line format's state. */
typedef struct rdi_lines {
    rdi_reader *r;
    const char *expected; /* the form of a valid line, for messages */
    size_t max;           /* maximum length of a line with its end, in bytes; a power of two */
    size_t complete;      /* number of bytes of complete lines at the beginning of the input
                             buffer */
    rd_status failed;     /* status of a parser that refused a line and has set the message
                             itself */
} rdi_lines;

/* Reads the line at p, one of the complete lines up to `limit`. Returns the byte after its '\n', or
 * NULL if the line is malformed or l->failed is set. A refused line is parsed again after the
 * references before it were delivered, so parsing must be repeatable. Probes pass l == NULL. */
typedef const char *rdi_line_parser(rdi_lines *l, const char *p, const char *limit, rdi_ref *ref);

/* Starts reading lines. `expected` may be NULL if the parser sets all messages itself. */
void rdi_lines_open(rdi_lines *l, rdi_reader *r, const char *expected);

/* Sets *p to the beginning and *limit to the end of the complete lines in the input buffer, and
 * reads more if the buffer has none. *p equals *limit afterwards only at the end of the file.
 * limit[-1] is '\n'. If the last line of the file has no '\n', limit[-1] is the '\n' that is stored
 * just after the input buffer. */
rd_status rdi_lines_fill(rdi_lines *l, const char **p, const char **limit);

/* Implements separate() for readers that have nothing to replace: does nothing. */
void rdi_lines_separate(void *self);

/* Drops the first n bytes of the lines that rdi_lines_fill() returned. */
void rdi_lines_consume(rdi_lines *l, size_t n);

/* Counts the line at p, and fails with a message about this line: the message of the parser if it
 * has set l->failed, otherwise a message with l->expected. */
rd_status rdi_lines_fail(rdi_lines *l, const char *p, const char *limit);

/* Returns `sure` if every line of a file's head is valid and at least one is a reference,
 * RDI_PROBE_WEAK / 2 if there are invalid lines but at least 8 references for each of them, and
 * RDI_PROBE_NO otherwise. RDI_PROBE_WEAK / 2 lets the reader report the invalid lines, unless
 * another format fits better. */
int rdi_lines_probe(const uint8_t *head, size_t n, bool whole, rdi_line_parser *parse, int sure);

/* Returns the beginning of the first line in a head, after a byte order mark. *limit is the end of
 * the complete lines of the head. */
const char *rdi_lines_in_head(const uint8_t *head, size_t n, bool whole, const char **limit);

/* Returns the '\n' that ends the line at p. */
static inline const char *rdi_line_end(const char *p, const char *limit) {
    return memchr(p, '\n', (size_t)(limit - p));
}

/* Skips the line at p, which is not a reference: sets ref->kind to 0, and returns the byte after
 * its '\n'. */
static inline const char *rdi_line_skip(const char *p, const char *limit, rdi_ref *ref) {
    ref->kind = 0;
    return rdi_line_end(p, limit) + 1;
}

#define RDI_EXCERPT_MAX 80

/* Copies the beginning of a text for a message, with unprintable bytes written like \x1b. */
void rdi_excerpt(char out[RDI_EXCERPT_MAX], const char *text, size_t n);

#define RDI_FOUND_MAX (RDI_EXCERPT_MAX + 2)

/* Writes what a message says was found: the beginning of a text in quotes, or "the end of the line"
 * if the text is empty. */
void rdi_found(char out[RDI_FOUND_MAX], const char *text, size_t n);

/* Appends the reference or references of a line to a batch of n references, which must have room
 * for two more. Returns the new number of references. */
static inline size_t rdi_lines_add(rdi_columns *col, size_t n, uint32_t fields,
                                   const rdi_ref *ref) {
    /* Both references of a modify are always written, but the second one is counted only if the
     * kind requires it. This saves a branch. */
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

/* Implements read() of a line format: makes a batch of the references that `parse` finds in the
 * complete lines of the input buffer. If these lines have no reference, reads more; the batch is
 * empty only at the end of the input. */
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

/* Gives every reference of a batch the size `size`. A size of 1 needs no column, because it is the
 * default. */
void rdi_lines_set_size(rdi_lines *l, rd_refs *refs, uint64_t size);

/* The row of the option table for the size. `state` has a member `uint64_t size`. */
#define RDI_LINES_SIZE_OPT(state)                                                                  \
    {                                                                                              \
        .name = "size", .type = RD_OPT_SIZE, .offset = offsetof(state, size), .def = "1",          \
        .min = 1, .max = UINT32_MAX, .help = "bytes that every reference touches"                  \
    }

/* ---- writing ---- */

#define RDI_LINE_ROOM 64 /* maximum number of bytes that a formatter writes */

/* Writes the line for one reference to p and returns the byte after it. */
typedef char *rdi_line_formatter(const rdi_writer *w, const rdi_ref *ref, char *p);

/* The state of a writer of lines. */
typedef struct rdi_lines_writer {
    rdi_writer *w;
} rdi_lines_writer;

rd_status rdi_lines_writer_open(void *self, rdi_writer *w);

/* Implements write() of a line format: writes the lines that `format` makes. */
rd_status rdi_lines_write(rdi_lines_writer *l, const rd_refs *refs, rdi_line_formatter *format);

#endif
