/* Names the field or array element of a variable at an address, from the types in the debug
 * information. See object.h. */
#include "symbols/object_dwarf.h"

#include "base/text.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX                                                                                  \
    16 /* maximum depth of nested scopes and types, a protection against damaged files */

/* ---- variables ---- */

/* Sets *address to the address of a variable. Returns whether the location of the variable is a fixed
 * address. clang stores addresses in a table (DWARF 5), and the location has the index of the address.
 * clang also places several variables in one symbol, at different offsets. */
static bool fixed_address(Dwarf_Die *die, Dwarf_Addr *address) {
    Dwarf_Attribute location, entry;
    Dwarf_Op *op;
    size_t n;
    if (!dwarf_attr_integrate(die, DW_AT_location, &location) ||
        dwarf_getlocation(&location, &op, &n) != 0 || n < 1 || n > 2 ||
        (n == 2 && op[1].atom != DW_OP_plus_uconst))
        return false;
    if (op[0].atom == DW_OP_addr)
        *address = op[0].number;
    else if ((op[0].atom != DW_OP_addrx && op[0].atom != DW_OP_GNU_addr_index) ||
             dwarf_getlocation_attr(&location, op, &entry) != 0 ||
             dwarf_formaddr(&entry, address) != 0)
        return false;
    *address += n == 2 ? op[1].number : 0;
    return true;
}

/* Adds a variable if it has a fixed address. */
static rd_status add_variable(rdi_object_types *t, rd_ctx *ctx, Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    Dwarf_Addr address;
    Dwarf_Die type;
    if (!fixed_address(die, &address) || !dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
        !dwarf_formref_die(&attribute, &type))
        return RD_OK;
    if (t->n == t->room) {
        void *grown = rdi_grow(ctx, t->variables, &t->room, sizeof *t->variables);
        if (!grown)
            return RD_ENOMEM;
        t->variables = grown;
    }
    t->variables[t->n++] = (rdi_typed_variable){address, type};
    return RD_OK;
}

/* Adds the variables of a scope and of the scopes inside it. */
static rd_status add_scope(rdi_object_types *t, rd_ctx *ctx, Dwarf_Die *scope, unsigned depth) {
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(scope, &die) != 0)
        return RD_OK;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            RD_TRY(add_variable(t, ctx, &die));
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
            RD_TRY(add_scope(t, ctx, &die, depth + 1));
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return RD_OK;
}

static int by_address(const void *a, const void *b) {
    const rdi_typed_variable *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* Reads the variables of all units, once. */
static rd_status read_variables(rdi_object_types *t, rd_ctx *ctx, Dwarf *dwarf) {
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    if (t->read)
        return RD_OK;
    t->read = true;
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        RD_TRY(add_scope(t, ctx, &unit, 0));
    if (t->n)
        qsort(t->variables, t->n, sizeof *t->variables, by_address);
    return RD_OK;
}

/* ---- types ---- */

static bool size_of(Dwarf_Die *type, uint64_t *size) {
    Dwarf_Word bytes;
    bool known = dwarf_aggregate_size(type, &bytes) == 0;
    *size = known ? bytes : 0;
    return known && bytes > 0;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
           dwarf_formref_die(&attribute, type) && dwarf_peel_type(type, type) == 0;
}

/* Finds the member of a struct, class or union at *offset, and its type. Subtracts the offset of
 * the member from *offset. Returns false if no member is there. */
static bool find_member(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member, Dwarf_Die *of_type) {
    Dwarf_Die die;
    if (dwarf_child(type, &die) != 0)
        return false;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Word at = 0;
        uint64_t size;
        int tag = dwarf_tag(&die);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(&die, of_type))
            continue;
        if (dwarf_attr(&die, DW_AT_data_member_location, &attribute))
            dwarf_formudata(&attribute, &at);
        else if (dwarf_tag(type) != DW_TAG_union_type)
            continue; /* a static member */
        if (size_of(of_type, &size) && at <= *offset && *offset - at < size) {
            *offset -= at;
            *member = die;
            return true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Adds "[i]" for each dimension of an array, subtracts the offset of the element from *offset, and
 * sets *type to the type of the element. Returns false if this is not possible. */
static bool add_element(rdi_text *t, Dwarf_Die *type, uint64_t *offset) {
    Dwarf_Die dimension, element;
    uint64_t bytes, size, stride;
    if (!size_of(type, &bytes) || !type_of(type, &element) || !size_of(&element, &size) ||
        dwarf_child(type, &dimension) != 0)
        return false;
    stride = bytes;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Word n = 0;
        if (dwarf_attr(&dimension, DW_AT_count, &attribute))
            dwarf_formudata(&attribute, &n);
        else if (dwarf_attr(&dimension, DW_AT_upper_bound, &attribute)) {
            dwarf_formudata(&attribute, &n);
            n++;
        }
        if (n == 0 || stride % n)
            return false;
        stride /= n;
        rdi_text_printf(t, "[%" PRIu64 "]", *offset / stride);
        *offset %= stride;
    } while (dwarf_siblingof(&dimension, &dimension) == 0);
    *type = element;
    return stride == size;
}

/* Adds the names of the nested fields and elements that contain the offset, from the outside in,
 * and the offset in the innermost one unless it is 0. */
static void add_parts(rdi_text *t, Dwarf_Die type, uint64_t offset) {
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        Dwarf_Die member, of_type;
        int tag = dwarf_tag(&type);
        if (tag == DW_TAG_array_type) {
            if (!add_element(t, &type, &offset))
                break;
            continue;
        }
        bool aggregate =
            tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
        if (!aggregate || !find_member(&type, &offset, &member, &of_type))
            break;
        if (dwarf_tag(&member) == DW_TAG_member && dwarf_diename(&member))
            rdi_text_printf(t, ".%s", dwarf_diename(&member));
        type = of_type;
    }
    if (offset)
        rdi_text_printf(t, "+%" PRIu64, offset);
}

rd_status rdi_object_part(rdi_object *o, uint64_t address, rdi_text *out) {
    Dwarf_Addr bias = 0;
    Dwarf *dwarf = rdi_object_dwarf(o, &bias);
    rdi_object_types *t = rdi_object_types_of(o);
    RD_TRY(read_variables(t, rdi_object_ctx(o), dwarf));
    size_t low = 0, high = t->n;
    while (low < high) { /* finds the first variable after the address */
        size_t middle = low + (high - low) / 2;
        if (t->variables[middle].address + bias <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return RD_OK;
    Dwarf_Die type = t->variables[low - 1].type;
    uint64_t size, offset = address - (t->variables[low - 1].address + bias);
    if (dwarf_peel_type(&type, &type) == 0 && size_of(&type, &size) && offset < size)
        add_parts(out, type, offset);
    return RD_OK;
}
