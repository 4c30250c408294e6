/* Opens and frees the analysis of private caches, and makes its profile. See
 * reusedist/sharing.h. */
#include "profile/profile_build.h"
#include "profile/section_threads.h"
#include "sharing/private_stacks.h"

#include "base/cpu.h"
#include "base/sized.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- opening and freeing ---- */

static rd_status choose_kernel(rd_sharing *s) {
    static const rdi_top_kernel *const kernels[] = {
        [RDI_ISA_PLAIN] = &rdi_top_plain,
        [RDI_ISA_AVX2] = &rdi_top_avx2,
        [RDI_ISA_AVX512] = &rdi_top_avx512,
    };
    rdi_isa isa;
    RD_TRY(rdi_isa_choose(s->ctx, "private caches", RDI_ISA_AUTO, &isa));
    s->kernel = kernels[isa];
    s->scans = s->kernel->scan && !s->config.details;
    return RD_OK;
}

static rd_status init(rd_sharing *s, const rd_sharing_config *config) {
    RD_TRY(rdi_sized_copy(s->ctx, "rd_sharing_config", config, &s->config, sizeof s->config));
    uint64_t bytes = s->config.block_bytes;
    if (bytes & (bytes - 1))
        return rdi_fail(s->ctx, RD_EINVAL,
                        "the block size is %" PRIu64 " bytes; it must be a power of two", bytes);
    if (!s->config.interleave)
        s->config.interleave = "recorded";
    if (!(s->interleave = rdi_strdup(s->ctx, s->config.interleave)))
        return RD_ENOMEM;
    s->block_bits = bytes ? rdi_bit_width(bytes) - 1 : 0;
    uint64_t units = bytes ? bytes : 1;
    for (; units > RDI_SHARED_BYTES_MAX; units /= 2)
        s->unit_bits++;
    s->words = units > 64 ? (uint32_t)(units / 64) : 1;
    s->word_bits = rdi_bit_width(s->words) - 1;
    RD_TRY(rdi_block_map_init(&s->index, s->ctx));
    RD_TRY(rdi_block_map_init(&s->thread_index, s->ctx));
    RD_TRY(choose_kernel(s));
    s->window = 1;
    s->distances = !s->config.details_only;
    if (!s->distances && !s->config.details)
        return rdi_fail(s->ctx, RD_EINVAL,
                        "rd_sharing_config.details_only is true, so `details` must be true too");
    if (!s->config.details)
        return RD_OK;
    if (!(s->shared = rdi_calloc(s->ctx, 1, sizeof *s->shared)))
        return RD_ENOMEM;
    if (!s->distances)
        RD_TRY(rdi_lone_blocks_init(&s->lone, s->ctx));
    return rdi_shared_blocks_init(s->shared, s->ctx, bytes);
}

rd_status rd_sharing_new(rd_ctx *ctx, const rd_sharing_config *config, rd_sharing **out) {
    RDI_NEED(ctx, ctx, out);
    rd_sharing *s = rdi_calloc(ctx, 1, sizeof *s);
    if (!s)
        return RD_ENOMEM;
    s->ctx = ctx;
    rd_status status = init(s, config);
    if (status == RD_OK)
        *out = s;
    else
        rd_sharing_free(s);
    return status;
}

void rd_sharing_free(rd_sharing *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->n_threads; i++) {
        rdi_private_stack *stack = s->threads[i];
        rdi_block_map_fini(&stack->copy);
        rdi_unit_axis_fini(&stack->axis, s->ctx);
        rdi_hist_free(stack->hist);
        rdi_free(s->ctx, stack);
    }
    rdi_free(s->ctx, s->threads);
    rdi_free(s->ctx, s->interleave);
    rdi_block_map_fini(&s->thread_index);
    rdi_block_map_fini(&s->index);
    if (s->shared)
        rdi_shared_blocks_fini(s->shared);
    rdi_free(s->ctx, s->shared);
    rdi_lone_blocks_fini(&s->lone);
    rdi_pages_free(s->ctx, s->blocks, (size_t)s->blocks_room * sizeof *s->blocks);
    rdi_pages_free(s->ctx, s->copies, (size_t)s->copies_room * sizeof *s->copies);
    rdi_pages_free(s->ctx, s->sets, (size_t)s->sets_room * 2 * s->words * sizeof *s->sets);
    rdi_free(s->ctx, s);
}

