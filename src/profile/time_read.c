/* Reads histograms of time distances from text files of other tools, and makes profiles from
 * them. */
#include "base/number.h"
#include "base/sized.h"
#include "profile/profile_build.h"
#include "profile/time_model.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS     4    /* a message names this limit */
#define LINE_BYTES 1024 /* newline and zero byte included; a message names the longest line */
#define BLANKS     " \t\r\n,;"

typedef struct times_reader {
    rd_ctx *ctx;
    const char *name;
    bool from_zero;
    uint64_t line;
    rdi_time_point *points;
    size_t n, room;
    uint64_t upto;   /* largest time so far in the file, plus 1 */
    uint64_t reuses; /* sum of all counts */
    uint64_t blocks; /* the count on the line "inf", or the number that the caller gave */
    bool has_blocks;
    uint64_t bytes;
} times_reader;

static rd_status bad(const times_reader *r, const char *what) {
    return rdi_fail(r->ctx, RD_EFORMAT, "%s: line %" PRIu64 ": %s", r->name, r->line, what);
}

static rd_status parse_u64(const times_reader *r, const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long x = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno)
        return bad(r, "expected a whole number from 0 to 2^64 - 1");
    *out = x;
    return RD_OK;
}

static bool is_infinite(const char *text) {
    return strcmp(text, "inf") == 0;
}

/* ---- one line ---- */

static rd_status add_blocks(times_reader *r, const char *count) {
    if (r->has_blocks)
        return bad(r, "this is the second line 'inf'; only one is allowed");
    r->has_blocks = true;
    return parse_u64(r, count, &r->blocks);
}

static rd_status add_point(times_reader *r, double time, uint64_t count) {
    if (count == 0)
        return RD_OK;
    if (__builtin_add_overflow(r->reuses, count, &r->reuses))
        return bad(r, "there are 2^64 references or more");
    if (r->n == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        rdi_time_point *grown = rdi_resize(r->ctx, r->points, room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        r->points = grown;
        r->room = room;
    }
    r->points[r->n++] = (rdi_time_point){time + (r->from_zero ? 1 : 0), count};
    return RD_OK;
}

/* Reads the mean of a bin from `text`, or takes the middle of the bin if `text` is NULL. */
static rd_status parse_mean(const times_reader *r, const char *text, uint64_t low, uint64_t high,
                            double *out) {
    double mean = (double)low + (double)(high - low) / 2;
    char *end = NULL;
    if (text)
        mean = rdi_strtod(text, &end);
    if ((text && (end == text || *end)) || !(mean >= (double)low && mean <= (double)high))
        return bad(r, "the mean is not a number inside its bin");
    *out = mean;
    return RD_OK;
}

static rd_status read_bin(times_reader *r, char **field, size_t n) {
    uint64_t low = 0, high = 0, count = 0;
    double mean = 0;
    RD_TRY(parse_u64(r, field[0], &low));
    RD_TRY(parse_u64(r, field[n == 2 ? 0 : 1], &high));
    RD_TRY(parse_u64(r, field[n == 2 ? 1 : 2], &count));
    if (high == UINT64_MAX)
        return bad(r, "the time is above 2^64 - 2");
    if (high < low || low < r->upto)
        return bad(r, "times must be in ascending order");
    if (low == 0 && !r->from_zero)
        return bad(
            r,
            "the time distance is 0, but immediate reuse has time distance 1; if it has 0 in this "
            "file, set from_zero (--from-zero)");
    r->upto = high + 1;
    RD_TRY(parse_mean(r, n == 4 ? field[3] : NULL, low, high, &mean));
    return add_point(r, mean, count);
}

static rd_status read_fields(times_reader *r, char **field, size_t n) {
    if (n < 2)
        return bad(r, "expected a time and a count");
    if (!is_infinite(field[0]))
        return read_bin(r, field, n);
    bool twice = is_infinite(field[1]);
    if (n != (twice ? 3 : 2))
        return bad(r, "expected 'inf' and a count");
    return add_blocks(r, field[n - 1]);
}

/* Returns whether the line is a heading, which has no number. A line with a number is data, even if
 * it is invalid. */
static bool is_heading(char **field, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char *end;
        rdi_strtod(field[i], &end);
        if (end != field[i] && *end == 0)
            return false;
    }
    return true;
}

