/* Section "windows": how the distances change over the run. A merged profile does not have this
 * section, because its runs have no common time. */
#include "profile/details.h"
#include "profile/share.h"

/* ---- reading ---- */

typedef struct windows_read_state {
    rd_windows windows; /* the first member, so that offsets in rd_windows are also valid here */
    size_t n_numbers;
} windows_read_state;

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
        rdi_json_fail(&r->j, "there are more than %d windows", RD_WINDOWS_MAX);
}

static size_t read_indices(rdi_profile_reader *r, const size_t **out) {
    size_t room = rdi_count_items(&r->j), *indices = rdi_read_take(r, room, sizeof *indices), n = 0;
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && indices && n < room)
        rdi_read_index(r, &indices[n++]);
    *out = indices;
    return n;
}

static void read_phases(rdi_profile_reader *r, void *field) {
    rd_windows *w = field;
    w->n_phases = read_indices(r, &w->phases);
}

static void read_phase_numbers(rdi_profile_reader *r, void *field) {
    windows_read_state *state = field;
    state->n_numbers = read_indices(r, &state->windows.phase_numbers);
}

/* Numbers the intervals of a file of an earlier release. Such a file does not say which intervals
 * belong to the same phase, so every interval becomes a phase of its own. */
static void number_phases(rdi_profile_reader *r, rd_windows *w) {
    size_t *numbers = rdi_read_take(r, w->n_phases, sizeof *numbers);
    for (size_t i = 0; numbers && i < w->n_phases; i++)
        numbers[i] = i + 1;
    w->phase_numbers = numbers;
}

static void windows_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"references", rdi_read_u64, offsetof(rd_windows, references), true},
        {"rows", read_rows, 0, true},
        {"phases", read_phases, 0, true},
        {"phase_numbers", read_phase_numbers, 0, false},
        {0},
    };
    rdi_details *d = rdi_read_details(r, data);
    windows_read_state *state = d ? rdi_read_take(r, 1, sizeof *state) : NULL;
    if (!state)
        return;
    rdi_read_object(r, fields, state);
    if (!state->windows.phase_numbers)
        number_phases(r, &state->windows);
    else if (state->n_numbers != state->windows.n_phases)
        rdi_json_fail(&r->j, "\"phase_numbers\" and \"phases\" have different lengths");
    d->is.windows = &state->windows;
}

/* ---- checks ---- */

static const char *windows_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_details *d = data;
    const rd_windows *w = d->windows;
    uint64_t from = 0;
    if (!w)
        return NULL;
    for (size_t i = 0; i < w->n; i++) {
        if (w->rows[i].from != from)
            return "a window does not begin at the end of the previous window";
        from += w->rows[i].share.references;
    }
    for (size_t i = 0; i < w->n_phases; i++)
        if (w->phases[i] >= w->n || (i ? w->phases[i] <= w->phases[i - 1] : w->phases[i] != 0))
            return "the phases are not in ascending order, or do not begin with window 0";
    for (size_t i = 0, most = 0; i < w->n_phases; i++) {
        if (w->phase_numbers[i] == 0 || w->phase_numbers[i] > most + 1)
            return "the phases are not numbered in the order in which they appear";
        most = w->phase_numbers[i] > most ? w->phase_numbers[i] : most;
    }
    return rdi_shares_sum_up(facts, d, &w->rows->share, w->n, sizeof *w->rows)
               ? NULL
               : "the references of the windows do not add up to those of the profile";
}

/* ---- writing ---- */

static void put_indices(rd_json_writer *w, const char *key, const size_t *indices, size_t n) {
    rd_json_begin_array(w, key, RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rd_json_put_u64(w, NULL, indices[i]);
    rd_json_end_array(w);
}

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
    put_indices(w, "phases", windows->phases, windows->n_phases);
    put_indices(w, "phase_numbers", windows->phase_numbers, windows->n_phases);
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
