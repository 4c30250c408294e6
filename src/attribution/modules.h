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
    rdi_variable *variables; /* in ascending order of address */
    size_t n, room;
} rdi_module_file;

typedef struct rdi_module {
    size_t file;
    uint64_t from, to;         /* first and last address of its code */
    uint64_t all_from, all_to; /* first and last address of its code and data */
    uint64_t bias;             /* load bias: run-time address minus file address */
    uint32_t born, gone;       /* epochs: the module is mapped from `born` until before `gone` */
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

/* Adds a module at `epoch`, or extends the entry of the same module if it is still mapped. If the
 * event has size 0, the file determines the size. *replaced says whether another module is or was
 * mapped at some of the same addresses. If so, the new module is mapped from `epoch` + 1 on, and
 * the caller must begin that epoch. */
rd_status rdi_modules_add(rdi_modules *m, const rd_event *event, uint32_t epoch, bool *replaced);
/* Removes the modules whose code begins at the address. They count as mapped until the end of
 * `epoch`. */
void rdi_modules_remove(rdi_modules *m, uint64_t address, uint32_t epoch);

/* Return a module that is mapped at `epoch`: rdi_modules_of_code() one whose code contains `pc`,
 * rdi_modules_of_data() one whose code or data overlaps the addresses from `from` to `to`. If there
 * are several, they return the one that was added last; if there is none, NULL. */
const rdi_module *rdi_modules_of_code(const rdi_modules *m, uint64_t pc, uint32_t epoch);
const rdi_module *rdi_modules_of_data(const rdi_modules *m, uint64_t from, uint64_t to,
                                      uint32_t epoch);

/* Returns the file name of the module without folders; borrowed. */
const char *rdi_module_name(const rdi_modules *m, const rdi_module *module);
/* Finds the source location of `pc`. Outside modules, all fields of *out are unknown and
 * *module_name is NULL. */
rd_status rdi_modules_find(const rdi_modules *m, uint64_t pc, uint32_t epoch, rdi_location *out,
                           const char **module_name);
/* Returns the path of the module whose code contains `pc`, or NULL; borrowed. */
const char *rdi_modules_path(const rdi_modules *m, uint64_t pc, uint32_t epoch);
/* Returns the variable at the run-time address `address` of the module, and stores the first and
 * last address of the variable. Returns NULL if there is none; *from to *to are then the addresses
 * around `address` that belong to no variable. */
const rdi_variable *rdi_module_variable(const rdi_modules *m, const rdi_module *module,
                                        uint64_t address, uint64_t *from, uint64_t *to);

/* Adds the field or element at the run-time address `address` of the module to a text, like
 * rdi_object_part(). */
rd_status rdi_module_part(const rdi_modules *m, const rdi_module *module, uint64_t address,
                          rdi_text *out);

#endif
