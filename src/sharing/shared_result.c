/* Implements rd_sharing_attach(): ranks the shared blocks, and names their data and code. */
#include "attribution/region_names.h"
#include "base/text.h"
#include "profile/section_sharing.h"
#include "sharing/private_stacks.h"
#include "sharing/shared_fix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_THREADS 16
#define LISTED_LINES   4

/* A shared block, with the number of its misses, by which blocks are sorted. */
typedef struct ranked_block {
    uint64_t misses, block;
    uint32_t detail, copies;
} ranked_block;

/* A site of a shared block, with the cost by which sites are sorted. */
typedef struct ranked_site {
    uint32_t detail, site;
    uint64_t cost; /* misses and removals */
} ranked_site;

typedef struct result {
    const rd_sharing *s;
    const rdi_shared_blocks *b;
    rdi_arena *arena;    /* memory of the section */
    rdi_arena scratch;   /* freed at the end */
    rd_shared_data *is;  /* the section */
    ranked_block *order; /* all shared blocks, in descending order of misses */
    ranked_site *sites;  /* all sites, by detail and in descending order of costs */
    rdi_block_map lines; /* maps a program counter to an index of `names` */
    const char **names;  /* names of lines, by index */
    size_t n_names, names_room;
} result;

/* ---- texts ---- */

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Copies a text to the arena of the section. */
static rd_status keep(result *r, rdi_text *t, const char **out) {
    char *text = NULL;
    size_t n;
    *out = NULL;
    RD_TRY(rdi_text_take(t, &text, &n));
    *out = rdi_arena_strdup(r->arena, text);
    rd_text_free(r->s->ctx, text);
    return *out ? RD_OK : RD_ENOMEM;
}

/* Sets *out to the name of the source line of a program counter, or to "" if the program counter is
 * 0. */
static rd_status name_line(result *r, uint64_t pc, const char **out) {
    const uint64_t *known = rdi_block_map_find(&r->lines, pc);
    uint64_t old;
    *out = "";
    if (pc == 0)
        return RD_OK;
    if (known) {
        *out = r->names[*known];
        return RD_OK;
    }
    if (r->n_names == r->names_room) {
        void *grown = rdi_grow(r->s->ctx, r->names, &r->names_room, sizeof *r->names);
        if (!grown)
            return RD_ENOMEM;
        r->names = grown;
    }
    rdi_place place;
    RD_TRY(rdi_place_of(&r->b->modules, (rdi_own){NULL, 0}, &r->scratch, pc, r->b->epoch, &place));
    RD_TRY(rdi_place_name(r->arena, &place, out));
    r->names[r->n_names] = *out;
    return rdi_block_map_exchange(&r->lines, pc, r->n_names++, &old);
}

static rd_status name_region(result *r, uint32_t number, const char **out) {
    rdi_place place;
    const rdi_region other = {.kind = RD_DATA_OTHER};
    bool known = number < r->b->regions.n;
    return rdi_region_name(&r->b->modules, (rdi_own){NULL, 0}, r->arena, &r->scratch,
                           known ? &r->b->regions.region[number] : &other, &place, out);
}

