/* Reads object files with libdw. See object.h.
 *
 * The functions of a compilation unit are indexed by address when the unit is first needed. Inlined
 * functions are found by descending into the function that contains them. The context does not
 * count the memory that libdw allocates.
 *
 * This file is long because every function works on the state of one libdw session, which a second
 * file would have to expose.
 */
#include "symbols/object.h"

#include "base/arena.h"
#include "symbols/demangle.h"
#include "symbols/object_dwarf.h"
#include "symbols/object_entries.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MAX 64 /* maximum depth of nested entries, a protection against damaged files */

/* The way in which a unit's language names functions. */
typedef enum naming {
    NAME_PLAIN,    /* by the name alone: C, Go */
    NAME_SCOPES,   /* with namespaces, classes and modules: C++, Fortran */
    NAME_BY_SYMBOL /* by the symbol, which tells more than the scopes: Rust */
} naming;

/* The names of the function whose declaration has this offset in the debug information. */
typedef struct die_names {
    Dwarf_Off declaration;
    const char *name, *full; /* NULL: the slot is free */
} die_names;

typedef struct unit {
    Dwarf_Off offset;
    rdi_code_entries functions;
    naming naming;
} unit;

/* A function from the symbol table. */
typedef struct function_symbol {
    uint64_t address, size; /* if the size is 0, the function extends to the next symbol */
    const char *name;
} function_symbol;

struct rdi_object {
    rd_ctx *ctx;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: the file could not be read */
    unit *units;
    size_t n_units;
    rdi_code_entries all_units; /* the units that are not in the file's address table, see
                                   unit_at() */
    bool units_listed;
    Dwarf_Addr unit_bias;     /* bias of the addresses in `all_units` */
    function_symbol *symbols; /* in ascending order of address; read on demand */
    size_t n_symbols;
    bool symbols_read;
    rdi_inner_entries inlined;
    die_names *known; /* hash table; its size is a power of two, at most half of it is used */
    size_t n_known, known_room;
    rdi_arena names;
    rdi_object_types types; /* see object_types.c */
};

/* ---- opening ---- */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* A trace can name any file as a module: opening a FIFO would wait forever, and opening a device can have
 * effects. */
