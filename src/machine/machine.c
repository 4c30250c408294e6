/* Finds machines, and reads and writes their descriptions. See reusedist/machine.h. */
#include "reusedist/machine.h"

#include "base/asset.h"
#include "base/common.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/text.h"
#include "machine/machine_host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FILE_BYTES_MAX  ((size_t)64 << 10)
#define LINE_ROOM       1024
#define SUGGESTIONS_MAX 256 /* maximum number of presets that are compared with a mistyped name */

/* ---- lines ---- */

/* A description that is being read. Each line is copied, and blanks at its ends are removed. */
typedef struct machine_reader {
    rd_ctx *ctx;
    const char *file;
    const char *at, *end;
    unsigned number; /* number of the line, from 1 */
    char line[LINE_ROOM];
} machine_reader;

static rd_status fail_line(machine_reader *r, const char *format, ...) RDI_PRINTF(2, 3);
static rd_status fail_line(machine_reader *r, const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    rdi_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rdi_fail(r->ctx, RD_EFORMAT, "%s: line %u: %s", r->file, r->number, text);
}

/* Reads the next line that is neither empty nor a comment, without blanks at its ends. *text
 * becomes NULL at the end. */
static rd_status next_line(machine_reader *r, char **text) {
    *text = NULL;
    while (r->at < r->end && !*text) {
        const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
        size_t n = (size_t)((stop ? stop : r->end) - r->at);
        r->number++;
        if (n >= sizeof r->line)
            return fail_line(r, "the line has more than %zu bytes", sizeof r->line - 1);
        if (memchr(r->at, '\0', n))
            return fail_line(r, "the line contains a NUL byte");
        memcpy(r->line, r->at, n);
        r->at += n + (stop ? 1 : 0);
        while (n > 0 && strchr(" \t\r", r->line[n - 1]))
            n--;
        r->line[n] = '\0';
        char *begin = r->line + strspn(r->line, " \t");
        if (*begin && *begin != '#')
            *text = begin;
    }
    return RD_OK;
}

/* Sets *name to the name if the line is "[NAME]", else to NULL. */
static rd_status entry_name(machine_reader *r, char *line, char **name) {
    size_t n = strlen(line);
    *name = NULL;
    if (line[0] != '[')
        return RD_OK;
    if (n < 3 || line[n - 1] != ']' || n - 2 >= sizeof((rd_machine *)0)->name)
        return fail_line(r, "'%.80s' is not [NAME]; a name has 1 to %zu characters", line,
                         sizeof((rd_machine *)0)->name - 1);
    line[n - 1] = '\0';
    *name = line + 1;
    return RD_OK;
}

/* ---- keys ---- */

/* Keys whose values are numbers. */
typedef struct machine_numbers {
    uint64_t line, cores, parallel;
    double clock, memory;
} machine_numbers;

static const rd_opt number_keys[] = {
    {.name = "line",
     .type = RD_OPT_U64,
     .offset = offsetof(machine_numbers, line),
     .def = "64",
     .min = 1,
     .max = 0x1p20},
    {.name = "cores", .type = RD_OPT_U64, .offset = offsetof(machine_numbers, cores), .max = 1e6},
    {.name = "parallel",
     .type = RD_OPT_U64,
     .offset = offsetof(machine_numbers, parallel),
     .min = 1,
     .max = 1e6},
    {.name = "clock",
     .type = RD_OPT_DOUBLE,
     .offset = offsetof(machine_numbers, clock),
     .min = 0.001,
     .max = 1000},
    {.name = "memory",
     .type = RD_OPT_DOUBLE,
     .offset = offsetof(machine_numbers, memory),
     .min = 0.001,
     .max = 1e6},
    {0}};

/* Keys whose values are texts that are only shown. */
static const struct text_key {
    const char *name;
    size_t offset, room;
} text_keys[] = {
    {"title", offsetof(rd_machine, title), sizeof((rd_machine *)0)->title},
    {"kind", offsetof(rd_machine, kind), sizeof((rd_machine *)0)->kind},
    {"source", offsetof(rd_machine, source), sizeof((rd_machine *)0)->source},
};

static rd_status fail_key(machine_reader *r, const char *key) {
    static const char *const valid[] = {"title", "kind",  "caches", "fetch",    "line",
                                        "cores", "clock", "memory", "parallel", "source"};
    char room[RD_SUGGESTION_ROOM];
    rd_suggestion close = rd_suggest(key, strlen(key));
    for (size_t i = 0; i < RDI_COUNT(valid); i++)
        rd_suggest_offer(&close, valid[i], strlen(valid[i]));
    return fail_line(r,
                     "unknown key '%.80s'%s (valid: title, kind, caches, fetch, line, cores, "
                     "clock, memory, parallel, source)",
                     key, rd_suggest_text(&close, "", room));
}