static int by_number(const void *a, const void *b) {
    return compare_numbers(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Lists at most LISTED_THREADS of the n numbers of threads, in ascending order, and frees
 * `numbers`. */
static rd_status list_numbers(result *r, uint32_t *numbers, size_t n, const char **out) {
    qsort(numbers, n, sizeof *numbers, by_number);
    rdi_text t = rdi_text_start(r->s->ctx);
    for (size_t i = 0; i < n && i < LISTED_THREADS; i++)
        rdi_text_printf(&t, "%s%" PRIu32, i ? " " : "", numbers[i]);
    rdi_text_puts(&t, n > LISTED_THREADS ? " ..." : "");
    rdi_free(r->s->ctx, numbers);
    return keep(r, &t, out);
}

/* Lists the numbers of the threads that load from the block or, with `stores`, that store to it. */
static rd_status list_threads(result *r, uint32_t copies, bool stores, const char **out) {
    const rd_sharing *s = r->s;
    size_t n = 0;
    uint32_t *numbers = rdi_alloc(s->ctx, s->n_threads + 1, sizeof *numbers);
    if (!numbers)
        return RD_ENOMEM;
    for (uint32_t c = copies; c; c = s->copies[c].next)
        if (stores ? r->b->uses[c].stores : r->b->uses[c].loads)
            numbers[n++] = (uint32_t)s->threads[s->copies[c].thread]->key;
    return list_numbers(r, numbers, n, out);
}

/* ---- one block ---- */

static rd_status list_data(result *r, const rdi_shared_detail *d, const char **out) {
    const char *names[RDI_PIECES_MAX], *before = NULL;
    for (uint32_t i = 0; i < d->n_pieces; i++)
        RD_TRY(name_region(r, d->pieces[i].value, &names[i]));
    rdi_text t = rdi_text_start(r->s->ctx);
    for (uint32_t i = 0; i < d->n_pieces; i++) {
        bool owned = d->pieces[i].value || d->n_pieces == 1;
        if (!owned || (before && strcmp(before, names[i]) == 0))
            continue;
        rdi_text_printf(&t, "%s%s", before ? "; " : "", names[i]);
        before = names[i];
    }
    return keep(r, &t, out);
}

/* Adds the field or element of a variable at an address or, if it has no known field there or is
 * not a variable, the offset from the beginning of the data. */
static rd_status add_part(const result *r, const rdi_span *piece, uint64_t at, rdi_text *t) {
    const rdi_module *module = rdi_modules_of_data(&r->b->modules, at, at, r->b->epoch);
    size_t before = t->n;
    if (r->b->regions.region[piece->value].kind == RD_DATA_GLOBAL && module)
        RD_TRY(rdi_module_part(&r->b->modules, module, at, t));
    if (t->n == before)
        rdi_text_printf(t, "+%" PRIu64, at - piece->from);
    return RD_OK;
}

/* Names the data at an offset of the block: "data[2].field" or "data+16", or the address if the
 * data are unknown. */
static rd_status name_item(result *r, const rdi_shared_detail *d, uint64_t offset,
                           const char **out) {
    uint64_t at = d->block * r->b->block_bytes + offset;
    const rdi_span *piece = NULL;
    const char *name = NULL;
    for (uint32_t i = 0; i < d->n_pieces; i++)
        if (d->pieces[i].value && d->pieces[i].value < r->b->regions.n && d->pieces[i].from <= at &&
            at <= d->pieces[i].to)
            piece = &d->pieces[i];
    if (piece)
        RD_TRY(name_region(r, piece->value, &name));
    rdi_text t = rdi_text_start(r->s->ctx);
    if (piece) {
        rdi_text_puts(&t, name);
        rd_status status = add_part(r, piece, at, &t);
        t.status = t.status == RD_OK ? status : t.status;
    } else {
        rdi_text_printf(&t, "0x%" PRIx64, at);
    }
    return keep(r, &t, out);
}

/* Lists the numbers of the threads that load a bit of `set` or, if `stores` is true, that store
 * one. */
static rd_status list_users(result *r, const rdi_shared_use *uses, uint64_t set, bool stores,
                            const char **out) {
    const rd_sharing *s = r->s;
    size_t n = 0;
    uint32_t *numbers = rdi_alloc(s->ctx, s->n_threads + 1, sizeof *numbers);
    if (!numbers)
        return RD_ENOMEM;
    for (size_t i = 0; i < s->n_threads; i++)
        if ((stores ? uses[i].stores : uses[i].loads) & set)
            numbers[n++] = (uint32_t)s->threads[i]->key;
    return list_numbers(r, numbers, n, out);
}

static rd_status list_items(result *r, const rdi_shared_fix *fix, rd_shared_block *row) {
    const unsigned bits = r->b->run_bits;
    rd_shared_item *items = rdi_arena_alloc(r->arena, fix->n_items + 1, sizeof *items);
    if (!items)
        return RD_ENOMEM;
    for (size_t i = 0; i < fix->n_items; i++) {
        const rdi_shared_item *item = &fix->items[i];
        items[i].first = (uint64_t)item->first << bits;
        items[i].last = (((uint64_t)item->last + 1) << bits) - 1;
        RD_TRY(list_users(r, fix->uses, item->set, false, &items[i].readers));
        RD_TRY(list_users(r, fix->uses, item->set, true, &items[i].writers));
    }
    row->items = items;
    row->n_items = fix->n_items;
    return RD_OK;
}

/* Stores in `row` the two items to separate, and how many misses disappear if all groups of items are separated. If
 * the log does not have all misses, the number of misses is scaled from the log to the whole run. Does nothing if no
 * misses would disappear. */
static rd_status put_fix(result *r, const rdi_shared_detail *d, const rdi_shared_fix *fix,
                         rd_shared_block *row) {
    if (fix->left >= fix->misses || !fix->has_pair)
        return RD_OK;
    uint64_t all = d->true_sharing + d->false_sharing;
    row->removes = fix->misses - fix->left;
    if (d->cut && fix->coherence)
        row->removes = (uint64_t)((double)row->removes * (double)all / (double)fix->coherence);
    row->removes = row->removes < all ? row->removes : all;
    row->first_offset = (uint64_t)fix->pair[0] << r->b->run_bits;
    row->second_offset = (uint64_t)fix->pair[1] << r->b->run_bits;
    row->padding = r->b->block_bytes - ((uint64_t)fix->apart << r->b->run_bits);
    RD_TRY(name_item(r, d, row->first_offset, &row->first));
    return name_item(r, d, row->second_offset, &row->second);
}

/* Analyzes the block again with its data in different blocks, and stores the result in `row`. */
static rd_status find_fix(result *r, const rdi_shared_detail *d, rd_shared_block *row) {
    rdi_shared_fix fix;
    rd_status status = rdi_shared_fix_find(r->b, d, r->s->n_threads, &fix);
    if (status == RD_OK)
        status = list_items(r, &fix, row);
    if (status == RD_OK)
        status = put_fix(r, d, &fix, row);
    rdi_free(r->s->ctx, fix.uses);
    return status;
}

static rd_status make_block(result *r, uint32_t detail, uint32_t copies, rd_shared_block *row) {
    const rdi_shared_detail *d = &r->b->details[detail];
    *row = (rd_shared_block){.address = r->b->block_bytes ? d->block * r->b->block_bytes : d->block,
                             .true_sharing = d->true_sharing,
                             .false_sharing = d->false_sharing,
                             .lines = ""};
    for (uint32_t c = copies; c; c = r->s->copies[c].next) {
        row->threads++;
        row->loads += r->b->uses[c].loads;
        row->stores += r->b->uses[c].stores;
    }
    RD_TRY(list_threads(r, copies, false, &row->readers));
    RD_TRY(list_threads(r, copies, true, &row->writers));
    RD_TRY(list_data(r, d, &row->data));
    return r->b->block_bytes ? find_fix(r, d, row) : RD_OK;
}

/* Lists up to LISTED_LINES lines with the most misses and removals. `sites` has the n sites of the
 * block. */
static rd_status list_lines(result *r, const ranked_site *sites, size_t n, const char **out) {
    const char *listed[LISTED_LINES];
    size_t k = 0;
    for (size_t i = 0; i < n && k < LISTED_LINES; i++) {
        const char *name;
        bool known = false;
        RD_TRY(name_line(r, r->b->sites[sites[i].site].pc, &name));
        for (size_t j = 0; j < k; j++)
            known = known || strcmp(listed[j], name) == 0;
        if (*name && !known)
            listed[k++] = name;
    }
    rdi_text t = rdi_text_start(r->s->ctx);
    for (size_t i = 0; i < k; i++)
        rdi_text_printf(&t, "%s%s", i ? " " : "", listed[i]);
    return keep(r, &t, out);
}

/* ---- order ---- */

static int by_misses(const void *a, const void *b) {
    const ranked_block *x = a, *y = b;
    int order = compare_numbers(y->misses, x->misses);
    return order ? order : compare_numbers(x->block, y->block);
}

static int by_detail(const void *a, const void *b) {
    const ranked_site *x = a, *y = b;
    int order = compare_numbers(x->detail, y->detail);
    order = order ? order : compare_numbers(y->cost, x->cost);
    return order ? order : compare_numbers(x->site, y->site);
}

static rd_status rank(result *r) {
    const rdi_shared_blocks *b = r->b;
    size_t n = 0;
    r->order = rdi_alloc(r->s->ctx, b->n_details + 1, sizeof *r->order);
    r->sites = rdi_alloc(r->s->ctx, b->n_sites + 1, sizeof *r->sites);
    if (!r->order || !r->sites)
        return RD_ENOMEM;
    for (uint64_t i = 1; i <= r->s->n_blocks; i++) {
        const rdi_shared_block *block = &r->s->blocks[i];
        const rdi_shared_detail *d = &b->details[block->detail];
        if (block->detail)
            r->order[n++] = (ranked_block){d->true_sharing + d->false_sharing, d->block,
                                           block->detail, block->copies};
    }
    for (uint32_t i = 1; i <= b->n_sites; i++) {
        const rdi_shared_site *site = &b->sites[i];
        r->sites[i - 1] = (ranked_site){site->detail, i,
                                        site->true_sharing + site->false_sharing + site->removals};
    }
    qsort(r->order, n, sizeof *r->order, by_misses);
    qsort(r->sites, b->n_sites, sizeof *r->sites, by_detail);
    return RD_OK;
}

/* ---- rows of data and lines ---- */

static uint64_t row_cost(const rd_shared_row *row) {
    return row->true_sharing + row->false_sharing + row->removals;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const rd_shared_row *)a)->name, ((const rd_shared_row *)b)->name);
}