rd_status rd_sharing_event(rd_sharing *s, const rd_event *event) {
    RDI_NEED(s ? s->ctx : NULL, s, event);
    return s->shared ? rdi_shared_blocks_event(s->shared, event) : RD_OK;
}

size_t rd_sharing_threads(const rd_sharing *s) {
    return s ? s->n_threads : 0;
}

/* ---- the profile ---- */

static int compare_threads(const void *a, const void *b) {
    const rdi_private_stack *x = *(rdi_private_stack *const *)a;
    const rdi_private_stack *y = *(rdi_private_stack *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Makes the rows of all threads in the order of `order`, and adds their counts to all->all. The
 * caller frees rows[i].bins, also after a failure. */
static rd_status collect_threads(const rd_sharing *s, rdi_private_stack **order,
                                 rd_thread_profile *rows, rd_private_stacks *all) {
    for (size_t i = 0; i < s->n_threads; i++) {
        rd_bin *bins = NULL;
        rows[i] = (rd_thread_profile){.process = (uint32_t)(order[i]->key >> 32),
                                      .thread = (uint32_t)order[i]->key,
                                      .counts = order[i]->counts};
        RD_TRY(rdi_hist_bins(order[i]->hist, &bins, &rows[i].n_bins));
        rows[i].bins = bins;
        rdi_private_counts_add(&all->all, &order[i]->counts);
    }
    all->threads = rows;
    all->n_threads = s->n_threads;
    return RD_OK;
}

static rd_status make_profile(const rd_sharing *s, const rd_private_stacks *all, rdi_hist *sum,
                              rd_profile **out) {
    rd_bin *bins = NULL;
    size_t n = 0;
    rdi_threads_section *section = NULL;
    rd_profile *profile = NULL;
    for (size_t i = 0; i < s->n_threads; i++)
        RD_TRY(rdi_hist_merge(sum, s->threads[i]->hist));
    RD_TRY(rdi_hist_bins(sum, &bins, &n));
    rd_profile_facts facts = {.references = all->all.references,
                              .blocks = s->n_blocks,
                              .cold = all->all.cold,
                              .infinite = all->all.cold + all->all.coherence,
                              .block_bytes = s->config.block_bytes,
                              .engine = "private",
                              .engine_options = "",
                              .exact = true,
                              .error_kind = "exact",
                              .binning = s->config.binning,
                              .sums_known = true};
    rd_status status = rdi_profile_new(s->ctx, &facts, bins, n, &profile);
    if (status == RD_OK)
        status = rdi_threads_section_new(s->ctx, all, &section);
    rdi_free(s->ctx, bins);
    if (status != RD_OK) {
        rd_profile_free(profile);
        return status;
    }
    rdi_profile_set_section(profile, &rdi_section_threads, section);
    *out = profile;
    return RD_OK;
}

rd_status rd_sharing_profile(rd_sharing *s, rd_profile **out) {
    RDI_NEED(s ? s->ctx : NULL, s, out);
    if (!s->distances)
        return rdi_fail(s->ctx, RD_ESTATE,
                        "private caches without distances have no profile of their own; set "
                        "rd_sharing_config.details_only to false");
    size_t n = s->n_threads;
    rd_private_stacks all = {.interleave = s->interleave};
    rdi_hist *sum = NULL;
    RD_TRY(rdi_private_stacks_finish(s));
    rdi_private_stack **order = rdi_alloc(s->ctx, n + 1, sizeof *order);
    rd_thread_profile *rows = rdi_calloc(s->ctx, n + 1, sizeof *rows);
    rd_status status = order && rows ? RD_OK : RD_ENOMEM;
    if (status == RD_OK) {
        for (size_t i = 0; i < n; i++)
            order[i] = s->threads[i];
        qsort(order, n, sizeof *order, compare_threads);
        status = collect_threads(s, order, rows, &all);
    }
    if (status == RD_OK)
        status = rdi_hist_new(s->ctx, s->config.binning, &sum);
    if (status == RD_OK)
        status = make_profile(s, &all, sum, out);
    rdi_hist_free(sum);
    for (size_t i = 0; i < n && rows; i++)
        rdi_free(s->ctx, (void *)(uintptr_t)rows[i].bins);
    rdi_free(s->ctx, rows);
    rdi_free(s->ctx, order);
    return status;
}
