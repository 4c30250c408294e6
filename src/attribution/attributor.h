/* The internals of rd_attributor. attributor.c opens it, handles events and makes the result,
 * counting.c counts references, breakdown.c and miss_causes.c sum the counts, and snippets.c reads
 * source lines. */
#ifndef RDI_ATTRIBUTOR_H
#define RDI_ATTRIBUTOR_H

#include "attribution/contexts.h"
#include "attribution/misses.h"
#include "attribution/modules.h"
#include "attribution/passes.h"
#include "attribution/regions.h"
#include "attribution/sites.h"
#include "attribution/touched.h"
#include "attribution/tuples.h"
#include "attribution/windows.h"
#include "profile/details.h"

#define RDI_TILE  64 /* maximum number of references in a tile */
#define RDI_TILES 3  /* number of tiles that are in use at the same time */

/* References that are counted together. See counting.c. */
typedef struct rdi_tile {
    size_t n;
    const uint64_t *blocks, *distances;
    const uint64_t *address;       /* the first address that each reference touches in its block */
    rdi_tuple_key reuse[RDI_TILE]; /* the site of each reference, in the bits of a key that hold the
                                      reuse */
    uint8_t words[RDI_TILE];       /* the words of the block that are touched, one bit per word */
    rdi_touch *touch[RDI_TILE];    /* the home slot of each block, to which resolving moves its
                                      entry */
    uint8_t step[RDI_TILE];        /* the step of each distance, which counting finds */
    bool has_contexts;
    uint64_t context[RDI_TILE]; /* the key of the context and site of each reference */
    uint64_t home[RDI_TILE]; /* the home slot of each key in `context`, found after `moves` moves of
                                the table */
    uint32_t moves;
    rdi_tuple_key key[RDI_TILE];
    rdi_tuple *tuple[RDI_TILE]; /* the home slot of each key in the table `slots`, to which counting
                                   moves its tuple */
    const rdi_tuple *slots;
    /* Copies of columns. `own_pc`, `own_address` and `own_numbers` are used if the batch lacks a
     * column, or if the tile does not consist of consecutive references that touch one block each.
     * `own_distances` is used if the batch ends before the tile is counted. */
    uint64_t own_pc[RDI_TILE], own_address[RDI_TILE], own_distances[RDI_TILE];
    uint64_t own_numbers[RDI_TILE];
} rdi_tile;

struct rd_attributor {
    rd_ctx *ctx;
    rd_attributor_config config; /* the configuration with all defaults filled in */
    const rdi_passes *passes;
    rd_level levels[RD_LEVELS_MAX];
    rdi_steps steps;
    uint8_t near_steps[2048]; /* step of each distance below 2048 */
    uint64_t first_miss;      /* shortest distance at which a level misses; RD_COLD if there are no
                                 levels */
    uint8_t bits_in[256];     /* number of set bits of each index */
    /* log2 of the sizes of blocks and words. Both are 0 if every address is a block. */
    unsigned block_bits, word_bits;
    unsigned words_per_block; /* 1: words are not distinguished, or blocks have no size */
    rdi_sites sites;
    rdi_touched touched;
    rdi_tuples tuples;
    rdi_windows windows;
    rdi_modules modules;
    rdi_regions regions;
    rdi_misses misses;
    rdi_contexts contexts;
    uint64_t caller; /* number of the calling context of the next allocation; 0: unknown */
    rdi_tile tiles[RDI_TILES]; /* used in turn */
    unsigned turn;
    uint64_t fetched[RDI_WORD_SETS]; /* number of times that each word set began */
    uint64_t words[RDI_WORD_SETS];   /* sum of the numbers of words in each word set when it
                                        ended */
    rd_bin *word_bins;               /* bins of the word profile; NULL if it was not given */
    size_t n_word_bins;
    uint64_t word_references, word_infinite;
    uint64_t references;
    uint64_t changed_at;     /* number of references before the last large event (attributor.c) */
    uint64_t batches, timed; /* number of batches, and number of references in the batches that were
                                timed */
    double seconds;          /* time that the timed batches took, in seconds */
    bool finished, failed;   /* `failed`: a failure occurred in the middle of a batch */
};

/* Ends the first `n` word sets of a block: adds the number of words in each set to a->words. If the
 * block has only one region, also adds the block and the words of its first set to the counts of
 * the region. */
static inline void rdi_end_sets(rd_attributor *a, const rdi_touch *touch, unsigned n) {
    /* For RDI_MIXED and RDI_OTHERS, `number` is above all region numbers. */
    uint32_t number = rdi_key_region(touch->region);
    for (unsigned set = 0; set < n; set++)
        a->words[set] += a->bits_in[rdi_touch_words(touch, set)];
    if (number < a->regions.n && !rdi_touch_is_free(touch)) {
        rdi_region *region = &a->regions.region[number];
        region->fetched++;
        region->words += a->bits_in[rdi_touch_words(touch, 0)];
    }
}

/* Returns RD_OK if the attributor still accepts references and events, otherwise RD_ESTATE. */
rd_status rdi_attributor_is_open(const rd_attributor *a);

/* Returns a version of the regions that no block has. If all versions are used up, invalidates all
 * cached regions and starts again. */
uint32_t rdi_new_version(rd_attributor *a);

/* Counts the references of the tiles that are not yet counted. (counting.c) */
rd_status rdi_count_rest(rd_attributor *a);

/* Adds the source text to each of the a->n_lines `lines` whose source file can be read, and adds
 * snippets around the first 20 lines of `shown` to `a`. shown[i] is the line of the user's own code
 * that lines[i] belongs to. (snippets.c) */
rd_status rdi_snippets_read(rd_ctx *ctx, rdi_arena *arena, rd_attribution *a, rd_code_line *lines,
                            const rd_code_line *shown);

/* Makes the details about code and data: the attribution and the causes of misses. (breakdown.c) */
rd_status rdi_breakdown(rd_attributor *a, rdi_details *details);

#endif
