/* Parses the options of `kv`. See kv_options.h. */
#include "kv_options.h"

#include "option_rows.h"
#include "reusedist/experimental.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT_AUTO, UNIT_BLOCKS, UNIT_TOKENS, UNIT_BYTES };

#define NUMBER_MAX    1e15

#define FIELD(member) offsetof(kv_options, member)
#define TEXT(option, what, member, text)                                                           \
    { .name = option, .arg = what, .type = RD_OPT_STRING, .offset = FIELD(member), .help = text }
#define NUMBER(option, member, text)                                                               \
    {                                                                                              \
        .name = option, .arg = "N", .type = RD_OPT_DOUBLE, .offset = FIELD(member),                \
        .max = NUMBER_MAX, .help = text                                                            \
    }
/* The row of an option whose value must be above 0. */
#define POSITIVE(option, member, text)                                                             \
    {                                                                                              \
        .name = option, .arg = "N", .type = RD_OPT_DOUBLE, .offset = FIELD(member), .min = 1e-6,   \
        .max = NUMBER_MAX, .help = text                                                            \
    }
#define CHOICE(option, what, words, usual, member, text)                                           \
    {                                                                                              \
        .name = option, .arg = what, .type = RD_OPT_CHOICE, .choices = words, .def = usual,        \
        .offset = FIELD(member), .help = text                                                      \
    }

const rd_opt kv_opts[] = {
    {.name = "sizes",
     .arg = "SIZES",
     .type = RD_OPT_SIZES,
     .min = 1,
     .max = 0x1p63,
     .offset = FIELD(sizes),
     .help = "cache sizes 16G,1T,... in the unit of --unit [powers of two]"},
    CHOICE("unit", "UNIT", "auto|blocks|tokens|bytes", "auto", unit,
           "unit of sizes; auto: bytes if bytes per token are known, else blocks"),
    CHOICE("order", "ORDER", "front|tail", "front", order,
           "which block of a request is touched first; vLLM starts at the tail"),
    CHOICE("partial", "WHAT", "cache|drop", "cache", partial,
           "whether to cache last blocks that are not full; vLLM drops them"),
    CHOICE("outputs", "WHAT", "drop|cache", "drop", outputs,
           "whether to cache generated tokens; 'cache' needs token ids in the log"),
    OPTION_FORMAT(FIELD(format), "log format, NAME or jsonl:blocks=FIELD,... [detected]"),
    {.name = "block-tokens",
     .arg = "N",
     .type = RD_OPT_U64,
     .min = 1,
     .max = INT32_MAX,
     .offset = FIELD(block_tokens),
     .help = "tokens per block [512, 256 or 16, depending on the format]"},
    CHOICE("ids", "MEANING", "prefix|content", "prefix", ids,
           "what a hash identifies: the block and all blocks before it, or the block alone"),
    TEXT("model", "MODEL", model,
         "model to take the bytes per token from: NAME[,dtype=fp8] or layers=32,kv_heads=8,..."),
    {.name = "models",
     .type = RD_OPT_BOOL,
     .offset = FIELD(models),
     .help = "list the models that --model knows"},
    POSITIVE("token-bytes", token_bytes, "bytes per token, instead of --model"),
    {.name = "card",
     .arg = "SIZE",
     .type = RD_OPT_SIZE,
     .offset = FIELD(card),
     .help =
         "bytes of memory of an accelerator card; the report says how many tokens fit beside the "
         "weights"},
    {.name = "weights",
     .arg = "SIZE",
     .type = RD_OPT_SIZE,
     .offset = FIELD(weights),
     .help = "bytes of the model's weights [as published]"},
    {.name = "opt",
     .type = RD_OPT_BOOL,
     .offset = FIELD(opt),
     .help = "also show the most hits that any replacement policy can have (Belady's bound)"},
    TEXT("tiers", "TIERS", tiers,
         "tiers of memory, fastest first: "
         "NAME=SIZE[:cost=PER_GIB_AND_HOUR][:speed=BYTES_PER_SECOND],... "
         "such as HBM=40G,DRAM=512G:cost=0.01:speed=50G"),
    CHOICE(
        "fill", "HOW", "exclusive|inclusive", "exclusive", fill,
        "exclusive: a block is in one tier only; inclusive: a tier also holds the blocks of faster "
        "tiers"),
    TEXT("hits", "SHARE", hits,
         "find the cheapest tiers that serve this share of the prompt tokens, such as 60%"),
    POSITIVE("budget", budget,
             "find the tiers that cost at most N per hour and have the most hits"),
    NUMBER("token-cost", token_cost, "cost of recomputing a million tokens"),
    NUMBER("second-cost", second_cost, "cost of a second of prefill or of loading blocks"),
    NUMBER("prefill", prefill, "tokens that a server recomputes per second"),
    {.name = "replicas",
     .arg = "N",
     .type = RD_OPT_U64,
     .min = 1,
     .max = RD_KV_REPLICAS_MAX,
     .offset = FIELD(replicas),
     .help = "compare one shared cache with N servers that have a cache each, for each of three "
             "routers"},
    OPTION_OUT(FIELD(out), "text: print tables; csv: print the curve; json: print everything"),
    OPTION_OUTPUT(FIELD(output), "FILE", "write the result to this file [standard output]"),
    TEXT("report", "FILE.html", page, "also write a page for a browser"),
    TEXT("save", "FILE", save, "also write the log in the native format, which is read faster"),
    OPTION_ASCII(FIELD(ascii), "draw bars with ASCII characters only"),
    OPTION_PROGRESS(FIELD(progress)),
    {.name = NULL},
};