static rd_status read_line(times_reader *r, char *line) {
    char *field[FIELDS], *rest = NULL;
    size_t n = 0;
    if (*line == '#')
        return RD_OK;
    for (char *f = strtok_r(line, BLANKS, &rest); f; f = strtok_r(NULL, BLANKS, &rest)) {
        if (n == FIELDS)
            return bad(r, "the line has more than 4 columns");
        field[n++] = f;
    }
    if (n == 0 || (r->line == 1 && is_heading(field, n)))
        return RD_OK;
    return read_fields(r, field, n);
}

/* ---- the file ---- */

static rd_status read_lines(times_reader *r, FILE *file) {
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, file)) {
        size_t n = strlen(line);
        r->line++;
        r->bytes += n;
        bool ends = n > 0 && line[n - 1] == '\n';
        if (n + 1 == sizeof line && !ends)
            return bad(r, "the line is longer than 1022 bytes");
        if (!ends && !feof(file))
            return bad(r, "the line contains a zero byte");
        RD_TRY(read_line(r, line));
    }
    if (ferror(file))
        return rdi_fail(r->ctx, RD_EIO, "%s: cannot read: %s", r->name, strerror(errno));
    return RD_OK;
}

static rd_status read_file(times_reader *r, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    r->name = standard ? "(standard input)" : path;
    FILE *file = standard ? stdin : fopen(path, "re");
    if (!file)
        return rdi_fail(r->ctx, RD_EIO, "%s: cannot open: %s", path, strerror(errno));
    rd_status status = read_lines(r, file);
    if (!standard)
        fclose(file);
    return status;
}

static rd_status check_blocks(times_reader *r, uint64_t given) {
    if (given)
        r->blocks = given;
    else if (!r->has_blocks)
        return rdi_fail(r->ctx, RD_EINVAL,
                        "%s: the number of distinct blocks is missing; give it with --blocks, or "
                        "add a line 'inf COUNT'",
                        r->name);
    if (r->blocks == 0 && r->reuses > 0)
        return rdi_fail(r->ctx, RD_EFORMAT,
                        "%s: the file has reuses, but its number of distinct blocks is 0; give the "
                        "right number with --blocks",
                        r->name);
    if (r->reuses > UINT64_MAX - 1 - r->blocks)
        return rdi_fail(r->ctx, RD_ERANGE, "%s: there are 2^64 references or more", r->name);
    return RD_OK;
}

static rd_status make_profile(const times_reader *r, rdi_hist *hist, rd_profile **out) {
    rdi_time_histogram times = {.points = r->points, .n = r->n, .blocks = r->blocks};
    rd_profile_facts facts = {
        .references = r->reuses + r->blocks,
        .blocks = r->blocks,
        .cold = r->blocks,
        .infinite = r->blocks,
        .engine = "time",
        .error_kind = "statistical",
        .binning = rdi_hist_binning(hist),
        .sums_known = true,
    };
    rd_bin *bins = NULL;
    size_t n = 0;
    rd_profile *p = NULL;
    RD_TRY(rdi_time_model(r->ctx, &times, hist));
    RD_TRY(rdi_hist_bins(hist, &bins, &n));
    rd_status status = rdi_profile_new(r->ctx, &facts, bins, n, &p);
    rdi_free(r->ctx, bins);
    if (status == RD_OK)
        status = rd_profile_add_source(p, &(rd_source){.path = r->name,
                                                       .format = "time histogram",
                                                       .bytes = r->bytes,
                                                       .references = facts.references});
    if (status == RD_OK)
        *out = p;
    else
        rd_profile_free(p);
    return status;
}

rd_status rd_profile_from_times(rd_ctx *ctx, const char *path, const rd_times_config *config,
                                rd_profile **out) {
    RDI_NEED(ctx, ctx, path, out);
    rd_times_config known;
    RD_TRY(rdi_sized_copy(ctx, "rd_times_config", config, &known, sizeof known));
    times_reader r = {.ctx = ctx, .from_zero = known.from_zero};
    rdi_hist *hist = NULL;
    rd_status status = rdi_hist_new(ctx, known.binning, &hist);
    if (status == RD_OK)
        status = read_file(&r, path);
    if (status == RD_OK)
        status = check_blocks(&r, known.blocks);
    if (status == RD_OK)
        status = make_profile(&r, hist, out);
    rdi_hist_free(hist);
    rdi_free(ctx, r.points);
    return status;
}
