/* Computes the bytes per token of language models from presets and descriptions. */
#include "base/common.h"
#include "reusedist/prefix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HALF_BYTES 2 /* bytes of a 16-bit number */
#define DIMENSION  1000000

static const rd_kv_model presets[] = {
#define RDI_KV_MODEL(model, l, h, d, lat, wl, w, gb, src)                                          \
    {.name = #model,                                                                               \
     .layers = l,                                                                                  \
     .kv_heads = h,                                                                                \
     .head_dim = d,                                                                                \
     .latent = lat,                                                                                \
     .window_layers = wl,                                                                          \
     .window = w,                                                                                  \
     .number_bytes = HALF_BYTES,                                                                   \
     .weights_bytes = (gb)*1e9,                                                                    \
     .source = src},
#include "prefix/models.def"
#undef RDI_KV_MODEL
};

const rd_kv_model *rd_kv_model_at(size_t index) {
    return index < RDI_COUNT(presets) ? &presets[index] : NULL;
}

static const char *preset_name(size_t index) {
    return index < RDI_COUNT(presets) ? presets[index].name : NULL;
}

/* The options of a model description. */
typedef struct description {
    uint64_t layers, kv_heads, head_dim, latent, window_layers, window;
    uint32_t dtype, windows;
} description;

enum { WINDOWS_FULL, WINDOWS_DROP };

static const double dtype_bytes[] = {4, 2, 2, 2, 1, 1, 0.5, 0.5};

#define NUMBER(key, least)                                                                         \
    {                                                                                              \
        .name = #key, .type = RD_OPT_U64, .offset = offsetof(description, key), .min = (least),    \
        .max = DIMENSION                                                                           \
    }

static const rd_opt description_opts[] = {
    NUMBER(layers, 1),
    NUMBER(kv_heads, 1),
    NUMBER(head_dim, 1),
    NUMBER(latent, 0),
    NUMBER(window_layers, 0),
    NUMBER(window, 0),
    {.name = "dtype",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(description, dtype),
     .choices = "fp32|fp16|bf16|half|fp8|int8|fp4|int4"},
    {.name = "windows",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(description, windows),
     .choices = "full|drop"},
    {0},
};

/* Returns the index of the number format that takes `bytes` bytes per number. */
static uint32_t dtype_of(double bytes) {
    uint32_t i = 1;
    while (dtype_bytes[i] != bytes)
        i++;
    return i;
}

static rd_status check(rd_ctx *ctx, const description *d) {
    if (!d->layers || (!d->latent && (!d->kv_heads || !d->head_dim)))
        return rdi_fail(ctx, RD_EINVAL,
                        "--model: give the name of a model, or layers=, kv_heads= and head_dim= "
                        "(or latent=)");
    if (d->window_layers > d->layers)
        return rdi_fail(ctx, RD_EINVAL,
                        "--model: window_layers=%" PRIu64 " is larger than layers=%" PRIu64,
                        d->window_layers, d->layers);
    return RD_OK;
}

/* Sets *out to the preset whose name is at the beginning of the text, and *options to the text
 * after the comma, or to NULL. */
static rd_status find_preset(rd_ctx *ctx, char *text, rd_kv_model *out, char **options) {
    size_t n = strcspn(text, ",");
    char *rest = text[n] ? text + n + 1 : NULL;
    text[n] = '\0';
    for (size_t i = 0; i < RDI_COUNT(presets); i++)
        if (strcmp(presets[i].name, text) == 0) {
            *out = presets[i];
            *options = rest;
            return RD_OK;
        }
    return rdi_fail_unknown_name(ctx, "model", text, preset_name);
}

static rd_status parse(rd_ctx *ctx, char *text, rd_kv_model *out) {
    rd_kv_model model = {.name = "", .number_bytes = HALF_BYTES, .source = ""};
    char *options = text;
    size_t word = strcspn(text, ",=");
    if (text[word] != '=')
        RD_TRY(find_preset(ctx, text, &model, &options));
    description d = {model.layers,
                     model.kv_heads,
                     model.head_dim,
                     model.latent,
                     model.window_layers,
                     model.window,
                     dtype_of(model.number_bytes),
                     WINDOWS_FULL};
    RD_TRY(rdi_opts_parse(ctx, "--model", description_opts, &d, options));
    RD_TRY(check(ctx, &d));
    *out = (rd_kv_model){.name = model.name,
                         .layers = d.layers,
                         .kv_heads = d.kv_heads,
                         .head_dim = d.head_dim,
                         .latent = d.latent,
                         .window_layers = d.window_layers,
                         .window = d.window,
                         .number_bytes = dtype_bytes[d.dtype],
                         .drop_windows = d.windows == WINDOWS_DROP,
                         .weights_bytes = model.weights_bytes,
                         .source = model.source};
    if (rd_kv_model_token_bytes(out) <= 0)
        return rdi_fail(ctx, RD_EINVAL,
                        "--model: all layers have a sliding window, so with windows=drop no layer "
                        "is stored; use windows=full");
    return RD_OK;
}

rd_status rd_kv_model_parse(rd_ctx *ctx, const char *text, rd_kv_model *out) {
    RDI_NEED(ctx, ctx, text, out);
    rd_kv_model model;
    char *copy = rdi_strdup(ctx, text);
    if (!copy)
        return RD_ENOMEM;
    rd_status status = parse(ctx, copy, &model);
    rdi_free(ctx, copy);
    if (status == RD_OK)
        *out = model;
    return status;
}

double rd_kv_model_token_bytes(const rd_kv_model *m) {
    if (!m)
        return 0;
    uint64_t layers = m->drop_windows ? m->layers - m->window_layers : m->layers;
    double numbers =
        m->latent ? (double)m->latent : 2.0 * (double)m->kv_heads * (double)m->head_dim;
    return (double)layers * numbers * m->number_bytes;
}