/* Puts the name of the file and the number of the line before the last message, if `status` is a
 * failure other than RD_ENOMEM. Returns RD_OK, RD_ENOMEM or RD_EFORMAT. */
static rd_status add_line(machine_reader *r, rd_status status) {
    char cause[300];
    if (status == RD_OK || status == RD_ENOMEM)
        return status;
    snprintf(cause, sizeof cause, "%s", rd_last_error(r->ctx));
    return fail_line(r, "%s", cause);
}

static rd_status set_caches(machine_reader *r, const char *key, const char *value, rd_machine *m) {
    rd_hierarchy h = {.size = sizeof h};
    RD_TRY(add_line(r, rd_hierarchy_parse(r->ctx, value, &h)));
    if (strcmp(key, "caches") == 0)
        m->caches = h;
    else if (h.n != 1 || strcmp(h.cache[0].name, "L1I") != 0)
        return fail_line(
            r, "the value of 'fetch' must be one cache with the name L1I, such as L1I=32K:8");
    else
        m->fetch = h.cache[0];
    return RD_OK;
}

static rd_status set_key(machine_reader *r, char *line, rd_machine *m, machine_numbers *numbers) {
    char *value = strchr(line, '=');
    if (!value)
        return fail_line(r, "'%.80s' is neither [NAME] nor KEY = VALUE", line);
    size_t n = (size_t)(value - line);
    while (n > 0 && strchr(" \t", line[n - 1]))
        n--;
    value += 1 + strspn(value + 1, " \t");
    line[n] = '\0';
    for (size_t i = 0; i < RDI_COUNT(text_keys); i++)
        if (strcmp(line, text_keys[i].name) == 0) {
            if (strlen(value) >= text_keys[i].room)
                return fail_line(r, "%s is longer than %zu bytes", line, text_keys[i].room - 1);
            strcpy((char *)m + text_keys[i].offset, value);
            return RD_OK;
        }
    for (const rd_opt *o = number_keys; o->name; o++)
        if (strcmp(line, o->name) == 0)
            return add_line(r, rd_opts_set(r->ctx, "machine", number_keys, numbers, line, value));
    if (strcmp(line, "caches") == 0 || strcmp(line, "fetch") == 0)
        return set_caches(r, line, value, m);
    return fail_key(r, line);
}

/* Stores the numbers in a complete entry, and checks the entry. */
static rd_status finish_entry(machine_reader *r, const machine_numbers *numbers, rd_machine *m) {
    if (m->caches.n == 0)
        return rdi_fail(r->ctx, RD_EFORMAT,
                        "%s: machine %s has no caches; add a line such as 'caches = L1=32K:8'",
                        r->file, m->name);
    if (numbers->line & (numbers->line - 1))
        return rdi_fail(r->ctx, RD_EFORMAT,
                        "%s: machine %s: the line size of %" PRIu64 " bytes is not a power of two",
                        r->file, m->name, numbers->line);
    m->line_bytes = numbers->line;
    m->cores = (uint32_t)numbers->cores;
    m->parallel = (uint32_t)numbers->parallel;
    m->clock_ghz = numbers->clock;
    m->memory_ns = numbers->memory;
    char cause[300];
    rd_hierarchy fetch = {.size = sizeof fetch, .n = 1, .cache = {m->fetch}, .has_unit = true};
    rd_status status = rd_hierarchy_check(r->ctx, &m->caches, m->line_bytes);
    if (status == RD_OK && m->fetch.bytes)
        status = rd_hierarchy_check(r->ctx, &fetch, m->line_bytes);
    if (status != RD_EINVAL)
        return status;
    snprintf(cause, sizeof cause, "%s", rd_last_error(r->ctx));
    return rdi_fail(r->ctx, RD_EFORMAT, "%s: machine %s: %s", r->file, m->name, cause);
}

/* Reads the entry with the name `wanted`, or the only entry if `wanted` is NULL. Sets *found to whether
 * there is such an entry. */
static rd_status read_entry(machine_reader *r, const char *wanted, rd_machine *out, bool *found) {
    machine_numbers numbers;
    rd_machine m = {.size = sizeof m};
    bool inside = false;
    char *line = NULL, *name = NULL;
    *found = false;
    RD_TRY(rd_opts_default(r->ctx, number_keys, memset(&numbers, 0, sizeof numbers)));
    for (;;) {
        RD_TRY(next_line(r, &line));
        if (!line)
            break;
        RD_TRY(entry_name(r, line, &name));
        if (!name && !inside && !wanted)
            return fail_line(r, "the first line must be the name of the machine, [NAME]");
        if (name && inside && wanted)
            break;
        if (name && inside)
            return fail_line(r, "a second machine begins here; keep one machine in the file");
        if (name && (!wanted || strcmp(name, wanted) == 0)) {
            inside = *found = true;
            strcpy(m.name, name);
        } else if (inside)
            RD_TRY(set_key(r, line, &m, &numbers));
    }
    if (!*found)
        return RD_OK;
    RD_TRY(finish_entry(r, &numbers, &m));
    *out = m;
    return RD_OK;
}

