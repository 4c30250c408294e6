/* How the native trace format stores a column: the part of docs/trace-format.md below the frame.
 *
 * A column is coded with a table of up to 256 symbols and one control byte per reference that names
 * a symbol. A symbol says: take the base address of this slot, add this constant, add so many bytes
 * from the data stream; the address column's symbols also carry size and kind. The slot then holds
 * the address behind the reference, so that each slot follows one stream of a program (code, stack,
 * an array). The decoder has no branch per reference; all cleverness is the encoder's.
 */
#ifndef RDI_NATIVE_CODEC_H
#define RDI_NATIVE_CODEC_H

#include "base/common.h"
#include "reusedist/trace.h"
#include "trace/events.h"

#define RDI_FRAME_REFS   65536 /* references per frame at most */
#define RDI_SLOTS_MAX    16
#define RDI_SYMBOLS_MAX  256
#define RDI_SYMBOL_BYTES 16
#define RDI_BLOCK_BYTES  8 /* of a column block before its bases */
#define RDI_PAD_BYTES    4 /* behind the data */

/* Most bytes a column block of n references can have. */
#define RDI_BLOCK_MAX(n)                                                                           \
    (RDI_BLOCK_BYTES + RDI_SLOTS_MAX * 8 + RDI_SYMBOLS_MAX * RDI_SYMBOL_BYTES + RDI_PAD_BYTES +    \
     13 * (size_t)(n))

#define RDI_EVENTS_BYTES (1024 * 1024) /* of the events in a frame at most */

/* ---- reading ---- */

/* A symbol, unfolded for the loop. */
typedef struct rdi_symbol {
    uint64_t add;
    uint64_t mask; /* of the 8 bytes at the data position: the lowest `width` bytes */
    uint32_t size, size_mask;
    uint32_t advance; /* data bytes used in all */
    uint8_t slot, width, kind;
} rdi_symbol;

typedef struct rdi_column_decoder {
    rdi_symbol symbols[RDI_SYMBOLS_MAX];
    uint64_t bases[RDI_SLOTS_MAX];
    const uint8_t *data, *control; /* borrowed from the frame; control NULL: symbol 0 throughout */
    size_t data_bytes, used, left; /* bytes in data, bytes consumed, references to come */
    unsigned simple;               /* the symbols below have no size in the data stream */
    unsigned widest;               /* data bytes a symbol uses at most */
    bool bare;                     /* neither sizes nor kinds */
    bool empty;                    /* a reference of size 0 was seen */
} rdi_column_decoder;

/* Reads the head of a column block of `count` references. `fields`: RD_FIELD_SIZE, RD_FIELD_KIND as
 * far as this column carries them. *used: bytes of the whole block. NULL, or what is wrong. The 8
 * bytes behind `bytes` + n must be readable: they are the checksum. */
const char *rdi_column_open(rdi_column_decoder *c, uint32_t fields, size_t count,
                            const uint8_t *bytes, size_t n, size_t *used);

/* Next n references, at most RDI_REFS_MAX and what is left. `sizes` and `kinds`: room for both if
 * the column carries one of them, else they stay as they are. NULL, or what is wrong: then nothing
 * of the output counts. */
const char *rdi_column_next(rdi_column_decoder *c, size_t n, uint64_t *values, uint32_t *sizes,
                            uint8_t *kinds);

/* The kinds that event numbers stand for in a file: an rd_event_kind, 0 for a number that the file
 * does not have, or RDI_EVENT_SKIPPED. */
#define RDI_EVENT_SKIPPED 255

typedef struct rdi_event_numbers {
    uint8_t kind[RDI_EVENT_KINDS];
} rdi_event_numbers;

/* Where decoding stands: the position of the event before, and the events so far, also of kinds
 * that are skipped. */
typedef struct rdi_event_place {
    uint64_t at, count;
} rdi_event_place;

/* Appends the events in the payload of a frame to `list` and moves `place` on. RD_EFORMAT: *wrong
 * says what is. */
rd_status rdi_events_decode(rdi_event_list *list, const rdi_event_numbers *numbers,
                            rdi_event_place *place, const uint8_t *bytes, size_t n,
                            const char **wrong);

/* ---- writing ---- */

typedef struct rdi_column_encoder rdi_column_encoder;

rd_status rdi_column_encoder_new(rd_ctx *ctx, rdi_column_encoder **out);
void rdi_column_encoder_free(rdi_column_encoder *e);

/* Writes the block of n references (1 to RDI_FRAME_REFS) to `out`, which has room for
 * RDI_BLOCK_MAX(n); returns its bytes. `sizes` and `kinds` NULL: the column has none. */
size_t rdi_column_encode(rdi_column_encoder *e, size_t n, const uint64_t *values,
                         const uint32_t *sizes, const uint8_t *kinds, uint8_t *out);

/* Writes the payload of a frame to `out`, which has room for RDI_EVENTS_BYTES: the events from
 * *next on, which it moves on, that are before reference `end`, as far as they fit. Returns its
 * bytes. */
size_t rdi_events_encode(const rdi_event_list *list, size_t *next, uint64_t before, uint64_t end,
                         uint8_t *out);

#endif
