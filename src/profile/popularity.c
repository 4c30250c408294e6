/* Reads, checks, writes and merges the sizes and the popularity of objects in the section
 * "objects". See section_objects.h. */
#include "profile/cells.h"
#include "profile/section_objects.h"

#include <string.h>

#define POPULARITY_BITS 4 /* log2 of the number of rows per octave */

void rdi_popularity_add(rd_popularity rows[RD_POPULARITY_ROWS], const rd_popularity *more) {
    rd_popularity *row = &rows[rdi_scale_cell(more->low, POPULARITY_BITS)];
    row->low = row->objects && row->low < more->low ? row->low : more->low;
    row->high = more->high > row->high ? more->high : row->high;
    row->objects += more->objects;
    row->requests += more->requests;
}

size_t rdi_popularity_pack(rd_popularity rows[RD_POPULARITY_ROWS]) {
    size_t n = 0;
    for (size_t i = 0; i < RD_POPULARITY_ROWS; i++)
        if (rows[i].objects)
            rows[n++] = rows[i];
    return n;
}

/* ---- reading ---- */

/* Enters the next item of an array of size classes, and returns whether there is one. */
static bool next_class(rdi_profile_reader *r, size_t i) {
    if (!rdi_json_next_item(&r->j))
        return false;
    if (i >= RD_SIZE_CLASSES)
        rdi_json_fail(&r->j, "there are more than %d size classes", RD_SIZE_CLASSES);
    return i < RD_SIZE_CLASSES;
}

void rdi_read_classes(rdi_profile_reader *r, void *field) {
    rd_size_class *classes = field;
    rdi_json_enter_array(&r->j);
    for (size_t i = 0; next_class(r, i); i++)
        classes[i].objects = rdi_json_u64(&r->j);
}

void rdi_read_class_bytes(rdi_profile_reader *r, void *field) {
    rd_size_class *classes = field;
    rdi_json_enter_array(&r->j);
    for (size_t i = 0; next_class(r, i); i++)
        classes[i].bytes = rdi_sum_narrow(rdi_json_u128(&r->j));
}

/* Reads the popularity as rows of four numbers, which are the members of rd_popularity. */
void rdi_read_popularity(rdi_profile_reader *r, void *field) {
    rd_objects_facts *f = field;
    f->popularity = rdi_read_rows4(r, &f->n_popularity);
    f->has_popularity = true;
}

/* ---- checks ---- */

const char *rdi_popularity_mistake(const rd_objects_facts *f) {
    rdi_u128 objects = 0, requests = 0, classes = 0;
    for (size_t i = 0; i < f->n_popularity; i++) {
        const rd_popularity *row = &f->popularity[i];
        if (row->low < 1 || row->low > row->high || (i && row->low <= row[-1].high))
            return "the rows of \"popularity\" are invalid or not in ascending order";
        if (row->requests < (rdi_u128)row->low * row->objects ||
            row->requests > (rdi_u128)row->high * row->objects)
            return "a row of \"popularity\" has too few or too many requests for its objects";
        objects += row->objects;
        requests += row->requests;
    }
    for (size_t i = 0; i < RD_SIZE_CLASSES; i++) {
        rdi_u128 n = f->size_class[i].objects, end = (rdi_u128)1 << i;
        rdi_u128 bytes = rdi_sum_wide(f->size_class[i].bytes);
        if (bytes < n * (end >> 1) || bytes > n * (end - 1))
            return "a size class has too few or too many bytes for its objects";
        classes += n;
    }
    if (f->n_popularity > RD_POPULARITY_ROWS)
        return "\"popularity\" has too many rows";
    if (objects != classes ||
        requests > (rdi_u128)f->reads.requests + f->writes.requests + f->touches.requests)
        return "\"popularity\" does not match the numbers of objects and requests";
    return NULL;
}

/* ---- writing ---- */

static void put_classes(rd_json_writer *w, const rd_objects_facts *f) {
    size_t n = RD_SIZE_CLASSES;
    while (n > 0 && f->size_class[n - 1].objects == 0)
        n--;
    rd_json_begin_array(w, "size_classes", RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rd_json_put_u64(w, NULL, f->size_class[i].objects);
    rd_json_end_array(w);
    if (!f->has_popularity)
        return;
    rd_json_begin_array(w, "size_class_bytes", RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rdi_json_put_u128(w, NULL, rdi_sum_wide(f->size_class[i].bytes));
    rd_json_end_array(w);
}

void rdi_put_popularity(rd_json_writer *w, const rd_objects_facts *f) {
    put_classes(w, f);
    if (!f->has_popularity)
        return;
    rd_json_begin_array(w, "popularity", RD_JSON_LINES);
    for (size_t i = 0; i < f->n_popularity; i++) {
        const rd_popularity *p = &f->popularity[i];
        const uint64_t row[] = {p->low, p->high, p->objects, p->requests};
        rdi_json_put_u64s(w, NULL, row, RDI_COUNT(row));
    }
    rd_json_end_array(w);
}

/* ---- merging ---- */

void rdi_popularity_merge(rd_popularity rows[RD_POPULARITY_ROWS], rd_objects_facts *sum,
                          const rd_objects_facts *f) {
    sum->has_popularity = sum->has_popularity && f->has_popularity;
    for (size_t i = 0; i < f->n_popularity; i++)
        rdi_popularity_add(rows, &f->popularity[i]);
    for (size_t i = 0; i < RD_SIZE_CLASSES; i++) {
        sum->size_class[i].objects += f->size_class[i].objects;
        rdi_sum_add(&sum->size_class[i].bytes, f->size_class[i].bytes);
        if (!sum->has_popularity)
            sum->size_class[i].bytes = (rd_sum){0};
    }
    if (!sum->has_popularity)
        memset(rows, 0, RD_POPULARITY_ROWS * sizeof *rows);
}
