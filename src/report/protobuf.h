/* Writes messages of Protocol Buffers: fields in their wire format. */
#ifndef RDI_PROTOBUF_H
#define RDI_PROTOBUF_H

#include "base/text.h"

#include <string.h>

static inline void rdi_pb_varint(rdi_text *out, uint64_t x) {
    for (; x >= 0x80; x >>= 7)
        rdi_text_putc(out, (char)(x | 0x80));
    rdi_text_putc(out, (char)x);
}

static inline void rdi_pb_number(rdi_text *out, unsigned field, uint64_t x) {
    rdi_pb_varint(out, (uint64_t)field << 3);
    rdi_pb_varint(out, x);
}

static inline void rdi_pb_bytes(rdi_text *out, unsigned field, const void *bytes, size_t n) {
    rdi_pb_varint(out, (uint64_t)field << 3 | 2);
    rdi_pb_varint(out, n);
    rdi_text_add(out, bytes, n);
}

static inline void rdi_pb_string(rdi_text *out, unsigned field, const char *text) {
    rdi_pb_bytes(out, field, text, strlen(text));
}

/* Adds a message and empties it, so that it can be used for the next one. */
static inline void rdi_pb_message(rdi_text *out, unsigned field, rdi_text *message) {
    if (message->status != RD_OK && out->status == RD_OK)
        out->status = message->status;
    rdi_pb_bytes(out, field, message->n ? message->data : "", message->n);
    message->n = 0;
}

#endif
