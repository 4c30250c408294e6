/* Sums the tuples by function, line, pair and data region.
 *
 * A first pass over the tuples computes the weights that decide which entries are kept, and later
 * passes sum all counts of these entries. So only the entries of the result need memory for all
 * counts.
 */
#include "attribution/attributor.h"
#include "attribution/miss_causes.h"
#include "attribution/places.h"
#include "attribution/ranking.h"
#include "attribution/region_names.h"
#include "profile/hist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct breakdown {
    const rd_attributor *a;
    rdi_arena *arena;  /* holds the result */
    rdi_arena scratch; /* holds intermediate data */
    rdi_places places;
    rdi_ranking functions, lines, data;
    rd_code_function *function;
    rd_code_line *line;
    rd_code_line *shown; /* for each line, source file and number of the line of the user's own code
                            that it belongs to */
    rd_data_region *datum;
    rd_attribution *result;
} breakdown;

/* ---- choosing entries ---- */

/* Returns the index of the line of a site in b->places.lines, or RDI_OTHERS if the site is
 * RDI_OTHERS or stands for all further program counters. */
static uint32_t line_of(const breakdown *b, uint32_t site) {
    return site == RDI_OTHERS ? RDI_OTHERS : b->places.line_of[site];
}

static uint32_t function_of(const breakdown *b, uint32_t line) {
    return line == RDI_OTHERS ? RDI_OTHERS : b->places.lines[line].function_number;
}

static rdi_entries entries_of(breakdown *b) {
    return (rdi_entries){&b->places, &b->functions, &b->lines, &b->data};
}

static rd_status weigh(breakdown *b) {
    const rdi_tuples *tuples = &b->a->tuples;
    bool line_others = false, data_others = false;
    RD_TRY(rdi_ranking_init(&b->functions, &b->scratch, b->places.n_functions));
    RD_TRY(rdi_ranking_init(&b->lines, &b->scratch, b->places.n_lines));
    RD_TRY(rdi_ranking_init(&b->data, &b->scratch, b->a->regions.n));
    for (const rdi_tuple *tuple = NULL; (tuple = rdi_tuples_next(tuples, tuple));) {
        uint64_t misses = rdi_tuple_misses(tuples, tuple);
        uint64_t references = rdi_tuple_references(tuples, tuple);
        uint32_t line = line_of(b, rdi_key_reuse(tuple->key));
        line_others = line_others || line == RDI_OTHERS;
        data_others = data_others || rdi_key_region(tuple->key) == RDI_OTHERS;
        if (line != RDI_OTHERS) {
            rdi_ranking_add(&b->lines, line, misses, references);
            rdi_ranking_add(&b->functions, function_of(b, line), misses, references);
        }
        if (rdi_key_region(tuple->key) != RDI_OTHERS)
            rdi_ranking_add(&b->data, rdi_key_region(tuple->key), misses, references);
    }
    size_t max = b->a->config.max_entries;
    rdi_entries entries = entries_of(b);
    rdi_miss_causes_others(&b->a->misses, &entries, &line_others, &data_others);
    rdi_ranking_sort(&b->functions, max, line_others);
    rdi_ranking_sort(&b->lines, max, line_others);
    rdi_ranking_sort(&b->data, max, data_others);
    return RD_OK;
}

/* ---- source files ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t source_index(const breakdown *b, const char *source) {
    const rd_attribution *r = b->result;
    if (!source)
        return RD_NO_INDEX;
    const char *const *found =
        bsearch(&source, r->sources, r->n_sources, sizeof *r->sources, compare_names);
    return found ? (size_t)(found - r->sources) : RD_NO_INDEX;
}

/* Sorts the n `names`, drops duplicates, and copies the remaining names into the arena of the
 * result. Stores their number in *out. */