static int by_cost(const void *a, const void *b) {
    int order = compare_numbers(row_cost(b), row_cost(a));
    return order ? order : by_name(a, b);
}

/* Unites rows with the same name, and sorts them by their costs. Returns the number of rows to
 * keep, at most RD_SHARED_ROWS_MAX. */
static size_t unite(rd_shared_row *rows, size_t n) {
    size_t m = 0;
    qsort(rows, n, sizeof *rows, by_name);
    for (size_t i = 0; i < n; i++) {
        if (m == 0 || by_name(&rows[m - 1], &rows[i]) != 0) {
            rows[m++] = rows[i];
            continue;
        }
        rows[m - 1].true_sharing += rows[i].true_sharing;
        rows[m - 1].false_sharing += rows[i].false_sharing;
        rows[m - 1].removals += rows[i].removals;
        rows[m - 1].removes += rows[i].removes;
    }
    qsort(rows, m, sizeof *rows, by_cost);
    return m < RD_SHARED_ROWS_MAX ? m : RD_SHARED_ROWS_MAX;
}

static rd_status make_lines(result *r) {
    rd_shared_row *rows = rdi_arena_alloc(r->arena, r->b->n_sites + 1, sizeof *rows);
    size_t n = 0;
    if (!rows)
        return RD_ENOMEM;
    for (uint64_t i = 1; i <= r->b->n_sites; i++) {
        const rdi_shared_site *site = &r->b->sites[i];
        rows[n] = (rd_shared_row){.true_sharing = site->true_sharing,
                                  .false_sharing = site->false_sharing,
                                  .removals = site->removals};
        RD_TRY(name_line(r, site->pc, &rows[n].name));
        n += *rows[n].name != 0;
    }
    r->is->lines = rows;
    r->is->n_lines = unite(rows, n);
    return RD_OK;
}

