/* u64: reads and writes raw little-endian 64-bit addresses without a header (Parda's binary traces,
 * valpin).
 *
 * This is the template for a binary format. Batches point directly into the input buffer when it is
 * aligned, so that reading costs no more than the copy from the page cache.
 */
#include "trace/records.h"

typedef struct u64_reader {
    rdi_reader *r;
} u64_reader;

/* Recognizes the format, which has no magic number: the top 16 bits of real addresses, and of ids that
 * are not hashes, are all 0 or all 1. */
static int u64_probe(const uint8_t *head, size_t n, bool whole) {
    if (n < 8 || (whole && n % 8 != 0))
        return RDI_PROBE_NO;
    for (size_t i = 0; i + 8 <= n; i += 8) {
        unsigned top = head[i + 6] | (unsigned)head[i + 7] << 8;
        if (top != 0 && top != 0xffff)
            return RDI_PROBE_NO;
    }
    return RDI_PROBE_WEAK;
}

static rd_status u64_open(void *self, rdi_reader *r) {
    ((u64_reader *)self)->r = r;
    return RD_OK;
}

static rd_status u64_read(void *self, rd_refs *refs) {
    rdi_reader *r = ((u64_reader *)self)->r;
    rdi_input *in = r->in;
    size_t n = 0;
    RD_TRY(rdi_records_fill(in, "u64", sizeof(uint64_t), RDI_REFS_MAX, &n));
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (uintptr_t)in->data % sizeof(uint64_t) == 0) {
        refs->addr = (const uint64_t *)(const void *)in->data;
    } else {
        for (size_t i = 0; i < n; i++)
            r->col->addr[i] = rdi_load_le64(in->data + i * sizeof(uint64_t));
        refs->addr = r->col->addr;
    }
    refs->n = n;
    rdi_input_consume(in, n * sizeof(uint64_t));
    return RD_OK;
}

static uint64_t u64_count(void *self) {
    return rdi_records_count(((u64_reader *)self)->r->in, sizeof(uint64_t));
}

static rd_status u64_seek(void *self, uint64_t first, uint64_t *skip) {
    return rdi_records_seek(((u64_reader *)self)->r->in, sizeof(uint64_t), first, skip);
}

typedef struct u64_writer {
    rdi_writer *w;
} u64_writer;

static rd_status u64_writer_open(void *self, rdi_writer *w) {
    ((u64_writer *)self)->w = w;
    return RD_OK;
}

static rd_status u64_write(void *self, const rd_refs *refs) {
    uint8_t bytes[RDI_REFS_MAX * sizeof(uint64_t)];
    for (size_t i = 0; i < refs->n; i++)
        rdi_store_le64(bytes + i * sizeof(uint64_t), refs->addr[i]);
    return rdi_output_write(((u64_writer *)self)->w->out, bytes, refs->n * sizeof(uint64_t));
}

static const rdi_writer_ops u64_writer_ops = {
    .state_size = sizeof(u64_writer),
    .open = u64_writer_open,
    .write = u64_write,
};

const rdi_format_ops rdi_format_u64 = {
    .info =
        {
            .name = "u64",
            .summary = "raw little-endian 64-bit addresses",
            .card = "Each reference takes eight bytes; there is no header. Values are addresses; "
                    "use -b addr\n"
                    "for object ids.",
            .writable = true,
            .binary = true,
        },
    .state_size = sizeof(u64_reader),
    .probe = u64_probe,
    .open = u64_open,
    .read = u64_read,
    .count = u64_count,
    .seek = u64_seek,
    .writer = &u64_writer_ops,
};
