/* Makes the names of functions and variables readable: decodes the symbols of compilers, and
 * shortens long names. */
#ifndef RDI_DEMANGLE_H
#define RDI_DEMANGLE_H

#include "base/arena.h"

#define RDI_NAME_ROOM 8192 /* number of bytes for a readable name; longer names are not used */

/* Sets *out to the readable form of a symbol of C++, Rust, Fortran or a clone of a function, or to
 * `symbol` itself if it has no other form. A new text is in the arena. C++ symbols stay as they are
 * if the C++ runtime library, which has their demangler, is not installed. */
rd_status rdi_demangle(rdi_arena *arena, const char *symbol, const char **out);

/* Demangles a symbol of Rust, of the old form (_ZN...17h<hash>E) or the new one (_R...), into `out`,
 * which has RDI_NAME_ROOM bytes. Returns false if the symbol has neither form or is damaged, or if
 * its name does not fit. */
bool rdi_demangle_rust(const char *symbol, char *out);

/* Sets *out to `name`, or, if `name` has RDI_NAME_ROOM bytes or more, to a shorter text in the arena:
 * "<...#0123456789abcdef>" replaces the arguments of templates, and the end of a name that is still
 * too long. The digits are a hash of the whole name, so that different names stay different. Templates
 * can double the length of a name with each argument, up to many megabytes. */
rd_status rdi_name_bound(rdi_arena *arena, const char *name, const char **out);

/* Sets *out to the form of a readable name of C++, Rust or Fortran that people use: without parameters,
 * return type, the arguments of templates ("std::vector<...>::push_back") and versioning namespaces, or
 * `name` itself if it is short already. A new text is in the arena. */
rd_status rdi_name_shorten(rdi_arena *arena, const char *name, const char **out);

/* Sets *out to the short form of a name of any other language. Only the type arguments of Go are replaced
 * ("main.sum[...]"), because brackets and blanks mean something else in other names. */
rd_status rdi_name_shorten_plain(rdi_arena *arena, const char *name, const char **out);

/* Sets *full to the readable form of a symbol and *name to the short form of *full. */
rd_status rdi_symbol_names(rdi_arena *arena, const char *symbol, const char **full,
                           const char **name);

#endif
