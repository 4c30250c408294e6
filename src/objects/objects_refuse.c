/* Refuses invalid requests. See objects_state.h. */
#include "objects/objects_state.h"

#include <inttypes.h>

rd_status rdi_objects_refuse(const rd_objects *o, uint64_t number, uint64_t bytes,
                             uint64_t operation) {
    if (bytes >= RDI_OBJECTS_BYTES_MAX)
        return rdi_fail(o->ctx, RD_EINVAL,
                        "request %" PRIu64 ": a size of %" PRIu64 " bytes is not below 2^63",
                        number, bytes);
    if (operation >= RD_OPERATIONS)
        return rdi_fail(o->ctx, RD_EINVAL,
                        "request %" PRIu64 ": unknown operation %" PRIu64 "; valid: 0 to %d",
                        number, operation, RD_OPERATIONS - 1);
    if (o->sample) /* `number` does not count the requests for objects outside the sample */
        return rdi_fail(o->ctx, RD_ERANGE,
                        "the sizes of the sampled objects, expired ones included, add up to 2^63 "
                        "bytes or more; "
                        "the sum must be below 2^63");
    return rdi_fail(o->ctx, RD_ERANGE,
                    "request %" PRIu64
                    ": with this request, the sizes of all objects, expired ones included, add up "
                    "to 2^63 bytes or more; the sum must be below 2^63",
                    number);
}
