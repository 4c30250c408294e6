/* Implements the names and checks of binnings, the ranges of bins, coarser bins and reference
 * groups. See binning.h. */
#include "profile/binning.h"

#include "profile/hist.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_GROUPS 1000 /* the default of Zhong, Shen, Ding 2009, section 3.1 */
#define MAX_GROUPS     (UINT64_C(1) << 32)

static const struct {
    const char *name;
    rd_binning_kind kind;
} names[] = {
    {"full", RD_BINS_FULL},           {"log", RD_BINS_LOG},
    {"loglinear", RD_BINS_LOGLINEAR}, {"linear", RD_BINS_LINEAR},
    {"reference", RD_BINS_REFERENCE}, {"edges", RD_BINS_EDGES},
};

static bool is_loglinear_width(uint64_t width) {
    return width > 0 && width < RDI_LINEAR_FROM && (width & (width - 1)) == 0;
}

static rd_status parse_param(rd_ctx *ctx, const char *text, const char *param, rd_binning *out) {
    bool linear = out->kind == RD_BINS_LINEAR, reference = out->kind == RD_BINS_REFERENCE;
    bool loglinear = out->kind == RD_BINS_LOGLINEAR;
    if (!param) {
        if (linear)
            return rdi_fail(ctx, RD_EINVAL, "linear bins need a width, for example linear:2048");
        out->param = reference ? DEFAULT_GROUPS : 0;
        return RD_OK;
    }
    if (!linear && !reference && !loglinear)
        return rdi_fail(ctx, RD_EINVAL,
                        "'%.80s': only loglinear, linear and reference bins take a number", text);
    RD_TRY(rd_parse_size(ctx, param, &out->param));
    if (loglinear && !is_loglinear_width(out->param))
        return rdi_fail(ctx, RD_EINVAL, "'%.80s': the width must be a power of two from 1 to %u",
                        text, RDI_LINEAR_FROM / 2);
    if (out->param == 0 || (reference && out->param > MAX_GROUPS))
        return rdi_fail(ctx, RD_EINVAL,
                        reference ? "'%.80s': the number of groups must be from 1 to 2^32"
                                  : "'%.80s': the width must be at least 1",
                        text);
    return RD_OK;
}

rd_status rd_binning_parse(rd_ctx *ctx, const char *text, rd_binning *out) {
    RDI_NEED(ctx, ctx, text, out);
    const char *colon = strchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : strlen(text);
    for (size_t i = 0; i < RDI_COUNT(names); i++)
        if (strlen(names[i].name) == len && memcmp(names[i].name, text, len) == 0 &&
            names[i].kind != RD_BINS_EDGES) {
            rd_binning binning = {names[i].kind, 0};
            RD_TRY(parse_param(ctx, text, colon ? colon + 1 : NULL, &binning));
            *out = binning;
            return RD_OK;
        }
    return rdi_fail(ctx, RD_EINVAL,
                    "unknown bins '%.80s' (valid: full, log, loglinear[:WIDTH], linear:WIDTH, "
                    "reference:GROUPS)",
                    text);
}

void rd_binning_name(rd_binning binning, char *text) {
    const char *name = "";
    if (!text)
        return;
    for (size_t i = 0; i < RDI_COUNT(names); i++)
        if (names[i].kind == binning.kind)
            name = names[i].name;
    if (binning.param)
        snprintf(text, 32, "%s:%" PRIu64, name, binning.param);
    else
        snprintf(text, 32, "%s", name);
}

rd_status rdi_binning_check(rd_ctx *ctx, rd_binning binning) {
    if ((unsigned)binning.kind > RD_BINS_EDGES)
        return rdi_fail(ctx, RD_EINVAL,
                        "unknown kind of bins %d; the kinds of rd_binning_kind are 0 to %d",
                        (int)binning.kind, (int)RD_BINS_EDGES);
    if (binning.kind == RD_BINS_LOGLINEAR && binning.param && !is_loglinear_width(binning.param))
        return rdi_fail(ctx, RD_EINVAL,
                        "the width of log-linear bins is %" PRIu64
                        "; it must be a power of two from 1 to %u, or 0 for the usual bins",
                        binning.param, RDI_LINEAR_FROM / 2);
    if (binning.kind == RD_BINS_LINEAR && binning.param == 0)
        return rdi_fail(ctx, RD_EINVAL, "the width of linear bins is 0; it must be at least 1");
    if (binning.kind == RD_BINS_REFERENCE && binning.param == 0)
        return rdi_fail(ctx, RD_EINVAL,
                        "the number of reference groups is 0; it must be at least 1");
    return RD_OK;
}