/* Makes the blocks of the section and the rows of their data. */
static rd_status make_blocks(result *r) {
    size_t n = r->b->n_details < RD_SHARED_BLOCKS_MAX ? r->b->n_details : RD_SHARED_BLOCKS_MAX;
    rd_shared_block *blocks = rdi_arena_alloc(r->arena, n + 1, sizeof *blocks);
    rd_shared_row *rows = rdi_arena_alloc(r->arena, n + 1, sizeof *rows);
    if (!blocks || !rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        uint32_t detail = r->order[i].detail;
        RD_TRY(make_block(r, detail, r->order[i].copies, &blocks[i]));
        rows[i] = (rd_shared_row){.name = blocks[i].data,
                                  .true_sharing = blocks[i].true_sharing,
                                  .false_sharing = blocks[i].false_sharing,
                                  .removes = blocks[i].removes};
        const ranked_site key = {.detail = detail, .cost = UINT64_MAX};
        size_t low = 0, high = r->b->n_sites;
        while (low < high) { /* finds the first site of the block */
            size_t middle = low + (high - low) / 2;
            if (by_detail(&r->sites[middle], &key) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        for (high = low; high < r->b->n_sites && r->sites[high].detail == detail;)
            high++;
        RD_TRY(list_lines(r, r->sites + low, high - low, &blocks[i].lines));
    }
    r->is->blocks = blocks;
    r->is->n_blocks = n;
    r->is->data = rows;
    r->is->n_data = unite(rows, n);
    return RD_OK;
}

/* ---- timelines ---- */

static int by_thread(const void *a, const void *b) {
    const rd_shared_timeline *x = a, *y = b;
    int order = compare_numbers(x->process, y->process);
    return order ? order : compare_numbers(x->thread, y->thread);
}

/* Makes the timelines of the threads with coherence misses. */
static rd_status make_timelines(result *r) {
    const rd_sharing *s = r->s;
    rd_shared_timeline *rows = rdi_arena_alloc(r->arena, s->n_threads + 1, sizeof *rows);
    size_t windows = (size_t)((s->fed + s->window - 1) / s->window), m = 0;
    if (!rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < s->n_threads; i++) {
        const rdi_private_stack *stack = s->threads[i];
        uint64_t *misses = rdi_arena_alloc(r->arena, windows + 1, sizeof *misses);
        if (!misses)
            return RD_ENOMEM;
        if (stack->counts.coherence == 0)
            continue;
        memcpy(misses, stack->misses, windows * sizeof *misses);
        rows[m++] = (rd_shared_timeline){.process = (uint32_t)(stack->key >> 32),
                                         .thread = (uint32_t)stack->key,
                                         .misses = misses,
                                         .n = windows};
    }
    qsort(rows, m, sizeof *rows, by_thread);
    r->is->window = s->window;
    r->is->timelines = rows;
    r->is->n_timelines = m;
    return RD_OK;
}

static rd_status make_result(result *r) {
    const rd_sharing *s = r->s;
    if (!(r->is->interleave = rdi_arena_strdup(r->arena, s->interleave)))
        return RD_ENOMEM;
    r->is->threads = s->n_threads;
    r->is->shared_blocks = r->b->n_details;
    for (size_t i = 0; i < s->n_threads; i++) {
        const rd_private_counts *c = &s->threads[i]->counts;
        r->is->references += c->references;
        r->is->true_sharing += c->true_sharing;
        r->is->false_sharing += c->false_sharing;
    }
    RD_TRY(rdi_block_map_init(&r->lines, s->ctx));
    RD_TRY(rank(r));
    RD_TRY(make_blocks(r));
    RD_TRY(make_timelines(r));
    return make_lines(r);
}

rd_status rd_sharing_attach(rd_sharing *s, rd_profile *profile) {
    RDI_NEED(s ? s->ctx : NULL, s, profile);
    RD_TRY(rdi_private_stacks_finish(s));
    if (!s->shared)
        return RD_OK;
    rdi_sharing_section *section = rdi_sharing_section_new(s->ctx);
    if (!section)
        return RD_ENOMEM;
    result r = {.s = s,
                .b = s->shared,
                .arena = &section->arena,
                .scratch = {.ctx = s->ctx},
                .is = &section->is};
    rd_status status = make_result(&r);
    rdi_block_map_fini(&r.lines);
    rdi_arena_fini(&r.scratch);
    rdi_free(s->ctx, r.names);
    rdi_free(s->ctx, r.order);
    rdi_free(s->ctx, r.sites);
    if (status == RD_OK)
        rdi_profile_set_section(profile, &rdi_section_sharing, section);
    else
        rdi_sharing_section_free(s->ctx, section);
    return status;
}
