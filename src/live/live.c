/* Makes, controls and frees the channel. See live.h. */
#define _GNU_SOURCE /* memfd_create */
#include "live/live.h"

#include "base/cpu.h"
#include "base/sized.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static rd_status fail_shared(rd_live *live, const char *what) {
    return rdi_fail(live->ctx, RD_EIO, "cannot %s the shared memory for recorders: %s", what,
                    strerror(errno));
}

static void *try_channel(rd_live *live, unsigned buffers) {
    live->buffers = buffers;
    return ftruncate(live->fd, (off_t)RDI_CHANNEL_BYTES(buffers)) != 0
               ? MAP_FAILED
               : mmap(NULL, RDI_CHANNEL_BYTES(buffers), PROT_READ | PROT_WRITE, MAP_SHARED,
                      live->fd, 0);
}

/* Makes and maps the channel, with fewer buffers if the full size cannot be mapped, and fills in
 * its head and live->path. The size is sealed, so that no program can truncate the memory while it
 * is mapped. */
static rd_status map_channel(rd_live *live) {
    live->fd = memfd_create("reusedist", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (live->fd < 0)
        return fail_shared(live, "make");
    void *memory = try_channel(live, RDI_CHANNEL_BUFFERS);
    if (memory == MAP_FAILED)
        memory = try_channel(live, RDI_CHANNEL_FULL_MAX);
    if (memory == MAP_FAILED)
        return fail_shared(live, "map");
    live->channel = memory;
    if (fcntl(live->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return fail_shared(live, "seal the size of");
    live->channel->magic = RDI_CHANNEL_MAGIC;
    live->channel->buffers = live->buffers;
    live->channel->reader = (uint32_t)getpid();
    live->channel->record_words = live->config.pc ? 2 : 1;
    live->channel->events = (live->config.events ? RDI_EVENTS_DATA : 0) |
                            (live->config.sync ? RDI_EVENTS_SYNC : 0) |
                            (live->config.contexts ? RDI_EVENTS_CONTEXTS : 0);
    live->channel->recording = !live->config.paused;
    live->collapse = rdi_bit_width(live->config.collapse_bytes);
    live->channel->collapse =
        live->collapse | (live->config.collapse_loads ? RDI_COLLAPSE_LOADS : 0);
    rdi_isa isa = RDI_ISA_PLAIN;
    RD_TRY(rdi_isa_choose(live->ctx, "live", RDI_ISA_AUTO, &isa));
    live->vector_bits = isa == RDI_ISA_AVX512 ? 512 : isa == RDI_ISA_AVX2 ? 256 : 0;
    live->channel->vector_bits = live->vector_bits;
    snprintf(live->path, sizeof live->path, "/proc/%ld/fd/%d", (long)getpid(), live->fd);
    return RD_OK;
}

rd_status rd_live_new(rd_ctx *ctx, const rd_live_config *config, rd_live **out) {
    _Static_assert(sizeof(rdi_channel) <= RDI_CHANNEL_HEAD_BYTES,
                   "the fields of the channel must fit in its head");
    RDI_NEED(ctx, ctx, out);
    rd_live_config known;
    RD_TRY(rdi_sized_copy(ctx, "rd_live_config", config, &known, sizeof known));
    config = &known;
    if (!config->running)
        return rdi_fail(ctx, RD_EINVAL, "rd_live_config.running must not be NULL");
    if (config->collapse_bytes & (config->collapse_bytes - 1) ||
        config->collapse_bytes > RD_COLLAPSE_MAX)
        return rdi_fail(ctx, RD_EINVAL,
                        "rd_live_config.collapse_bytes is %" PRIu64
                        ": it must be 0 or a power of two up to 2^40",
                        (uint64_t)config->collapse_bytes);
    if (config->collapse_bytes && (config->events || config->sync))
        return rdi_fail(ctx, RD_EINVAL,
                        "rd_live_config.collapse_bytes must be 0 if `events` or `sync` is true");
    if (config->collapse_loads && !config->collapse_bytes)
        return rdi_fail(ctx, RD_EINVAL,
                        "rd_live_config.collapse_loads needs rd_live_config.collapse_bytes");
    if (config->contexts && !config->events)
        return rdi_fail(ctx, RD_EINVAL, "rd_live_config.contexts needs rd_live_config.events");
    rd_live *live = rdi_calloc(ctx, 1, sizeof *live);
    if (!live)
        return RD_ENOMEM;
    live->ctx = ctx;
    live->config = *config;
    live->config.pc |= config->events;
    live->config.thread |= config->sync;
    rd_status status = map_channel(live);
    if (status != RD_OK) {
        rd_live_free(live);
        return status;
    }
    *out = live;
    return RD_OK;
}

const char *rd_live_path(const rd_live *live) {
    return live ? live->path : NULL;
}

void rd_live_set_recording(rd_live *live, bool on) {
    if (live)
        __atomic_store_n(&live->channel->recording, on, __ATOMIC_RELAXED);
}

void rd_live_stop(rd_live *live) {
    if (live)
        __atomic_store_n(&live->stopped, true, __ATOMIC_RELAXED);
}

uint64_t rd_live_programs(const rd_live *live) {
    return live ? __atomic_load_n(&live->channel->processes, __ATOMIC_RELAXED) : 0;
}

uint64_t rd_live_children(const rd_live *live) {
    return live ? __atomic_load_n(&live->channel->children, __ATOMIC_RELAXED) : 0;
}

uint64_t rd_live_replaced(const rd_live *live) {
    return live ? __atomic_load_n(&live->channel->replaced, __ATOMIC_RELAXED) : 0;
}

uint64_t rd_live_threads(const rd_live *live) {
    int32_t threads =
        live ? (int32_t)__atomic_load_n(&live->channel->threads, __ATOMIC_RELAXED) : 0;
    return threads > 0 ? (uint64_t)threads : 0;
}

void rdi_channel_futex(uint32_t *counter, int operation, uint32_t value,
                       const struct timespec *wait) {
    syscall(SYS_futex, counter, operation, value, wait, NULL, 0);
}

void rdi_channel_wake_recorders(rdi_channel *channel) {
    if (__atomic_exchange_n(&channel->recorders_wait, 0, __ATOMIC_SEQ_CST))
        rdi_channel_futex(&channel->frees, FUTEX_WAKE, INT32_MAX, NULL);
}

void rd_live_free(rd_live *live) {
    if (!live)
        return;
    if (live->channel) {
        __atomic_store_n(&live->channel->closed, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&live->channel->frees, 1, __ATOMIC_SEQ_CST);
        rdi_channel_wake_recorders(live->channel);
        munmap(live->channel, RDI_CHANNEL_BYTES(live->buffers));
    }
    if (live->fd >= 0)
        close(live->fd);
    rdi_free(live->ctx, live);
}