static void log_range(uint64_t index, rd_bin *bin) {
    bin->low = index ? UINT64_C(1) << (index - 1) : 0;
    bin->high = index ? bin->low + (bin->low - 1) : 0;
}

static void linear_range(uint64_t index, uint64_t width, rd_bin *bin) {
    bin->low = index * width;
    if (__builtin_add_overflow(bin->low, width - 1, &bin->high))
        bin->high = RD_COLD;
}

void rdi_bin_range(rd_binning binning, uint64_t index, rd_bin *bin) {
    bool loglinear = binning.kind == RD_BINS_LOGLINEAR || binning.kind == RD_BINS_REFERENCE;
    uint64_t width = rdi_loglinear_width(binning), log_bins = rdi_bit_width(width);
    if (binning.kind == RD_BINS_LINEAR)
        linear_range(index, binning.param, bin);
    else if (binning.kind == RD_BINS_FULL)
        bin->low = bin->high = index;
    else if (loglinear && index >= log_bins)
        linear_range(index - (log_bins - 1), width, bin);
    else
        log_range(index, bin);
    if (bin->high == RD_COLD)
        bin->high--;
}

double rd_bin_mean(const rd_bin *bin) {
    if (!bin || bin->count == 0)
        return 0;
    return ((double)bin->sum.high * 0x1p64 + (double)bin->sum.low) / (double)bin->count;
}

static rd_status fail_split(rd_ctx *ctx, const rd_bin *bin, rd_binning to) {
    char name[32];
    rd_binning_name(to, name);
    return rdi_fail(ctx, RD_EINVAL,
                    "cannot make %s bins: the bin %" PRIu64 " to %" PRIu64
                    " would have to be split; choose coarser bins (--hist)",
                    name, bin->low, bin->high);
}

rd_status rdi_bins_coarsen(rd_ctx *ctx, const rd_bin *bins, size_t n, rd_binning to, rd_bin **out,
                           size_t *n_out) {
    rd_bin *rows = rdi_alloc(ctx, n ? n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        rd_bin bin = bins[i];
        rdi_bin_range(to, rdi_bin_index(to, bins[i].low), &bin);
        if (bins[i].high > bin.high) {
            rdi_free(ctx, rows);
            return fail_split(ctx, &bins[i], to);
        }
        if (used && rows[used - 1].low == bin.low) {
            rows[used - 1].count += bin.count;
            rdi_sum_add(&rows[used - 1].sum, bin.sum);
        } else {
            rows[used++] = bin;
        }
    }
    *out = rows;
    *n_out = used;
    return RD_OK;
}

/* Returns sum * part / count, rounded down, without overflow. `part` must be at most `count`. */
static rdi_u128 share_of(rdi_u128 sum, uint64_t part, uint64_t count) {
    return sum / count * part + (sum % count) * part / count;
}

rd_status rdi_bins_to_groups(rd_ctx *ctx, const rd_bin *bins, size_t n, uint64_t groups,
                             rd_bin **out, size_t *n_out) {
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += bins[i].count;
    uint64_t rows = total < groups ? total : groups;
    rd_bin *row = rdi_calloc(ctx, rows ? (size_t)rows : 1, sizeof *row);
    if (!row)
        return RD_ENOMEM;
    size_t i = 0;
    /* Number of references of bin i that do not belong to a group yet, and sum of their distances. */
    uint64_t left = n ? bins[0].count : 0;
    rdi_u128 sum_left = n ? rdi_sum_wide(bins[0].sum) : 0;
    for (uint64_t g = 0; g < rows; g++) {
        uint64_t need =
            (uint64_t)((rdi_u128)total * (g + 1) / rows) - (uint64_t)((rdi_u128)total * g / rows);
        row[g].count = need;
        bool first = true;
        while (need > 0) {
            if (left == 0) {
                i++;
                left = bins[i].count;
                sum_left = rdi_sum_wide(bins[i].sum);
                continue;
            }
            uint64_t take = left < need ? left : need;
            rdi_u128 sum = share_of(sum_left, take, left);
            row[g].low = first ? bins[i].low : row[g].low;
            row[g].high = bins[i].high;
            rdi_sum_add(&row[g].sum, rdi_sum_narrow(sum));
            first = false;
            sum_left -= sum;
            left -= take;
            need -= take;
        }
    }
    *out = row;
    *n_out = (size_t)rows;
    return RD_OK;
}