static bool is_regular(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

rd_status rdi_object_open(rd_ctx *ctx, const char *path, rdi_object **out) {
    rdi_object *o = rdi_calloc(ctx, 1, sizeof *o);
    if (!o)
        return RD_ENOMEM;
    o->ctx = ctx;
    o->names.ctx = ctx;
    if (is_regular(path))
        o->dwfl = dwfl_begin(&callbacks);
    if (o->dwfl) {
        dwfl_report_begin(o->dwfl);
        o->module = dwfl_report_elf(o->dwfl, path, path, -1, 0, true);
        dwfl_report_end(o->dwfl, NULL, NULL);
    }
    *out = o;
    return RD_OK;
}

void rdi_object_close(rdi_object *o) {
    if (!o)
        return;
    for (size_t i = 0; i < o->n_units; i++)
        rdi_code_entries_fini(o->ctx, &o->units[i].functions);
    rdi_free(o->ctx, o->units);
    rdi_code_entries_fini(o->ctx, &o->all_units);
    rdi_inner_entries_fini(o->ctx, &o->inlined);
    rdi_free(o->ctx, o->symbols);
    rdi_free(o->ctx, o->known);
    rdi_free(o->ctx, o->types.variables);
    rdi_arena_fini(&o->names);
    if (o->dwfl)
        dwfl_end(o->dwfl);
    rdi_free(o->ctx, o);
}

Dwarf *rdi_object_dwarf(rdi_object *o, Dwarf_Addr *bias) {
    return o->module ? dwfl_module_getdwarf(o->module, bias) : NULL;
}

rdi_object_types *rdi_object_types_of(rdi_object *o) {
    return &o->types;
}

rd_ctx *rdi_object_ctx(const rdi_object *o) {
    return o->ctx;
}

void rdi_object_span(const rdi_object *o, uint64_t *low, uint64_t *high) {
    Dwarf_Addr start = 0, end = 0;
    if (o->module)
        dwfl_module_info(o->module, NULL, &start, &end, NULL, NULL, NULL, NULL);
    *low = start;
    *high = end;
}

/* ---- functions of a unit ---- */

/* Adds the code ranges of the functions below `parent`, including functions inside namespaces and
 * classes. */
static rd_status add_functions(rdi_object *o, unit *u, Dwarf_Die *parent, int depth) {
    Dwarf_Die die;
    if (depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return RD_OK;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            RD_TRY(rdi_code_entries_add(o->ctx, &u->functions, &die));
            break;
        case DW_TAG_namespace:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_module:
            RD_TRY(add_functions(o, u, &die, depth + 1));
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return RD_OK;
}

static naming naming_of(Dwarf_Die *cu) {
    /* Language codes of DWARF 5 and later that the header of an older libdw lacks. */
    enum { CXX_17 = 0x2a, CXX_20 = 0x2b, FORTRAN_18 = 0x2d, CXX_23 = 0x3a, RUST = 0x1c };
    switch (dwarf_srclang(cu)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case CXX_17:
    case CXX_20:
    case CXX_23:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case FORTRAN_18:
        return NAME_SCOPES;
    case RUST:
        return NAME_BY_SYMBOL;
    default:
        return NAME_PLAIN;
    }
}

static rd_status find_unit(rdi_object *o, Dwarf_Die *cu, unit **out) {
    Dwarf_Off offset = dwarf_dieoffset(cu);
    for (size_t i = 0; i < o->n_units; i++)
        if (o->units[i].offset == offset) {
            *out = &o->units[i];
            return RD_OK;
        }
    unit *grown = rdi_resize(o->ctx, o->units, o->n_units + 1, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    o->units = grown;
    *out = &grown[o->n_units++];
    **out = (unit){.offset = offset, .naming = naming_of(cu)};
    RD_TRY(add_functions(o, *out, cu, 0));
    return rdi_code_entries_sort(o->ctx, &(*out)->functions);
}

/* ---- units ---- */

static int by_offset(const void *a, const void *b) {
    const Dwarf_Off *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Stores the offsets of the units that the file's address table mentions, in ascending order. The
 * caller frees *out. */
static rd_status units_in_table(rdi_object *o, Dwarf_Off **out, size_t *n) {
    Dwarf_Addr bias;
    Dwarf *debug = dwfl_module_getdwarf(o->module, &bias);
    Dwarf_Aranges *table = NULL;
    if (!debug || dwarf_getaranges(debug, &table, n) != 0)
        *n = 0;
    if (*n == 0)
        return RD_OK;
    if (!(*out = rdi_alloc(o->ctx, *n, sizeof **out)))
        return RD_ENOMEM;
    for (size_t i = 0; i < *n; i++) {
        Dwarf_Addr start;
        Dwarf_Word length;
        if (dwarf_getarangeinfo(dwarf_onearange(table, i), &start, &length, &(*out)[i]) != 0)
            (*out)[i] = 0; /* the entry belongs to no unit */
    }
    qsort(*out, *n, sizeof **out, by_offset);
    return RD_OK;
}

/* Collects the code ranges of all units that the address table does not mention. Units that it
 * mentions are left out: on a large library, reading their ranges would take longer than all other
 * work. */
static rd_status list_units(rdi_object *o) {
    Dwarf_Off *known = NULL;
    size_t n = 0;
    o->units_listed = true;
    RD_TRY(units_in_table(o, &known, &n));
    rd_status status = RD_OK;
    Dwarf_Die *cu = NULL;
    while (status == RD_OK && (cu = dwfl_module_nextcu(o->module, cu, &o->unit_bias)) != NULL) {
        Dwarf_Off offset = dwarf_dieoffset(cu);
        if (!n || !bsearch(&offset, known, n, sizeof *known, by_offset))
            status = rdi_code_entries_add(o->ctx, &o->all_units, cu);
    }
    rdi_free(o->ctx, known);
    return status == RD_OK ? rdi_code_entries_sort(o->ctx, &o->all_units) : status;
}

/* Finds the unit that contains the address. A file can have an address table for this, but some
 * compilers, such as clang, do not write it. list_units() makes a second table of the units that
 * the address table lacks. */
static rd_status unit_at(rdi_object *o, uint64_t address, Dwarf_Die *out, Dwarf_Addr *bias,
                         bool *found) {
    Dwarf_Die *cu = dwfl_module_addrdie(o->module, address, bias);
    *found = cu != NULL;
    if (cu) {
        *out = *cu;
        return RD_OK;
    }
    if (!o->units_listed)
        RD_TRY(list_units(o));
    const Dwarf_Die *p = rdi_code_entries_find(&o->all_units, address - o->unit_bias, NULL);
    *found = p != NULL;
    *bias = o->unit_bias;
    if (p)
        *out = *p;
    return RD_OK;
}

/* ---- names ---- */

/* Returns the declaration that a definition or an inlined copy refers to, or `die` itself. */
static Dwarf_Die declaration_of(Dwarf_Die die) {
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    for (size_t i = 0; i < RDI_COUNT(links); i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die to;
        if (dwarf_attr(&die, links[i], &attribute) && dwarf_formref_die(&attribute, &to))
            die = to;
    }
    return die;
}

/* Prefixes a name with "Scope::" for every named scope around its declaration, outermost first. */
static rd_status qualify(rdi_object *o, Dwarf_Die *declaration, const char *name,
                         const char **out) {
    Dwarf_Die *scopes = NULL;
    int n = dwarf_getscopes_die(declaration, &scopes);
    size_t bytes = strlen(name) + 1;
    for (int i = 1; i < n; i++)
        if (dwarf_tag(&scopes[i]) != DW_TAG_compile_unit && dwarf_diename(&scopes[i]))
            bytes += strlen(dwarf_diename(&scopes[i])) + 2;
    char *text = rdi_arena_alloc(&o->names, bytes, 1), *at = text;
    for (int i = n - 1; i > 0 && text; i--) {
        const char *scope = dwarf_diename(&scopes[i]);
        if (dwarf_tag(&scopes[i]) == DW_TAG_compile_unit || !scope)
            continue;
        at = stpcpy(stpcpy(at, scope), "::");
    }
    free(scopes);
    if (!text)
        return RD_ENOMEM;
    strcpy(at, name);
    *out = text;
    return RD_OK;
}

/* Returns the slot of a declaration in the table of names, which must not be full. */
static die_names *find_known(const rdi_object *o, Dwarf_Off declaration) {
    size_t mask = o->known_room - 1, at = (declaration * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
    while (o->known[at].name && o->known[at].declaration != declaration)
        at = (at + 1) & mask;
    return &o->known[at];
}

static rd_status grow_known(rdi_object *o) {
    die_names *old = o->known;
    size_t room = o->known_room;
    die_names *grown = rdi_calloc(o->ctx, room ? 2 * room : 256, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    o->known = grown;
    o->known_room = room ? 2 * room : 256;
    for (size_t i = 0; i < room; i++)
        if (old[i].name)
            *find_known(o, old[i].declaration) = old[i];
    rdi_free(o->ctx, old);
    return RD_OK;
}

/* Finds the whole name of a function whose plain name is `name`. */
static rd_status find_full_name(rdi_object *o, naming how, Dwarf_Die *die, Dwarf_Die *declaration,
                                const char *name, const char **out) {
    Dwarf_Attribute attribute;
    const char *symbol =
        how == NAME_BY_SYMBOL && dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute)
            ? dwarf_formstring(&attribute)
            : NULL;
    *out = name;
    if (symbol) {
        RD_TRY(rdi_demangle(&o->names, symbol, out));
        if (*out != symbol)
            return RD_OK;
    }
    return how == NAME_PLAIN ? RD_OK : qualify(o, declaration, name, out);
}

/* Finds the names of a function or of an inlined copy. *name and *full stay unchanged if it has none.
 * Every declaration is named once, because finding its scopes takes long. */
static rd_status name_die(rdi_object *o, naming how, Dwarf_Die *die, const char **name,
                          const char **full) {
    Dwarf_Die declaration = declaration_of(*die);
    const char *plain = dwarf_diename(die);
    if (!plain)
        return RD_OK;
    if (2 * (o->n_known + 1) > o->known_room)
        RD_TRY(grow_known(o));
    die_names *known = find_known(o, dwarf_dieoffset(&declaration));
    if (!known->name) {
        RD_TRY(find_full_name(o, how, die, &declaration, plain, &known->full));
        RD_TRY(rdi_name_bound(&o->names, known->full, &known->full));
        RD_TRY(how == NAME_PLAIN ? rdi_name_shorten_plain(&o->names, known->full, &known->name)
                                 : rdi_name_shorten(&o->names, known->full, &known->name));
        known->declaration = dwarf_dieoffset(&declaration);
        o->n_known++;
    }
    *name = known->name;
    if (full)
        *full = known->full;
    return RD_OK;
}

static uint64_t line_attribute(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value
                                                                                         : 0;
}

/* ---- files ---- */

/* Simplifies an absolute path in place: removes empty names, ".", and ".." together with the name
 * before it. The path never becomes longer. */
static void simplify(char *path) {
    char *to = path;
    for (const char *from = path; *from;) {
        size_t n = strcspn(from + 1, "/") + 1; /* length including the slash before the name */
        if (n == 3 && memcmp(from, "/..", 3) == 0) {
            while (to > path && *--to != '/')
                ;
        } else if (n > 1 && !(n == 2 && from[1] == '.')) {
            memmove(to, from, n);
            to += n;
        }
        from += n;
    }
    *to = '\0';
}

/* Stores the path of the source file `name`: `name` itself if it is absolute or NULL, or if
 * `folder`, the compilation folder, is NULL or not absolute; otherwise the path in `folder`. */
static rd_status full_name(rdi_object *o, const char *folder, const char *name, const char **out) {
    *out = name;
    if (!name || *name == '/' || !folder || *folder != '/')
        return RD_OK;
    char *path = rdi_arena_alloc(&o->names, strlen(folder) + strlen(name) + 2, 1);
    if (!path)
        return RD_ENOMEM;
    stpcpy(stpcpy(stpcpy(path, folder), "/"), name);
    simplify(path);
    *out = path;
    return RD_OK;
}

/* Returns the compilation folder of a unit, or NULL. */
static const char *folder_of(Dwarf_Die *cu) {
    Dwarf_Attribute attribute;
    return dwarf_attr(cu, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static rd_status complete_names(rdi_object *o, const char *folder, rdi_location *out) {
    RD_TRY(full_name(o, folder, out->source, &out->source));
    RD_TRY(full_name(o, folder, out->function_source, &out->function_source));
    for (size_t i = 0; i < out->n_calls; i++)
        RD_TRY(full_name(o, folder, out->calls[i].source, &out->calls[i].source));
    return RD_OK;
}

/* ---- finding an address in the debug information ---- */

static rd_status add_call(rdi_object *o, rdi_location *out, const unit *u, Dwarf_Die *cu,
                          Dwarf_Die *caller, Dwarf_Die *inlined) {
    Dwarf_Files *files = NULL;
    size_t n = 0;
    if (out->n_calls == RDI_CALLS_MAX || dwarf_getsrcfiles(cu, &files, &n) != 0)
        return RD_OK;
    uint64_t file = line_attribute(inlined, DW_AT_call_file);
    memmove(&out->calls[1], &out->calls[0], out->n_calls * sizeof *out->calls);
    out->n_calls++;
    out->calls[0].function = NULL;
    out->calls[0].source = file < n ? dwarf_filesrc(files, file, NULL, NULL) : NULL;
    out->calls[0].line = line_attribute(inlined, DW_AT_call_line);
    return name_die(o, u->naming, caller, &out->calls[0].function, NULL);
}

/* Finds the innermost function that is inlined into *function at the address, and stores it in
 * *function. Adds the inlined calls on the way to *out. */
static rd_status innermost(rdi_object *o, rdi_location *out, const unit *u, Dwarf_Die *cu,
                           Dwarf_Die *function, Dwarf_Addr address) {
    Dwarf_Die at = *function;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        const Dwarf_Die *found;
        RD_TRY(rdi_inner_entries_find(o->ctx, &o->inlined, &at, address, &found));
        if (!found)
            break;
        at = *found;
        if (dwarf_tag(&at) == DW_TAG_inlined_subroutine) {
            RD_TRY(add_call(o, out, u, cu, function, &at));
            *function = at;
        }
    }
    return RD_OK;
}

/* Finds the function at the address in the debug information of the unit `cu`. If there is one,
 * sets *begin to the beginning of its code range that contains the address. */
static rd_status find_function(rdi_object *o, Dwarf_Die *cu, Dwarf_Addr address, Dwarf_Addr *begin,
                               rdi_location *out) {
    unit *u;
    RD_TRY(find_unit(o, cu, &u));
    const Dwarf_Die *found = rdi_code_entries_find(&u->functions, address, begin);
    if (!found)
        return RD_OK;
    Dwarf_Die function = *found;
    RD_TRY(innermost(o, out, u, cu, &function, address));
    int line = 0;
    if (dwarf_decl_line(&function, &line) == 0 && line > 0)
        out->function_line = (uint64_t)line;
    out->function_source = dwarf_decl_file(&function);
    return name_die(o, u->naming, &function, &out->function, &out->full_name);
}

/* Returns whether the code of a unit contains the address. libdw also answers with the unit, and the last
 * line of the unit, for an address between the unit's code and the code of the next unit. If the debug
 * information states no range for a unit, the function returns true. */
static bool has_code_at(Dwarf_Die *cu, Dwarf_Addr address) {
    return dwarf_haspc(cu, address) > 0 ||
           !(dwarf_hasattr(cu, DW_AT_ranges) || dwarf_hasattr(cu, DW_AT_high_pc));
}

/* Finds the source line. Code that a compiler generated for several lines has line 0. Such code
 * gets the line of the preceding code in the same function. */
static void find_line(Dwarf_Die *cu, Dwarf_Addr begin, Dwarf_Addr address, rdi_location *out) {
    Dwarf_Line *line = dwarf_getsrc_die(cu, address);
    Dwarf_Addr first = 0;
    int number = 0;
    while (line && dwarf_lineno(line, &number) == 0 && number == 0 &&
           dwarf_lineaddr(line, &first) == 0 && first > begin && first <= address) {
        address = first - 1;
        line = dwarf_getsrc_die(cu, address);
    }
    const char *source = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (source && number > 0) {
        out->source = source;
        out->line = (uint64_t)number;
    }
}

/* ---- finding an address in the symbol table ---- */

static int by_address(const void *a, const void *b) {
    const function_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

/* Reads and sorts the symbols of functions and the symbols without a type, because libdw scans all
 * symbols for every look-up, which is much slower. */
static rd_status read_symbols(rdi_object *o) {
    int n = dwfl_module_getsymtab(o->module);
    o->symbols_read = true;
    if (n <= 0)
        return RD_OK;
    if (!(o->symbols = rdi_alloc(o->ctx, (size_t)n, sizeof *o->symbols)))
        return RD_ENOMEM;
    for (int i = 1; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address = 0;
        const char *name =
            dwfl_module_getsym_info(o->module, i, &symbol, &address, NULL, NULL, NULL);
        int type = GELF_ST_TYPE(symbol.st_info);
        if (name && *name && symbol.st_shndx != SHN_UNDEF &&
            (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE))
            o->symbols[o->n_symbols++] = (function_symbol){address, symbol.st_size, name};
    }
    qsort(o->symbols, o->n_symbols, sizeof *o->symbols, by_address);
    return RD_OK;
}

static rd_status find_symbol(rdi_object *o, uint64_t address, const function_symbol **out) {
    if (!o->symbols_read)
        RD_TRY(read_symbols(o));
    /* The binary search finds the index after the last symbol at or before the address. */
    size_t low = 0, high = o->n_symbols;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const function_symbol *found = low ? &o->symbols[low - 1] : NULL;
    if (found && (found->size == 0 || address - found->address < found->size))
        *out = found;
    return RD_OK;
}

/* Names the location after the symbol at the address, if there is one. */
static rd_status name_by_symbol(rdi_object *o, uint64_t address, rdi_location *out) {
    const function_symbol *found = NULL;
    RD_TRY(find_symbol(o, address, &found));
    if (!found)
        return RD_OK;
    return rdi_symbol_names(&o->names, found->name, &out->full_name, &out->function);
}

/* ---- an address ---- */

rd_status rdi_object_find(rdi_object *o, uint64_t address, rdi_location *out) {
    Dwarf_Die cu;
    Dwarf_Addr bias = 0;
    bool has_unit = false;
    *out = (rdi_location){0};
    if (!o->module)
        return RD_OK;
    RD_TRY(unit_at(o, address, &cu, &bias, &has_unit));
    if (has_unit) {
        Dwarf_Addr begin = address - bias;
        RD_TRY(find_function(o, &cu, address - bias, &begin, out));
        if (out->function || has_code_at(&cu, address - bias))
            find_line(&cu, begin, address - bias, out);
    }
    if (!out->function) /* the symbol table may have a name */
        RD_TRY(name_by_symbol(o, address, out));
    return has_unit ? complete_names(o, folder_of(&cu), out) : RD_OK;
}

/* ---- variables ---- */

rd_status rdi_object_variables(rdi_object *o, rd_status (*take)(void *user, const rdi_variable *v),
                               void *user) {
    int n = o->module ? dwfl_module_getsymtab(o->module) : 0;
    for (int i = 1; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address = 0;
        const char *name =
            dwfl_module_getsym_info(o->module, i, &symbol, &address, NULL, NULL, NULL);
        if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 ||
            symbol.st_shndx == SHN_UNDEF)
            continue;
        RD_TRY(take(user, &(rdi_variable){name, address, symbol.st_size}));
    }
    return RD_OK;
}
