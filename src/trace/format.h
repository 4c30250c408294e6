/* The interface of a trace format: one const table in one file, and one line in formats.def. */
#ifndef RDI_FORMAT_H
#define RDI_FORMAT_H

#include "base/common.h"
#include "base/output.h"
#include "reusedist/trace.h"
#include "trace/input.h"

#define RDI_REFS_MAX  4096        /* maximum number of references per batch */
#define RDI_PROBE_MAX (64 * 1024) /* maximum number of bytes that a probe sees */
/* Maximum length of a text line in bytes, unless a format has another limit. */
#define RDI_LINE_MAX (1024 * 1024)

/* Memory for a batch, for readers whose batches do not point into the input buffer. */
typedef struct rdi_columns {
    uint64_t addr[RDI_REFS_MAX];
    uint64_t pc[RDI_REFS_MAX];
    uint32_t size[RDI_REFS_MAX];
    uint32_t thread[RDI_REFS_MAX];
    uint8_t kind[RDI_REFS_MAX];
    uint64_t (*more)[RDI_REFS_MAX]; /* columns of requests, by RD_MORE_*; NULL: none */
} rdi_columns;

/* The state of a trace that the core (trace.c) and a reader share. */
typedef struct rdi_reader {
    rd_ctx *ctx;
    rdi_input *in;              /* NULL for generators and running programs */
    void *source;               /* the `source` of rdi_trace_open_from(); NULL for other traces */
    rdi_columns *col;           /* memory for one batch */
    bool ids;                   /* true: addresses are object ids; open() may change it */
    bool hex_ids;               /* true: the object ids may be addresses; open() may set it */
    uint32_t requests;          /* the result of rd_trace_request_fields(); open() may set it */
    bool sampled;               /* true: the recorder skipped references; open() may set it */
    bool processes;             /* the result of rd_trace_has_processes(); open() may set it */
    bool never_began;           /* see rd_trace_never_began(); read() may set it */
    const rd_format_info *info; /* the result of rd_trace_format(); NULL: the reader's own format */
    const char *note; /* the text of rd_trace_note(), borrowed from the format's state; open() may
                         set it */
    /* Events before and inside the batch. read() may set them, and the core sets event_count to 0
     * before each read(). They stay valid until the next read(). */
    const rd_event *events;
    size_t event_count;
    uint64_t done, total; /* without an input: see rd_trace_progress() */
} rdi_reader;

typedef struct rdi_writer {
    rd_ctx *ctx;
    rdi_output *out;
    uint32_t fields; /* mask of the RD_FIELD_* to write */
    bool ids;
} rdi_writer;

typedef struct rdi_writer_ops {
    size_t state_size;
    const rd_opt *opts;                           /* options of the writer; NULL: none */
    rd_status (*open)(void *self, rdi_writer *w); /* opens the writer, and writes a header if the
                                                     format has one */
    /* Writes 1 to RDI_REFS_MAX references that have exactly the columns of w->fields. Sizes are at
     * least 1, and kinds are valid. */
    rd_status (*write)(void *self, const rd_refs *refs);
    /* Optional. Writes an event that happened before the next reference. The core has checked the
     * event, and the field of its kind is in w->fields. */
    rd_status (*write_event)(void *self, const rd_event *event);
    rd_status (*finish)(void *self); /* optional: writes the end of the file */
    void (*close)(void *self);       /* optional; is also called if open() failed */
} rdi_writer_ops;

/* The certainty of a probe. The format with the highest number wins, and among equal numbers the
 * first format in formats.def. RDI_PROBE_FITS means that the content proves nothing: it becomes
 * RDI_PROBE_NAMED if the file has the suffix of the format, and RDI_PROBE_NO otherwise. */
enum {
    RDI_PROBE_NO = 0,
    RDI_PROBE_FITS = 1,
    RDI_PROBE_WEAK = 20,
    RDI_PROBE_LIKELY = 60,
    RDI_PROBE_NAMED = 80,
    RDI_PROBE_SURE = 100
};

typedef struct rdi_format_ops {
    rd_format_info info;
    size_t state_size; /* size of the state, which the core sets to zero and parses the options
                          into */
    /* Returns how certain it is, on the scale of RDI_PROBE_*, that the first n > 0 bytes of the
     * unpacked file have this format; `whole` says that the file ends there. The function is NULL
     * if the format can only be chosen with -f. */
    int (*probe)(const uint8_t *head, size_t n, bool whole);
    const char *suffix; /* suffix of usual file names, for RDI_PROBE_FITS; NULL: none */
    rd_status (*open)(void *self, rdi_reader *r);
    /* Optional. Chooses the columns that read() delivers only on request: those of `fields` that
     * the trace has. They are columns of requests for objects (RD_REQUEST_FIELDS) or calling
     * contexts (RD_FIELD_CONTEXT). It is called at most once, before the first read(). */
    rd_status (*select)(void *self, uint32_t fields);
    /* Fills *refs, which the core has set to zero, with 1 to RDI_REFS_MAX references, or sets
     * refs->n to 0 at the end. If damage follows valid records of this batch, the function delivers
     * the references of these records, and the next call fails. */
    rd_status (*read)(void *self, rd_refs *refs);
    /* A format has either both of these functions or none. They are called only for inputs whose
     * size is known. count() returns the number of references, or 0 if it is unknown, for example
     * because of damage. seek() continues reading at reference `first` or an earlier one, and sets
     * *skip to the number of references that the core must skip to reach reference `first`. */
    uint64_t (*count)(void *self);
    rd_status (*seek)(void *self, uint64_t first, uint64_t *skip);
    /* Optional. Stores the number of references that a recorder skipped intentionally, and the
     * number of repeated references that it counted instead of recording them. */
    void (*omitted)(const void *self, uint64_t *skipped, uint64_t *repeats);
    /* Optional, for readers whose state begins with rdi_lines. Allows several readers to read whole
     * lines of one trace (text_ahead.h). `self` is a bytewise copy of the state of an opened
     * reader; the function replaces everything in it that points to memory that reading changes.
     * The core takes care of rdi_lines and of the table of ids. */
    void (*separate)(void *self);
    size_t ids_at;                /* offset of the rdi_id_table in the state; 0: none */
    void (*close)(void *self);    /* optional; is also called if open() failed */
    const rdi_writer_ops *writer; /* NULL: the format cannot be written */
} rdi_format_ops;

const rdi_format_ops *rdi_format_ops_at(size_t index);
const rdi_format_ops *rdi_format_ops_find(const char *name);

#endif
