/* Replaces object_libdw.c in builds without libdw. It finds nothing in any file. */
#include "symbols/object.h"

struct rdi_object {
    rd_ctx *ctx;
};

rd_status rdi_object_open(rd_ctx *ctx, const char *path, rdi_object **out) {
    (void)path;
    rdi_object *o = rdi_calloc(ctx, 1, sizeof *o);
    if (!o)
        return RD_ENOMEM;
    o->ctx = ctx;
    *out = o;
    return RD_OK;
}

void rdi_object_close(rdi_object *o) {
    if (o)
        rdi_free(o->ctx, o);
}

rd_status rdi_object_find(rdi_object *o, uint64_t address, rdi_location *out) {
    (void)o;
    (void)address;
    *out = (rdi_location){0};
    return RD_OK;
}

void rdi_object_span(const rdi_object *o, uint64_t *low, uint64_t *high) {
    (void)o;
    *low = *high = 0;
}

rd_status rdi_object_variables(rdi_object *o, rd_status (*take)(void *user, const rdi_variable *v),
                               void *user) {
    (void)o;
    (void)take;
    (void)user;
    return RD_OK;
}

rd_status rdi_object_part(rdi_object *o, uint64_t address, rdi_text *out) {
    (void)o;
    (void)address;
    (void)out;
    return RD_OK;
}