void kv_print_models(void) {
    printf("%-17s %12s %12s  %s\n", "model", "bytes/token", "weights", "source");
    for (size_t i = 0; rd_kv_model_at(i); i++) {
        const rd_kv_model *m = rd_kv_model_at(i);
        char weights[16];
        rd_format_bytes(m->weights_bytes, weights);
        printf("%-17s %12.0f %12s  %s%s%s\n", m->name, rd_kv_model_token_bytes(m), weights,
               m->source, m->latent ? ", latent attention" : "",
               m->window_layers ? ", sliding windows" : "");
    }
}

/* ---- tiers ---- */

/* Parses one "key=value" of a tier. */
static int parse_tier_key(rd_ctx *ctx, const char *text, rd_kv_offer *offer) {
    char *end = NULL;
    uint64_t speed = 0;
    if (strncmp(text, "cost=", 5) == 0) {
        offer->cost = rd_strtod(text + 5, &end);
        if (end == text + 5 || *end || !(offer->cost >= 0) || offer->cost > NUMBER_MAX)
            return fail_usage(
                "--tiers: '%s' is not a cost per GiB and hour; give a number from 0 to "
                "10^15, such as cost=0.01",
                text + 5);
        return EXIT_OK;
    }
    if (strncmp(text, "speed=", 6) == 0) {
        if (rd_parse_size(ctx, text + 6, &speed) != RD_OK)
            return fail_usage("--tiers: %s; give bytes per second, such as speed=50G",
                              rd_last_error(ctx));
        offer->speed = (double)speed;
        return EXIT_OK;
    }
    return fail_usage("--tiers: '%s' is not a key of a tier (one of: cost=, speed=)", text);
}

/* Returns whether a tier before tier number `i` has the same name. */
static bool is_repeated(const kv_setup *s, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (strcmp(s->offers[k].name, s->offers[i].name) == 0)
            return true;
    return false;
}

/* Parses "NAME=SIZE[:key=value]...". The function splits `text` in place. */
static int parse_tier(rd_ctx *ctx, char *text, rd_kv_offer *offer) {
    char *size = strchr(text, '=');
    if (!size || size == text || size - text >= RD_KV_NAME_MAX)
        return fail_usage(
            "--tiers: '%s' is not NAME=SIZE, such as DRAM=512G, with a name of 1 to %d "
            "characters",
            text, RD_KV_NAME_MAX - 1);
    *size++ = '\0';
    memcpy(offer->name, text, strlen(text) + 1);
    char *key = strchr(size, ':');
    if (key)
        *key++ = '\0';
    if (rd_parse_size(ctx, size, &offer->bytes) != RD_OK)
        return fail_usage("--tiers: %s", rd_last_error(ctx));
    if (offer->bytes == 0)
        return fail_usage("--tiers: the size of tier %s is 0; omit the tier", text);
    while (key) {
        char *next = strchr(key, ':');
        if (next)
            *next++ = '\0';
        int status = parse_tier_key(ctx, key, offer);
        if (status != EXIT_OK)
            return status;
        key = next;
    }
    return EXIT_OK;
}

