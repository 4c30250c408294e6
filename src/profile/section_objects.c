/* Section "objects": bytes, operations and lifetimes of requests. A merged profile has the sums of
 * the counts, but not the live bytes over time, because its runs have no common time. */
#include "profile/section_objects.h"

#include "profile/hist.h"
#include "profile/profile_reader.h"

#include <string.h>

static void objects_free(rd_ctx *ctx, void *data) {
    rdi_arena_fini(&((rdi_objects_section *)data)->arena);
    rdi_free(ctx, data);
}

static rdi_objects_section *new_section(rd_ctx *ctx) {
    rdi_objects_section *s = rdi_calloc(ctx, 1, sizeof *s);
    if (s)
        s->arena.ctx = ctx;
    return s;
}

/* Copies n items of `size` bytes each into the arena. Returns the copy, or NULL if there is not enough
 * memory. */
static void *copy_items(rdi_arena *arena, const void *items, size_t n, size_t size) {
    void *copy = rdi_arena_alloc(arena, n ? n : 1, size);
    if (copy && n)
        memcpy(copy, items, n * size);
    return copy;
}

rd_status rdi_objects_section_new(rd_ctx *ctx, const rd_objects_facts *facts,
                                  rdi_objects_section **out) {
    rdi_objects_section *s = new_section(ctx);
    if (!s)
        return RD_ENOMEM;
    s->is = *facts;
    s->is.bins = copy_items(&s->arena, facts->bins, facts->n_bins, sizeof *facts->bins);
    s->is.live = copy_items(&s->arena, facts->live, facts->n_live, sizeof *facts->live);
    s->is.popularity =
        copy_items(&s->arena, facts->popularity, facts->n_popularity, sizeof *facts->popularity);
    if (!s->is.bins || !s->is.live || !s->is.popularity) {
        objects_free(ctx, s);
        return RD_ENOMEM;
    }
    *out = s;
    return RD_OK;
}

const rd_objects_facts *rd_profile_objects(const rd_profile *p) {
    const rdi_objects_section *s = p ? rdi_profile_section(p, &rdi_section_objects) : NULL;
    return s ? &s->is : NULL;
}

/* ---- reading ---- */

void rdi_read_traffic(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"requests", rdi_read_u64, offsetof(rd_traffic, requests), true},
        {"bytes", rdi_read_sum, offsetof(rd_traffic, bytes), true},
        {0},
    };
    rdi_read_object(r, fields, field);
}

static void read_flag(rdi_profile_reader *r, void *field) {
    *(bool *)field = rdi_json_bool(&r->j);
}

/* Reads a word, and returns whether it is `second`. Fails if it is neither `first` nor `second`. */
static bool read_word(rdi_profile_reader *r, const char *first, const char *second) {
    char *word = rdi_json_string(&r->j);
    bool is_first = word && strcmp(word, first) == 0, is_second = word && strcmp(word, second) == 0;
    if (word && !is_first && !is_second)
        rdi_json_fail(&r->j, "expected \"%s\" or \"%s\"", first, second);
    rdi_free(r->j.ctx, word);
    return is_second;
}

static void read_expiry(rdi_profile_reader *r, void *field) {
    *(rd_expiry *)field = read_word(r, "eager", "lazy") ? RD_EXPIRY_LAZY : RD_EXPIRY_EAGER;
}

static void read_count(rdi_profile_reader *r, void *field) {
    *(rd_count *)field = read_word(r, "reads", "all") ? RD_COUNT_ALL : RD_COUNT_READS;
}

void rdi_read_row(rdi_json *j, rdi_u128 *out, size_t n) {
    size_t k = 0;
    rdi_json_enter_array(j);
    for (; rdi_json_next_item(j); k++) {
        if (k >= n)
            rdi_json_fail(j, "expected an array of %zu numbers", n);
        else
            out[k] = k + 1 == n ? rdi_json_u128(j) : rdi_json_u64(j);
    }
    if (k < n)
        rdi_json_fail(j, "expected an array of %zu numbers", n);
}

static void read_bins(rdi_profile_reader *r, void *field) {
    rd_objects_facts *f = field;
    size_t room = rdi_count_items(&r->j);
    rd_byte_bin *bins = rdi_read_take(r, room, sizeof *bins);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && bins && f->n_bins < room) {
        rdi_u128 row[3] = {0};
        rdi_read_row(&r->j, row, RDI_COUNT(row));
        bins[f->n_bins++] =
            (rd_byte_bin){(uint64_t)row[0], (uint64_t)row[1], rdi_sum_narrow(row[2])};
    }
    f->bins = bins;
}

