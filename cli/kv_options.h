/* The options of `kv`, and the settings that follow from them: sizes, models, tiers, goals. */
#ifndef RD_KV_OPTIONS_H
#define RD_KV_OPTIONS_H

#include "cli.h"

typedef struct kv_options {
    rd_sizes sizes;
    uint32_t unit, order, partial, outputs, ids, out, fill, progress;
    uint64_t block_tokens;
    const char *format, *model, *tiers, *hits, *output, *page, *save;
    double token_bytes, budget, token_cost, second_cost, prefill;
    uint64_t card, weights, replicas;
    bool opt, ascii, models;
} kv_options;

extern const rd_opt kv_opts[];

/* Settings that follow from the options and the first request of the log. */
typedef struct kv_setup {
    rd_kv_config config;
    rd_kv_unit unit;
    double token_bytes; /* bytes per token; 0: unknown */
    rd_kv_model model;
    bool has_model, has_goal;
    rd_kv_offer offers[RD_KV_TIERS_MAX];
    size_t n_offers;
    rd_kv_goal goal;
} kv_setup;

/* Checks the options as far as this is possible without the log. Reports a mistake and returns the
 * exit status. */
int kv_setup_parse(rd_ctx *ctx, const kv_options *o, kv_setup *s);
/* Completes the setup for a log whose blocks have `block_tokens` tokens. `token_bytes` is the number of
 * bytes per token that the log states; 0: none. Reports a mistake and returns the exit status. */
int kv_setup_finish(const kv_options *o, uint64_t block_tokens, double token_bytes, kv_setup *s);
/* Prints the models that --model knows. */
void kv_print_models(void);

#endif
