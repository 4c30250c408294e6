/* oraclegeneral: reads libCacheSim's 24-byte records with time, object id, size and position of the
 * next access. */
#include "trace/records.h"

#define RECORD 24

/* Memory for the columns of requests. */
typedef struct oracle_columns {
    uint64_t time[RDI_REFS_MAX], bytes[RDI_REFS_MAX];
} oracle_columns;

typedef struct oracle_reader {
    rdi_reader *r;
    uint32_t selected;    /* the columns of requests to deliver */
    oracle_columns *more; /* memory for these columns; NULL: none are delivered */
} oracle_reader;

/* Returns the position of the next access to the same object. -1 and INT64_MAX mean that there is
 * none. */
static int64_t next_access(const uint8_t *record) {
    return (int64_t)rdi_load_le64(record + 16);
}

static uint64_t object_id(const uint8_t *record) {
    return rdi_load_le64(record + 4);
}

/* Returns whether record `next` is in the head and has the object `id`. Positions are counted from
 * `first`, which is 0 or 1. */
static bool leads_to(const uint8_t *head, size_t records, uint64_t next, unsigned first,
                     uint64_t id) {
    uint64_t index = next - first;
    return index < records && object_id(head + index * RECORD) == id;
}

/* Recognizes the format: time never decreases, every next access comes later, and every next access
 * in the head is to the same object. At least one record must have a next access in the head or no
 * next access. For any other content, the name of the file decides, because arbitrary bytes can
 * also be valid records. */
static int oracle_probe(const uint8_t *head, size_t n, bool whole) {
    size_t records = n / RECORD, proofs = 0;
    if (records == 0 || (whole && n % RECORD != 0))
        return RDI_PROBE_FITS;
    uint32_t time = 0;
    for (size_t i = 0; i < records; i++) {
        const uint8_t *p = head + i * RECORD;
        int64_t next = next_access(p);
        uint64_t position = (uint64_t)next;
        if (rdi_load_le32(p) < time || (next <= (int64_t)i && next != -1))
            return RDI_PROBE_FITS;
        time = rdi_load_le32(p);
        if (next == -1 || next == INT64_MAX) {
            proofs++;
        } else if (position < records) {
            if (!leads_to(head, records, position, 0, object_id(p)) &&
                !leads_to(head, records, position, 1, object_id(p)))
                return RDI_PROBE_FITS;
            proofs++;
        }
    }
    return proofs > 0 ? RDI_PROBE_LIKELY : RDI_PROBE_FITS;
}

static rd_status oracle_open(void *self, rdi_reader *r) {
    ((oracle_reader *)self)->r = r;
    r->requests = RD_FIELD_TIME | RD_FIELD_BYTES;
    return RD_OK;
}

static rd_status oracle_select(void *self, uint32_t fields) {
    oracle_reader *o = self;
    o->selected = fields & (RD_FIELD_TIME | RD_FIELD_BYTES);
    o->more = o->selected ? rdi_alloc(o->r->ctx, 1, sizeof *o->more) : NULL;
    return o->more || !o->selected ? RD_OK : RD_ENOMEM;
}

static void oracle_close(void *self) {
    oracle_reader *o = self;
    if (o->r)
        rdi_free(o->r->ctx, o->more);
}

static void read_sizes(oracle_reader *o, size_t n, rd_refs *refs) {
    uint32_t *size = o->r->col->size;
    for (size_t i = 0; i < n; i++) {
        size[i] = rdi_load_le32(o->r->in->data + i * RECORD + 12);
        size[i] += size[i] == 0; /* 0 counts as 1, because traces without sizes have 0 here */
    }
    refs->size = size;
    refs->fields |= RD_FIELD_SIZE;
}

/* Reads the columns of requests: converts times from seconds to nanoseconds, and leaves sizes as they
 * are, even 0. */
static void read_requests(oracle_reader *o, size_t n, rd_refs *refs) {
    oracle_columns *more = o->more;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = o->r->in->data + i * RECORD;
        more->time[i] = rdi_load_le32(p) * UINT64_C(1000000000);
        more->bytes[i] = rdi_load_le32(p + 12);
    }
    refs->fields |= o->selected;
    refs->more[RD_MORE_TIME] = o->selected & RD_FIELD_TIME ? more->time : NULL;
    refs->more[RD_MORE_BYTES] = o->selected & RD_FIELD_BYTES ? more->bytes : NULL;
}

static rd_status oracle_read(void *self, rd_refs *refs) {
    oracle_reader *o = self;
    rdi_reader *r = o->r;
    size_t n = 0;
    RD_TRY(rdi_records_fill(r->in, "oraclegeneral", RECORD, RDI_REFS_MAX, &n));
    *refs = (rd_refs){.n = n, .addr = r->col->addr};
    for (size_t i = 0; i < n; i++)
        r->col->addr[i] = object_id(r->in->data + i * RECORD);
    if (!(o->selected & RD_FIELD_BYTES))
        read_sizes(o, n, refs);
    if (o->selected)
        read_requests(o, n, refs);
    rdi_input_consume(r->in, n * RECORD);
    return RD_OK;
}

static uint64_t oracle_count(void *self) {
    return rdi_records_count(((oracle_reader *)self)->r->in, RECORD);
}

static rd_status oracle_seek(void *self, uint64_t first, uint64_t *skip) {
    return rdi_records_seek(((oracle_reader *)self)->r->in, RECORD, first, skip);
}

const rdi_format_ops rdi_format_oraclegeneral = {
    .info =
        {
            .name = "oraclegeneral",
            .summary = "libCacheSim oracleGeneral: 24-byte records with object id and size",
            .card =
                "A record has time (32 bits), object id (64), size (32) and position of the next\n"
                "access (64), little-endian. There is no header. Each object id is one block. "
                "Times are\n"
                "in seconds. The next access is not used. A file that does not look like such "
                "records\n"
                "is read as oraclegeneral if its name ends with .oracleGeneral; a suffix of a\n"
                "compression, such as .zst, may follow.",
            .fields = RD_FIELD_SIZE | RD_FIELD_TIME | RD_FIELD_BYTES,
            .ids = true,
            .binary = true,
        },
    .state_size = sizeof(oracle_reader),
    .probe = oracle_probe,
    .suffix = ".oracleGeneral",
    .open = oracle_open,
    .select = oracle_select,
    .read = oracle_read,
    .count = oracle_count,
    .seek = oracle_seek,
    .close = oracle_close,
};
