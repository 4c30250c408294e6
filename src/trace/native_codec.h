/* The encoding of columns and events in a frame of the native trace format. docs/trace-format.md
 * specifies it.
 *
 * A column is coded with a table of up to 256 symbols and one control byte per reference that names
 * a symbol. A symbol has a slot, a constant and a number of bytes. The value of the reference is the
 * base address of the slot, plus the constant, plus a number that has this many bytes in the data
 * stream. The symbols of the address column also carry size and kind. The end of the reference then
 * becomes the base address of the slot, so that each slot follows one sequence of nearby addresses
 * (code, stack, an array). The fast path of the decoder has no branch per reference; the encoder makes
 * all decisions.
 */
#ifndef RDI_NATIVE_CODEC_H
#define RDI_NATIVE_CODEC_H

#include "base/common.h"
#include "reusedist/trace.h"
#include "trace/events.h"

#define RDI_FRAME_REFS   65536 /* maximum number of references per frame */
#define RDI_SLOTS_MAX    16
#define RDI_SYMBOLS_MAX  256
#define RDI_SYMBOL_BYTES 16
#define RDI_BLOCK_BYTES  8 /* number of bytes of a column block before its bases */
#define RDI_PAD_BYTES    4 /* number of padding bytes after the data */

/* The maximum size of a column block of n references. */
#define RDI_BLOCK_MAX(n)                                                                           \
    (RDI_BLOCK_BYTES + RDI_SLOTS_MAX * 8 + RDI_SYMBOLS_MAX * RDI_SYMBOL_BYTES + RDI_PAD_BYTES +    \
     13 * (size_t)(n))

#define RDI_EVENTS_BYTES (1024 * 1024) /* maximum size of the events in a frame */

/* ---- reading ---- */

/* A symbol, expanded for the decoding loop. */
typedef struct rdi_symbol {
    uint64_t add;
    uint64_t mask; /* selects the lowest `width` of the 8 bytes at the data position */
    uint32_t size, size_mask;
    uint32_t advance; /* total number of data bytes that the symbol uses */
    uint8_t slot, width, kind;
} rdi_symbol;

typedef struct rdi_column_decoder {
    rdi_symbol symbols[RDI_SYMBOLS_MAX];
    uint64_t bases[RDI_SLOTS_MAX];
    const uint8_t *data, *control; /* borrowed from the frame; if `control` is NULL, all references
                                      have symbol 0 */
    size_t data_bytes, used, left; /* number of data bytes, of bytes consumed, and of references
                                      left to decode */
    unsigned simple;               /* symbols below this number have no size in the data stream */
    unsigned widest;               /* maximum number of data bytes that a symbol uses */
    bool bare;                     /* true: the column has neither sizes nor kinds */
    bool empty;                    /* true: a reference of size 0 was decoded */
} rdi_column_decoder;

/* Reads the head of a column block of `count` references. `fields` has RD_FIELD_SIZE and
 * RD_FIELD_KIND if this column carries them. Sets *used to the size of the whole block. Returns
 * NULL, or a text that says what is wrong. The 8 bytes from `bytes` + n on must be readable; in a
 * frame they always are, because the checksum comes last. */
const char *rdi_column_open(rdi_column_decoder *c, uint32_t fields, size_t count,
                            const uint8_t *bytes, size_t n, size_t *used);

/* Decodes the next n references, at most RDI_REFS_MAX and c->left. `sizes` and `kinds` need room
 * for n entries if the column carries one of them, and are not changed otherwise. Returns NULL, or
 * a text that says what is wrong; the output is then invalid. */
const char *rdi_column_next(rdi_column_decoder *c, size_t n, uint64_t *values, uint32_t *sizes,
                            uint8_t *kinds);

#define RDI_EVENT_SKIPPED 255 /* the kind of events that this release does not know and skips */

/* Maps each event number of a file to a kind: an rd_event_kind, RDI_EVENT_SKIPPED, or 0 for a
 * number that the file does not have. */
typedef struct rdi_event_numbers {
    uint8_t kind[RDI_EVENT_KINDS];
} rdi_event_numbers;

/* The state of decoding: the position of the previous event, and the number of events so far,
 * including skipped events. */
typedef struct rdi_event_place {
    uint64_t at, count;
} rdi_event_place;

/* Appends the events in the payload of a frame to `list`, without those of kind RDI_EVENT_SKIPPED,
 * and advances `place`. If the function returns RD_EFORMAT, *wrong says what is wrong. */
rd_status rdi_events_decode(rdi_event_list *list, const rdi_event_numbers *numbers,
                            rdi_event_place *place, const uint8_t *bytes, size_t n,
                            const char **wrong);

/* ---- writing ---- */

typedef struct rdi_column_encoder rdi_column_encoder;

rd_status rdi_column_encoder_new(rd_ctx *ctx, rdi_column_encoder **out);
void rdi_column_encoder_free(rdi_column_encoder *e);

/* Writes the block of n references (1 to RDI_FRAME_REFS) to `out`, which must have room for
 * RDI_BLOCK_MAX(n) bytes, and returns the size of the block. `sizes` and `kinds` are NULL if the
 * column does not carry them. */
size_t rdi_column_encode(rdi_column_encoder *e, size_t n, const uint64_t *values,
                         const uint32_t *sizes, const uint8_t *kinds, uint8_t *out);

/* Writes the payload of a frame of events to `out`, which must have room for RDI_EVENTS_BYTES: the
 * events from *next on whose position is below `end`, as far as they fit. The position of the first
 * of them is stored as the difference from `before`. Advances *next and returns the size of the
 * payload. */
size_t rdi_events_encode(const rdi_event_list *list, size_t *next, uint64_t before, uint64_t end,
                         uint8_t *out);

#endif