static int parse_tiers(rd_ctx *ctx, const char *text, kv_setup *s) {
    char copy[1024];
    if (strlen(text) >= sizeof copy)
        return fail_usage("--tiers: the text has %zu characters, but at most %zu are allowed; use "
                          "shorter names",
                          strlen(text), sizeof copy - 1);
    memcpy(copy, text, strlen(text) + 1);
    for (char *at = copy; at;) {
        char *next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (s->n_offers == RD_KV_TIERS_MAX)
            return fail_usage("--tiers: at most %d tiers are allowed", RD_KV_TIERS_MAX);
        int status = parse_tier(ctx, at, &s->offers[s->n_offers++]);
        if (status != EXIT_OK)
            return status;
        if (is_repeated(s, s->n_offers - 1))
            return fail_usage("--tiers: two tiers have the name %s; give each a name of its own",
                              s->offers[s->n_offers - 1].name);
        at = next;
    }
    return EXIT_OK;
}

/* ---- the goal ---- */

static int parse_goal(const kv_options *o, kv_setup *s) {
    char *end = NULL;
    s->goal = (rd_kv_goal){.size = sizeof s->goal,
                           .budget = o->budget,
                           .token_cost = o->token_cost,
                           .second_cost = o->second_cost,
                           .prefill = o->prefill,
                           .inclusive = o->fill == 1};
    s->has_goal = o->hits || o->budget > 0;
    if (o->hits) {
        double percent = rd_strtod(o->hits, &end);
        if (end == o->hits || strcmp(end, "%") != 0 || !(percent > 0 && percent <= 100))
            return fail_usage(
                "--hits: '%s' is not a percentage above 0%% and up to 100%%, such as 60%%",
                o->hits);
        s->goal.hits = percent / 100;
    }
    if (s->has_goal && !o->tiers)
        return fail_usage("--hits and --budget choose sizes of tiers; name the tiers with --tiers");
    if (!o->tiers && (o->token_cost > 0 || o->second_cost > 0 || o->prefill > 0 || o->fill == 1))
        return fail_usage(
            "--token-cost, --second-cost, --prefill and --fill are about tiers; name the tiers "
            "with --tiers");
    if (o->weights && !o->card)
        return fail_usage("--weights needs --card, the memory of the card that holds the weights");
    if (s->has_goal && s->n_offers > 4)
        return fail_usage(
            "--hits and --budget choose the sizes of at most 4 tiers; name fewer tiers");
    if (o->second_cost > 0 && !(o->prefill > 0))
        return fail_usage("--second-cost needs --prefill, the tokens recomputed per second");
    return EXIT_OK;
}

int kv_setup_parse(rd_ctx *ctx, const kv_options *o, kv_setup *s) {
    *s = (kv_setup){.config = {.size = sizeof s->config,
                               .order = o->order == 1 ? RD_KV_TAIL : RD_KV_FRONT,
                               .full_only = o->partial == 1,
                               .outputs = o->outputs == 1,
                               .opt = o->opt}};
    if (o->model) {
        rd_status status = rd_kv_model_parse(ctx, o->model, &s->model);
        if (status != RD_OK)
            return fail_status(ctx, status);
        s->has_model = true;
        s->token_bytes = rd_kv_model_token_bytes(&s->model);
    }
    if (o->model && o->token_bytes > 0)
        return fail_usage(
            "kv: --model and --token-bytes cannot be combined; give only one of them");
    if (o->token_bytes > 0)
        s->token_bytes = o->token_bytes;
    int status = o->tiers ? parse_tiers(ctx, o->tiers, s) : EXIT_OK;
    return status == EXIT_OK ? parse_goal(o, s) : status;
}

