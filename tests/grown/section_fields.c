/* Section "fields": an analysis output of a later release, as docs/profile-format.md would describe
 * it: `touched` is the number of fields of structures that were touched. A merged profile has the
 * sum. */
#include "profile/profile_reader.h"
#include "profile/sections.h"

typedef struct touched_fields {
    uint64_t touched;
} touched_fields;

static void fields_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"touched", rdi_read_u64, offsetof(touched_fields, touched), true},
        {0},
    };
    *data = rdi_calloc(r->j.ctx, 1, sizeof(touched_fields));
    if (*data)
        rdi_read_object(r, fields, *data);
    else
        r->j.status = RD_ENOMEM;
}

static const char *fields_mistake(const rd_profile_facts *facts, const void *data) {
    const touched_fields *f = data;
    return f->touched <= facts->references ? NULL : "more fields than references";
}

static void fields_write(rd_json_writer *w, const void *data) {
    const touched_fields *f = data;
    rd_json_begin_object(w, "fields", RD_JSON_INLINE);
    rd_json_put_u64(w, "touched", f->touched);
    rd_json_end_object(w);
}

static rd_status fields_merge(rd_ctx *ctx, const void *const *data, size_t n, void **sum) {
    touched_fields *all = rdi_calloc(ctx, 1, sizeof *all);
    if (!all)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++)
        all->touched += data[i] ? ((const touched_fields *)data[i])->touched : 0;
    *sum = all;
    return RD_OK;
}

const rdi_section rdi_section_fields = {
    .key = "fields",
    .minor = 2,
    .read = fields_read,
    .mistake = fields_mistake,
    .write = fields_write,
    .merge = fields_merge,
    .free = rdi_free,
};