rd_status rd_machine_parse(rd_ctx *ctx, const char *file, const char *text, size_t n,
                           rd_machine *out) {
    RDI_NEED(ctx, ctx, file, text, out);
    machine_reader r = {.ctx = ctx, .file = file, .at = text, .end = text + n};
    bool found = false;
    RD_TRY(read_entry(&r, NULL, out, &found));
    return found ? RD_OK
                 : rdi_fail(ctx, RD_EFORMAT, "%s: the file does not describe a machine", file);
}

/* ---- presets, this host and files ---- */

static machine_reader presets(rd_ctx *ctx) {
    const char *text = (const char *)rdi_machine_assets[0].data;
    return (machine_reader){.ctx = ctx,
                            .file = rdi_machine_assets[0].name,
                            .at = text,
                            .end = text + rdi_machine_assets[0].n};
}

/* Copies the name of preset number `index`, counted from 0. Returns false if there is no such
 * preset. */
static bool preset_name(size_t index, char name[sizeof((rd_machine *)0)->name]) {
    machine_reader r = presets(NULL);
    char *line = NULL, *found = NULL;
    while (next_line(&r, &line) == RD_OK && line)
        if (entry_name(&r, line, &found) == RD_OK && found && index-- == 0) {
            strcpy(name, found);
            return true;
        }
    return false;
}

size_t rd_machine_count(void) {
    char name[sizeof((rd_machine *)0)->name];
    size_t n = 0;
    while (preset_name(n, name))
        n++;
    return n;
}

rd_status rd_machine_at(rd_ctx *ctx, size_t index, rd_machine *out) {
    RDI_NEED(ctx, ctx, out);
    char name[sizeof out->name];
    if (!preset_name(index, name))
        return rdi_fail(ctx, RD_EINVAL,
                        "there is no machine with the index %zu; there are %zu machines", index,
                        rd_machine_count());
    machine_reader r = presets(ctx);
    bool found = false;
    return read_entry(&r, name, out, &found);
}

static rd_status fail_unknown(rd_ctx *ctx, const char *name) {
    char room[RD_SUGGESTION_ROOM], all[SUGGESTIONS_MAX][sizeof((rd_machine *)0)->name];
    rd_suggestion close = rd_suggest(name, strlen(name));
    rd_suggest_offer(&close, "host", strlen("host"));
    for (size_t i = 0; i < SUGGESTIONS_MAX && preset_name(i, all[i]); i++)
        rd_suggest_offer(&close, all[i], strlen(all[i]));
    return rdi_fail(ctx, RD_EINVAL,
                    "there is no machine and no file '%.80s'%s%s 'reusedist machines' lists the "
                    "machines",
                    name, rd_suggest_text(&close, "", room), close.best ? "" : ";");
}

static rd_status read_file(rd_ctx *ctx, const char *path, FILE *in, rd_machine *out) {
    char *text = rdi_alloc(ctx, FILE_BYTES_MAX + 1, 1);
    if (!text)
        return RD_ENOMEM;
    size_t n = fread(text, 1, FILE_BYTES_MAX + 1, in);
    rd_status status =
        ferror(in) ? rdi_fail(ctx, RD_EIO, "%s: cannot read: %s", path, strerror(errno))
        : n > FILE_BYTES_MAX
            ? rdi_fail(ctx, RD_EFORMAT,
                       "%s: the file is longer than %zu bytes, so it does not describe a machine",
                       path, FILE_BYTES_MAX)
            : rd_machine_parse(ctx, path, text, n, out);
    rdi_free(ctx, text);
    return status;
}

rd_status rd_machine_find(rd_ctx *ctx, const char *name, rd_machine *out) {
    RDI_NEED(ctx, ctx, name, out);
    bool path = strpbrk(name, "/.") != NULL, found = false;
    if (strcmp(name, "host") == 0)
        return rdi_machine_host(ctx, out);
    machine_reader r = presets(ctx);
    if (!path)
        RD_TRY(read_entry(&r, name, out, &found));
    if (found)
        return RD_OK;
    FILE *in = fopen(name, "re");
    if (!in && !path && (errno == ENOENT || errno == ENAMETOOLONG))
        return fail_unknown(ctx, name);
    if (!in)
        return rdi_fail(ctx, errno == ENOENT ? RD_EINVAL : RD_EIO, "%s: cannot open: %s", name,
                        strerror(errno));
    rd_status status = read_file(ctx, name, in, out);
    fclose(in);
    return status;
}

