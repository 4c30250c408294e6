/* u32: reads and writes raw little-endian 32-bit addresses or ids, without a header. */
#include "trace/records.h"

#include <inttypes.h>

#define RECORD          sizeof(uint32_t)
#define HIGH_HALVES_MAX 64 /* more distinct upper halves than real 64-bit addresses have */

typedef struct u32_reader {
    rdi_reader *r;
} u32_reader;

/* Recognizes a file whose numbers are all below 2^24, if its second, fourth, sixth ... numbers have
 * at least HIGH_HALVES_MAX different values. In a file of 64-bit addresses, every second number is
 * the upper half of an address, and takes few values. */
static int u32_probe(const uint8_t *head, size_t n, bool whole) {
    uint32_t seen[HIGH_HALVES_MAX];
    size_t distinct = 0;
    if (whole && n % RECORD != 0)
        return RDI_PROBE_NO;
    for (size_t i = 0; i + RECORD <= n; i += RECORD) {
        uint32_t word = rdi_load_le32(head + i);
        if (word >> 24)
            return RDI_PROBE_NO;
        if (i / RECORD % 2 == 0 || distinct == HIGH_HALVES_MAX)
            continue;
        size_t j = 0;
        while (j < distinct && seen[j] != word)
            j++;
        if (j == distinct)
            seen[distinct++] = word;
    }
    return distinct == HIGH_HALVES_MAX ? RDI_PROBE_WEAK + 1 : RDI_PROBE_NO;
}

static rd_status u32_open(void *self, rdi_reader *r) {
    ((u32_reader *)self)->r = r;
    return RD_OK;
}

static rd_status u32_read(void *self, rd_refs *refs) {
    rdi_reader *r = ((u32_reader *)self)->r;
    rdi_input *in = r->in;
    size_t n = 0;
    RD_TRY(rdi_records_fill(in, "u32", RECORD, RDI_REFS_MAX, &n));
    for (size_t i = 0; i < n; i++)
        r->col->addr[i] = rdi_load_le32(in->data + i * RECORD);
    refs->addr = r->col->addr;
    refs->n = n;
    rdi_input_consume(in, n * RECORD);
    return RD_OK;
}

static uint64_t u32_count(void *self) {
    return rdi_records_count(((u32_reader *)self)->r->in, RECORD);
}

static rd_status u32_seek(void *self, uint64_t first, uint64_t *skip) {
    return rdi_records_seek(((u32_reader *)self)->r->in, RECORD, first, skip);
}

typedef struct u32_writer {
    rdi_writer *w;
    uint64_t count; /* number of references written, for messages */
} u32_writer;

static rd_status u32_writer_open(void *self, rdi_writer *w) {
    ((u32_writer *)self)->w = w;
    return RD_OK;
}

static rd_status u32_write(void *self, const rd_refs *refs) {
    u32_writer *u = self;
    uint8_t bytes[RDI_REFS_MAX * RECORD];
    for (size_t i = 0; i < refs->n; i++) {
        if (refs->addr[i] > UINT32_MAX)
            return rdi_fail(u->w->ctx, RD_ERANGE,
                            "reference %" PRIu64 ": the address 0x%" PRIx64
                            " does not fit in the 32 bits of format u32; use u64 or native",
                            u->count + i + 1, refs->addr[i]);
        rdi_store_le32(bytes + i * RECORD, (uint32_t)refs->addr[i]);
    }
    u->count += refs->n;
    return rdi_output_write(u->w->out, bytes, refs->n * RECORD);
}

static const rdi_writer_ops u32_writer_ops = {
    .state_size = sizeof(u32_writer),
    .open = u32_writer_open,
    .write = u32_write,
};

const rdi_format_ops rdi_format_u32 = {
    .info =
        {
            .name = "u32",
            .summary = "raw little-endian 32-bit addresses",
            .card =
                "Each reference takes four bytes; there is no header. Values are addresses; use -b "
                "addr\n"
                "for object ids. The format is detected only if all values are below 2^24 and\n"
                "vary enough to be distinguished from u64; otherwise name the format with -f u32.",
            .writable = true,
            .binary = true,
        },
    .state_size = sizeof(u32_reader),
    .probe = u32_probe,
    .open = u32_open,
    .read = u32_read,
    .count = u32_count,
    .seek = u32_seek,
    .writer = &u32_writer_ops,
};
