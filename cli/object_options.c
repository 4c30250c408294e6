/* Handles the options of object caches. See object_options.h. */
#include "object_options.h"

const rd_objects_config *objects_config(const object_options *o, const rd_sizes *sizes,
                                        rd_objects_config *config) {
    *config = (rd_objects_config){.size = sizeof *config,
                                  .expiry = (rd_expiry)o->expiry,
                                  .count = (rd_count)o->count,
                                  .warmup = o->warmup,
                                  .sizes = sizes ? sizes->value : NULL,
                                  .n_sizes = sizes ? sizes->n : 0};
    return o->weight ? config : NULL;
}

int objects_check(const object_options *o) {
    if (!o->weight && (o->count || o->expiry || o->warmup))
        return fail_usage("--count, --expiry and --warmup need --weight=bytes");
    return EXIT_OK;
}
