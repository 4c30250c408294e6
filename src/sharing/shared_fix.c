/* Analyzes a block again with its items in several blocks. See shared_fix.h. */
#include "sharing/shared_fix.h"

#include <string.h>

/* ---- items ---- */

/* Adds the hash of `who` to hash[i] for each bit i of `set`. A sum of hashes does not depend on the
 * order of the runs. */
static void add_hash(uint64_t *hash, uint64_t set, uint64_t who) {
    for (; set; set &= set - 1)
        hash[__builtin_ctzll(set)] += rdi_mix64(who + 1);
}

/* Computes a hash for each bit of the block. The hash identifies the threads that load the bit and
 * the threads that store it; it is 0 if no thread uses the bit. Also adds the bits that each thread
 * uses to `uses`, which must be zeroed. */
static void hash_bits(const rdi_shared_blocks *b, const rdi_shared_detail *d, rdi_shared_use *uses,
                      uint64_t *hash) {
    for (uint32_t i = d->first_run; i; i = b->runs[i].next) {
        const rdi_shared_run *run = &b->runs[i];
        if (run->seed)
            continue;
        rdi_shared_use *use = &uses[run->thread];
        add_hash(hash, run->read & ~use->loads, 2 * (uint64_t)run->thread);
        add_hash(hash, run->stored & ~use->stores, 2 * (uint64_t)run->thread + 1);
        use->loads |= run->read;
        use->stores |= run->stored;
    }
}

static void find_items(const uint64_t *hash, rdi_shared_fix *fix) {
    for (uint32_t bit = 0; bit < 64; bit++) {
        if (!hash[bit])
            continue;
        if (bit == 0 || hash[bit] != hash[bit - 1])
            fix->items[fix->n_items++] = (rdi_shared_item){.first = bit};
        rdi_shared_item *item = &fix->items[fix->n_items - 1];
        item->last = bit;
        item->set |= UINT64_C(1) << bit;
    }
}

/* ---- coherence misses ---- */

/* The state of a group of adjacent items, as sets with one bit per thread: `known` has the threads
 * that have referenced the group, and `present` has the threads that have it in their caches. */
typedef struct item_state {
    uint64_t *known, *present;
} item_state;

/* Applies a run of `thread` that uses the group, and updates the state. Returns whether the run
 * misses. Sets *coherence to whether this is a coherence miss, because the thread has referenced
 * the group before. */
static bool use(item_state *state, size_t words, uint32_t thread, bool stores, bool *coherence) {
    uint64_t *known = &state->known[thread / 64], *present = &state->present[thread / 64];
    uint64_t bit = UINT64_C(1) << thread % 64;
    bool miss = !(*present & bit);
    *coherence = miss && (*known & bit);
    *known |= bit;
    if (stores)
        memset(state->present, 0, words * sizeof *state->present);
    *present |= bit;
    return miss;
}

/* Applies a seed to the state of a group with the bits `set`. */
static void plant(item_state *state, const rdi_shared_run *seed, uint64_t set) {
    uint64_t bit = UINT64_C(1) << seed->thread % 64;
    if (!(seed->read & set))
        return;
    state->known[seed->thread / 64] |= bit;
    if (!(seed->stored & set))
        state->present[seed->thread / 64] |= bit;
}

/* Returns the bits of the group of the items from `first` to `last`, and of the unused bytes
 * between them. The group of all items is the whole block. */
static uint64_t bits_of(const rdi_shared_fix *fix, size_t first, size_t last) {
    if (first == 0 && last + 1 == fix->n_items)
        return ~UINT64_C(0);
    return ~UINT64_C(0) >> (63 - fix->items[last].last) & ~UINT64_C(0) << fix->items[first].first;
}

/* The analysis of a block: the states and the misses of all groups of adjacent items. The index of
 * the group of the items from i to k is i * RDI_ITEMS_MAX + k. */
