/* Header, descriptions and frames of the native trace format, which docs/trace-format.md specifies.
 * native_codec.h has the encoding of a frame's contents. */
#ifndef RDI_NATIVE_H
#define RDI_NATIVE_H

#include "trace/columns.h"
#include "trace/events.h"
#include "trace/native_codec.h"

#define RDI_NATIVE_HEADER       24
#define RDI_NATIVE_FRAME        8    /* number of bytes of a frame before its payload */
#define RDI_NATIVE_CHECK        8    /* number of bytes of a checksum */
#define RDI_NATIVE_LENGTH       4    /* number of bytes before the block of a described column */
#define RDI_NATIVE_COLUMNS      16   /* maximum number of columns after the address */
#define RDI_NATIVE_DESCRIPTIONS 4096 /* maximum size of all descriptions, in bytes */

/* The fields and event kinds of version 1. All other fields and kinds are described in the file
 * that has them. */
#define RDI_NATIVE_PLAIN_FIELDS                                                                    \
    (RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_FIELD_EVENTS)
#define RDI_NATIVE_PLAIN_EVENT RD_EVENT_UNLOAD /* version 1 has the event kinds up to this one */

/* The maximum size of the payload of a frame of n references with `described` described columns. */
#define RDI_NATIVE_PAYLOAD(n, described)                                                           \
    (3 * RDI_BLOCK_MAX(n) + (described) * (RDI_NATIVE_LENGTH + RDI_BLOCK_MAX(n)))

/* The header of a file and its descriptions. */
typedef struct rdi_native_head {
    uint32_t fields; /* mask of the RD_FIELD_* that are read or written */
    bool ids, sampled;
    bool no_processes; /* true: the top 16 bits of addresses do not name processes */
    size_t bytes;      /* size of header and descriptions, after which the first frame begins */
    /* The columns after the address, in the order of their blocks; NULL: the column is skipped. The
     * last `described` blocks have their length before them. */
    const rdi_column_info *columns[RDI_NATIVE_COLUMNS];
    size_t n_columns, described;
    bool has_events; /* true: there may be frames of events */
    rdi_event_numbers events;
    char note[512]; /* text that names the skipped columns and event kinds; "": none */
} rdi_native_head;

bool rdi_native_has_magic(const uint8_t *bytes, size_t n);

/* Reads the header and the descriptions into *out, and consumes them from the input buffer. */
rd_status rdi_native_head_read(rdi_input *in, rdi_native_head *out);
/* Writes the header and the descriptions of a trace with head->fields, ids, sampled and
 * no_processes, and sets all other members of the head, which must be zero before. */
rd_status rdi_native_head_write(rdi_output *out, rdi_native_head *head);

/* Returns the seed of a frame's checksum, which depends on the number of references and events in
 * all earlier frames. The seed binds the frame to its position. */
static inline uint64_t rdi_native_seed(uint64_t references, uint64_t events) {
    return references + (events << 40);
}

extern const rdi_writer_ops rdi_native_writer;

#endif
