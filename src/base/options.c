/* Parses options according to the option tables of engines, formats, generators and commands. */
#include "base/common.h"
#include "base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rd_status parse_u64(rd_ctx *ctx, const char *text, const char **end, uint64_t *out) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    /* strtoull() would accept signs and spaces, which options must not have. */
    bool digit =
        hex ? strspn(digits, "0123456789abcdefABCDEF") > 0 : strspn(digits, "0123456789") > 0;
    if (!digit)
        return rdi_fail(ctx, RD_EINVAL, "'%.80s' is not a whole number", text);
    char *stop;
    errno = 0;
    unsigned long long value = strtoull(digits, &stop, hex ? 16 : 10);
    if (errno == ERANGE)
        return rdi_fail(ctx, RD_EINVAL, "'%.80s' does not fit in 64 bits", text);
    *end = stop;
    *out = value;
    return RD_OK;
}

rd_status rd_parse_size(rd_ctx *ctx, const char *text, uint64_t *out) {
    RDI_NEED(ctx, ctx, text, out);
    const char *end = NULL;
    uint64_t value = 0;
    RD_TRY(parse_u64(ctx, text, &end, &value));
    static const char units[] = "KMGT";
    unsigned shift = 0;
    if (*end) {
        char upper = (char)(*end >= 'a' && *end <= 'z' ? *end - 'a' + 'A' : *end);
        const char *unit = strchr(units, upper);
        if (!unit || end[1])
            return rdi_fail(
                ctx, RD_EINVAL,
                "'%.80s' is not a size (a whole number, optionally followed by K, M, G or T)",
                text);
        shift = 10 * (unsigned)(unit - units + 1);
    }
    if (shift && value >> (64 - shift))
        return rdi_fail(ctx, RD_EINVAL, "'%.80s' does not fit in 64 bits", text);
    *out = value << shift;
    return RD_OK;
}

static rd_status parse_bool(rd_ctx *ctx, const char *text, bool *out) {
    static const char *const words[] = {"off", "on", "no", "yes", "false", "true", "0", "1"};
    for (size_t i = 0; i < RDI_COUNT(words); i++)
        if (strcmp(text, words[i]) == 0) {
            *out = i % 2 != 0;
            return RD_OK;
        }
    return rdi_fail(ctx, RD_EINVAL, "'%.80s' is neither on nor off", text);
}

/* Sets *out to the index of `text` among `choices`, which are separated by '|'. */
static rd_status parse_choice(rd_ctx *ctx, const char *choices, const char *text, uint32_t *out) {
    size_t len = strlen(text);
    uint32_t index = 0;
    rd_suggestion close = rd_suggest(text, len);
    char room[RD_SUGGESTION_ROOM];
    for (const char *at = choices;; index++) {
        size_t n = strcspn(at, "|");
        if (n == len && memcmp(at, text, n) == 0) {
            *out = index;
            return RD_OK;
        }
        rd_suggest_offer(&close, at, n);
        if (!at[n])
            return rdi_fail(ctx, RD_EINVAL, "'%.80s' is not one of %s%s", text, choices,
                            rd_suggest_text(&close, "", room));
        at += n + 1;
    }
}

static rd_status parse_sizes(rd_ctx *ctx, const char *text, rd_sizes *out) {
    rd_sizes list = {0};
    while (true) {
        size_t n = strcspn(text, ":,");
        char item[32];
        if (n >= sizeof item)
            return rdi_fail(
                ctx, RD_EINVAL,
                "'%.*s' is not a size (a whole number, optionally followed by K, M, G or T)",
                (int)(n < 80 ? n : 80), text);
        memcpy(item, text, n);
        item[n] = '\0';
        if (list.n == RD_SIZES_MAX)
            return rdi_fail(ctx, RD_EINVAL, "too many sizes: at most %d are allowed", RD_SIZES_MAX);
        RD_TRY(rd_parse_size(ctx, item, &list.value[list.n]));
        list.has_unit = list.has_unit || strchr("KMGTkmgt", item[n - 1]);
        list.n++;
        if (!text[n])
            break;
        text += n + 1;
    }
    *out = list;
    return RD_OK;
}

static rd_status parse_double(rd_ctx *ctx, const char *text, double *out) {
    char *end;
    double value = rdi_strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return rdi_fail(ctx, RD_EINVAL, "'%.80s' is not a number", text);
    *out = value;
    return RD_OK;
}

/* Checks that `value`, which the user wrote as `text`, is in the range of the option. The message
 * shows all digits of a limit that is a whole number below 10^15. */
