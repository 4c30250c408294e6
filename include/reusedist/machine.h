/* Machines: descriptions of a processor's caches. They come from presets for known processors, from
 * this host, or from files.
 *
 *   rd_machine m;
 *   rd_machine_find(ctx, "zen4", &m);
 *   rd_hierarchy h;
 *   rd_machine_hierarchy(&m, false, &h);
 *
 * src/machine/machines.conf has the presets. Its head describes the form of a machine file.
 */
#ifndef REUSEDIST_MACHINE_H
#define REUSEDIST_MACHINE_H

#include "base.h"
#include "hierarchy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One machine. The library fills this struct, and later versions may append fields. */
typedef struct rd_machine {
    size_t size;         /* sizeof(rd_machine) */
    char name[32];       /* name of the preset, "host", or the name in the file */
    char title[96];      /* name of the processor, for people; "": unknown */
    char kind[16];       /* "server", "desktop", "laptop" or "board"; "": unknown */
    char source[400];    /* where the numbers come from, for people; "": unknown */
    rd_hierarchy caches; /* the data caches of one core, innermost first */
    rd_cache fetch;      /* the first-level instruction cache; bytes 0: unknown */
    uint64_t line_bytes; /* size of a cache line in bytes, a power of two */
    uint32_t cores;      /* number of cores that share the last cache; of this host, number of
                            logical processors; 0: unknown */
    double clock_ghz;    /* clock rate in GHz for which the latencies in cycles hold; 0: unknown */
    double memory_ns;    /* latency of a load from memory in nanoseconds; 0: unknown */
    uint32_t parallel;   /* maximum number of misses of one core that are in flight at a time; 0:
                            unknown */
} rd_machine;

/* Returns the number of presets. */
RD_API size_t rd_machine_count(void);
/* Stores preset number `index`. The function returns RD_EINVAL past the last one. */
RD_API RD_CHECKED rd_status rd_machine_at(rd_ctx *ctx, size_t index, rd_machine *out);

/* Finds a machine: a preset by its name, this host by the name "host", or a file by its path. A
 * file has one entry in the form of the presets. A name with a slash or a dot is always a file. The
 * function returns RD_EINVAL if there is neither a preset nor a file of this name, RD_EIO if the
 * file cannot be read, RD_EFORMAT for a mistake in the file, and RD_EUNSUPPORTED if this host does
 * not report its caches. */
RD_API RD_CHECKED rd_status rd_machine_find(rd_ctx *ctx, const char *name, rd_machine *out);
/* Reads a machine from `n` bytes of text. Messages call the text `file`. */
RD_API RD_CHECKED rd_status rd_machine_parse(rd_ctx *ctx, const char *file, const char *text,
                                             size_t n, rd_machine *out);
/* Makes the text that rd_machine_parse() reads as `m`. Free it with rd_text_free(). */
RD_API RD_CHECKED rd_status rd_machine_text(rd_ctx *ctx, const rd_machine *m, char **out);

/* Stores the hierarchy of a machine. With `fetches`, the first level consists of two caches, L1I
 * for instruction fetches and L1D for data, if the machine has an instruction cache. The hierarchy
 * keeps the name, the clock rate, the latency of memory and `parallel`. */
RD_API void rd_machine_hierarchy(const rd_machine *m, bool fetches, rd_hierarchy *out);

/* Stores the machine from which rd_machine_hierarchy() made `h`, as far as `h` keeps it. Returns false
 * if `h` lacks the clock rate or the latency of memory. */
RD_API bool rd_machine_of_hierarchy(const rd_hierarchy *h, uint64_t line_bytes, rd_machine *out);

/* The time that references wait for caches and memory, as a range. */
typedef struct rd_cycles {
    double low;  /* cycles if as many misses as possible are always in flight; 0 if
                    rd_machine.parallel is 0 */
    double high; /* cycles if misses never overlap */
} rd_cycles;

/* Computes the time that references wait, from the number of misses of each data cache. A reference
 * that hits in the first cache does not wait. Any other reference waits as long as the latency of the
 * cache or memory that serves it. Returns false if the machine does not state its clock rate and the
 * latencies of memory and of all caches except the first. */
RD_API bool rd_machine_cycles(const rd_machine *m, const double *misses, rd_cycles *out);

#ifdef __cplusplus
}
#endif
#endif