static rd_status keep_distinct(breakdown *b, const char **names, size_t n, size_t *out) {
    size_t distinct = 0;
    if (n)
        qsort(names, n, sizeof *names, compare_names);
    for (size_t i = 0; i < n; i++)
        if (distinct == 0 || strcmp(names[i], names[distinct - 1]) != 0)
            names[distinct++] = names[i];
    for (size_t i = 0; i < distinct; i++)
        if (!(names[i] = rdi_arena_strdup(b->arena, names[i])))
            return RD_ENOMEM;
    *out = distinct;
    return RD_OK;
}

/* Lists the source files of the kept entries in result->sources, and the ones that contain the
 * user's own code also in result->own. Both lists are sorted by name and have no duplicates. */
static rd_status list_sources(breakdown *b) {
    size_t n = 0, n_own = 0;
    const char **names =
        rdi_arena_alloc(b->arena, b->functions.kept + 2 * b->lines.kept, sizeof *names);
    const char **own = rdi_arena_alloc(b->arena, b->lines.kept, sizeof *own);
    if (!names || !own)
        return RD_ENOMEM;
    for (size_t i = 0; i < b->functions.kept; i++)
        if ((names[n] = b->places.functions[b->functions.by[i].number].function_source))
            n++;
    for (size_t i = 0; i < b->lines.kept; i++) {
        const rdi_place *place = &b->places.lines[b->lines.by[i].number];
        uint64_t number;
        if ((names[n] = place->source))
            n++;
        if (place->own == RDI_NO_OWN)
            continue;
        RD_TRY(rdi_place_own_line(place, &b->scratch, &own[n_own], &number));
        names[n++] = own[n_own++];
    }
    RD_TRY(keep_distinct(b, names, n, &b->result->n_sources));
    RD_TRY(keep_distinct(b, own, n_own, &b->result->n_own));
    b->result->sources = names;
    b->result->own = own;
    return RD_OK;
}

/* ---- entries without counts ---- */

/* Copies a text; NULL stays NULL. */
static rd_status copy_text(rdi_arena *arena, const char *text, const char **out) {
    *out = text ? rdi_arena_strdup(arena, text) : NULL;
    return text && !*out ? RD_ENOMEM : RD_OK;
}

static rd_status make_functions(breakdown *b) {
    size_t n = rdi_ranking_places(&b->functions);
    b->function = rdi_arena_alloc(b->arena, n, sizeof *b->function);
    if (!b->function)
        return RD_ENOMEM;
    for (size_t i = 0; i < b->functions.kept; i++) {
        const rdi_place *place = &b->places.functions[b->functions.by[i].number];
        rd_code_function *f = &b->function[i];
        f->source = source_index(b, place->function_source);
        f->line = place->function_line;
        RD_TRY(copy_text(b->arena, place->function, &f->name));
        if (place->full_name && strcmp(place->full_name, place->function) != 0)
            RD_TRY(copy_text(b->arena, place->full_name, &f->full_name));
        RD_TRY(copy_text(b->arena, place->module, &f->module));
    }
    if (b->functions.others)
        b->function[n - 1] = (rd_code_function){.name = "(others)", .source = RD_NO_INDEX};
    b->result->functions = b->function;
    b->result->n_functions = n;
    return RD_OK;
}

static rd_status copy_chain(breakdown *b, const rdi_place *place, rd_code_line *line) {
    const char **chain = rdi_arena_alloc(b->arena, place->n_inlined_from, sizeof *chain);
    const char **functions = rdi_arena_alloc(b->arena, place->n_inlined_from, sizeof *functions);
    if (!chain || !functions)
        return RD_ENOMEM;
    for (size_t i = 0; i < place->n_inlined_from; i++) {
        RD_TRY(copy_text(b->arena, place->inlined_from[i], &chain[i]));
        RD_TRY(copy_text(b->arena, place->inlined_functions[i], &functions[i]));
    }
    line->inlined_from = chain;
    line->inlined_functions = functions;
    line->n_inlined_from = place->n_inlined_from;
    return RD_OK;
}

