/* Analyzes a block again with each item in a block of its own. See shared_fix.h. */
#include "sharing/shared_fix.h"

#include <string.h>

/* ---- items ---- */

/* Adds the hash of `who` to the hashes of the bits of a set. A sum of hashes does not depend on the
 * order of the runs. */
static void add_hash(uint64_t *hash, uint64_t set, uint64_t who) {
    for (; set; set &= set - 1)
        hash[__builtin_ctzll(set)] += rdi_mix64(who + 1);
}

/* Computes a hash for each bit that identifies the threads that load it and the threads that store
 * it; 0 if no thread uses the bit. The function also collects the uses of the threads, which must
 * be empty before. */
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

/* The state of an item, or of the whole block, as sets with one bit per thread: `known` has the
 * threads that have referenced it, and `present` has the threads that have it in their caches. */
typedef struct item_state {
    uint64_t *known, *present;
} item_state;

/* Applies a run of `thread` that uses the item, and updates the state. Returns whether the run
 * misses. Sets *coherence to whether this is a coherence miss, because the thread has referenced
 * the item before. */
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

/* Applies a seed to the state of an item with the bits `set`. */
static void plant(item_state *state, const rdi_shared_run *seed, uint64_t set) {
    uint64_t bit = UINT64_C(1) << seed->thread % 64;
    if (!(seed->read & set))
        return;
    state->known[seed->thread / 64] |= bit;
    if (!(seed->stored & set))
        state->present[seed->thread / 64] |= bit;
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

/* Counts the misses of the whole block and of its items in one pass over the log, and for each pair
 * of items the misses that disappear if every item is a block of its own. */
static void analyze(const rdi_shared_blocks *b, const rdi_shared_detail *d, item_state *states,
                    size_t words, uint32_t *pairs, rdi_shared_fix *fix) {
    uint64_t stored = 0; /* the bits that the seeds, or the last run with a store, have stored */
    for (uint32_t r = d->first_run; r; r = b->runs[r].next) {
        const rdi_shared_run *run = &b->runs[r];
        bool coherence = false;
        uint64_t used = run->read | run->stored, left = 0;
        for (size_t i = 0; i <= fix->n_items && run->seed; i++)
            plant(&states[i], run, i < fix->n_items ? fix->items[i].set : ~UINT64_C(0));
        if (run->seed) {
            stored |= run->stored;
            continue;
        }
        for (size_t i = 0; i < fix->n_items; i++)
            if (fix->items[i].set & used)
                left += use(&states[i], words, run->thread, fix->items[i].set & run->stored,
                            &coherence);
        bool miss = use(&states[fix->n_items], words, run->thread, run->stored != 0, &coherence);
        fix->misses += miss;
        fix->coherence += coherence;
        fix->left += left;
        if (miss && left == 0)
            count_pairs(fix, used, stored, pairs);
        stored = run->stored ? run->stored : stored;
    }
}

/* Returns the misses of a pair of items, whichever of the two was stored. */
static uint64_t misses_of(const uint32_t *pairs, size_t i, size_t k) {
    return (uint64_t)pairs[i * RDI_ITEMS_MAX + k] + pairs[k * RDI_ITEMS_MAX + i];
}

/* Divides the items into groups, and sets begin[i] to the first bit of the group of item i.
 * Adjacent items, such as the fields of one struct, belong to the same group if no pair of them has
 * misses. */
static void find_begins(const uint32_t *pairs, const rdi_shared_fix *fix, uint32_t *begin) {
    for (size_t i = 0; i < fix->n_items; i++) {
        bool joined = i && fix->items[i - 1].last + 1 == fix->items[i].first;
        for (size_t k = i; joined && k-- > 0 && begin[k] == begin[i - 1];)
            joined = misses_of(pairs, k, i) == 0;
        begin[i] = joined ? begin[i - 1] : fix->items[i].first;
    }
}

/* Chooses the pair of groups to separate. Candidates are the groups of all pairs of items with at
 * least a tenth of the misses of the pair with the most misses. The function chooses the candidate
 * whose groups are nearest to each other, because the padding that separates them is large enough
 * for all other candidates. */
static void choose_pair(const uint32_t *pairs, rdi_shared_fix *fix) {
    uint64_t most = 0, best = 0;
    uint32_t begin[RDI_ITEMS_MAX], nearest = UINT32_MAX;
    find_begins(pairs, fix, begin);
    for (size_t i = 0; i < fix->n_items; i++)
        for (size_t k = i + 1; k < fix->n_items; k++)
            most = misses_of(pairs, i, k) > most ? misses_of(pairs, i, k) : most;
    for (size_t i = 0; i < fix->n_items; i++)
        for (size_t k = i + 1; k < fix->n_items; k++) {
            uint64_t misses = misses_of(pairs, i, k);
            uint32_t apart = begin[k] - begin[i];
            if (misses == 0 || misses < most / 10 || apart == 0 || apart > nearest ||
                (apart == nearest && misses <= best))
                continue;
            nearest = apart;
            best = misses;
            fix->has_pair = true;
            fix->pair[0] = begin[i];
            fix->pair[1] = begin[k];
        }
}

rd_status rdi_shared_fix_find(const rdi_shared_blocks *b, const rdi_shared_detail *d,
                              size_t threads, rdi_shared_fix *out) {
    size_t words = threads / 64 + 1;
    uint64_t hash[64] = {0};
    item_state states[RDI_ITEMS_MAX + 1];
    rdi_shared_use *uses = rdi_calloc(b->ctx, threads + 1, sizeof *uses);
    uint64_t *bits = rdi_calloc(b->ctx, RDI_COUNT(states), 2 * words * sizeof *bits);
    uint32_t *pairs = rdi_calloc(b->ctx, RDI_ITEMS_MAX * RDI_ITEMS_MAX, sizeof *pairs);
    *out = (rdi_shared_fix){0};
    if (uses && bits && pairs) {
        for (size_t i = 0; i < RDI_COUNT(states); i++)
            states[i] = (item_state){bits + 2 * i * words, bits + (2 * i + 1) * words};
        hash_bits(b, d, uses, hash);
        find_items(hash, out);
        analyze(b, d, states, words, pairs, out);
        choose_pair(pairs, out);
    }
    rd_status status = uses && bits && pairs ? RD_OK : RD_ENOMEM;
    out->uses = uses;
    rdi_free(b->ctx, bits);
    rdi_free(b->ctx, pairs);
    return status;
}