typedef struct analysis {
    const rdi_shared_blocks *b;
    const rdi_shared_detail *d;
    size_t words; /* per set of threads */
    item_state states[RDI_ITEMS_MAX * RDI_ITEMS_MAX];
    uint64_t misses[RDI_ITEMS_MAX * RDI_ITEMS_MAX];
    /* The element i * RDI_ITEMS_MAX + k has the misses in which the thread uses item i, after the
     * last store was to item k, and which disappear if the groups are blocks of their own. */
    uint32_t pairs[RDI_ITEMS_MAX * RDI_ITEMS_MAX];
    size_t group[RDI_ITEMS_MAX]; /* the first item of the group of each item */
} analysis;

/* Applies a run, or a seed, to the group of the items from i to k. Returns whether the run
 * misses. */
static bool apply(analysis *a, const rdi_shared_fix *fix, const rdi_shared_run *run, size_t i,
                  size_t k, bool *coherence) {
    item_state *state = &a->states[i * RDI_ITEMS_MAX + k];
    uint64_t set = bits_of(fix, i, k);
    *coherence = false;
    if (run->seed)
        plant(state, run, set);
    return !run->seed && (set & (run->read | run->stored)) &&
           use(state, a->words, run->thread, set & run->stored, coherence);
}

/* Counts the misses of all groups of adjacent items in one pass over the log. If a run does not use a
 * group, it does not use the smaller groups that begin with the same item either. */
static void count_misses(analysis *a, rdi_shared_fix *fix) {
    bool coherence = false;
    for (uint32_t r = a->d->first_run; r; r = a->b->runs[r].next) {
        const rdi_shared_run *run = &a->b->runs[r];
        for (size_t i = 0; i < fix->n_items; i++)
            for (size_t k = fix->n_items; k-- > i;) {
                if (!(bits_of(fix, i, k) & (run->read | run->stored)))
                    break;
                a->misses[i * RDI_ITEMS_MAX + k] += apply(a, fix, run, i, k, &coherence);
                fix->coherence += i == 0 && k + 1 == fix->n_items && coherence;
            }
    }
    fix->misses = fix->n_items ? a->misses[fix->n_items - 1] : 0;
}

/* Divides the items into groups of adjacent items with the fewest misses in total and, among such divisions, into the
 * fewest groups. The best division of the items before k follows from the best divisions of fewer items. */
static void divide(analysis *a, rdi_shared_fix *fix) {
    uint64_t least[RDI_ITEMS_MAX + 1] = {0};
    size_t groups[RDI_ITEMS_MAX + 1] = {0}, begin[RDI_ITEMS_MAX + 1] = {0};
    for (size_t k = 1; k <= fix->n_items; k++) {
        least[k] = UINT64_MAX;
        for (size_t i = 0; i < k; i++) {
            uint64_t misses = least[i] + a->misses[i * RDI_ITEMS_MAX + k - 1];
            if (misses > least[k] || (misses == least[k] && groups[i] + 1 >= groups[k]))
                continue;
            least[k] = misses;
            groups[k] = groups[i] + 1;
            begin[k] = i;
        }
    }
    fix->left = least[fix->n_items];
    for (size_t k = fix->n_items; k; k = begin[k])
        for (size_t i = begin[k]; i < k; i++)
            a->group[i] = begin[k];
}

/* Counts a miss for each pair of an item that has bits of `used` and an item that has bits of
 * `stored`. The thread that misses uses the bits `used`, and the last store was to the bits
 * `stored`. */
static void count_pairs(const rdi_shared_fix *fix, uint64_t used, uint64_t stored,
                        uint32_t *pairs) {
    for (size_t i = 0; i < fix->n_items; i++)
        for (size_t k = 0; k < fix->n_items && fix->items[i].set & used; k++)
            pairs[i * RDI_ITEMS_MAX + k] += (fix->items[k].set & stored) != 0;
}

/* Counts for each pair of items the misses that disappear if the groups are blocks of their own. */
static void find_pairs(analysis *a, const rdi_shared_fix *fix) {
    uint64_t stored = 0; /* the bits that the seeds, or the last run with a store, have stored */
    bool coherence;
    for (uint32_t r = a->d->first_run; r; r = a->b->runs[r].next) {
        const rdi_shared_run *run = &a->b->runs[r];
        size_t left = 0;
        for (size_t i = 0, k; i < fix->n_items; i = k) {
            for (k = i + 1; k < fix->n_items && a->group[k] == i;)
                k++;
            left += apply(a, fix, run, i, k - 1, &coherence);
        }
        if (apply(a, fix, run, 0, fix->n_items - 1, &coherence) && left == 0)
            count_pairs(fix, run->read | run->stored, stored, a->pairs);
        if (run->seed)
            stored |= run->stored;
        else
            stored = run->stored ? run->stored : stored;
    }
}

