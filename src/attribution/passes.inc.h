/* The loops for one instruction set. The including file defines PASSES (the table), NAME (the names
 * of functions) and TARGET (attributes), and SITES if it has its own version of that loop. */

TARGET static bool NAME(gapless)(const uint32_t *origin, size_t n) {
    uint32_t steps = 0;
    for (size_t i = 1; i < n; i++)
        steps |= origin[i] - origin[i - 1];
    return steps <= 1;
}

#ifndef SITES
#define SITES NAME(sites)
TARGET static bool SITES(const uint64_t *restrict cache, const uint64_t *restrict pc, size_t n,
                         rdi_tuple_key *restrict reuse) {
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t entry = cache[rdi_site_slot(pc[i])];
        uint64_t other = entry >> RDI_SITE_BITS ^ rdi_site_tag(pc[i]);
        reuse[i] = other ? 0 : (entry & RDI_SITE_FIELD) << RDI_REUSE_SHIFT;
        differ |= other;
    }
    return differ == 0;
}
#endif

TARGET static void NAME(words)(const uint64_t *restrict address, const uint32_t *restrict size,
                               size_t n, unsigned word_bits, unsigned last,
                               uint8_t *restrict words) {
    for (size_t i = 0; i < n; i++) {
        uint64_t end = address[i] + (size[i] - (size[i] != 0));
        words[i] = rdi_words_between((uint32_t)(address[i] >> word_bits) & last,
                                     (uint32_t)(end >> word_bits) & last);
    }
}

TARGET static void NAME(clipped)(const rd_refs *refs, const uint32_t *restrict origin,
                                 const uint64_t *restrict blocks, size_t n, unsigned block_bits,
                                 unsigned word_bits, unsigned last, uint64_t *restrict address,
                                 uint8_t *restrict words) {
    const uint64_t *restrict addr = refs->addr;
    const uint32_t *restrict size = refs->size;
    for (size_t i = 0; i < n; i++) {
        uint64_t start = blocks[i] << block_bits, within = (UINT64_C(1) << block_bits) - 1;
        uint64_t first = addr[origin[i]], bytes = size ? size[origin[i]] : 1;
        uint64_t end = first + (bytes - (bytes != 0));
        first = first > start ? first : start;
        end = end < start + within ? end : start + within;
        address[i] = first;
        words[i] = rdi_words_between((uint32_t)(first >> word_bits) & last,
                                     (uint32_t)(end >> word_bits) & last);
    }
}

TARGET static void NAME(touches)(const rdi_touch_table *t, const uint64_t *restrict blocks,
                                 size_t n, rdi_touch **restrict touch) {
    const rdi_touch_table table = *t;
    for (size_t i = 0; i < n; i++)
        touch[i] = &table.slot[rdi_touched_home(&table, blocks[i])];
}

TARGET static void NAME(tuples)(const rdi_tuples *t, const rdi_tuple_key *restrict key, size_t n,
                                rdi_tuple **restrict tuple) {
    const rdi_tuples table = {.slot = t->slot, .shift = t->shift};
    for (size_t i = 0; i < n; i++)
        tuple[i] = rdi_tuples_home(&table, key[i]);
}

TARGET static bool NAME(contexts)(const uint64_t *restrict masks, size_t room,
                                  const uint64_t *restrict numbers,
                                  const rdi_tuple_key *restrict reuse, size_t n,
                                  uint64_t *restrict key) {
    uint64_t highest = 0;
    for (size_t i = 0; i < n; i++)
        highest = numbers[i] > highest ? numbers[i] : highest;
    if (highest >= room)
        return false;
    for (size_t i = 0; i < n; i++)
        key[i] = rdi_context_key_of(masks[numbers[i]], reuse[i] >> RDI_REUSE_SHIFT);
    return true;
}

TARGET static void NAME(homes)(const uint64_t *restrict key, size_t n, unsigned shift,
                               uint64_t *restrict home) {
    for (size_t i = 0; i < n; i++)
        home[i] = rdi_contexts_home(key[i], shift);
}

static const rdi_passes PASSES = {
    .gapless = NAME(gapless),
    .sites = SITES,
    .words = NAME(words),
    .clipped = NAME(clipped),
    .touches = NAME(touches),
    .tuples = NAME(tuples),
    .contexts = NAME(contexts),
    .homes = NAME(homes),
};

#undef PASSES
#undef SITES
#undef NAME
#undef TARGET
