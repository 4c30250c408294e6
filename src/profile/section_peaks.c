/* Section "peaks": peaks of the distances of sampled blocks. A merged profile does not have this
 * section, because different runs sample different blocks. */
#include "profile/profile_reader.h"
#include "profile/sections.h"

#include <inttypes.h>
#include <string.h>

typedef struct peak_list {
    rd_peak *peaks;
    size_t n, room;
} peak_list;

static void peaks_free(rd_ctx *ctx, void *data) {
    rdi_free(ctx, ((peak_list *)data)->peaks);
    rdi_free(ctx, data);
}

/* ---- reading ---- */

/* Reads [sample, number, distance, time]. */
static void read_peak(rdi_json *j, rd_peak *peak) {
    uint64_t values[4] = {0};
    size_t n = 0;
    rdi_json_enter_array(j);
    while (rdi_json_next_item(j)) {
        if (n == RDI_COUNT(values))
            rdi_json_fail(j, "a peak must have four numbers");
        else
            values[n++] = rdi_json_u64(j);
    }
    if (n < RDI_COUNT(values) || values[0] > UINT32_MAX || values[1] > UINT32_MAX)
        rdi_json_fail(j, "a peak must have four numbers, the first two below 2^32");
    *peak = (rd_peak){(uint32_t)values[0], (uint32_t)values[1], values[2], values[3]};
}

static void peaks_read(rdi_profile_reader *r, void **data) {
    rdi_json *j = &r->j;
    peak_list *list = rdi_calloc(j->ctx, 1, sizeof *list);
    *data = list;
    if (!list)
        j->status = RD_ENOMEM;
    rdi_json_enter_array(j);
    while (list && rdi_json_next_item(j)) {
        if (list->n == list->room) {
            rd_peak *grown = rdi_grow(j->ctx, list->peaks, &list->room, sizeof *grown);
            if (!grown) {
                j->status = RD_ENOMEM;
                return;
            }
            list->peaks = grown;
        }
        read_peak(j, &list->peaks[list->n++]);
    }
}

/* Returns whether sample numbers are at least 1 and do not decrease, the peaks of each sample are
 * numbered 1, 2, 3 ..., and no time exceeds `references`. */
static bool are_valid(const rd_peak *peaks, size_t n, uint64_t references) {
    for (size_t i = 0; i < n; i++) {
        const rd_peak *peak = &peaks[i], *before = i ? peak - 1 : NULL;
        bool next = before && peak->sample == before->sample;
        if (peak->time > references || peak->sample == 0 ||
            (before && peak->sample < before->sample) ||
            peak->number != (next ? before->number + 1 : 1))
            return false;
    }
    return true;
}

static const char *peaks_mistake(const rd_profile_facts *facts, const void *data) {
    const peak_list *list = data;
    return are_valid(list->peaks, list->n, facts->references)
               ? NULL
               : "peaks must be sorted by sample (from 1), be numbered 1, 2, 3 ... in each sample, "
                 "and have times of at most \"references\"";
}

/* ---- writing ---- */

static void peaks_write(rd_json_writer *w, const void *data) {
    const peak_list *list = data;
    if (list->n == 0)
        return;
    rd_json_begin_array(w, "peaks", RD_JSON_INLINE);
    for (size_t i = 0; i < list->n; i++) {
        const rd_peak *peak = &list->peaks[i];
        const uint64_t values[] = {peak->sample, peak->number, peak->distance, peak->time};
        rdi_json_put_u64s(w, NULL, values, RDI_COUNT(values));
    }
    rd_json_end_array(w);
}

const rdi_section rdi_section_peaks = {
    .key = "peaks",
    .read = peaks_read,
    .mistake = peaks_mistake,
    .write = peaks_write,
    .free = peaks_free,
};

/* ---- access to the peaks of a profile ---- */

size_t rd_profile_peaks(const rd_profile *p, const rd_peak **out) {
    const peak_list *list = rdi_profile_section(p, &rdi_section_peaks);
    if (out)
        *out = list ? list->peaks : NULL;
    return list ? list->n : 0;
}

rd_status rd_profile_set_peaks(rd_profile *p, const rd_peak *peaks, size_t n) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    RDI_NEED(NULL, p);
    if (n)
        RDI_NEED(ctx, peaks);
    if (!are_valid(peaks, n, rd_profile_facts_of(p)->references))
        return rdi_fail(ctx, RD_EINVAL,
                        "peaks must be sorted by sample (from 1), be numbered 1, 2, 3 ... in each "
                        "sample, and have times of at most %" PRIu64 ", the number of references",
                        rd_profile_facts_of(p)->references);
    peak_list *list = rdi_calloc(ctx, 1, sizeof *list);
    if (!list || !(list->peaks = rdi_alloc(ctx, n ? n : 1, sizeof *peaks))) {
        rdi_free(ctx, list);
        return RD_ENOMEM;
    }
    if (n)
        memcpy(list->peaks, peaks, n * sizeof *peaks);
    list->n = n;
    rdi_profile_set_section(p, &rdi_section_peaks, list);
    return RD_OK;
}