static rd_status make_lines(breakdown *b) {
    size_t n = rdi_ranking_places(&b->lines);
    b->line = rdi_arena_alloc(b->arena, n, sizeof *b->line);
    b->shown = rdi_arena_alloc(&b->scratch, n, sizeof *b->shown);
    if (!b->line || !b->shown)
        return RD_ENOMEM;
    for (size_t i = 0; i < b->lines.kept; i++) {
        const rdi_place *place = &b->places.lines[b->lines.by[i].number];
        rd_code_line *line = &b->line[i];
        line->source = source_index(b, place->source);
        line->line = place->line;
        line->function = rdi_ranking_place(&b->functions, place->function_number);
        if (place->n_inlined_from)
            RD_TRY(copy_chain(b, place, line));
        const char *file;
        RD_TRY(rdi_place_own_line(place, &b->scratch, &file, &b->shown[i].line));
        b->shown[i].source = source_index(b, file);
    }
    if (b->lines.others)
        b->line[n - 1] = (rd_code_line){.source = RD_NO_INDEX, .function = RD_NO_INDEX};
    b->result->lines = b->line;
    b->result->n_lines = n;
    return RD_OK;
}

/* Names the data of a region. For an allocation, also stores the index of its line, if the line has
 * an entry. */
static rd_status name_data(breakdown *b, const rdi_region *region, rd_data_region *out) {
    rdi_place place;
    RD_TRY(rdi_region_name(&b->a->modules, rdi_attributor_own(b->a), b->arena, &b->scratch, region,
                           &place, &out->name));
    if (!place.source)
        return RD_OK;
    uint32_t line = rdi_places_line(&b->places, &place);
    size_t at = line == RDI_OTHERS ? b->lines.kept : rdi_ranking_place(&b->lines, line);
    out->line = at < b->lines.kept ? at : RD_NO_INDEX;
    return RD_OK;
}

static rd_status make_data(breakdown *b) {
    size_t n = rdi_ranking_places(&b->data);
    b->datum = rdi_arena_alloc(b->arena, n, sizeof *b->datum);
    if (!b->datum)
        return RD_ENOMEM;
    for (size_t i = 0; i < b->data.kept; i++) {
        const rdi_region *region = &b->a->regions.region[b->data.by[i].number];
        double words = (double)region->fetched * b->a->words_per_block;
        b->datum[i] = (rd_data_region){.kind = region->kind,
                                       .line = RD_NO_INDEX,
                                       .bytes = region->most,
                                       .words_used = b->a->words_per_block > 1 && words > 0
                                                         ? (double)region->words / words
                                                         : -1};
        RD_TRY(name_data(b, region, &b->datum[i]));
    }
    if (b->data.others)
        b->datum[n - 1] = (rd_data_region){
            .kind = RD_DATA_OTHER, .name = "(others)", .line = RD_NO_INDEX, .words_used = -1};
    b->result->data = b->datum;
    b->result->n_data = n;
    return RD_OK;
}

/* ---- counts ---- */

static void fill_shares(breakdown *b) {
    const rdi_tuples *tuples = &b->a->tuples;
    for (const rdi_tuple *tuple = NULL; (tuple = rdi_tuples_next(tuples, tuple));) {
        uint32_t line = line_of(b, rdi_key_reuse(tuple->key));
        size_t at = rdi_ranking_place(&b->functions, function_of(b, line));
        rdi_tuple_to_share(tuples, tuple, &b->function[at].share);
        rdi_tuple_to_share(tuples, tuple, &b->line[rdi_ranking_place(&b->lines, line)].share);
        rdi_tuple_to_share(
            tuples, tuple,
            &b->datum[rdi_ranking_place(&b->data, rdi_key_region(tuple->key))].share);
    }
    bool bounded = b->a->config.bound != 0;
    for (size_t i = 0; i < b->result->n_data; i++)
        b->datum[i].blocks = bounded ? RD_UNKNOWN : b->datum[i].share.infinite;
}

/* ---- counts of pairs of entries ---- */

