/* Chooses an exporter and calls it. See export.h. */
#include "report/export.h"

#include "profile/profile_build.h"

#include <stdio.h>
#include <string.h>

#define RDI_EXPORTER(name) extern const rdi_exporter rdi_exporter_##name;
#include "report/exporters.def"
#undef RDI_EXPORTER

static const rdi_exporter *const exporters[] = {
#define RDI_EXPORTER(name) &rdi_exporter_##name,
#include "report/exporters.def"
#undef RDI_EXPORTER
};

const char *rd_exporter_name(size_t i) {
    return i < RDI_COUNT(exporters) ? exporters[i]->name : NULL;
}

const char *rd_exporter_summary(size_t i) {
    return i < RDI_COUNT(exporters) ? exporters[i]->summary : NULL;
}

/* Finds the value that `cache` names: the misses of a cache, or "references". NULL means the misses of the
 * first cache, or the references if the profile has no misses. */
static rd_status choose_value(rdi_export *e, const char *cache) {
    e->chosen = e->n_values > 1 ? 1 : 0;
    if (!cache)
        return RD_OK;
    if (strcmp(cache, "references") == 0) {
        e->chosen = 0;
        return RD_OK;
    }
    for (size_t k = 0; k < e->d->n_levels; k++)
        if (strcmp(e->d->levels[k].name, cache) == 0) {
            e->chosen = k + 1;
            return RD_OK;
        }
    return e->d->n_levels
               ? rdi_fail(e->ctx, RD_EINVAL,
                          "the profile has no cache '%.40s'; name one of its caches, such as %s, "
                          "or 'references'",
                          cache, e->d->levels[0].name)
               : rdi_fail(e->ctx, RD_EINVAL,
                          "the profile has no misses of caches; use 'references', not '%.40s'",
                          cache);
}

rd_status rd_report_export(rd_profile *p, const char *to, const char *cache, char **text,
                           size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, to, text, n);
    rd_ctx *ctx = rdi_profile_ctx(p);
    size_t i = 0;
    while (i < RDI_COUNT(exporters) && strcmp(exporters[i]->name, to) != 0)
        i++;
    if (i == RDI_COUNT(exporters))
        return rdi_fail(ctx, RD_EINVAL,
                        "there is no export format '%.40s'; rd_exporter_name() names the formats",
                        to);
    rdi_export e;
    rdi_text out = rdi_text_start(ctx);
    rd_status status = rdi_export_init(&e, p);
    if (status == RD_OK)
        status = choose_value(&e, cache);
    if (status == RD_OK)
        status = exporters[i]->write(&e, &out);
    rdi_export_fini(&e);
    if (status == RD_OK)
        return rdi_text_take(&out, text, n);
    rdi_text_drop(&out);
    return status;
}
