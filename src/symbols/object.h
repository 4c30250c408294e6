/* A program or library file, and the names of functions, lines and variables at its addresses.
 *
 * All addresses are file addresses: run-time address minus load bias. Debug information comes from
 * the file itself, or from a separate file that its build id or debug link names. object_libdw.c
 * implements this with elfutils' libdw; object_none.c, for builds without libdw, finds nothing.
 */
#ifndef RDI_OBJECT_H
#define RDI_OBJECT_H

#include "base/common.h"
#include "base/text.h"

#define RDI_CALLS_MAX 64 /* maximum number of nested inlined calls */

typedef struct rdi_object rdi_object;

/* The source location of an instruction. The object owns the texts. NULL and 0 mean unknown. */
typedef struct rdi_location {
    const char *function;  /* short name of the innermost function, which may be inlined */
    const char *full_name; /* whole name of `function`: with the arguments of templates */
    const char *function_source;
    uint64_t function_line;
    const char *source;
    uint64_t line;
    struct {
        const char *function; /* the function that contains the call; NULL: unknown */
        const char *source;
        uint64_t line;
    } calls
        [RDI_CALLS_MAX]; /* the inlined calls around the function, innermost first; the last call is
                               in the function that the machine code belongs to */
    size_t n_calls;
} rdi_location;

/* A variable with static storage. */
typedef struct rdi_variable {
    const char *name;
    uint64_t address, size;
} rdi_variable;

/* Opens a file. If the file cannot be read or is not regular, this is not an error, but nothing is found in
 * it. */
rd_status rdi_object_open(rd_ctx *ctx, const char *path, rdi_object **out);
void rdi_object_close(rdi_object *o); /* NULL is allowed */

/* Finds the location of an address. All fields are unknown if nothing is found. */
rd_status rdi_object_find(rdi_object *o, uint64_t address, rdi_location *out);

/* Stores the address range [*low, *high) that the file occupies when it is loaded. Both numbers are
 * 0 if the range is unknown. */
void rdi_object_span(const rdi_object *o, uint64_t *low, uint64_t *high);

/* Appends to a text the field or element of a variable at an address: ".field" or "[3].field", and "+4"
 * if the address is 4 bytes after the beginning of this field or element. Appends nothing if there is no
 * variable, or its type is unknown. */
rd_status rdi_object_part(rdi_object *o, uint64_t address, rdi_text *out);

/* Calls `take` for every variable, in no particular order. If `take` fails, stops and returns its
 * status. */
rd_status rdi_object_variables(rdi_object *o, rd_status (*take)(void *user, const rdi_variable *v),
                               void *user);

#endif
