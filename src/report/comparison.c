/* Makes comparisons of profiles as text, CSV and JSON. */
#include "reusedist/report.h"

#include "base/json_write.h"
#include "report/change.h"
#include "report/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 80 /* columns of the sentences */

static rd_status compare_pair(rd_ctx *ctx, const rd_comparees *all, size_t first, size_t second,
                              rd_comparison *out) {
    rd_status status =
        rd_compare(ctx, all->profiles[first], all->profiles[second], all->binning, out);
    if (status == RD_OK || status == RD_ENOMEM)
        return status;
    return rdi_fail(ctx, status, "%s and %s: %s", all->names[first], all->names[second],
                    rd_last_error(ctx));
}

/* Writes the name of a binning, such as "log bins", to `room` and returns `room`. RD_BINS_EDGES,
 * the finest bins that both profiles have, is called "common bins". */
static const char *bins_name(rd_binning binning, char room[48]) {
    char name[32];
    rd_binning_name(binning, name);
    snprintf(room, 48, "%s bins", binning.kind == RD_BINS_EDGES ? "common" : name);
    return room;
}

/* Stores the text if `status` is RD_OK. Otherwise drops the text and returns `status`. */
static rd_status finish(rdi_text *t, rd_status status, char **text, size_t *n) {
    if (status == RD_OK)
        return rdi_text_take(t, text, n);
    rdi_text_drop(t);
    return status;
}

/* ---- text ---- */

static void add_profile_line(rdi_text *t, size_t number, const char *name, const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    char references[16], blocks[16] = "", bytes[16];
    rd_format_count((double)f->references, references);
    rdi_text_printf(t, "%zu  ", number);
    rdi_text_escaped(t, name);
    rdi_text_puts(t, ": ");
    rdi_text_escaped(t, f->engine ? f->engine : "unknown engine");
    rdi_text_puts(t, ", ");
    rdi_text_escaped(t, f->exact ? "exact" : f->error_kind ? f->error_kind : "unknown error");
    const rd_objects_facts *objects = rd_profile_objects(p);
    rdi_text_printf(t, ", %s %s%s", references, objects ? "request" : "reference",
                    f->references == 1 ? "" : "s");
    if (objects) {
        rd_format_count((double)objects->objects, blocks);
        rd_format_bytes((double)objects->largest, bytes);
        rdi_text_printf(t, ", %s object%s of up to %s", blocks, objects->objects == 1 ? "" : "s",
                        bytes);
        rdi_text_puts(t, f->partial ? ", incomplete\n" : "\n");
        return;
    }
    if (f->blocks != RD_UNKNOWN)
        rd_format_count((double)f->blocks, blocks);
    rd_format_bytes((double)f->block_bytes, bytes);
    if (f->blocks != RD_UNKNOWN || f->block_bytes)
        rdi_text_printf(t, ", %s%sblock%s", blocks, *blocks ? " " : "", f->blocks == 1 ? "" : "s");
    if (f->block_bytes)
        rdi_text_printf(t, " of %s", bytes);
    if (f->bound)
        rdi_text_printf(t, ", bound %" PRIu64, f->bound);
    if (f->skipped)
        rdi_text_puts(t, ", sampled");
    rdi_text_puts(t, f->partial ? ", incomplete\n" : "\n");
}

static void add_label(rdi_text *t, const char *label) {
    rdi_text_printf(t, "%-16s", label);
}

/* Adds why no miss ratios were compared. */
static void add_no_misses(rdi_text *t, bool sampled) {
    rdi_text_printf(t, "unknown: the bins are too coarse%s\n",
                    sampled ? ", or the samples too small" : "");
}

/* Adds the number of sizes at which the miss ratios were compared. `last` is the largest of these
 * sizes. */
static void add_sizes(rdi_text *t, unsigned n, bool sampled, const char *last) {
    rdi_text_printf(t, "   (%u power%s of two%s up to %s)\n", n, n == 1 ? "" : "s",
                    sampled ? " that the samples resolve," : "", last);
}

