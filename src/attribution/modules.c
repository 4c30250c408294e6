/* Keeps track of the modules that are mapped. See modules.h. */
#include "attribution/modules.h"

#include <stdlib.h>
#include <string.h>

void rdi_modules_init(rdi_modules *m, rd_ctx *ctx) {
    *m = (rdi_modules){.ctx = ctx, .texts = {.ctx = ctx}};
}

void rdi_modules_fini(rdi_modules *m) {
    if (!m->ctx)
        return;
    for (size_t i = 0; i < m->n_files; i++) {
        rdi_object_close(m->files[i].object);
        rdi_free(m->ctx, m->files[i].variables);
    }
    rdi_free(m->ctx, m->files);
    rdi_free(m->ctx, m->modules);
    rdi_arena_fini(&m->texts);
    *m = (rdi_modules){0};
}

/* ---- files ---- */

typedef struct variable_list {
    rd_ctx *ctx;
    rdi_module_file *file;
} variable_list;

static rd_status take_variable(void *user, const rdi_variable *v) {
    variable_list *list = user;
    rdi_module_file *file = list->file;
    if (file->n == file->room) {
        rdi_variable *grown = rdi_grow(list->ctx, file->variables, &file->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        file->variables = grown;
    }
    file->variables[file->n++] = *v;
    return RD_OK;
}

/* Orders variables by address. Among the variables at one address, the largest one is last, and
 * among equally large ones the one with the shortest name. */
static int by_address(const void *a, const void *b) {
    const rdi_variable *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    int longer =
        (int)(strlen(x->name) < strlen(y->name)) - (int)(strlen(x->name) > strlen(y->name));
    return longer ? longer : strcmp(y->name, x->name);
}

static rd_status open_file(rdi_modules *m, const char *path, size_t *out) {
    for (size_t i = 0; i < m->n_files; i++)
        if (strcmp(m->files[i].path, path) == 0) {
            *out = i;
            return RD_OK;
        }
    rdi_module_file *grown = rdi_resize(m->ctx, m->files, m->n_files + 1, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    m->files = grown;
    rdi_module_file *file = &grown[m->n_files];
    *file = (rdi_module_file){.path = rdi_arena_strdup(&m->texts, path)};
    if (!file->path)
        return RD_ENOMEM;
    RD_TRY(rdi_object_open(m->ctx, path, &file->object));
    *out = m->n_files++; /* from now on, rdi_modules_fini() closes the file */
    RD_TRY(rdi_object_variables(file->object, take_variable, &(variable_list){m->ctx, file}));
    if (file->n)
        qsort(file->variables, file->n, sizeof *file->variables, by_address);
    return RD_OK;
}

/* ---- modules ---- */

static bool overlaps(const rdi_module *a, const rdi_module *b) {
    return a->from <= b->to && b->from <= a->to;
}

static rd_status make_module(rdi_modules *m, const rd_event *event, uint32_t epoch,
                             rdi_module *out) {
    *out = (rdi_module){.bias = event->pc, .born = epoch, .gone = UINT32_MAX};
    RD_TRY(open_file(m, event->path ? event->path : "", &out->file));
    uint64_t low, high;
    rdi_object_span(m->files[out->file].object, &low, &high);
    out->all_from = low + event->pc;
    out->all_to = high + event->pc - 1;
    out->from = event->size ? event->address : out->all_from;
    out->to = event->size ? event->address + (event->size - 1) : out->all_to;
    if (low == high) { /* the file does not state its size */
        out->all_from = out->from;
        out->all_to = out->to;
    }
    return RD_OK;
}

rd_status rdi_modules_add(rdi_modules *m, const rd_event *event, uint32_t epoch, bool *replaced) {
    rdi_module new;
    RD_TRY(make_module(m, event, epoch, &new));
    *replaced = false;
    for (size_t i = 0; i < m->n; i++) {
        rdi_module *old = &m->modules[i];
        bool same = old->file == new.file && old->bias == new.bias;
        if (same && old->gone > epoch) { /* the event is repeated, or the module is mapped again */
            old->gone = UINT32_MAX;
            old->from = old->from < new.from ? old->from : new.from;
            old->to = old->to > new.to ? old->to : new.to;
            return RD_OK;
        }
        *replaced = *replaced || (overlaps(old, &new) && !same);
    }
    if (m->n == m->room) {
        rdi_module *grown = rdi_grow(m->ctx, m->modules, &m->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        m->modules = grown;
    }
    new.born = epoch + *replaced; /* after a replacement, the caller begins a new epoch */
    for (size_t i = 0; i < m->n && *replaced; i++)
        if (m->modules[i].gone > new.born && overlaps(&m->modules[i], &new))
            m->modules[i].gone = new.born;
    m->modules[m->n++] = new;
    return RD_OK;
}

void rdi_modules_remove(rdi_modules *m, uint64_t address, uint32_t epoch) {
    for (size_t i = 0; i < m->n; i++)
        if (m->modules[i].from == address && m->modules[i].gone > epoch + 1)
            m->modules[i].gone = epoch + 1;
}

static bool is_there(const rdi_module *module, uint32_t epoch) {
    return module->born <= epoch && epoch < module->gone;
}

const rdi_module *rdi_modules_of_code(const rdi_modules *m, uint64_t pc, uint32_t epoch) {
    for (size_t i = m->n; i-- > 0;)
        if (m->modules[i].from <= pc && pc <= m->modules[i].to && is_there(&m->modules[i], epoch))
            return &m->modules[i];
    return NULL;
}

const rdi_module *rdi_modules_of_data(const rdi_modules *m, uint64_t from, uint64_t to,
                                      uint32_t epoch) {
    for (size_t i = m->n; i-- > 0;)
        if (m->modules[i].all_from <= to && from <= m->modules[i].all_to &&
            is_there(&m->modules[i], epoch))
            return &m->modules[i];
    return NULL;
}

const char *rdi_module_name(const rdi_modules *m, const rdi_module *module) {
    const char *path = m->files[module->file].path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *rdi_modules_path(const rdi_modules *m, uint64_t pc, uint32_t epoch) {
    const rdi_module *module = rdi_modules_of_code(m, pc, epoch);
    return module ? m->files[module->file].path : NULL;
}

rd_status rdi_modules_find(const rdi_modules *m, uint64_t pc, uint32_t epoch, rdi_location *out,
                           const char **module_name) {
    const rdi_module *module = rdi_modules_of_code(m, pc, epoch);
    *out = (rdi_location){0};
    *module_name = module ? rdi_module_name(m, module) : NULL;
    return module ? rdi_object_find(m->files[module->file].object, pc - module->bias, out) : RD_OK;
}

const rdi_variable *rdi_module_variable(const rdi_modules *m, const rdi_module *module,
                                        uint64_t address, uint64_t *from, uint64_t *to) {
    const rdi_module_file *file = &m->files[module->file];
    uint64_t at = address - module->bias;
    size_t low = 0, high = file->n; /* the binary search finds the index after the last variable at
                                       or before the address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->variables[middle].address <= at)
            low = middle + 1;
        else
            high = middle;
    }
    const rdi_variable *before = low ? &file->variables[low - 1] : NULL;
    bool inside = before && at - before->address < before->size;
    *from = inside   ? before->address + module->bias
            : before ? before->address + before->size + module->bias
                     : module->all_from;
    *to = inside          ? *from + (before->size - 1)
          : low < file->n ? file->variables[low].address + module->bias - 1
                          : module->all_to;
    return inside ? before : NULL;
}

rd_status rdi_module_part(const rdi_modules *m, const rdi_module *module, uint64_t address,
                          rdi_text *out) {
    return rdi_object_part(m->files[module->file].object, address - module->bias, out);
}
