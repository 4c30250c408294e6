/* Reports where the program and its libraries are mapped. */
#define _GNU_SOURCE
#include "runtime.h"
#include "runtime_contexts.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULES_MAX 1024 /* maximum number of modules; further modules are not reported */

/* A module that is mapped, or a free entry. Another thread may call fork() at any instruction, so an entry
 * is only changed while it is free. */
typedef struct module {
    int used; /* false: the entry is free */
    int present;
    const void *address;
    uint64_t size, bias;
    char path[PATH_MAX];
} module;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static module *modules; /* MODULES_MAX entries; NULL: there was no memory */
static size_t count;    /* number of entries that have ever been used */

static module *find(const void *address) {
    for (size_t i = 0; i < count; i++)
        if (modules[i].used && modules[i].address == address)
            return &modules[i];
    return NULL;
}

/* Returns a free entry, or NULL if there is none. */
static module *find_free(void) {
    for (size_t i = 0; i < count; i++)
        if (!modules[i].used)
            return &modules[i];
    return count < MODULES_MAX ? &modules[count++] : NULL;
}

static void tell(const module *one) {
    runtime_tell(RD_EVENT_MODULE, one->address, one->size, one->bias, one->path);
}

/* Returns the absolute path of the module with this `name`, stored in `path`, or NULL if it has no
 * file. The program itself has an empty name. The name of the kernel's own module (vDSO) has no
 * slash, and the module has no file. */
static const char *find_path(const char *name, char path[PATH_MAX]) {
    ssize_t n;
    if (*name)
        return strchr(name, '/') ? realpath(name, path) : NULL;
    n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (n <= 0)
        return NULL;
    path[n] = '\0';
    return path;
}

static void see_segment(const struct dl_phdr_info *info, const ElfW(Phdr) * segment) {
    /* This is the address in the program header, not rounded down to the beginning of a page. */
    const void *address = (const void *)(info->dlpi_addr + segment->p_vaddr);
    module *known = find(address);
    module *free_one = known ? NULL : find_free();
    if (free_one && find_path(info->dlpi_name, free_one->path)) {
        known = free_one;
        known->address = address;
        known->size = segment->p_memsz;
        known->bias = info->dlpi_addr;
        __atomic_store_n(&known->used, 1, __ATOMIC_RELEASE);
        tell(known);
    }
    if (known)
        known->present = 1;
}

static int see(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
            see_segment(info, &info->dlpi_phdr[i]);
    return 0;
}

void modules_update(void) {
    if (!runtime_tells_events())
        return;
    pthread_mutex_lock(&lock);
    if (!modules)
        modules = recorder_take_memory(MODULES_MAX * sizeof *modules);
    for (size_t i = 0; i < count; i++)
        modules[i].present = 0;
    if (modules)
        dl_iterate_phdr(see, NULL);
    for (size_t i = 0; i < count; i++)
        if (modules[i].used && !modules[i].present) {
            runtime_tell(RD_EVENT_UNLOAD, modules[i].address, modules[i].size, 0, NULL);
            __atomic_store_n(&modules[i].used, 0, __ATOMIC_RELAXED);
        }
    pthread_mutex_unlock(&lock);
}

void modules_restart_in_child(void) {
    pthread_mutex_init(&lock, NULL);
    for (size_t i = 0; runtime_tells_events() && i < count; i++)
        if (modules[i].used)
            tell(&modules[i]);
}

/* ---- functions wrapped by the linker option --wrap ---- */

__attribute__((weak)) void *__real_dlopen(const char *path, int mode);
__attribute__((weak)) int __real_dlclose(void *library);
void *__wrap_dlopen(const char *path, int mode);
int __wrap_dlclose(void *library);

void *__wrap_dlopen(const char *path, int mode) {
    void *library = __real_dlopen(path, mode);
    modules_update();
    return library;
}

int __wrap_dlclose(void *library) {
    int status = __real_dlclose(library);
    modules_update();
    return status;
}
