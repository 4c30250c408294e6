/* The insides of rd_attributor: attributor.c opens and ends it, counting.c counts, breakdown.c sums
 * up. */
#ifndef RDI_ATTRIBUTOR_H
#define RDI_ATTRIBUTOR_H

#include "attribution/modules.h"
#include "attribution/passes.h"
#include "attribution/regions.h"
#include "attribution/sites.h"
#include "attribution/touched.h"
#include "attribution/tuples.h"
#include "attribution/windows.h"
#include "profile/details.h"

#define RDI_PART  64
#define RDI_PARTS 3

/* References that are counted together: see counting.c. */
typedef struct rdi_part {
    size_t n;
    const uint64_t *blocks, *distances;
    const uint64_t *address;       /* the first in the block */
    rdi_tuple_key reuse[RDI_PART]; /* the site, in its bits */
    uint8_t words[RDI_PART];       /* of the block, those touched */
    rdi_touch *touch[RDI_PART];    /* where the block's entry belongs */
    rdi_tuple_key key[RDI_PART];
    rdi_tuple *tuple[RDI_PART]; /* where the key's belongs ... */
    const rdi_tuple *slots;     /* ... in this table */
    /* For what the batch does not have in this order, or no longer. */
    uint64_t own_pc[RDI_PART], own_address[RDI_PART], own_distances[RDI_PART];
} rdi_part;

struct rd_attributor {
    rd_ctx *ctx;
    rd_attributor_config config; /* with the defaults filled in */
    const rdi_passes *passes;
    rd_level levels[RD_LEVELS_MAX];
    rdi_steps steps;
    uint8_t near_steps[2048];       /* of the shortest distances */
    uint64_t first_miss;            /* shortest distance at which a level misses */
    uint8_t bits_in[256];           /* how many */
    unsigned block_bits, word_bits; /* log2 of the sizes; both 0 with a block per address */
    unsigned words_per_block;       /* 1: words are not told apart, or blocks have no size */
    rdi_sites sites;
    rdi_touched touched;
    rdi_tuples tuples;
    rdi_windows windows;
    rdi_modules modules;
    rdi_regions regions;
    rdi_part parts[RDI_PARTS]; /* taken in turns */
    unsigned turn;
    uint64_t fetched[RDI_WORD_SETS]; /* times each set began ... */
    uint64_t words[RDI_WORD_SETS];   /* ... and the words in it when it ended */
    rd_bin *word_bins;               /* of the profile in words, if it was given */
    size_t n_word_bins;
    uint64_t word_references, word_infinite;
    uint64_t references;
    uint64_t changed_at;     /* so many of them, when an event was last of many blocks */
    uint64_t batches, timed; /* some of them are timed: so many references ... */
    double seconds;          /* ... took this long */
    bool finished, failed;   /* failed: in the middle of a batch */
};

/* The first so many sets of a block end: what was in them is counted. */
static inline void rdi_end_sets(rd_attributor *a, const rdi_touch *touch, unsigned n) {
    uint32_t number = rdi_key_region(touch->region); /* beyond all: RDI_MIXED or RDI_OTHERS */
    for (unsigned set = 0; set < n; set++)
        a->words[set] += a->bits_in[rdi_touch_words(touch, set)];
    if (number < a->regions.n && !rdi_touch_is_free(touch)) {
        rdi_region *region = &a->regions.region[number];
        region->fetched++;
        region->words += a->bits_in[rdi_touch_words(touch, 0)];
    }
}

/* RD_ESTATE unless something can still be fed. */
rd_status rdi_attributor_is_open(const rd_attributor *a);

/* A version of regions that no block has. */
uint32_t rdi_new_version(rd_attributor *a);

/* Counts the references that are still under way. (counting.c) */
rd_status rdi_count_rest(rd_attributor *a);

/* Texts of lines whose source can be read, and snippets around the first of them. Lines without
 * stay as they are. (snippets.c) */
rd_status rdi_snippets_read(rd_ctx *ctx, rdi_arena *arena, rd_attribution *a, rd_code_line *lines);

/* The part of the details that tells code and data. */
rd_status rdi_breakdown(rd_attributor *a, rdi_details *details);

#endif