/* Returns the misses of a pair of items, whichever of the two was stored, or 0 if both are in one
 * group. */
static uint64_t misses_of(const analysis *a, size_t i, size_t k) {
    if (a->group[i] == a->group[k])
        return 0;
    return (uint64_t)a->pairs[i * RDI_ITEMS_MAX + k] + a->pairs[k * RDI_ITEMS_MAX + i];
}

/* Chooses the pair of items to separate. Candidates are all pairs of items of different groups with at least a tenth
 * of the misses of the pair with the most misses. Of several candidates from the same two groups, only the one with
 * the lowest addresses counts. The function chooses the candidate whose groups are nearest to each other, because the
 * padding that separates them is large enough for all other candidates. */
static void choose_pair(const analysis *a, rdi_shared_fix *fix) {
    uint64_t most = 0, best = 0, seen[RDI_ITEMS_MAX] = {0};
    const rdi_shared_item *items = fix->items;
    for (size_t i = 0; i < fix->n_items; i++)
        for (size_t k = i + 1; k < fix->n_items; k++)
            most = misses_of(a, i, k) > most ? misses_of(a, i, k) : most;
    for (size_t i = 0; i < fix->n_items; i++)
        for (size_t k = i + 1; k < fix->n_items; k++) {
            uint64_t misses = misses_of(a, i, k), second = UINT64_C(1) << a->group[k];
            if (misses == 0 || misses < most / 10 || seen[a->group[i]] & second)
                continue;
            seen[a->group[i]] |= second;
            uint32_t apart = items[a->group[k]].first - items[a->group[i]].first;
            if (items[k].first - items[i].first < apart)
                apart = items[k].first - items[i].first;
            if (fix->has_pair && (apart > fix->apart || (apart == fix->apart && misses <= best)))
                continue;
            best = misses;
            fix->has_pair = true;
            fix->apart = apart;
            fix->pair[0] = items[i].first;
            fix->pair[1] = items[k].first;
        }
}

/* Gives every group of adjacent items an empty state in `bits`. */
static void clear_states(analysis *a, size_t n_items, uint64_t *bits) {
    memset(bits, 0, n_items * n_items * 2 * a->words * sizeof *bits);
    for (size_t i = 0; i < n_items; i++)
        for (size_t k = 0; k < n_items; k++) {
            uint64_t *own = bits + (i * n_items + k) * 2 * a->words;
            a->states[i * RDI_ITEMS_MAX + k] = (item_state){own, own + a->words};
        }
}

rd_status rdi_shared_fix_find(const rdi_shared_blocks *b, const rdi_shared_detail *d,
                              size_t threads, rdi_shared_fix *out) {
    uint64_t hash[64] = {0}, *bits = NULL;
    rdi_shared_use *uses = rdi_calloc(b->ctx, threads + 1, sizeof *uses);
    analysis *a = rdi_calloc(b->ctx, 1, sizeof *a);
    *out = (rdi_shared_fix){0};
    if (uses && a) {
        a->b = b;
        a->d = d;
        a->words = threads / 64 + 1;
        hash_bits(b, d, uses, hash);
        find_items(hash, out);
        bits = rdi_alloc(b->ctx, out->n_items * out->n_items * 2 * a->words + 1, sizeof *bits);
    }
    if (bits && out->n_items) {
        clear_states(a, out->n_items, bits);
        count_misses(a, out);
        divide(a, out);
        clear_states(a, out->n_items, bits);
        find_pairs(a, out);
        choose_pair(a, out);
    }
    out->uses = uses;
    rdi_free(b->ctx, a);
    rdi_free(b->ctx, bits);
    return bits ? RD_OK : RD_ENOMEM;
}
