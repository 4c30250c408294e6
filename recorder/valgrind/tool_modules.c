/* Reports where programs and libraries are mapped, so that the analyzer can name instructions.
 *
 * Every executable mapping of an ELF file is a module. The program headers of the file give its
 * load bias.
 *
 * License: see tool.h.
 */
#include "tool.h"

#include "reusedist/trace.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

#include <elf.h>

#define HEADERS_MAX 64 /* maximum number of program headers that are read */

typedef struct module {
    Addr start;
    SizeT size;
    Addr bias;
    HChar *path;
} module;

/* The modules that are mapped. */
static module *modules;
static SizeT count, room;

static void tell_module(const module *m) {
    buffer_event(RD_EVENT_MODULE, 0, m->start, m->size, m->bias, m->path);
}

/* Finds the executable segment of the file that contains the byte at `offset`, and stores in
 * *address the address at which the byte was linked. Returns False if there is no such segment. */
static Bool find_link_address(Int fd, Off64T offset, Addr *address) {
    Elf64_Ehdr head;
    Elf64_Phdr segments[HEADERS_MAX];
    if (VG_(read)(fd, &head, sizeof head) != sizeof head ||
        VG_(memcmp)(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof *segments ||
        VG_(lseek)(fd, head.e_phoff, VKI_SEEK_SET) < 0)
        return False;
    Int n = head.e_phnum < HEADERS_MAX ? head.e_phnum : HEADERS_MAX;
    n = VG_(read)(fd, segments, n * (Int)sizeof *segments) / (Int)sizeof *segments;
    for (Int i = 0; i < n; i++) {
        const Elf64_Phdr *s = &segments[i];
        Off64T first = (Off64T)VG_PGROUNDDN(s->p_offset);
        if (s->p_type != PT_LOAD || !(s->p_flags & PF_X) || offset < first ||
            offset >= (Off64T)(s->p_offset + s->p_filesz))
            continue;
        *address = s->p_vaddr - s->p_offset + (Addr)offset;
        return True;
    }
    return False;
}

static Bool find_bias(const HChar *path, Addr mapped, Off64T offset, Addr *bias) {
    SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
    Addr address;
    if (sr_isError(opened))
        return False;
    Bool found = find_link_address(sr_Res(opened), offset, &address);
    VG_(close)(sr_Res(opened));
    *bias = mapped - address;
    return found;
}

/* Returns whether `start` lies inside a module that was already reported and is still mapped. */
static Bool is_known(Addr start) {
    for (SizeT i = 0; i < count; i++)
        if (start - modules[i].start < modules[i].size)
            return True;
    return False;
}

static void add_module(Addr start, SizeT size, Addr bias, const HChar *path) {
    if (count == room) {
        room = room ? 2 * room : 64;
        modules = VG_(realloc)("reusedist.modules", modules, room * sizeof *modules);
    }
    modules[count] = (module){start, size, bias, VG_(strdup)("reusedist.module", path)};
    tell_module(&modules[count++]);
}

static void map(Addr start, SizeT size, Bool rr, Bool ww, Bool xx, ULong debug_info) {
    (void)rr, (void)ww, (void)debug_info;
    const NSegment *segment = xx ? VG_(am_find_nsegment)(start) : NULL;
    if (!segment || segment->kind != SkFileC || is_known(start))
        return;
    const HChar *path = VG_(am_get_filename)(segment);
    Off64T offset = segment->offset + (Off64T)(start - segment->start);
    Addr bias;
    if (path && find_bias(path, start, offset, &bias))
        add_module(start, size, bias, path);
}

static void unmap(Addr start, SizeT size) {
    for (SizeT i = 0; i < count; i++) {
        module *m = &modules[i];
        if (m->start >= start + size || start >= m->start + m->size)
            continue;
        buffer_event(RD_EVENT_UNLOAD, 0, m->start, m->size, 0, NULL);
        VG_(free)(m->path);
        *m = modules[--count];
        i--;
    }
}

void modules_start(void) {
    VG_(track_new_mem_startup)(map);
    VG_(track_new_mem_mmap)(map);
    VG_(track_die_mem_munmap)(unmap);
}

void modules_restart_in_child(void) {
    for (SizeT i = 0; i < count; i++)
        tell_module(&modules[i]);
}