/* Adds the difference of the miss ratios of object caches, whose sizes are in bytes. */
static void add_object_misses(rdi_text *t, const rd_comparison *c, bool sampled) {
    char most[16], last[16];
    rd_format_bytes((double)c->max_mrc_blocks, most);
    rd_format_bytes((double)c->last_mrc_blocks, last);
    add_label(t, "miss ratio");
    if (c->n_mrc_sizes == 0) {
        add_no_misses(t, sampled);
        return;
    }
    if (c->max_mrc_blocks == 0)
        rdi_text_puts(t, "the same");
    else
        rdi_text_printf(t, "at most %.3g points apart, at %s; %.3g on average",
                        100 * c->max_mrc_error, most, 100 * c->mean_mrc_error);
    add_sizes(t, c->n_mrc_sizes, sampled, last);
}

static void add_misses(rdi_text *t, const rd_comparison *c, uint64_t block_bytes, bool sampled) {
    add_label(t, "miss ratio");
    if (c->n_mrc_sizes == 0) {
        add_no_misses(t, sampled);
        return;
    }
    if (c->max_mrc_blocks == 0) {
        rdi_text_puts(t, "the same");
    } else {
        rdi_text_printf(t, "at most %.3g points apart, at %" PRIu64 " block%s",
                        100 * c->max_mrc_error, c->max_mrc_blocks,
                        c->max_mrc_blocks == 1 ? "" : "s");
        char bytes[16];
        rd_format_bytes((double)c->max_mrc_blocks * (double)block_bytes, bytes);
        if (block_bytes)
            rdi_text_printf(t, " (%s)", bytes);
        rdi_text_printf(t, "; %.3g on average", 100 * c->mean_mrc_error);
    }
    char last[32];
    snprintf(last, sizeof last, "%" PRIu64 " block%s", c->last_mrc_blocks,
             c->last_mrc_blocks == 1 ? "" : "s");
    add_sizes(t, c->n_mrc_sizes, sampled, last);
}

static void add_worst_bins(rdi_text *t, const rd_comparison *c, const char *bins, bool objects) {
    if (c->n_worst == 0)
        return;
    rdi_text_printf(t, "\nlargest differences, in percent of the finite distances (%s%s)\n",
                    objects ? "bytes, " : "", bins);
    rdi_text_printf(t, "%20s   %-20s %8s %8s %9s\n", "from", "to", "1", "2", "2 - 1");
    for (size_t i = 0; i < c->n_worst; i++) {
        const rd_bin_difference *bin = &c->worst[i];
        rdi_text_printf(t, "%20" PRIu64 "   %-20" PRIu64 " %8.3f %8.3f %+9.3f\n", bin->low,
                        bin->high, 100 * bin->share[0], 100 * bin->share[1],
                        100 * (bin->share[1] - bin->share[0]));
    }
}

/* Says whether an approximate profile keeps its error bound. Adds nothing unless exactly one of the
 * two profiles is exact. */
static void add_bound(rdi_text *t, const rd_comparison *c, const rd_profile *const pair[2]) {
    const rd_profile_facts *a = rd_profile_facts_of(pair[0]), *b = rd_profile_facts_of(pair[1]);
    const rd_profile_facts *f = a->exact ? b : a;
    if (a->exact == b->exact)
        return;
    add_label(t, "error bound");
    if (c->bound_checked && f->n_band)
        rdi_text_printf(t, "the bands %s the exact miss ratios\n",
                        c->bound_held ? "contain" : "do not contain");
    else if (c->bound_checked)
        rdi_text_printf(t, "%s (%s, %g)\n", c->bound_held ? "held" : "broken", f->error_kind,
                        f->error_bound);
    else if (a->references != b->references)
        rdi_text_printf(t, "not checked: the numbers of %s differ\n",
                        rd_profile_objects(pair[0]) ? "requests" : "references");
    else
        rdi_text_puts(t, "none that can be checked\n");
}

static bool same_binning(const rd_profile *const pair[2]) {
    rd_binning a = rd_profile_facts_of(pair[0])->binning, b = rd_profile_facts_of(pair[1])->binning;
    return a.kind == b.kind && a.param == b.param;
}

/* Adds the sentences about the change from the first profile to the second. See change.h. */
static rd_status add_change(rdi_text *t, const rd_comparees *all) {
    rdi_change change = {.profiles = all->profiles, .names = all->names};
    rdi_paper paper = {.t = *t, .style = {.width = WIDTH}};
    rdi_text words = rdi_text_start(t->ctx);
    change.n_levels = rdi_report_levels(all->profiles[0], &change.levels);
    rd_status status = rdi_change_say(t->ctx, &change, &words);
    for (char *line = words.data, *end; status == RD_OK && line && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        rdi_text safe = rdi_text_start(t->ctx);
        rdi_text_escaped(&safe, line);
        if (safe.status == RD_OK)
            rdi_paper_wrap(&paper, safe.data);
        else
            status = safe.status;
        rdi_text_drop(&safe);
    }
    *t = paper.t;
    rdi_text_drop(&words);
    return status == RD_OK ? rdi_change_functions(t->ctx, &change, t) : status;
}

