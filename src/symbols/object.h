/* A program or library file: what its addresses are called.
 *
 * Addresses are those in the file; whoever maps it knows where it lies. Debug information is taken
 * from the file, or from a separate one that its build id or debug link names. Built with elfutils'
 * libdw (object_libdw.c) or without, when nothing is ever found (object_none.c).
 */
#ifndef RDI_OBJECT_H
#define RDI_OBJECT_H

#include "base/common.h"

#define RDI_CALLS_MAX 16 /* of inlined functions into each other; more are cut */

typedef struct rdi_object rdi_object;

/* What an instruction belongs to. Texts are borrowed from the object; NULL and 0: unknown. */
typedef struct rdi_location {
    const char *function; /* the innermost, also if it was inlined; C++ with its scopes */
    const char *function_source;
    uint64_t function_line;
    const char *source;
    uint64_t line;
    struct {
        const char *source;
        uint64_t line;
    } calls[RDI_CALLS_MAX]; /* through which the function was inlined, innermost first */
    size_t n_calls;
} rdi_location;

/* A variable with a place of its own. */
typedef struct rdi_variable {
    const char *name;
    uint64_t address, size;
} rdi_variable;

/* A file that cannot be read is no failure: then nothing is found in it. */
rd_status rdi_object_open(rd_ctx *ctx, const char *path, rdi_object **out);
void rdi_object_close(rdi_object *o); /* NULL is allowed */

/* All unknown when nothing is found. */
rd_status rdi_object_find(rdi_object *o, uint64_t address, rdi_location *out);

/* Addresses from *low to *high - 1 are mapped; both 0: unknown. */
void rdi_object_span(const rdi_object *o, uint64_t *low, uint64_t *high);

/* Variables one after the other, in no order; until `take` fails. */
rd_status rdi_object_variables(rdi_object *o, rd_status (*take)(void *user, const rdi_variable *v),
                               void *user);

#endif
