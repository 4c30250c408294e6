/* Finds engines in the list of engines.def. */
#include "engine/core/plugin.h"

#include <string.h>

#define RDI_ENGINE(name) extern const rdi_engine_ops rdi_engine_##name;
#include "engine/engines.def"
#undef RDI_ENGINE

static const rdi_engine_ops *const engines[] = {
#define RDI_ENGINE(name) &rdi_engine_##name,
#include "engine/engines.def"
#undef RDI_ENGINE
};

const rdi_engine_ops *rdi_engine_ops_at(size_t index) {
    return index < RDI_COUNT(engines) ? engines[index] : NULL;
}

const rdi_engine_ops *rdi_engine_ops_find(const char *name) {
    for (size_t i = 0; i < RDI_COUNT(engines); i++)
        if (strcmp(engines[i]->info.name, name) == 0)
            return engines[i];
    return NULL;
}

const rd_engine_info *rd_engine_info_at(size_t index) {
    const rdi_engine_ops *ops = rdi_engine_ops_at(index);
    return ops ? &ops->info : NULL;
}

const rd_engine_info *rd_engine_info_find(const char *name) {
    const rdi_engine_ops *ops = name ? rdi_engine_ops_find(name) : NULL;
    return ops ? &ops->info : NULL;
}

const char *rd_engine_unavailable(const rd_engine_info *info) {
    const rdi_engine_ops *ops = info && info->name ? rdi_engine_ops_find(info->name) : NULL;
    return ops && ops->unavailable ? ops->unavailable() : NULL;
}
