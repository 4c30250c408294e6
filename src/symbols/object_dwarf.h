/* The members of an open object file (object_libdw.c) that object_types.c uses. */
#ifndef RDI_OBJECT_DWARF_H
#define RDI_OBJECT_DWARF_H

#include "symbols/object.h"

#include <elfutils/libdw.h>

/* A variable at a fixed address. `address` is the address in the debug information, without the bias. */
typedef struct rdi_typed_variable {
    Dwarf_Addr address;
    Dwarf_Die type;
} rdi_typed_variable;

typedef struct rdi_object_types {
    rdi_typed_variable *variables; /* in ascending order of address */
    size_t n, room;
    bool read; /* true: the variables were read */
} rdi_object_types;

/* Returns the debug information, or NULL if there is none. *bias is the file address minus the
 * address in the debug information. */
Dwarf *rdi_object_dwarf(rdi_object *o, Dwarf_Addr *bias);
rdi_object_types *rdi_object_types_of(rdi_object *o);
rd_ctx *rdi_object_ctx(const rdi_object *o);

#endif