const void *rdi_read_rows4(rdi_profile_reader *r, size_t *n) {
    size_t room = rdi_count_items(&r->j);
    uint64_t(*rows)[4] = rdi_read_take(r, room, sizeof *rows);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && rows && *n < room) {
        rdi_u128 row[4] = {0};
        rdi_read_row(&r->j, row, RDI_COUNT(row));
        if (row[3] > UINT64_MAX)
            rdi_json_fail(&r->j, "a number has more than 64 bits");
        for (size_t i = 0; i < RDI_COUNT(row); i++)
            rows[*n][i] = (uint64_t)row[i];
        ++*n;
    }
    return rows;
}

/* Reads the moments as rows of four numbers, which are the members of rd_live_bytes. */
static void read_live(rdi_profile_reader *r, void *field) {
    rd_objects_facts *f = field;
    f->live = rdi_read_rows4(r, &f->n_live);
}

/* Reads at most RD_BAND_SIZES numbers from 0 to `most`. The rest of the array stays 0. */
static void read_sizes(rdi_json *j, double *out, double most) {
    size_t n = 0;
    rdi_json_enter_array(j);
    for (; rdi_json_next_item(j); n++) {
        double x = rdi_json_double(j);
        if (n >= RD_BAND_SIZES || !(x >= 0 && x <= most))
            rdi_json_fail(j, "expected at most %d numbers from 0 to %g", RD_BAND_SIZES, most);
        else
            out[n] = x;
    }
}

static void read_byte_half_width(rdi_profile_reader *r, void *field) {
    read_sizes(&r->j, field, 1);
}

static void read_size_error(rdi_profile_reader *r, void *field) {
    read_sizes(&r->j, field, 1e300);
}

static void read_sample(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"byte_half_width", read_byte_half_width, offsetof(rd_objects_facts, byte_half_width),
         true},
        {"size_error", read_size_error, offsetof(rd_objects_facts, size_error), true},
        {0},
    };
    ((rd_objects_facts *)field)->is_sample = true;
    rdi_read_object(r, fields, field);
}

#define FIELD(name, read, member)                                                                  \
    { name, read, offsetof(rd_objects_facts, member), true }

static void objects_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        FIELD("counted", rdi_read_traffic, counted),
        FIELD("cold", rdi_read_traffic, cold),
        FIELD("deleted", rdi_read_traffic, deleted),
        FIELD("expired", rdi_read_traffic, expired),
        FIELD("reads", rdi_read_traffic, reads),
        FIELD("writes", rdi_read_traffic, writes),
        FIELD("touches", rdi_read_traffic, touches),
        FIELD("deletes", rdi_read_traffic, deletes),
        FIELD("warmup", rdi_read_u64, warmup),
        FIELD("objects", rdi_read_u64, objects),
        FIELD("largest", rdi_read_u64, largest),
        FIELD("backwards", rdi_read_u64, backwards),
        FIELD("unlimited", rdi_read_u64, unlimited),
        FIELD("empty", rdi_read_u64, empty),
        FIELD("has_operations", read_flag, has_operations),
        FIELD("has_times", read_flag, has_times),
        FIELD("has_lifetimes", read_flag, has_lifetimes),
        FIELD("expiry", read_expiry, expiry),
        FIELD("count", read_count, count),
        FIELD("size_classes", rdi_read_classes, size_class),
        {"size_class_bytes", rdi_read_class_bytes, offsetof(rd_objects_facts, size_class), false},
        {"popularity", rdi_read_popularity, 0, false},
        {"histogram", read_bins, 0, true},
        {"live", read_live, 0, false},
        {"sample", read_sample, 0, false},
        {0},
    };
    rdi_objects_section *s = new_section(r->j.ctx);
    *data = s;
    if (!s) {
        r->j.status = RD_ENOMEM;
        return;
    }
    r->arena = &s->arena;
    rdi_read_object(r, fields, &s->is);
}

/* ---- checks ---- */

static const char *bins_mistake(const rd_objects_facts *f) {
    rdi_u128 bytes = rdi_sum_wide(f->cold.bytes) + rdi_sum_wide(f->deleted.bytes) +
                     rdi_sum_wide(f->expired.bytes);
    for (size_t i = 0; i < f->n_bins; i++) {
        const rd_byte_bin *b = &f->bins[i];
        if (b->low > b->high || b->high == UINT64_MAX || (i && b->low <= b[-1].high))
            return "the rows of the histogram of bytes are not in ascending order";
        bytes += rdi_sum_wide(b->bytes);
    }
    return bytes == rdi_sum_wide(f->counted.bytes) ? NULL
                                                   : "the bytes of the histogram and of the misses "
                                                     "do not add up to the bytes requested";
}

