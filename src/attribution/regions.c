/* Finds the region of an address. See regions.h. */
#include "attribution/regions.h"

#include "attribution/tuples.h"

#include <string.h>

/* An address uses this many bits. The bits above them hold the number of the process, which is 0
 * for the first process. */
#define PROCESS_BITS 48

rd_status rdi_regions_init(rdi_regions *r, rd_ctx *ctx, const rdi_modules *modules, size_t max) {
    *r = (rdi_regions){.ctx = ctx, .modules = modules, .max = max, .max_spans = (size_t)1 << 22};
    rdi_spans_init(&r->spans, ctx);
    r->version = r->newest = 1;
    for (size_t kind = 0; kind < RDI_COUNT(r->by_key); kind++)
        RD_TRY(rdi_block_map_init(&r->by_key[kind], ctx));
    if (!(r->region = rdi_calloc(ctx, 16, sizeof *r->region)))
        return RD_ENOMEM;
    r->room = 16;
    r->n = 1; /* region 0 exists from the beginning */
    return RD_OK;
}

void rdi_regions_fini(rdi_regions *r) {
    if (!r->ctx)
        return;
    rdi_spans_fini(&r->spans);
    for (size_t kind = 0; kind < RDI_COUNT(r->by_key); kind++)
        rdi_block_map_fini(&r->by_key[kind]);
    rdi_free(r->ctx, r->region);
    *r = (rdi_regions){0};
}

/* ---- regions ---- */

/* Stores the number of the region with the kind and key of `region`, which is made if it does not
 * exist. Stores RDI_OTHERS if there are too many regions. */