static void add_average_error(rdi_text *t, const rd_comparison *c) {
    add_label(t, "average error");
    if (isnan(c->average_error))
        rdi_text_puts(t, "unknown: the bins are too coarse");
    else
        rdi_text_printf(t, "%.3g %%", 100 * c->average_error);
    rdi_text_puts(t, "   (HP-RDA's 23 bins 1, 2, 4 ... 2M, more)\n");
}

static rd_status add_two(rdi_text *t, const rd_comparees *all) {
    const rd_profile *const pair[2] = {all->profiles[0], all->profiles[1]};
    rd_comparison c = {0};
    RD_TRY(compare_pair(t->ctx, all, 0, 1, &c));
    RD_TRY(add_change(t, all));
    rdi_text_putc(t, '\n');
    char room[48];
    const char *bins = bins_name(c.binning, room);
    add_label(t, "identical");
    bool same_bins = same_binning(pair);
    rdi_text_puts(t, !c.identical ? "no\n"
                     : same_bins  ? "yes\n"
                                  : "yes, as far as the bins tell\n");
    add_label(t, "accuracy");
    rdi_text_printf(t, "%.6g %%   (finite distances, %s)\n", 100 * c.accuracy, bins);
    bool objects = rd_profile_objects(pair[0]);
    bool sampled = rd_mrc_resolution(pair[0]) || rd_mrc_resolution(pair[1]);
    if (objects) {
        add_object_misses(t, &c, sampled);
    } else {
        add_average_error(t, &c);
        add_misses(t, &c, rd_profile_facts_of(pair[0])->block_bytes, sampled);
    }
    add_bound(t, &c, pair);
    add_worst_bins(t, &c, bins, objects);
    return RD_OK;
}

static rd_status add_matrix(rdi_text *t, const rd_comparees *all) {
    char room[48];
    rdi_text_printf(t, "accuracy in percent (finite distances, %s)\n    ",
                    bins_name(all->binning, room));
    for (size_t i = 0; i < all->n; i++)
        rdi_text_printf(t, " %8zu", i + 1);
    rdi_text_putc(t, '\n');
    for (size_t i = 0; i < all->n; i++) {
        rdi_text_printf(t, "%4zu", i + 1);
        for (size_t k = 0; k < all->n; k++) {
            rd_comparison c = {0};
            RD_TRY(compare_pair(t->ctx, all, i, k, &c));
            rdi_text_printf(t, " %8.3f", 100 * c.accuracy);
        }
        rdi_text_putc(t, '\n');
    }
    return RD_OK;
}

static rd_status check_comparees(rd_ctx *ctx, const rd_comparees *all) {
    if (all->n < 2)
        return rdi_fail(ctx, RD_EINVAL, "a comparison needs two or more profiles, not %zu", all->n);
    RDI_NEED(ctx, all->profiles, all->names);
    for (size_t i = 0; i < all->n; i++)
        RDI_NEED(ctx, all->profiles[i], all->names[i]);
    return RD_OK;
}

rd_status rd_report_comparison_text(rd_ctx *ctx, const rd_comparees *all, char **text, size_t *n) {
    RDI_NEED(ctx, ctx, all, text, n);
    RD_TRY(check_comparees(ctx, all));
    rdi_text t = rdi_text_start(ctx);
    for (size_t i = 0; i < all->n; i++)
        add_profile_line(&t, i + 1, all->names[i], all->profiles[i]);
    rdi_text_putc(&t, '\n');
    rd_status status = all->n == 2 ? add_two(&t, all) : add_matrix(&t, all);
    return finish(&t, status, text, n);
}

/* ---- every pair, for programs ---- */

typedef void visit_pair(void *out, const rd_comparees *all, size_t first, size_t second,
                        const rd_comparison *c);

static rd_status each_pair(rd_ctx *ctx, const rd_comparees *all, visit_pair *visit, void *out) {
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = i + 1; k < all->n; k++) {
            rd_comparison c = {0};
            RD_TRY(compare_pair(ctx, all, i, k, &c));
            visit(out, all, i, k, &c);
        }
    return RD_OK;
}

