/* Describes this host as a machine. See machine_host.h. Latencies stay unknown, because no system
 * reports them. */
#include "machine/machine_host.h"

#include "base/common.h"
#include "base/host_caches.h"

#include <stdio.h>
#include <string.h>

#define CACHES_MAX 16

/* Copies the name of the first processor, which /proc/cpuinfo has on x86. */
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

static rd_cache make_cache(const rdi_host_cache *host) {
    rd_cache c = {.bytes = host->bytes, .ways = host->ways, .shared = host->processors > 1};
    snprintf(c.name, sizeof c.name, host->data ? "L%u" : "L%uI", host->level);
    return c;
}

/* Inserts a data cache into the hierarchy, in the order of levels. */
static void insert_cache(rd_machine *m, unsigned *levels, const rdi_host_cache *host) {
    rd_hierarchy *h = &m->caches;
    if (h->n == RD_CACHES_MAX)
        return;
    size_t at = h->n++;
    for (; at > 0 && levels[at - 1] > host->level; at--) {
        h->cache[at] = h->cache[at - 1];
        levels[at] = levels[at - 1];
    }
    h->cache[at] = make_cache(host);
    levels[at] = host->level;
    if (at + 1 == h->n)
        m->cores = host->processors;
}

rd_status rdi_machine_host(rd_ctx *ctx, const char *caches, const char *processor,
                           rd_machine *out) {
    rdi_host_cache host[CACHES_MAX];
    unsigned levels[RD_CACHES_MAX];
    size_t n = rdi_host_caches(caches, host, CACHES_MAX);
    rd_machine m = {.size = sizeof m,
                    .name = "host",
                    .source = "this host, as the system reports it",
                    .caches = {.size = sizeof m.caches, .has_unit = true}};
    for (size_t i = 0; i < n; i++) {
        if (host[i].data)
            insert_cache(&m, levels, &host[i]);
        else if (host[i].level == 1)
            m.fetch = make_cache(&host[i]);
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
