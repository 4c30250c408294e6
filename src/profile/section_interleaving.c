/* Section "interleaving": the order in which the references of threads were analyzed, if it is not the
 * recorded order. A merged profile has this section if all profiles have it, with the same turns; the size
 * of the reorder buffer is then the smallest one. */
#include "profile/profile_reader.h"
#include "profile/profile_write.h"
#include "profile/sections.h"

#include <stddef.h>

static void interleaving_free(rd_ctx *ctx, void *data) {
    rdi_free(ctx, data);
}

static void interleaving_read(rdi_profile_reader *r, void **data) {
#define IN(member) offsetof(rd_interleaving, member)
    static const rdi_json_field keys[] = {
        {"turn", rdi_read_u64, IN(turn), true},
        {"reorder", rdi_read_u64, IN(reorder), true},
        {"threads", rdi_read_u64, IN(threads), true},
        {"overflows", rdi_read_u64, IN(overflows), true},
        {"recorded_coherence", rdi_read_u64_or_unknown, IN(recorded_coherence), true},
        {0}};
#undef IN
    rd_interleaving *i = rdi_calloc(r->j.ctx, 1, sizeof *i);
    *data = i;
    if (i)
        rdi_read_object(r, keys, i);
    else
        r->j.status = RD_ENOMEM;
}

static const char *interleaving_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_interleaving *i = data;
    (void)facts;
    return i->turn && i->reorder ? NULL
                                 : "\"turn\" and \"reorder\" of \"interleaving\" must not be 0";
}

static void interleaving_write(rd_json_writer *w, const void *data) {
    const rd_interleaving *i = data;
    rd_json_begin_object(w, "interleaving", RD_JSON_INLINE);
    rd_json_put_u64(w, "turn", i->turn);
    rd_json_put_u64(w, "reorder", i->reorder);
    rd_json_put_u64(w, "threads", i->threads);
    rd_json_put_u64(w, "overflows", i->overflows);
    rdi_json_put_u64_or_null(w, "recorded_coherence", i->recorded_coherence, RD_UNKNOWN);
    rd_json_end_object(w);
}

static rd_status interleaving_merge(rd_ctx *ctx, const void *const *data, size_t n, void **sum) {
    rd_interleaving *all = rdi_calloc(ctx, 1, sizeof *all);
    if (!all)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const rd_interleaving *one = data[i], *first = data[0];
        if (!one || !first || one->turn != first->turn) {
            rdi_free(ctx, all);
            return RD_OK;
        }
        all->turn = one->turn;
        all->reorder = i == 0 || one->reorder < all->reorder ? one->reorder : all->reorder;
        all->threads = one->threads > all->threads ? one->threads : all->threads;
        all->overflows += one->overflows;
        bool known = one->recorded_coherence != RD_UNKNOWN && all->recorded_coherence != RD_UNKNOWN;
        all->recorded_coherence =
            known ? all->recorded_coherence + one->recorded_coherence : RD_UNKNOWN;
    }
    *sum = all;
    return RD_OK;
}

const rdi_section rdi_section_interleaving = {
    .key = "interleaving",
    .minor = 3,
    .read = interleaving_read,
    .mistake = interleaving_mistake,
    .write = interleaving_write,
    .merge = interleaving_merge,
    .free = interleaving_free,
};

const rd_interleaving *rd_profile_interleaving(const rd_profile *p) {
    return p ? rdi_profile_section(p, &rdi_section_interleaving) : NULL;
}

rd_status rd_profile_set_interleaving(rd_profile *p, const rd_interleaving *interleaving) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    RDI_NEED(ctx, p, interleaving);
    if (!interleaving->turn || !interleaving->reorder)
        return rdi_fail(ctx, RD_EINVAL, "`turn` and `reorder` of rd_interleaving must not be 0");
    rd_interleaving *copy = rdi_alloc(ctx, 1, sizeof *copy);
    if (!copy)
        return RD_ENOMEM;
    *copy = *interleaving;
    rdi_profile_set_section(p, &rdi_section_interleaving, copy);
    return RD_OK;
}

void rdi_profile_write_interleaving(rd_json_writer *w, const rd_profile *p) {
    const rd_interleaving *i = rd_profile_interleaving(p);
    if (i)
        interleaving_write(w, i);
}
