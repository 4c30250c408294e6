/* Section "windows": how the distances change over the run. A merged profile does not have it, because
 * its runs have no common time. */
#include "profile/details.h"
#include "profile/share.h"

/* ---- reading ---- */

static void read_rows(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"from", rdi_read_u64, offsetof(rd_window, from), true},
        RDI_SHARE_FIELDS(offsetof(rd_window, share)),
        {0},
    };
    rd_windows *w = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *w->rows, &list, &w->n);
    w->rows = list;
    if (w->n > RD_WINDOWS_MAX)
        rdi_json_fail(&r->j, "more than %d windows", RD_WINDOWS_MAX);
}

static void read_phases(rdi_profile_reader *r, void *field) {
    rd_windows *w = field;
    size_t room = rdi_count_items(&r->j), *phases = rdi_read_take(r, room, sizeof *phases);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && phases && w->n_phases < room)
        rdi_read_index(r, &phases[w->n_phases++]);
    w->phases = phases;
}

static void windows_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"references", rdi_read_u64, offsetof(rd_windows, references), true},
        {"rows", read_rows, 0, true},
        {"phases", read_phases, 0, true},
        {0},
    };
    rdi_details *d = rdi_read_details(r, data);
    rd_windows *w = d ? rdi_read_take(r, 1, sizeof *w) : NULL;
    if (!w)
        return;
    rdi_read_object(r, fields, w);
    d->is.windows = w;
}

/* ---- what must hold ---- */

static const char *windows_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_details *d = data;
    const rd_windows *w = d->windows;
    uint64_t from = 0;
    if (!w)
        return NULL;
    for (size_t i = 0; i < w->n; i++) {
        if (w->rows[i].from != from)
            return "a window does not begin where the one before ends";
        from += w->rows[i].share.references;
    }
    for (size_t i = 0; i < w->n_phases; i++)
        if (w->phases[i] >= w->n || (i ? w->phases[i] <= w->phases[i - 1] : w->phases[i] != 0))
            return "the phases do not ascend from window 0 on";
    return rdi_shares_sum_up(facts, d, &w->rows->share, w->n, sizeof *w->rows)
               ? NULL
               : "the windows do not sum up to the profile";
}

/* ---- writing ---- */

static void windows_write(rd_json_writer *w, const void *data) {
    const rd_details *d = data;
    const rd_windows *windows = d->windows;
    if (!windows)
        return;
    rd_json_begin_object(w, "windows", RD_JSON_LINES);
    rd_json_put_u64(w, "references", windows->references);
    rd_json_begin_array(w, "rows", RD_JSON_LINES);
    for (size_t i = 0; i < windows->n; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "from", windows->rows[i].from);
        rdi_put_share(w, d, &windows->rows[i].share);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    rd_json_begin_array(w, "phases", RD_JSON_INLINE);
    for (size_t i = 0; i < windows->n_phases; i++)
        rd_json_put_u64(w, NULL, windows->phases[i]);
    rd_json_end_array(w);
    rd_json_end_object(w);
}

const rdi_section rdi_section_windows = {
    .key = "windows",
    .minor = 1,
    .owner = &rdi_section_levels,
    .read = windows_read,
    .mistake = windows_mistake,
    .write = windows_write,
};