static void add_csv_pair(void *out, const rd_comparees *all, size_t first, size_t second,
                         const rd_comparison *c) {
    rdi_text *t = out;
    char binning[32];
    rd_binning_name(c->binning, binning);
    rdi_text_csv(t, all->names[first]);
    rdi_text_putc(t, ',');
    rdi_text_csv(t, all->names[second]);
    rdi_text_printf(t, ",%s,", binning);
    rdi_text_double(t, c->accuracy);
    rdi_text_putc(t, ',');
    if (!isnan(c->average_error))
        rdi_text_double(t, c->average_error);
    rdi_text_putc(t, ',');
    rdi_text_double(t, c->max_mrc_error);
    rdi_text_printf(t, ",%" PRIu64 ",", c->max_mrc_blocks);
    rdi_text_double(t, c->mean_mrc_error);
    rdi_text_printf(t, ",%s,%s\n", c->identical ? "yes" : "no",
                    !c->bound_checked ? ""
                    : c->bound_held   ? "yes"
                                      : "no");
}

/* Returns whether object caches are compared, whose sizes are in bytes. Profiles of both kinds are
 * never mixed. */
static bool of_objects(const rd_comparees *all) {
    return rd_profile_objects(all->profiles[0]);
}

rd_status rd_report_comparison_csv(rd_ctx *ctx, const rd_comparees *all, char **text, size_t *n) {
    RDI_NEED(ctx, ctx, all, text, n);
    RD_TRY(check_comparees(ctx, all));
    rdi_text t = rdi_text_start(ctx);
    rdi_text_printf(&t,
                    "first,second,binning,accuracy,average_error,max_miss_ratio_error,%s,"
                    "mean_miss_ratio_error,identical,bound_held\n",
                    of_objects(all) ? "at_bytes" : "at_blocks");
    return finish(&t, each_pair(ctx, all, add_csv_pair, &t), text, n);
}

static void put_worst_bins(rd_json_writer *w, const rd_comparison *c) {
    rd_json_begin_array(w, "worst_bins", RD_JSON_INLINE);
    for (size_t i = 0; i < c->n_worst; i++) {
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, c->worst[i].low);
        rd_json_put_u64(w, NULL, c->worst[i].high);
        rd_json_put_double(w, NULL, c->worst[i].share[0]);
        rd_json_put_double(w, NULL, c->worst[i].share[1]);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

static void put_pair(void *out, const rd_comparees *all, size_t first, size_t second,
                     const rd_comparison *c) {
    rd_json_writer *w = out;
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_u64(w, "first", first);
    rd_json_put_u64(w, "second", second);
    rd_json_put_bool(w, "identical", c->identical);
    rd_json_put_double(w, "accuracy", c->accuracy);
    rd_json_put_double(w, "average_error", c->average_error);
    rd_json_put_double(w, "max_miss_ratio_error", c->max_mrc_error);
    rd_json_put_u64(w, of_objects(all) ? "at_bytes" : "at_blocks", c->max_mrc_blocks);
    rd_json_put_double(w, "mean_miss_ratio_error", c->mean_mrc_error);
    rd_json_put_u64(w, "sizes", c->n_mrc_sizes);
    rd_json_put_u64(w, of_objects(all) ? "largest_bytes" : "largest_blocks", c->last_mrc_blocks);
    if (c->bound_checked)
        rd_json_put_bool(w, "bound_held", c->bound_held);
    else
        rd_json_put_null(w, "bound_held");
    put_worst_bins(w, c);
    rd_json_end_object(w);
}

rd_status rd_report_comparison_json(rd_ctx *ctx, const rd_comparees *all, char **text, size_t *n) {
    RDI_NEED(ctx, ctx, all, text, n);
    RD_TRY(check_comparees(ctx, all));
    char binning[32];
    rd_binning_name(all->binning, binning);
    rd_json_writer w = rdi_json_writer_start(ctx, RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.comparison/1");
    rd_json_put_string(&w, "binning", binning);
    rdi_json_put_strings(&w, "profiles", all->names, all->n);
    rd_json_begin_array(&w, "pairs", RD_JSON_LINES);
    rd_status status = each_pair(ctx, all, put_pair, &w);
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    if (status == RD_OK)
        return rd_json_writer_take(&w, text, n);
    rdi_json_writer_drop(&w);
    return status;
}