static rd_status check_range(rd_ctx *ctx, const rd_opt *opt, const char *text, double value) {
    bool small = value<opt->min, large = value> opt->max;
    if ((opt->min == 0 && opt->max == 0) || (!small && !large))
        return RD_OK;
    double limit = small ? opt->min : opt->max;
    char shown[32];
    rdi_snprintf(shown, sizeof shown, limit == rint(limit) && fabs(limit) < 1e15 ? "%.0f" : "%g",
                 limit);
    return rdi_fail(ctx, RD_EINVAL,
                    small ? "%.80s is too small: the minimum is %s"
                          : "%.80s is too large: the maximum is %s",
                    text, shown);
}

static rd_status check_sizes(rd_ctx *ctx, const rd_opt *opt, const rd_sizes *list) {
    for (size_t i = 0; i < list->n; i++) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, list->value[i]);
        RD_TRY(check_range(ctx, opt, text, (double)list->value[i]));
    }
    return RD_OK;
}

static rd_status store(rd_ctx *ctx, const rd_opt *opt, void *state, const char *text) {
    void *field = (char *)state + opt->offset;
    switch (opt->type) {
    case RD_OPT_U64: {
        const char *end = NULL;
        uint64_t value = 0;
        RD_TRY(parse_u64(ctx, text, &end, &value));
        if (*end)
            return rdi_fail(ctx, RD_EINVAL, "'%.80s' is not a whole number", text);
        RD_TRY(check_range(ctx, opt, text, (double)value));
        *(uint64_t *)field = value;
        return RD_OK;
    }
    case RD_OPT_SIZE: {
        uint64_t value = 0;
        RD_TRY(rd_parse_size(ctx, text, &value));
        RD_TRY(check_range(ctx, opt, text, (double)value));
        *(uint64_t *)field = value;
        return RD_OK;
    }
    case RD_OPT_DOUBLE: {
        double value = 0;
        RD_TRY(parse_double(ctx, text, &value));
        RD_TRY(check_range(ctx, opt, text, value));
        *(double *)field = value;
        return RD_OK;
    }
    case RD_OPT_BOOL:
        return parse_bool(ctx, text, field);
    case RD_OPT_CHOICE:
        return parse_choice(ctx, opt->choices, text, field);
    case RD_OPT_STRING:
        *(const char **)field = text;
        return RD_OK;
    case RD_OPT_SIZES: {
        rd_sizes list;
        RD_TRY(parse_sizes(ctx, text, &list));
        RD_TRY(check_sizes(ctx, opt, &list));
        *(rd_sizes *)field = list;
        return RD_OK;
    }
    case RD_OPT_STRINGS: {
        rd_strings *list = field;
        if (list->n == RD_STRINGS_MAX)
            return rdi_fail(ctx, RD_EINVAL,
                            "the option is given more than %d times, which is the limit",
                            RD_STRINGS_MAX);
        list->value[list->n++] = text;
        return RD_OK;
    }
    }
    return rdi_fail(ctx, RD_EINVAL, "option '%s' has no known type", opt->name);
}

rd_status rd_opts_default(rd_ctx *ctx, const rd_opt *table, void *state) {
    RDI_NEED(ctx, ctx, state);
    for (const rd_opt *opt = table; opt && opt->name; opt++)
        if (opt->def)
            RD_TRY(store(ctx, opt, state, opt->def));
    return RD_OK;
}

static rd_status fail_unknown(rd_ctx *ctx, const char *owner, const rd_opt *table,
                              const char *name) {
    char valid[512] = "", room[RD_SUGGESTION_ROOM];
    size_t used = 0;
    rd_suggestion close = rd_suggest(name, strlen(name));
    for (const rd_opt *opt = table; opt && opt->name && used < sizeof valid - 1; opt++) {
        int n = snprintf(valid + used, sizeof valid - used, "%s%s", used ? ", " : "", opt->name);
        used += n > 0 ? (size_t)n : 0;
        rd_suggest_offer(&close, opt->name, strlen(opt->name));
    }
    if (!used)
        return rdi_fail(ctx, RD_EINVAL, "%s: unknown option '%.80s' (there are no options)", owner,
                        name);
    return rdi_fail(ctx, RD_EINVAL, "%s: unknown option '%.80s'%s (valid: %s)", owner, name,
                    rd_suggest_text(&close, "", room), valid);
}