static rd_status number_of(rdi_regions *r, const rdi_region *region, uint32_t *out) {
    uint64_t *known = rdi_block_map_find(&r->by_key[region->kind], region->key), old;
    *out = known ? (uint32_t)*known : RDI_OTHERS;
    if (known || r->n > r->max)
        return RD_OK;
    if (r->n == r->room) {
        rdi_region *grown = rdi_resize(r->ctx, r->region, r->room * 2, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        r->region = grown;
        r->room *= 2;
    }
    RD_TRY(rdi_block_map_exchange(&r->by_key[region->kind], region->key, r->n, &old));
    r->region[r->n] = *region;
    *out = (uint32_t)r->n++;
    return RD_OK;
}

/* ---- events ---- */

void rdi_regions_change_all(rdi_regions *r, uint32_t version) {
    r->version = version;
    memset(r->recall, 0, sizeof r->recall);
}

static void count_live(rdi_regions *r, uint32_t number, int64_t bytes) {
    if (number == RDI_OTHERS)
        return;
    rdi_region *region = &r->region[number];
    region->live += (uint64_t)bytes;
    region->most = region->most > region->live ? region->most : region->live;
}

static rd_status add_span(rdi_regions *r, rdi_span span) {
    /* If there are too many spans, the memory counts as data of its module or as unknown. */
    if (r->spans.n >= r->max_spans)
        return RD_OK;
    RD_TRY(rdi_spans_insert(&r->spans, span));
    count_live(r, span.value, (int64_t)(span.to - span.from + 1));
    return RD_OK;
}

/* Removes the addresses from `from` to `to` from all spans. A span that reaches beyond this range
 * keeps its other addresses. */
static rd_status clear(rdi_regions *r, uint64_t from, uint64_t to) {
    const rdi_span *first;
    while ((first = rdi_spans_first(&r->spans, from, to))) {
        rdi_span gone = *first;
        rdi_spans_remove(&r->spans, gone.from);
        count_live(r, gone.value, -(int64_t)(gone.to - gone.from + 1));
        if (gone.from < from)
            RD_TRY(add_span(r, (rdi_span){gone.from, from - 1, gone.value}));
        if (gone.to > to)
            RD_TRY(add_span(r, (rdi_span){to + 1, gone.to, gone.value}));
        if (gone.to >= to)
            break;
    }
    return RD_OK;
}

static rd_status add_data(rdi_regions *r, const rd_event *event, uint32_t epoch, uint64_t to) {
    bool stack = event->kind == RD_EVENT_STACK;
    rdi_region region = {.kind = stack ? RD_DATA_STACK : RD_DATA_HEAP, .epoch = epoch};
    region.key = stack ? event->address >> PROCESS_BITS << 32 | event->thread : event->pc;
    rdi_span span = {event->address, to, 0};
    RD_TRY(number_of(r, &region, &span.value));
    return add_span(r, span);
}

bool rdi_regions_extent(rdi_regions *r, const rd_event *event, uint64_t *last) {
    uint64_t from = event->address;
    /* A release without a size has the size of the allocation. */
    if (event->kind == RD_EVENT_RELEASE && event->size == 0) {
        const rdi_span *span = rdi_spans_first(&r->spans, from, from);
        *last = span ? span->to : 0;
        return span && span->from == from;
    }
    uint64_t to = from + (event->size - 1);
    *last = to < from ? UINT64_MAX : to;
    return event->size != 0;
}

rd_status rdi_regions_event(rdi_regions *r, const rd_event *event, uint64_t to, uint32_t epoch) {
    r->known = true;
    RD_TRY(clear(r, event->address, to));
    return event->kind == RD_EVENT_RELEASE ? RD_OK : add_data(r, event, epoch, to);
}

/* ---- looking up ---- */

/* Finds the region of an address in the data of a module: a variable, or the space between
 * variables. */
static rd_status find_static(rdi_regions *r, const rdi_module *module, uint64_t address,
                             uint32_t epoch, rdi_span *out) {
    const rdi_variable *variable =
        rdi_module_variable(r->modules, module, address, &out->from, &out->to);
    rdi_region region = {.kind = RD_DATA_GLOBAL, .epoch = epoch};
    region.key = variable ? out->from : module->all_from - 1; /* a key that no variable has */
    region.name = variable ? variable->name : rdi_module_name(r->modules, module);
    region.live = region.most = variable ? variable->size : 0;
    return number_of(r, &region, &out->value);
}

rd_status rdi_regions_at(rdi_regions *r, uint64_t address, uint64_t last, uint32_t epoch,
                         rdi_span *out) {
    const rdi_span *span = rdi_spans_first(&r->spans, address, last);
    const rdi_module *module;
    if (span && span->from <= address) {
        *out = *span;
        return RD_OK;
    }
    *out = (rdi_span){address, span ? span->from - 1 : last, 0};
    if ((module = rdi_modules_of_data(r->modules, address, address, epoch)))
        return find_static(r, module, address, epoch, out);
    while ((module = rdi_modules_of_data(r->modules, address, out->to, epoch)))
        out->to = module->all_from - 1;
    return RD_OK;
}

rd_status rdi_regions_find(rdi_regions *r, uint64_t address, uint32_t epoch, uint64_t from,
                           uint64_t to, uint32_t *region, bool *alone) {
    const rdi_span *span = rdi_spans_around(&r->spans, address, from, to, alone);
    bool inside = span && span->from <= address && address <= span->to;
    bool any_span = span || !*alone, any_module = rdi_modules_of_data(r->modules, from, to, epoch);
    const rdi_module *module =
        inside || !any_module ? NULL : rdi_modules_of_data(r->modules, address, address, epoch);
    rdi_span data = {0};
    if (module)
        RD_TRY(find_static(r, module, address, epoch, &data));
    else if (inside || (span && !any_module))
        data = *span;
    /* Different data may have the number RDI_OTHERS, so their addresses are compared. */
    if (module || data.value == RDI_OTHERS)
        *alone = data.from <= from && to <= data.to && !(module && any_span);
    else
        *alone = *alone && !any_module;
    *region = data.value;
    return RD_OK;
}
