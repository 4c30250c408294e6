/* Writes and reads checkpoints. See parda_checkpoint.h. */
#include "engine/papers/parda_checkpoint.h"

#include "base/output.h"
#include "reusedist/experimental.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC UINT64_C(0x32545043445244) /* "DRDCPT2" */

enum { AT_MAGIC, AT_IDENTITY, AT_POSITION, AT_REFERENCES, AT_DIGEST, AT_COUNTS, AT_STATE, HEADER };

void rdi_parda_checkpoint_free(rd_ctx *ctx, rdi_parda_checkpoint *c) {
    rdi_u64_list_free(ctx, &c->counts);
    rdi_u64_list_free(ctx, &c->state);
}

static uint64_t mix_in(uint64_t sum, uint64_t x) {
    return rdi_mix64(sum ^ rdi_mix64(x + UINT64_C(0x9e3779b97f4a7c15)));
}

uint64_t rdi_parda_identity(const char *what, bool parts, uint64_t bound, uint64_t binning,
                            uint64_t param) {
    uint64_t sum = mix_in(parts, bound);
    sum = mix_in(mix_in(sum, binning), param);
    for (; what && *what; what++)
        sum = mix_in(sum, (unsigned char)*what);
    return sum;
}

/* Computes the digest with one multiplication per block, because the thread that distributes the
 * references must keep up with all ranks. */
uint64_t rdi_parda_digest(uint64_t digest, const uint64_t *blocks, size_t n) {
    for (size_t i = 0; i < n; i++)
        digest = (digest + blocks[i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return digest;
}

/* Refuses links, because the caller removes `path` in the end. Refuses devices and pipes, because
 * they cannot be read again. */
rd_status rdi_parda_checkpoint_check(rd_ctx *ctx, const char *path) {
    struct stat st;
    if (strcmp(path, "-") == 0)
        return rdi_fail(ctx, RD_EINVAL,
                        "a checkpoint cannot be on standard output ('-'); name a file");
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return rdi_fail(ctx, RD_EINVAL, "%s: a checkpoint needs a regular file; name another file",
                        path);
    return rd_output_check(ctx, path);
}

/* ---- writing ---- */

/* Appends n numbers to the file, and adds them to the checksum. */
static rd_status put(rdi_output *out, const uint64_t *numbers, size_t n, uint64_t *sum) {
    uint8_t bytes[4096];
    for (size_t at = 0; at < n;) {
        size_t part = 0;
        for (; part < sizeof bytes && at < n; part += 8, at++) {
            *sum = mix_in(*sum, numbers[at]);
            rdi_store_le64(bytes + part, numbers[at]);
        }
        RD_TRY(rdi_output_write(out, bytes, part));
    }
    return RD_OK;
}

static rd_status put_all(rdi_output *out, const rdi_parda_checkpoint *c) {
    const uint64_t header[HEADER] = {[AT_MAGIC] = MAGIC,          [AT_IDENTITY] = c->identity,
                                     [AT_POSITION] = c->position, [AT_REFERENCES] = c->references,
                                     [AT_DIGEST] = c->digest,     [AT_COUNTS] = c->counts.n,
                                     [AT_STATE] = c->state.n};
    uint64_t sum = 0, ignored = 0;
    RD_TRY(put(out, header, HEADER, &sum));
    RD_TRY(put(out, c->counts.at, c->counts.n, &sum));
    RD_TRY(put(out, c->state.at, c->state.n, &sum));
    RD_TRY(put(out, &(uint64_t){sum}, 1, &ignored));
    return rdi_output_finish(out);
}

rd_status rdi_parda_checkpoint_save(rd_ctx *ctx, const char *path, const rdi_parda_checkpoint *c) {
    rdi_output *out = NULL;
    RD_TRY(rdi_output_open(ctx, path, &out));
    rd_status status = put_all(out, c);
    rdi_output_close(out);
    return status;
}

/* ---- reading ---- */

/* Reads n numbers and adds them to the checksum. Returns false if the file has fewer numbers. */
static bool get(FILE *file, uint64_t *numbers, size_t n, uint64_t *sum) {
    if (fread(numbers, sizeof *numbers, n, file) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        numbers[i] = rdi_load_le64((const uint8_t *)&numbers[i]);
        *sum = mix_in(*sum, numbers[i]);
    }
    return true;
}

/* Reads a list step by step, so that a wrong length is detected before the list takes all memory.
 * Sets *good to false if the file is too short. */
static rd_status get_list(rd_ctx *ctx, FILE *file, uint64_t n, rdi_u64_list *list, uint64_t *sum,
                          bool *good) {
    while (*good && list->n < n) {
        size_t part = n - list->n < 65536 ? (size_t)(n - list->n) : 65536;
        RD_TRY(rdi_u64_list_reserve(ctx, list, list->n + part));
        *good = get(file, list->at + list->n, part, sum);
        list->n += *good ? part : 0;
    }
    return RD_OK;
}

static rd_status get_all(rd_ctx *ctx, const char *path, FILE *file, rdi_parda_checkpoint *c) {
    uint64_t header[HEADER], sum = 0, stored = 0, ignored = 0;
    bool good = get(file, header, HEADER, &sum) && header[AT_MAGIC] == MAGIC;
    if (good && header[AT_IDENTITY] != c->identity)
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: this is the checkpoint of another analysis, or the trace has changed; "
                        "name another file",
                        path);
    RD_TRY(get_list(ctx, file, good ? header[AT_COUNTS] : 0, &c->counts, &sum, &good));
    RD_TRY(get_list(ctx, file, good ? header[AT_STATE] : 0, &c->state, &sum, &good));
    if (!good || !get(file, &stored, 1, &ignored) || stored != sum || fgetc(file) != EOF)
        return rdi_fail(ctx, RD_EFORMAT,
                        "%s: this is not a checkpoint, or it is damaged; name another file", path);
    c->position = header[AT_POSITION];
    c->references = header[AT_REFERENCES];
    c->digest = header[AT_DIGEST];
    return RD_OK;
}

rd_status rdi_parda_checkpoint_load(rd_ctx *ctx, const char *path, rdi_parda_checkpoint *c) {
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT)
        return RD_OK;
    if (!file)
        return rdi_fail(ctx, RD_EIO, "%s: cannot open: %s", path, strerror(errno));
    rd_status status = get_all(ctx, path, file, c);
    fclose(file);
    return status;
}
