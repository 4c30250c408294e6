/* champsim: reads the instruction records of ChampSim's tracers. A record has 64 bytes, or 96 in the
 * CloudSuite traces, and the files are usually compressed.
 *
 * Every instruction gives a fetch at its address, then a load for each source operand and a store
 * for each destination operand in memory. Address 0 means that there is no operand. The records
 * have no sizes.
 */
#include "trace/records.h"

#include <stddef.h>

/* The layout of a record. */
typedef struct layout {
    size_t bytes, loads_at, stores_at;
    unsigned loads, stores;
} layout;

static const layout layouts[] = {
    {.bytes = 64, .stores_at = 16, .stores = 2, .loads_at = 32, .loads = 4},
    /* Records of the CloudSuite traces. */
    {.bytes = 96, .stores_at = 24, .stores = 4, .loads_at = 56, .loads = 4},
};

typedef struct champsim_reader {
    rdi_reader *r;
    uint32_t layout; /* index into layouts */
} champsim_reader;

static const rd_opt champsim_opts[] = {
    {.name = "layout",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(champsim_reader, layout),
     .choices = "plain|cloudsuite",
     .def = "plain",
     .help = "plain: 64-byte records; cloudsuite: the 96-byte records of the CloudSuite traces"},
    {.name = NULL},
};

static bool is_address(const uint8_t *p) {
    unsigned top = rdi_load_le16(p + 6);
    return top == 0 || top == 0xffff;
}

/* Recognizes 64-byte records: in every record, the flags are 0 or 1, the addresses are canonical
 * and the address of the instruction is not 0, and at least one instruction is a branch. Without a
 * branch, the name of the file must confirm the format. */
static int champsim_probe(const uint8_t *head, size_t n, bool whole) {
    const layout *l = &layouts[0];
    bool branches = false;
    if (n < l->bytes || (whole && n % l->bytes != 0))
        return RDI_PROBE_NO;
    for (const uint8_t *p = head; p + l->bytes <= head + n; p += l->bytes) {
        if (p[8] > 1 || p[9] > 1 || rdi_load_le64(p) == 0 || !is_address(p))
            return RDI_PROBE_NO;
        for (unsigned i = 0; i < l->stores + l->loads; i++)
            if (!is_address(p + l->stores_at + i * 8))
                return RDI_PROBE_NO;
        branches |= p[8] == 1;
    }
    return branches ? RDI_PROBE_LIKELY : RDI_PROBE_FITS;
}

static rd_status champsim_open(void *self, rdi_reader *r) {
    ((champsim_reader *)self)->r = r;
    return RD_OK;
}

static inline size_t put(rdi_columns *col, size_t n, uint64_t addr, uint8_t kind, uint64_t pc) {
    col->addr[n] = addr;
    col->kind[n] = kind;
    col->pc[n] = pc;
    return n + 1;
}

/* Appends the references of the instruction at p to a batch of n references. Returns the new number
 * of references. */
static inline size_t decode(const layout *l, const uint8_t *p, rdi_columns *col, size_t n) {
    uint64_t pc = rdi_load_le64(p), addr;
    n = put(col, n, pc, RD_FETCH, pc);
    for (unsigned i = 0; i < l->loads; i++)
        if ((addr = rdi_load_le64(p + l->loads_at + i * 8)) != 0)
            n = put(col, n, addr, RD_LOAD, pc);
    for (unsigned i = 0; i < l->stores; i++)
        if ((addr = rdi_load_le64(p + l->stores_at + i * 8)) != 0)
            n = put(col, n, addr, RD_STORE, pc);
    return n;
}

static rd_status champsim_read(void *self, rd_refs *refs) {
    champsim_reader *c = self;
    rdi_columns *col = c->r->col;
    const layout *l = &layouts[c->layout];
    size_t records = 0, n = 0;
    RD_TRY(rdi_records_fill(c->r->in, "champsim", l->bytes,
                            RDI_REFS_MAX / (1 + l->loads + l->stores), &records));
    for (size_t i = 0; i < records; i++)
        n = decode(l, c->r->in->data + i * l->bytes, col, n);
    rdi_input_consume(c->r->in, records * l->bytes);
    *refs = (rd_refs){.n = n,
                      .fields = RD_FIELD_KIND | RD_FIELD_PC,
                      .addr = col->addr,
                      .kind = col->kind,
                      .pc = col->pc};
    return RD_OK;
}

const rdi_format_ops rdi_format_champsim = {
    .info =
        {
            .name = "champsim",
            .summary = "ChampSim instruction traces, 64 or 96 bytes per instruction",
            .card =
                "Each instruction gives a fetch, then a load for every source and a store for\n"
                "every destination in memory. The records have no sizes, so no reference spans\n"
                "blocks. Use --kinds=LS for data references only. A trace without branches is\n"
                "recognized only if its name ends with .champsimtrace; a suffix of a compression,\n"
                "such as .xz, may follow.",
            .fields = RD_FIELD_KIND | RD_FIELD_PC,
            .opts = champsim_opts,
            .binary = true,
        },
    .state_size = sizeof(champsim_reader),
    .probe = champsim_probe,
    .suffix = ".champsimtrace",
    .open = champsim_open,
    .read = champsim_read,
};
