/* The options of object caches. A command includes object_options.def in its option table and has an
 * object_options in its struct. */
#ifndef RD_CLI_OBJECTS_H
#define RD_CLI_OBJECTS_H

#include "cli.h"

typedef struct object_options {
    uint32_t weight; /* 0: objects; 1: bytes */
    uint32_t count;  /* an rd_count */
    uint32_t expiry; /* an rd_expiry */
    uint64_t warmup;
} object_options;

/* Sets *config from the options; `sizes` is borrowed. Returns `config`, or NULL if caches are not
 * counted in bytes. */
const rd_objects_config *objects_config(const object_options *o, const rd_sizes *sizes,
                                        rd_objects_config *config);
/* Reports options that need --weight=bytes if it is missing, and returns the exit status. */
int objects_check(const object_options *o);

#endif
