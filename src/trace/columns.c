/* Implements the registry of columns, and the access to a column of a batch. See columns.h. */
#include "trace/columns.h"

#include "trace/events.h"

#include <string.h>

static const rdi_column_info columns[] = {
#define RDI_COLUMN(name, field, required) {#name, field, required},
#include "trace/columns.def"
#undef RDI_COLUMN
};

const rdi_column_info *rdi_column_info_at(size_t index) {
    return index < RDI_COUNT(columns) ? &columns[index] : NULL;
}

const rdi_column_info *rdi_column_info_find(const char *name) {
    for (size_t i = 0; i < RDI_COUNT(columns); i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

const char *rd_field_name(uint32_t field) {
    if (field == RD_FIELD_SIZE || field == RD_FIELD_KIND)
        return field == RD_FIELD_SIZE ? "size" : "kind";
    if (field == RD_FIELD_EVENTS || field == RD_FIELD_SYNC)
        return field == RD_FIELD_EVENTS ? "events" : "synchronization";
    for (size_t i = 0; i < RDI_COUNT(columns); i++)
        if (columns[i].field == field)
            return columns[i].name;
    for (unsigned kind = 1; kind < RDI_EVENT_KINDS; kind++)
        if (rdi_event_info_of(kind) && rdi_event_info_of(kind)->field == field)
            return rdi_event_info_of(kind)->name;
    return NULL;
}

/* Returns the index of a further column in rd_refs.more. */
static size_t more_index(uint32_t field) {
    return rdi_bit_width(field / RD_FIELD_MORE(0)) - 1;
}

void rdi_column_gather(const rdi_column_info *c, const rd_refs *refs, size_t at, size_t n,
                       uint64_t *values) {
    if (c->field == RD_FIELD_THREAD) {
        for (size_t i = 0; i < n; i++)
            values[i] = refs->thread[at + i];
        return;
    }
    const uint64_t *from = c->field == RD_FIELD_PC ? refs->pc : refs->more[more_index(c->field)];
    memcpy(values, from + at, n * sizeof *values);
}

const char *rdi_column_deliver(const rdi_column_info *c, const uint64_t *values, size_t n,
                               rdi_columns *col, rd_refs *refs) {
    uint64_t seen = 0;
    if (c->field == RD_FIELD_THREAD) {
        for (size_t i = 0; i < n; i++) {
            col->thread[i] = (uint32_t)values[i];
            seen |= values[i];
        }
        refs->thread = col->thread;
    } else if (c->field == RD_FIELD_PC) {
        refs->pc = values;
    } else {
        refs->more[more_index(c->field)] = values;
    }
    return seen > UINT32_MAX ? "a thread number has more than 32 bits" : NULL;
}

rd_refs rd_refs_slice(const rd_refs *refs, size_t at, size_t n) {
    if (!refs)
        return (rd_refs){0};
    rd_refs slice = *refs;
    slice.n = n;
    slice.addr += at;
    slice.size = refs->size ? refs->size + at : NULL;
    slice.kind = refs->kind ? refs->kind + at : NULL;
    slice.pc = refs->pc ? refs->pc + at : NULL;
    slice.thread = refs->thread ? refs->thread + at : NULL;
    for (size_t i = 0; i < RD_MORE_COLUMNS; i++)
        slice.more[i] = refs->more[i] ? refs->more[i] + at : NULL;
    return slice;
}