static const char *objects_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_objects_facts *f = data;
    rdi_u128 classes = 0;
    for (size_t i = 0; i < RD_SIZE_CLASSES; i++)
        classes += f->size_class[i].objects;
    if (f->is_sample != (facts->sample_rate > 0))
        return "a profile of sampled objects needs both \"rate\" in \"error\" and \"sample\" in "
               "\"objects\"";
    if (facts->block_bytes != 1)
        return "a profile of objects must have blocks of 1 byte";
    if (f->counted.requests != facts->references ||
        (rdi_u128)f->cold.requests + f->deleted.requests + f->expired.requests != facts->infinite)
        return "the requests in \"objects\" do not add up to those of the profile";
    if (f->largest >= UINT64_C(1) << 63)
        return "the size of the largest object is not below 2^63";
    if (f->n_live > RD_LIVE_POINTS)
        return "\"live\" has too many rows";
    if (classes > f->objects)
        return "the size classes together have more objects than the profile";
    for (size_t i = 1; i < f->n_live; i++)
        if (f->live[i].request <= f->live[i - 1].request || f->live[i].time < f->live[i - 1].time)
            return "the moments of live bytes are not in ascending order";
    const char *mistake = f->has_popularity ? rdi_popularity_mistake(f) : NULL;
    return mistake ? mistake : bins_mistake(f);
}

/* ---- writing ---- */

void rdi_put_traffic(rd_json_writer *w, const char *key, const rd_traffic *t) {
    rd_json_begin_object(w, key, RD_JSON_INLINE);
    rd_json_put_u64(w, "requests", t->requests);
    rdi_json_put_u128(w, "bytes", rdi_sum_wide(t->bytes));
    rd_json_end_object(w);
}

