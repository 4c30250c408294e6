/* Implements the five patterns: their names, their functions, and sets of them. */
#include "model/patterns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BIT(pattern) (UINT32_C(1) << (pattern))

static const struct {
    const char *name;
    double exponent;
} patterns[RD_PATTERN_COUNT] = {
    [RD_PATTERN_CONSTANT] = {"constant", 0}, [RD_PATTERN_CUBE_ROOT] = {"1/3", 1.0 / 3},
    [RD_PATTERN_SQUARE_ROOT] = {"1/2", 0.5}, [RD_PATTERN_TWO_THIRDS] = {"2/3", 2.0 / 3},
    [RD_PATTERN_LINEAR] = {"linear", 1},
};

const rd_patterns rdi_patterns_of_dimension[RDI_DIMENSIONS] = {
    BIT(RD_PATTERN_CONSTANT) | BIT(RD_PATTERN_LINEAR),
    BIT(RD_PATTERN_CONSTANT) | BIT(RD_PATTERN_SQUARE_ROOT) | BIT(RD_PATTERN_LINEAR),
    BIT(RD_PATTERN_CONSTANT) | BIT(RD_PATTERN_CUBE_ROOT) | BIT(RD_PATTERN_TWO_THIRDS) |
        BIT(RD_PATTERN_LINEAR),
};

double rdi_pattern_at(rd_pattern pattern, double size) {
    return pattern == RD_PATTERN_LINEAR ? size : pow(size, patterns[pattern].exponent);
}

const char *rd_pattern_name(rd_pattern pattern) {
    return (unsigned)pattern < RD_PATTERN_COUNT ? patterns[pattern].name : "?";
}

rd_status rdi_patterns_check(rd_ctx *ctx, rd_patterns set) {
    rd_patterns cube = BIT(RD_PATTERN_CUBE_ROOT) | BIT(RD_PATTERN_TWO_THIRDS);
    if (!set || set >> RD_PATTERN_COUNT)
        return rdi_fail(ctx, RD_EINVAL,
                        "a model needs one or more of the patterns constant, 1/3, "
                        "1/2, 2/3, linear");
    if (rdi_patterns_has(set, RD_PATTERN_SQUARE_ROOT) && set & cube)
        return rdi_fail(ctx, RD_EINVAL,
                        "patterns 1/2 (for data of two dimensions) and 1/3, 2/3 "
                        "(for three dimensions) cannot be combined; give only one of these groups");
    return RD_OK;
}

/* Returns the pattern named by the first n characters of `text`, or RD_PATTERN_COUNT. */
static rd_pattern find_pattern(const char *text, size_t n) {
    rd_pattern p = 0;
    while (p < RD_PATTERN_COUNT &&
           (strncmp(patterns[p].name, text, n) != 0 || patterns[p].name[n] != '\0'))
        p++;
    return p;
}

rd_status rd_patterns_parse(rd_ctx *ctx, const char *text, rd_patterns *out) {
    RDI_NEED(ctx, ctx, text, out);
    rd_patterns set = 0;
    if (strcmp(text, "auto") == 0) {
        *out = 0;
        return RD_OK;
    }
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ",");
        rd_pattern p = find_pattern(at, n);
        if (p == RD_PATTERN_COUNT)
            return rdi_fail(ctx, RD_EINVAL,
                            "unknown pattern '%.*s'; valid: auto, or a comma-separated list of "
                            "constant, 1/3, 1/2, 2/3, linear",
                            (int)(n < 40 ? n : 40), at);
        set |= BIT(p);
        at += n;
        if (!*at)
            break;
    }
    RD_TRY(rdi_patterns_check(ctx, set));
    *out = set;
    return RD_OK;
}

void rd_patterns_name(rd_patterns set, char *text) {
    size_t n = 0;
    if (!text)
        return;
    text[0] = '\0';
    for (rd_pattern p = 0; p < RD_PATTERN_COUNT; p++)
        if (rdi_patterns_has(set, p))
            n += (size_t)snprintf(text + n, 64 - n, "%s%s", n ? "," : "", patterns[p].name);
    if (!set)
        snprintf(text, 64, "auto");
}
