/* Section "levels": the caches whose misses the details count. This section owns the details, which
 * the sections "attribution", "windows", "spatial", "causes" and "contexts" share. */
#include "base/text.h"
#include "profile/details.h"
#include "profile/profile_reader.h"
#include "profile/profile_write.h"

#include <string.h>

static void levels_free(rd_ctx *ctx, void *data) {
    (void)ctx;
    rdi_details_free(data);
}

static void read_level_name(rdi_profile_reader *r, void *field) {
    char *name = rdi_json_string(&r->j);
    if (name && strlen(name) >= sizeof((rd_level *)0)->name)
        rdi_json_fail(&r->j, "the name of a cache must be shorter than %zu bytes, not '%.80s'",
                      sizeof((rd_level *)0)->name, name);
    else if (name && !rdi_text_is_printable(name))
        rdi_json_fail(&r->j, "the name of a cache has a control character: '%.80s'", name);
    else if (name)
        strcpy(field, name);
    rdi_free(r->j.ctx, name);
}

static void levels_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"name", read_level_name, offsetof(rd_level, name), true},
        {"bytes", rdi_read_u64, offsetof(rd_level, bytes), true},
        {0},
    };
    rdi_details *details = rdi_read_details(r, data);
    if (!details)
        return;
    const void *levels = NULL;
    rd_details *d = &details->is;
    rdi_read_list(r, fields, sizeof(rd_level), &levels, &d->n_levels);
    d->levels = levels;
    if (d->n_levels > RD_LEVELS_MAX)
        rdi_json_fail(&r->j, "there are more than %d levels", RD_LEVELS_MAX);
}

static const char *levels_mistake(const rd_profile_facts *facts, const void *data) {
    (void)facts;
    const rd_details *d = data;
    for (size_t k = 0; k < d->n_levels; k++)
        if (d->levels[k].bytes == 0 || (k && d->levels[k].bytes < d->levels[k - 1].bytes))
            return "the levels must have at least 1 byte and be in ascending order";
    return NULL;
}

void rdi_details_write_levels(rd_json_writer *w, const rd_level *levels, size_t n) {
    rd_json_begin_array(w, "levels", RD_JSON_INLINE);
    for (size_t k = 0; k < n; k++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "name", levels[k].name);
        rd_json_put_u64(w, "bytes", levels[k].bytes);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void levels_write(rd_json_writer *w, const void *data) {
    const rd_details *d = data;
    rdi_details_write_levels(w, d->levels, d->n_levels);
}

const rdi_section rdi_section_levels = {
    .key = "levels",
    .minor = 1,
    .read = levels_read,
    .mistake = levels_mistake,
    .write = levels_write,
    .free = levels_free,
};