rd_status rd_opts_set(rd_ctx *ctx, const char *owner, const rd_opt *table, void *state,
                      const char *name, const char *value) {
    RDI_NEED(ctx, ctx, owner, state, name, value);
    for (const rd_opt *opt = table; opt && opt->name; opt++)
        if (strcmp(opt->name, name) == 0) {
            rd_status status = store(ctx, opt, state, value);
            if (status == RD_OK)
                return RD_OK;
            return rdi_fail(ctx, status, "%s: option '%s': %s", owner, name, rd_last_error(ctx));
        }
    return fail_unknown(ctx, owner, table, name);
}

rd_status rdi_spec_split(rd_ctx *ctx, const char *spec, char **name, char **options) {
    char *copy = rdi_strdup(ctx, spec);
    if (!copy)
        return RD_ENOMEM;
    char *colon = strchr(copy, ':');
    if (colon)
        *colon = '\0';
    *name = copy;
    *options = colon ? colon + 1 : NULL;
    return RD_OK;
}

/* Returns the bit that stands for the option called `name`: 1 for the first option of the table, 2
 * for the second, 4 for the third, and so on; 0 if the table has no such option. */
static uint64_t bit_of(const rd_opt *table, const char *name) {
    for (uint64_t bit = 1; table && table->name; table++, bit *= 2)
        if (strcmp(table->name, name) == 0)
            return bit;
    return 0;
}

rd_status rdi_opts_parse(rd_ctx *ctx, const char *owner, const rd_opt *table, void *state,
                         char *text) {
    uint64_t given = 0; /* mask of bit_of() for the options so far */
    RD_TRY(rd_opts_default(ctx, table, state));
    while (text && *text) {
        char *next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        char *value = strchr(text, '=');
        if (!value)
            return rdi_fail(ctx, RD_EINVAL, "%s: option '%.80s' needs '=VALUE'", owner, text);
        *value++ = '\0';
        if (given & bit_of(table, text))
            return rdi_fail(ctx, RD_EINVAL, "%s: option '%.80s' is given twice", owner, text);
        given |= bit_of(table, text);
        RD_TRY(rd_opts_set(ctx, owner, table, state, text, value));
        text = next;
    }
    return RD_OK;
}

/* Writes the value of an option as text. Returns the length of the complete text, like
 * snprintf(). */
static int print_value(char *buf, size_t n, const rd_opt *opt, const void *state) {
    const void *field = (const char *)state + opt->offset;
    switch (opt->type) {
    case RD_OPT_U64:
    case RD_OPT_SIZE:
        return snprintf(buf, n, "%" PRIu64, *(const uint64_t *)field);
    case RD_OPT_DOUBLE:
        return rdi_snprintf(buf, n, "%.17g", *(const double *)field);
    case RD_OPT_BOOL:
        return snprintf(buf, n, "%s", *(const bool *)field ? "on" : "off");
    case RD_OPT_CHOICE: {
        const char *at = opt->choices;
        for (uint32_t i = *(const uint32_t *)field; i > 0; i--)
            at += strcspn(at, "|") + 1;
        return snprintf(buf, n, "%.*s", (int)strcspn(at, "|"), at);
    }
    case RD_OPT_STRING: {
        const char *text = *(const char *const *)field;
        return snprintf(buf, n, "%s", text ? text : "");
    }
    case RD_OPT_SIZES: {
        const rd_sizes *list = field;
        size_t used = 0;
        for (size_t i = 0; i < list->n; i++) {
            size_t room = used < n ? n - used : 0;
            used += (size_t)snprintf(room ? buf + used : NULL, room, "%s%" PRIu64, i ? ":" : "",
                                     list->value[i]);
        }
        return (int)used;
    }
    case RD_OPT_STRINGS: /* only commands have these options; rdi_opts_describe() does not serve commands */
        return 0;
    }
    return 0;
}

char *rdi_opts_describe(rd_ctx *ctx, const rd_opt *table, const void *state) {
    size_t room = 1;
    for (const rd_opt *opt = table; opt && opt->name; opt++)
        room += strlen(opt->name) + 2 + (size_t)print_value(NULL, 0, opt, state);
    char *text = rdi_alloc(ctx, room, 1);
    if (!text)
        return NULL;
    char *at = text;
    *at = '\0';
    for (const rd_opt *opt = table; opt && opt->name; opt++) {
        at += sprintf(at, "%s%s=", at == text ? "" : ",", opt->name);
        at += print_value(at, room - (size_t)(at - text), opt, state);
    }
    return text;
}

void rdi_list_names(char *buf, size_t n, const char *(*next)(size_t index)) {
    size_t used = 0;
    buf[0] = '\0';
    const char *name;
    for (size_t i = 0; (name = next(i)) != NULL && used < n - 1; i++) {
        int wrote = snprintf(buf + used, n - used, "%s%s", i ? ", " : "", name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}
