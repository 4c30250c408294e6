/* The native trace format above the column: header, descriptions and frames. docs/trace-format.md
 * specifies them; native_codec.h has what is inside a frame.
 */
#ifndef RDI_NATIVE_H
#define RDI_NATIVE_H

#include "trace/columns.h"
#include "trace/events.h"
#include "trace/native_codec.h"

#define RDI_NATIVE_HEADER       24
#define RDI_NATIVE_FRAME        8    /* bytes of a frame in front of the payload */
#define RDI_NATIVE_CHECK        8    /* bytes of a checksum */
#define RDI_NATIVE_LENGTH       4    /* bytes in front of the block of a described column */
#define RDI_NATIVE_COLUMNS      16   /* columns behind the address at most */
#define RDI_NATIVE_DESCRIPTIONS 4096 /* bytes at most */

/* Fields and kinds of events that version 1 has; everything else is described in the file. */
#define RDI_NATIVE_PLAIN_FIELDS                                                                    \
    (RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD | RD_FIELD_EVENTS)
#define RDI_NATIVE_PLAIN_EVENT RD_EVENT_UNLOAD /* and those below */

/* Most bytes in the payload of a frame of n references with that many described columns. */
#define RDI_NATIVE_PAYLOAD(n, described)                                                           \
    (3 * RDI_BLOCK_MAX(n) + (described) * (RDI_NATIVE_LENGTH + RDI_BLOCK_MAX(n)))

/* What a file says about itself before its first frame. */
typedef struct rdi_native_head {
    uint32_t fields; /* RD_FIELD_* that are read or written */
    bool ids, sampled;
    size_t bytes; /* of the header and the descriptions: there the first frame begins */
    /* Columns behind the address, in the order of their blocks; NULL: skipped. The last `described`
     * of them have a length in front of their block. */
    const rdi_column_info *columns[RDI_NATIVE_COLUMNS];
    size_t n_columns, described;
    bool has_events; /* there are frames of events */
    rdi_event_numbers events;
    char note[512]; /* what is skipped, or "" */
} rdi_native_head;

bool rdi_native_has_magic(const uint8_t *bytes, size_t n);

/* Reads header and descriptions, and takes them out of the window. */
rd_status rdi_native_head_read(rdi_input *in, rdi_native_head *out);
/* Writes them for a trace with head->fields, ids and sampled; sets the rest of the head. */
rd_status rdi_native_head_write(rdi_output *out, rdi_native_head *head);

/* The seed of a frame's checksum, which ties the frame to its place: references and events in all
 * frames before it. */
static inline uint64_t rdi_native_seed(uint64_t references, uint64_t events) {
    return references + (events << 40);
}

extern const rdi_writer_ops rdi_native_writer;

#endif
