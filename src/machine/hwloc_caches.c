/* Finds the caches of this host with hwloc. See hwloc_caches.h. */
#include "machine/hwloc_caches.h"

#include <hwloc.h>

static rdi_host_cache make_cache(hwloc_obj_t object) {
    const struct hwloc_cache_attr_s *is = &object->attr->cache;
    int processors = hwloc_bitmap_weight(object->cpuset);
    return (rdi_host_cache){.level = is->depth,
                            .data = is->type != HWLOC_OBJ_CACHE_INSTRUCTION,
                            .fetch = is->type != HWLOC_OBJ_CACHE_DATA,
                            .bytes = is->size,
                            .ways = is->associativity > 0 ? (uint64_t)is->associativity : 0,
                            .line_bytes = is->linesize,
                            .processors = processors > 0 ? (unsigned)processors : 0};
}

/* Loads the topology of this host or, if `synthetic` is not NULL, of the machine that `synthetic`
 * describes. Returns false if this fails. */
static bool load(hwloc_topology_t topology, const char *synthetic) {
    if (synthetic && hwloc_topology_set_synthetic(topology, synthetic) != 0)
        return false;
    return hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
           hwloc_topology_load(topology) == 0;
}

size_t rdi_hwloc_caches(const char *synthetic, rdi_host_cache *out, size_t max) {
    hwloc_topology_t topology;
    size_t n = 0;
    if (hwloc_topology_init(&topology) != 0)
        return 0;
    hwloc_obj_t object =
        load(topology, synthetic) ? hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0) : NULL;
    for (; object && n < max; object = object->parent)
        if (hwloc_obj_type_is_cache(object->type) && object->attr->cache.size > 0)
            out[n++] = make_cache(object);
    hwloc_topology_destroy(topology);
    return n;
}
