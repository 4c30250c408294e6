/* Reports where the program and its libraries are mapped. */
#define _GNU_SOURCE
#include "runtime.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULES_MAX 1024 /* maximum number of modules; further modules are not reported */

typedef struct module {
    const void *address;
    uint64_t size;
    int present;
} module;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static module modules[MODULES_MAX];
static size_t count;

static module *find(const void *address) {
    for (size_t i = 0; i < count; i++)
        if (modules[i].address == address)
            return &modules[i];
    return NULL;
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
    char room[PATH_MAX];
    const char *path = known || count == MODULES_MAX ? NULL : find_path(info->dlpi_name, room);
    if (path) {
        known = &modules[count++];
        *known = (module){.address = address, .size = segment->p_memsz};
        runtime_tell(RD_EVENT_MODULE, address, segment->p_memsz, info->dlpi_addr, path);
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
    for (size_t i = 0; i < count; i++)
        modules[i].present = 0;
    dl_iterate_phdr(see, NULL);
    for (size_t i = 0; i < count; i++)
        if (!modules[i].present) {
            runtime_tell(RD_EVENT_UNLOAD, modules[i].address, modules[i].size, 0, NULL);
            modules[i--] = modules[--count];
        }
    pthread_mutex_unlock(&lock);
}

void modules_forget(void) {
    pthread_mutex_init(&lock, NULL);
    count = 0;
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
