/* Describes this host as a machine. See machine_host.h. Latencies stay unknown, because no system
 * reports them. */
#include "machine/machine_host.h"

#include "base/common.h"
#include "machine/hwloc_caches.h"

#include <stdio.h>
#include <string.h>

#define CACHES_MAX 16

/* Copies the name of the first processor from the file `path`, which has the form of /proc/cpuinfo.
 * On some architectures, the file has no line "model name"; then the title does not change. */
static void read_title(const char *path, char *title, size_t room) {
    char line[256];
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(title, room, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    if (in)
        fclose(in);
}

/* Returns the number of logical processors of one core, which is the number of processors that share
 * the innermost data cache; 1 if it is unknown. */
static unsigned processors_of_core(const rdi_host_cache *host, size_t n) {
    const rdi_host_cache *inner = NULL;
    for (size_t i = 0; i < n; i++)
        if (host[i].data && (!inner || host[i].level < inner->level))
            inner = &host[i];
    return inner && inner->processors ? inner->processors : 1;
}

/* Describes a cache of the host. The cache is shared if more than `of_core` logical processors, the
 * number that one core has, use it. */
static rd_cache make_cache(const rdi_host_cache *host, unsigned of_core) {
    rd_cache c = {.bytes = host->bytes, .ways = host->ways, .shared = host->processors > of_core};
    snprintf(c.name, sizeof c.name, host->data ? "L%u" : "L%uI", host->level);
    return c;
}

/* Inserts a data cache into the hierarchy, in the order of levels. If the new cache becomes the
 * outermost one, m->cores becomes the number of logical processors that share this cache. */
static void insert_cache(rd_machine *m, unsigned *levels, const rdi_host_cache *host,
                         unsigned of_core) {
    rd_hierarchy *h = &m->caches;
    if (h->n == RD_CACHES_MAX)
        return;
    size_t at = h->n++;
    for (; at > 0 && levels[at - 1] > host->level; at--) {
        h->cache[at] = h->cache[at - 1];
        levels[at] = levels[at - 1];
    }
    h->cache[at] = make_cache(host, of_core);
    levels[at] = host->level;
    if (at + 1 == h->n)
        m->cores = host->processors;
}

rd_status rdi_machine_of(rd_ctx *ctx, const rdi_host_cache *host, size_t n, const char *processor,
                         const char *source, rd_machine *out) {
    unsigned levels[RD_CACHES_MAX], of_core = processors_of_core(host, n);
    rd_machine m = {
        .size = sizeof m, .name = "host", .caches = {.size = sizeof m.caches, .has_unit = true}};
    snprintf(m.source, sizeof m.source, "%s", source);
    for (size_t i = 0; i < n; i++) {
        if (host[i].data)
            insert_cache(&m, levels, &host[i], of_core);
        else if (host[i].level == 1)
            m.fetch = make_cache(&host[i], of_core);
        if (host[i].line_bytes > m.line_bytes)
            m.line_bytes = host[i].line_bytes;
    }
    if (m.caches.n == 0)
        return rdi_fail(ctx, RD_EUNSUPPORTED,
                        "this host does not report its caches; describe them with --caches or in a "
                        "file, see 'reusedist machines zen4'");
    m.line_bytes = m.line_bytes ? m.line_bytes : 64;
    read_title(processor, m.title, sizeof m.title);
    RD_TRY(rd_hierarchy_check(ctx, &m.caches, m.line_bytes));
    *out = m;
    return RD_OK;
}

rd_status rdi_machine_host(rd_ctx *ctx, rd_machine *out) {
    rdi_host_cache host[CACHES_MAX];
    const char *source = "this host, as hwloc reports it";
    size_t n = rdi_hwloc_caches(NULL, host, CACHES_MAX);
    if (n == 0) {
        source = "this host, as the system reports it";
        n = rdi_host_caches(RDI_HOST_CACHES, host, CACHES_MAX);
    }
    return rdi_machine_of(ctx, host, n, "/proc/cpuinfo", source, out);
}