void rd_machine_hierarchy(const rd_machine *m, bool fetches, rd_hierarchy *out) {
    if (!m || !out)
        return;
    *out = m->caches;
    memcpy(out->machine, m->name, sizeof out->machine);
    out->clock_ghz = m->clock_ghz;
    out->memory_ns = m->memory_ns;
    out->parallel = m->parallel;
    if (!fetches || !m->fetch.bytes || m->caches.n == RD_CACHES_MAX)
        return;
    memmove(&out->cache[1], &out->cache[0], out->n * sizeof out->cache[0]);
    out->cache[0] = m->fetch;
    strcpy(out->cache[1].name, "L1D");
    out->n++;
}

bool rd_machine_of_hierarchy(const rd_hierarchy *h, uint64_t line_bytes, rd_machine *out) {
    if (!h || !out || !(h->clock_ghz > 0 && h->memory_ns > 0))
        return false;
    rd_machine m = {.size = sizeof m,
                    .caches = *h,
                    .line_bytes = line_bytes,
                    .clock_ghz = h->clock_ghz,
                    .memory_ns = h->memory_ns,
                    .parallel = h->parallel};
    memcpy(m.name, h->machine, sizeof m.name);
    if (rd_hierarchy_is_split(h) && strcmp(h->cache[0].name, "L1I") == 0) {
        m.fetch = h->cache[0];
        m.caches.n--;
        memmove(&m.caches.cache[0], &h->cache[1], m.caches.n * sizeof m.caches.cache[0]);
        strcpy(m.caches.cache[0].name, "L1");
    }
    *out = m;
    return true;
}

/* Adds up the waits of all references. Cache k serves the references that miss in cache k - 1 and
 * hit in cache k. If an estimate claims more misses in cache k than in cache k - 1, it is lowered to
 * the misses of cache k - 1. By Little's law, waits of `high` cycles in total take at least high /
 * parallel cycles if at most `parallel` of them go on at a time. */
bool rd_machine_cycles(const rd_machine *m, const double *misses, rd_cycles *out) {
    if (!m || !misses || !out || m->caches.n == 0 || !(m->memory_ns > 0 && m->clock_ghz > 0))
        return false;
    double waiting = misses[0], high = 0;
    for (size_t i = 1; i < m->caches.n; i++) {
        double beyond = misses[i] < waiting ? misses[i] : waiting;
        if (m->caches.cache[i].latency == 0)
            return false;
        high += (waiting - beyond) * m->caches.cache[i].latency;
        waiting = beyond;
    }
    high += waiting * m->memory_ns * m->clock_ghz;
    *out = (rd_cycles){.low = m->parallel ? high / m->parallel : 0, .high = high};
    return true;
}

/* ---- text ---- */

static void add_text(rdi_text *t, const char *key, const char *value) {
    if (*value)
        rdi_text_printf(t, "%-8s = %s\n", key, value);
}

static void add_number(rdi_text *t, const char *key, double value) {
    if (value > 0) {
        rdi_text_printf(t, "%-8s = ", key);
        rdi_text_rounded(t, value, 6);
        rdi_text_putc(t, '\n');
    }
}

/* Adds a line with a list of caches. */
static rd_status add_caches(rdi_text *t, const char *key, const rd_hierarchy *h) {
    char *caches = NULL;
    RD_TRY(rd_hierarchy_text(t->ctx, h, &caches));
    add_text(t, key, caches);
    rd_text_free(t->ctx, caches);
    return RD_OK;
}

rd_status rd_machine_text(rd_ctx *ctx, const rd_machine *m, char **out) {
    RDI_NEED(ctx, ctx, m, out);
    rd_machine own;
    RD_TRY(rdi_sized_copy(ctx, "rd_machine", m, &own, sizeof own));
    rd_hierarchy fetch = {.size = sizeof fetch, .n = 1, .cache = {own.fetch}, .has_unit = true};
    rdi_text t = rdi_text_start(ctx);
    rdi_text_printf(&t, "[%s]\n", own.name);
    add_text(&t, "title", own.title);
    add_text(&t, "kind", own.kind);
    rd_status status = add_caches(&t, "caches", &own.caches);
    if (status == RD_OK && own.fetch.bytes)
        status = add_caches(&t, "fetch", &fetch);
    add_number(&t, "line", (double)own.line_bytes);
    add_number(&t, "cores", own.cores);
    add_number(&t, "clock", own.clock_ghz);
    add_number(&t, "memory", own.memory_ns);
    add_number(&t, "parallel", own.parallel);
    add_text(&t, "source", own.source);
    size_t n;
    if (status == RD_OK)
        return rdi_text_take(&t, out, &n);
    rdi_text_drop(&t);
    return status;
}