static void put_bins(rd_json_writer *w, const rd_objects_facts *f) {
    rd_json_begin_array(w, "histogram", RD_JSON_LINES);
    for (size_t i = 0; i < f->n_bins; i++) {
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, f->bins[i].low);
        rd_json_put_u64(w, NULL, f->bins[i].high);
        rdi_json_put_u128(w, NULL, rdi_sum_wide(f->bins[i].bytes));
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

static void put_live(rd_json_writer *w, const rd_objects_facts *f) {
    rd_json_begin_array(w, "live", RD_JSON_LINES);
    for (size_t i = 0; i < f->n_live; i++) {
        const rd_live_bytes *l = &f->live[i];
        const uint64_t row[] = {l->request, l->time, l->bytes, l->no_expiry};
        rdi_json_put_u64s(w, NULL, row, RDI_COUNT(row));
    }
    rd_json_end_array(w);
}

static void put_sample(rd_json_writer *w, const rd_objects_facts *f) {
    rd_json_begin_object(w, "sample", RD_JSON_LINES);
    rdi_json_put_doubles(w, "byte_half_width", f->byte_half_width, RD_BAND_SIZES);
    rdi_json_put_doubles(w, "size_error", f->size_error, RD_BAND_SIZES);
    rd_json_end_object(w);
}

static void objects_write(rd_json_writer *w, const void *data) {
    const rd_objects_facts *f = data;
    rd_json_begin_object(w, "objects", RD_JSON_LINES);
    rdi_put_traffic(w, "counted", &f->counted);
    rdi_put_traffic(w, "cold", &f->cold);
    rdi_put_traffic(w, "deleted", &f->deleted);
    rdi_put_traffic(w, "expired", &f->expired);
    rdi_put_traffic(w, "reads", &f->reads);
    rdi_put_traffic(w, "writes", &f->writes);
    rdi_put_traffic(w, "touches", &f->touches);
    rdi_put_traffic(w, "deletes", &f->deletes);
    rd_json_put_u64(w, "warmup", f->warmup);
    rd_json_put_u64(w, "objects", f->objects);
    rd_json_put_u64(w, "largest", f->largest);
    rd_json_put_u64(w, "backwards", f->backwards);
    rd_json_put_u64(w, "unlimited", f->unlimited);
    rd_json_put_u64(w, "empty", f->empty);
    rd_json_put_bool(w, "has_operations", f->has_operations);
    rd_json_put_bool(w, "has_times", f->has_times);
    rd_json_put_bool(w, "has_lifetimes", f->has_lifetimes);
    rd_json_put_string(w, "expiry", f->expiry == RD_EXPIRY_LAZY ? "lazy" : "eager");
    rd_json_put_string(w, "count", f->count == RD_COUNT_ALL ? "all" : "reads");
    rdi_put_popularity(w, f);
    put_bins(w, f);
    if (f->n_live)
        put_live(w, f);
    if (f->is_sample)
        put_sample(w, f);
    rd_json_end_object(w);
}

/* ---- merging ---- */

static void add_traffic(rd_traffic *sum, const rd_traffic *t) {
    sum->requests += t->requests;
    rdi_sum_add(&sum->bytes, t->bytes);
}

static void add_facts(rd_objects_facts *sum, const rd_objects_facts *f) {
    add_traffic(&sum->counted, &f->counted);
    add_traffic(&sum->cold, &f->cold);
    add_traffic(&sum->deleted, &f->deleted);
    add_traffic(&sum->expired, &f->expired);
    add_traffic(&sum->reads, &f->reads);
    add_traffic(&sum->writes, &f->writes);
    add_traffic(&sum->touches, &f->touches);
    add_traffic(&sum->deletes, &f->deletes);
    sum->warmup += f->warmup;
    sum->objects += f->objects;
    sum->largest = f->largest > sum->largest ? f->largest : sum->largest;
    sum->backwards += f->backwards;
    sum->unlimited += f->unlimited;
    sum->empty += f->empty;
    sum->has_operations = sum->has_operations || f->has_operations;
    sum->has_times = sum->has_times || f->has_times;
    sum->has_lifetimes = sum->has_lifetimes || f->has_lifetimes;
}

/* Adds the rows of `f` to the n ascending rows in `bins`, which has room for all rows. Rows with
 * the same range are summed; rows that overlap otherwise do not occur, because rd_profile_merge()
 * refuses them first. Returns the new number of rows. */
static size_t add_bins(rd_byte_bin *bins, size_t n, const rd_objects_facts *f) {
    size_t total = n + f->n_bins, to = total, i = n, k = f->n_bins;
    /* The loop begins with the last rows, so that it overwrites no row that it has not read yet. */
    while (i > 0 || k > 0) {
        bool left = k == 0 || (i > 0 && bins[i - 1].low >= f->bins[k - 1].low);
        bool both = left && k > 0 && bins[i - 1].low == f->bins[k - 1].low;
        rd_byte_bin row = left ? bins[--i] : f->bins[--k];
        if (both)
            rdi_sum_add(&row.bytes, f->bins[--k].bytes);
        bins[--to] = row;
    }
    memmove(bins, bins + to, (total - to) * sizeof *bins);
    return total - to;
}

static rd_status objects_merge(rd_ctx *ctx, const void *const *data, size_t n, void **out) {
    const rd_objects_facts *first = data[0];
    rd_objects_facts sum = {0};
    size_t room = 0;
    for (size_t i = 0; i < n; i++) {
        const rd_objects_facts *f = data[i];
        if (!f || f->expiry != first->expiry || f->count != first->count)
            return rdi_fail(ctx, RD_EINVAL,
                            "cannot merge: profiles 1 and %zu have different settings; analyze all "
                            "traces with the same --expiry and --count",
                            i + 1);
        if (f->is_sample)
            return rdi_fail(
                ctx, RD_EINVAL,
                "cannot merge: profile %zu is a sample of the objects; merge profiles of "
                "all objects",
                i + 1);
        room += f->n_bins;
    }
    rd_byte_bin *bins = rdi_alloc(ctx, room ? room : 1, sizeof *bins);
    rd_popularity *popularity = rdi_calloc(ctx, RD_POPULARITY_ROWS, sizeof *popularity);
    rdi_objects_section *section = NULL;
    rd_status status = RD_ENOMEM;
    if (bins && popularity) {
        sum.expiry = first->expiry;
        sum.count = first->count;
        sum.has_popularity = true;
        for (size_t i = 0; i < n; i++) {
            add_facts(&sum, data[i]);
            sum.n_bins = add_bins(bins, sum.n_bins, data[i]);
            rdi_popularity_merge(popularity, &sum, data[i]);
        }
        sum.bins = bins;
        sum.n_popularity = rdi_popularity_pack(popularity);
        sum.popularity = popularity;
        status = rdi_objects_section_new(ctx, &sum, &section);
    }
    rdi_free(ctx, bins);
    rdi_free(ctx, popularity);
    *out = section;
    return status;
}

const rdi_section rdi_section_objects = {
    .key = "objects",
    .minor = 2,
    .read = objects_read,
    .mistake = objects_mistake,
    .write = objects_write,
    .merge = objects_merge,
    .free = objects_free,
};