/* A tuple with two indices into the result. Sorting makes equal pairs adjacent. */
typedef struct joint {
    uint32_t first, second;
    const rdi_tuple *tuple;
} joint;

typedef struct joints {
    joint *at;
    size_t n;
    rdi_ranking ranking; /* ranking of the groups of equal joints, which are numbered in the order
                            of `at` */
} joints;

static int by_both(const void *a, const void *b) {
    const joint *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

static bool is_next_group(const joints *j, size_t i) {
    return i > 0 && by_both(&j->at[i], &j->at[i - 1]) != 0;
}

/* Sorts the joints and ranks their groups. `others` says that some tuples belong to no group. */
static rd_status rank_joints(breakdown *b, joints *j, bool others) {
    const rdi_tuples *tuples = &b->a->tuples;
    uint32_t group = 0;
    qsort(j->at, j->n, sizeof *j->at, by_both);
    RD_TRY(rdi_ranking_init(&j->ranking, &b->scratch, j->n));
    for (size_t i = 0; i < j->n; i++) {
        group += is_next_group(j, i);
        rdi_ranking_add(&j->ranking, group, rdi_tuple_misses(tuples, j->at[i].tuple),
                        rdi_tuple_references(tuples, j->at[i].tuple));
    }
    rdi_ranking_sort(&j->ranking, b->a->config.max_entries, others);
    return RD_OK;
}

static void add_to_pair(const breakdown *b, const rdi_tuple *tuple, rd_reuse_pair *pair) {
    rd_share share = {0};
    rdi_tuple_to_share(&b->a->tuples, tuple, &share);
    pair->count += share.references;
    rdi_sum_add(&pair->distance_sum, share.distance_sum);
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        pair->misses[k] += share.misses[k];
}

/* Makes the entries of pairs of lines. Pairs with a line that has no entry, and pairs beyond the
 * maximum number of entries, are counted together in the last entry. Also counts the references
 * whose use was dropped. */
static rd_status make_pairs(breakdown *b) {
    const rdi_tuples *tuples = &b->a->tuples;
    joints j = {.at = rdi_arena_alloc(&b->scratch, tuples->n, sizeof *j.at)};
    rd_reuse_pair others = {.use = RD_NO_INDEX, .reuse = RD_NO_INDEX};
    if (!j.at)
        return RD_ENOMEM;
    for (const rdi_tuple *tuple = NULL; (tuple = rdi_tuples_next(tuples, tuple));) {
        if (rdi_key_use(tuple->key) == RDI_FIRST)
            continue;
        size_t use = rdi_ranking_place(&b->lines, line_of(b, rdi_key_use(tuple->key)));
        size_t reuse = rdi_ranking_place(&b->lines, line_of(b, rdi_key_reuse(tuple->key)));
        if (use < b->lines.kept && reuse < b->lines.kept)
            j.at[j.n++] = (joint){(uint32_t)use, (uint32_t)reuse, tuple};
        else
            add_to_pair(b, tuple, &others);
        if (rdi_key_use(tuple->key) == RDI_OTHERS)
            b->result->dropped_pairs += rdi_tuple_references(tuples, tuple);
    }
    RD_TRY(rank_joints(b, &j, others.count > 0));
    size_t n = rdi_ranking_places(&j.ranking);
    rd_reuse_pair *pairs = rdi_arena_alloc(b->arena, n, sizeof *pairs);
    if (!pairs)
        return RD_ENOMEM;
    if (j.ranking.others)
        pairs[n - 1] = others;
    for (size_t i = 0, group = 0; i < j.n; i++) {
        group += is_next_group(&j, i);
        size_t place = rdi_ranking_place(&j.ranking, (uint32_t)group);
        if (place < j.ranking.kept) {
            pairs[place].use = j.at[i].first;
            pairs[place].reuse = j.at[i].second;
        }
        add_to_pair(b, j.at[i].tuple, &pairs[place]);
    }
    b->result->pairs = pairs;
    b->result->n_pairs = n;
    return RD_OK;
}

/* Makes the entries for the misses of each line in each data region. Leaves out tuples without
 * misses, tuples whose line or region has no entry, and entries beyond the maximum number. */
static rd_status make_line_data(breakdown *b) {
    const rdi_tuples *tuples = &b->a->tuples;
    joints j = {.at = rdi_arena_alloc(&b->scratch, tuples->n, sizeof *j.at)};
    if (!j.at)
        return RD_ENOMEM;
    for (const rdi_tuple *tuple = NULL; (tuple = rdi_tuples_next(tuples, tuple));) {
        size_t line = rdi_ranking_place(&b->lines, line_of(b, rdi_key_reuse(tuple->key)));
        size_t data = rdi_ranking_place(&b->data, rdi_key_region(tuple->key));
        if (line < b->lines.kept && data < b->data.kept && rdi_tuple_misses(tuples, tuple))
            j.at[j.n++] = (joint){(uint32_t)line, (uint32_t)data, tuple};
    }
    RD_TRY(rank_joints(b, &j, false));
    rd_line_data *list = rdi_arena_alloc(b->arena, j.ranking.kept, sizeof *list);
    if (!list)
        return RD_ENOMEM;
    for (size_t i = 0, group = 0; i < j.n; i++) {
        group += is_next_group(&j, i);
        size_t place = rdi_ranking_place(&j.ranking, (uint32_t)group);
        if (place >= j.ranking.kept)
            continue;
        rd_share share = {0};
        rdi_tuple_to_share(tuples, j.at[i].tuple, &share);
        list[place].line = j.at[i].first;
        list[place].data = j.at[i].second;
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            list[place].misses[k] += share.misses[k];
    }
    b->result->line_data = list;
    b->result->n_line_data = j.ranking.kept;
    return RD_OK;
}

/* ---- the result ---- */

static rd_status break_down(breakdown *b, const rd_miss_causes **causes) {
    RD_TRY(rdi_places_find(b->a, &b->scratch, &b->places));
    RD_TRY(weigh(b));
    RD_TRY(list_sources(b));
    RD_TRY(make_functions(b));
    RD_TRY(make_lines(b));
    RD_TRY(make_data(b));
    fill_shares(b);
    RD_TRY(make_pairs(b));
    RD_TRY(make_line_data(b));
    rdi_entries entries = entries_of(b);
    RD_TRY(rdi_miss_causes_make(b->a, &entries, b->arena, &b->scratch, causes));
    return rdi_snippets_read(b->a->ctx, b->arena, b->result, b->line, b->shown);
}

static uint64_t table_bytes(const rd_attributor *a) {
    size_t touches =
        a->touched.young.mask + 1 + (a->touched.old.slot ? a->touched.old.mask + 1 : 0);
    return a->sites.room * sizeof *a->sites.site + RDI_SITE_CACHE * sizeof *a->sites.cache +
           (a->sites.numbers.mask + 1) * sizeof *a->sites.numbers.slot +
           touches * sizeof *a->touched.young.slot + rdi_tuples_bytes(&a->tuples) +
           rdi_misses_bytes(&a->misses) + rdi_contexts_bytes(&a->contexts) +
           a->windows.max * sizeof *a->windows.row + sizeof *a;
}

rd_status rdi_breakdown(rd_attributor *a, rdi_details *details) {
    breakdown b = {.a = a, .arena = &details->arena, .scratch = {.ctx = a->ctx}};
    b.result = rdi_arena_alloc(b.arena, 1, sizeof *b.result);
    if (!b.result)
        return RD_ENOMEM;
    b.result->seconds = a->timed ? a->seconds * (double)a->references / (double)a->timed : 0;
    b.result->bytes = table_bytes(a);
    rd_status status = break_down(&b, &details->is.causes);
    rdi_arena_fini(&b.scratch);
    if (status == RD_OK)
        details->is.attribution = b.result;
    return status;
}
