/* Modules: programs and libraries while they are mapped, and their files. */
#ifndef RDI_MODULES_H
#define RDI_MODULES_H

#include "base/arena.h"
#include "reusedist/trace.h"
#include "symbols/object.h"

/* A file, opened once even if it is mapped several times. */
typedef struct rdi_module_file {
    const char *path;
    rdi_object *object;
    rdi_variable *variables; /* ascending by address */
    size_t n, room;
} rdi_module_file;

typedef struct rdi_module {
    size_t file;
    uint64_t from, to;         /* addresses of its code; `to` is inclusive */
    uint64_t all_from, all_to; /* the same, of code and data */
    uint64_t bias;             /* load bias: run-time address minus file address */
    uint32_t born, gone;       /* epochs: mapped from `born` until before `gone` */
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

/* Adds a module at `epoch`. If the event has size 0, the file determines the size. *replaced says
 * whether another module was at this address before. */
rd_status rdi_modules_add(rdi_modules *m, const rd_event *event, uint32_t epoch, bool *replaced);
/* Removes the module that begins at the address; it is gone from `epoch` on. */
void rdi_modules_remove(rdi_modules *m, uint64_t address, uint32_t epoch);

/* The module whose code contains `pc`, or the module that overlaps from .. to; NULL if there is
 * none. */
const rdi_module *rdi_modules_of_code(const rdi_modules *m, uint64_t pc, uint32_t epoch);
const rdi_module *rdi_modules_of_data(const rdi_modules *m, uint64_t from, uint64_t to,
                                      uint32_t epoch);

/* The file name without folders; borrowed. */
const char *rdi_module_name(const rdi_modules *m, const rdi_module *module);
/* Finds the source location of `pc`; everything is unknown outside modules. `module_name` may be
 * NULL. */
rd_status rdi_modules_find(const rdi_modules *m, uint64_t pc, uint32_t epoch, rdi_location *out,
                           const char **module_name);
/* The variable at a run-time address of the module, or NULL; then from .. to are the addresses
 * around it that belong to no variable. */
const rdi_variable *rdi_module_variable(const rdi_modules *m, const rdi_module *module,
                                        uint64_t address, uint64_t *from, uint64_t *to);

#endif
