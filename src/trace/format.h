/* The interface of a trace format: one const table in one file, and one line in formats.def. */
#ifndef RDI_FORMAT_H
#define RDI_FORMAT_H

#include "base/common.h"
#include "base/output.h"
#include "reusedist/trace.h"
#include "trace/input.h"

#define RDI_REFS_MAX  4096          /* references per batch at most */
#define RDI_PROBE_MAX (64 * 1024)   /* most bytes that a probe sees */
#define RDI_LINE_MAX  (1024 * 1024) /* longest text line, unless a format says otherwise */

/* Storage for a batch, for readers that do not point into the input. */
typedef struct rdi_columns {
    uint64_t addr[RDI_REFS_MAX];
    uint64_t pc[RDI_REFS_MAX];
    uint32_t size[RDI_REFS_MAX];
    uint32_t thread[RDI_REFS_MAX];
    uint8_t kind[RDI_REFS_MAX];
} rdi_columns;

/* The part of a trace that the core (trace.c) and a reader share. */
typedef struct rdi_reader {
    rd_ctx *ctx;
    rdi_input *in;    /* NULL for generators and running programs */
    void *source;     /* the argument of rdi_trace_open_from(), else NULL */
    rdi_columns *col; /* room for one batch */
    bool ids;         /* may be changed in open() if this file has object ids */
    bool sampled;     /* may be set in open() if the recorder skipped references */
    bool never_began; /* a program that runs has ended without recording anything */
    const char *note; /* may be set in open(): rd_trace_note(), borrowed from the format's state */
    /* Events before and inside the batch. read() may set them, and its caller clears them before each
     * read(). They stay valid until the next read(). */
    const rd_event *events;
    size_t event_count;
    uint64_t done, total; /* without input: references made, and in all */
} rdi_reader;

typedef struct rdi_writer {
    rd_ctx *ctx;
    rdi_output *out;
    uint32_t fields; /* RD_FIELD_* to keep */
    bool ids;
} rdi_writer;

typedef struct rdi_writer_ops {
    size_t state_size;
    const rd_opt *opts;                           /* usually the reader's, or NULL */
    rd_status (*open)(void *self, rdi_writer *w); /* writes a header if there is one */
    /* Writes 1 to RDI_REFS_MAX references that have exactly the columns of w->fields. Sizes are at
     * least 1, and kinds are valid. */
    rd_status (*write)(void *self, const rd_refs *refs);
    /* Optional. Writes an event that happened before the next reference. The core has checked the
     * event, and the field of its kind is in w->fields. */
    rd_status (*write_event)(void *self, const rd_event *event);
    rd_status (*finish)(void *self); /* optional: last frame */
    void (*close)(void *self);       /* optional; tolerates half-open state */
} rdi_writer_ops;

/* How certain a probe is. The format with the highest number wins, and among equal ones the first in
 * formats.def. */
enum { RDI_PROBE_NO = 0, RDI_PROBE_WEAK = 20, RDI_PROBE_LIKELY = 60, RDI_PROBE_SURE = 100 };

typedef struct rdi_format_ops {
    rd_format_info info;
    size_t state_size; /* zeroed by the core; options are parsed into it */
    /* Looks at the first n > 0 bytes of the unpacked file; `whole` means that the file ends there. NULL
     * if the format can only be chosen with -f. */
    int (*probe)(const uint8_t *head, size_t n, bool whole);
    rd_status (*open)(void *self, rdi_reader *r);
    /* Fills *refs (zeroed by the core) with 1 to RDI_REFS_MAX references, or with n = 0 at the end. If
     * damage follows valid records of this batch, it returns these and fails at the next call. */
    rd_status (*read)(void *self, rd_refs *refs);
    /* Optional, both or neither, and called only for inputs whose size is known. count() returns the
     * number of references, or 0 if it is unknown because of damage. seek() continues at reference
     * `first` or *skip references before it. */
    uint64_t (*count)(void *self);
    rd_status (*seek)(void *self, uint64_t first, uint64_t *skip);
    /* Optional. Reports the references that a recorder skipped on purpose, and the repeated references
     * that it counted instead of recording them. */
    void (*omitted)(const void *self, uint64_t *skipped, uint64_t *repeats);
    void (*close)(void *self);    /* optional; tolerates half-open state */
    const rdi_writer_ops *writer; /* optional */
} rdi_format_ops;

const rdi_format_ops *rdi_format_ops_at(size_t index);
const rdi_format_ops *rdi_format_ops_find(const char *name);

#endif
