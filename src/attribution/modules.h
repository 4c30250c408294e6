/* Programs and libraries while they are mapped, and what is known of their files. */
#ifndef RDI_MODULES_H
#define RDI_MODULES_H

#include "base/arena.h"
#include "reusedist/trace.h"
#include "symbols/object.h"

/* A file, opened once however often it is mapped. */
typedef struct rdi_module_file {
    const char *path;
    rdi_object *object;
    rdi_variable *variables; /* by ascending address */
    size_t n, room;
} rdi_module_file;

typedef struct rdi_module {
    size_t file;
    uint64_t from, to;         /* addresses of its code; `to` included */
    uint64_t all_from, all_to; /* and of everything in it */
    uint64_t bias;             /* addresses in the file lie so far below */
    uint32_t born, gone;       /* epochs: from `born` on, until before `gone` */
} rdi_module;

typedef struct rdi_modules {
    rd_ctx *ctx;
    rdi_arena texts;
    rdi_module_file *files;
    size_t n_files;
    rdi_module *modules;
    size_t n, room;
} rdi_modules;

void rdi_modules_init(rdi_modules *m, rd_ctx *ctx); /* cannot fail */
void rdi_modules_fini(rdi_modules *m);

/* A module event at `epoch`. Size 0: as large as the file says. Another module may have been there
 * before: *replaced. */
rd_status rdi_modules_add(rdi_modules *m, const rd_event *event, uint32_t epoch, bool *replaced);
/* What begins at the address is gone from `epoch` on. */
void rdi_modules_remove(rdi_modules *m, uint64_t address, uint32_t epoch);

/* The module whose code has the address, or of which any part is in from .. to; NULL: none. */
const rdi_module *rdi_modules_of_code(const rdi_modules *m, uint64_t pc, uint32_t epoch);
const rdi_module *rdi_modules_of_data(const rdi_modules *m, uint64_t from, uint64_t to,
                                      uint32_t epoch);

/* File name without folders; borrowed. */
const char *rdi_module_name(const rdi_modules *m, const rdi_module *module);
/* All unknown if it is in no module; *module_name may be NULL. */
rd_status rdi_modules_find(const rdi_modules *m, uint64_t pc, uint32_t epoch, rdi_location *out,
                           const char **module_name);
/* The variable at an address of the module, or NULL; without one, from .. to are the addresses
 * around it in which there is none. All as the process sees them. */
const rdi_variable *rdi_module_variable(const rdi_modules *m, const rdi_module *module,
                                        uint64_t address, uint64_t *from, uint64_t *to);

#endif