/* ---- sizes ---- */

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Converts a size in the unit s->unit to blocks, rounded down. */
static uint64_t in_blocks(const kv_setup *s, double size) {
    double tokens = (double)s->config.block_tokens;
    double unit = s->unit == RD_KV_BLOCKS   ? 1
                  : s->unit == RD_KV_TOKENS ? tokens
                                            : tokens * s->token_bytes;
    double blocks = floor(size / unit);
    return blocks < 0x1p62 ? (uint64_t)blocks : UINT64_C(1) << 62;
}

/* Fails if a size of --sizes is smaller than one block. */
static int check_sizes(const kv_options *o, const kv_setup *s) {
    const char *unit = s->unit == RD_KV_TOKENS ? "tokens" : "bytes";
    for (size_t i = 0; i < o->sizes.n; i++)
        if (in_blocks(s, (double)o->sizes.value[i]) == 0)
            return fail_usage("--sizes: a cache of %" PRIu64
                              " %s is smaller than a block of %" PRIu64
                              " tokens; give at least one block",
                              o->sizes.value[i], unit, s->config.block_tokens);
    return EXIT_OK;
}

/* Sets the sizes of the configuration, in blocks, in ascending order and without duplicates. If the user
 * gave no sizes, they are powers of two that begin with 1 block, 1 token or 1 MiB, depending on the
 * unit. */
static void set_sizes(const kv_options *o, kv_setup *s) {
    rd_kv_config *c = &s->config;
    uint64_t size[RD_KV_SIZES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < o->sizes.n && n < RD_KV_SIZES_MAX; i++)
        size[n++] = in_blocks(s, (double)o->sizes.value[i]);
    for (int power = 0; o->sizes.n == 0 && power <= 40; power++)
        size[n++] = in_blocks(s, ldexp(1, s->unit == RD_KV_BYTES ? power + 20 : power));
    qsort(size, n, sizeof *size, by_size);
    for (size_t i = 0; i < n; i++)
        if (c->n_sizes == 0 || size[i] != c->sizes[c->n_sizes - 1])
            c->sizes[c->n_sizes++] = size[i];
}

static int set_tiers(const kv_options *o, kv_setup *s) {
    double end = 0, block = (double)s->config.block_tokens * s->token_bytes;
    for (size_t i = 0; i < s->n_offers; i++) {
        double bytes = (double)s->offers[i].bytes;
        if (o->fill == 1 && bytes < end)
            return fail_usage("--tiers: %s is smaller than a faster tier, whose blocks it must "
                              "also hold; make it larger, or use --fill=exclusive",
                              s->offers[i].name);
        /* The size of each tier is rounded down by itself, because a tier holds whole blocks only. */
        uint64_t blocks = (uint64_t)fmin(floor(bytes / block), 0x1p60);
        uint64_t before = i && o->fill == 0 ? s->config.tiers[i - 1] : 0;
        s->config.tiers[i] = before + blocks;
        end = bytes;
    }
    s->config.n_tiers = s->n_offers;
    return EXIT_OK;
}

int kv_setup_finish(const kv_options *o, uint64_t block_tokens, double token_bytes, kv_setup *s) {
    s->config.block_tokens = block_tokens;
    if (!(s->token_bytes > 0))
        s->token_bytes = token_bytes;
    bool bytes = s->token_bytes > 0;
    if (!bytes && (o->unit == UNIT_BYTES || o->tiers || o->card))
        return fail_usage("kv: sizes in bytes need the bytes per token; give --model=NAME or "
                          "--token-bytes=N (`reusedist kv --models` lists models)");
    s->unit = o->unit == UNIT_AUTO ? (bytes ? RD_KV_BYTES : RD_KV_BLOCKS)
                                   : (rd_kv_unit)(o->unit - UNIT_BLOCKS);
    s->goal.token_bytes = s->token_bytes;
    set_sizes(o, s);
    int status = check_sizes(o, s);
    return status == EXIT_OK ? set_tiers(o, s) : status;
}
