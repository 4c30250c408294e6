/* Reads JSON objects according to tables of their keys, and reads lists into an arena. See
 * profile_reader.h. */
#include "profile/profile_reader.h"

#include "profile/hist.h"
#include "reusedist/attribution.h"

#include <inttypes.h>
#include <string.h>

/* ---- objects ---- */

static const rdi_json_field *find_field(const rdi_json_field *fields, const char *key) {
    while (fields->key && strcmp(fields->key, key) != 0)
        fields++;
    return fields->key ? fields : NULL;
}

void rdi_read_object_with(rdi_profile_reader *r, const rdi_json_field *fields, void *base,
                          void (*other)(rdi_profile_reader *r, const char *key)) {
    rdi_json *j = &r->j;
    uint32_t seen = 0;
    char key[32];
    rdi_json_enter_object(j);
    while (rdi_json_next_key(j, key, sizeof key)) {
        const rdi_json_field *field = find_field(fields, key);
        if (!field) {
            other(r, key);
            continue;
        }
        uint32_t bit = UINT32_C(1) << (field - fields);
        if (seen & bit)
            rdi_json_fail(j, "\"%s\" occurs twice", key);
        else
            field->read(r, (char *)base + field->offset);
        seen |= bit;
    }
    for (const rdi_json_field *field = fields; field->key; field++)
        if (field->required && !(seen & UINT32_C(1) << (field - fields)))
            rdi_json_fail(j, "the object that ends here has no \"%s\"", field->key);
}

static void skip_key(rdi_profile_reader *r, const char *key) {
    (void)key;
    rdi_json_skip(&r->j);
}

void rdi_read_object(rdi_profile_reader *r, const rdi_json_field *fields, void *base) {
    rdi_read_object_with(r, fields, base, skip_key);
}

void rdi_read_u64(rdi_profile_reader *r, void *field) {
    *(uint64_t *)field = rdi_json_u64(&r->j);
}

/* Reads a number, or null, for which the function returns `none`. The number `none` itself is
 * therefore refused. */
static uint64_t u64_or_null(rdi_json *j, uint64_t none) {
    if (rdi_json_null(j))
        return none;
    uint64_t value = rdi_json_u64(j);
    if (value == none)
        rdi_json_fail(j,
                      "%" PRIu64
                      " is not a valid number here: write null for an unknown or missing number",
                      value);
    return value;
}

void rdi_read_u64_or_unknown(rdi_profile_reader *r, void *field) {
    *(uint64_t *)field = u64_or_null(&r->j, RD_UNKNOWN);
}

void rdi_read_positive_or_none(rdi_profile_reader *r, void *field) {
    *(uint64_t *)field = u64_or_null(&r->j, 0);
}

void rdi_read_double(rdi_profile_reader *r, void *field) {
    double value = rdi_json_null(&r->j) ? 0 : rdi_json_double(&r->j);
    if (value < 0)
        rdi_json_fail(&r->j, "%g is negative", value);
    *(double *)field = value;
}

/* ---- lists and texts, in the arena ---- */

void *rdi_read_take(rdi_profile_reader *r, size_t n, size_t size) {
    void *p = rdi_arena_alloc(r->arena, n ? n : 1, size);
    if (!p)
        r->j.status = RD_ENOMEM;
    return p;
}

size_t rdi_count_items(const rdi_json *at) {
    rdi_json j = *at;
    size_t n = 0;
    rdi_json_enter_array(&j);
    for (; rdi_json_next_item(&j); n++)
        rdi_json_skip(&j);
    return n;
}

/* Reads an array of objects. If the text is invalid, rdi_count_items() stops early, and reading
 * fails at the same position. */
void rdi_read_list(rdi_profile_reader *r, const rdi_json_field *fields, size_t size,
                   const void **out, size_t *n) {
    size_t room = rdi_count_items(&r->j);
    char *items = rdi_read_take(r, room, size);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && items && *n < room)
        rdi_read_object(r, fields, items + size * (*n)++);
    *out = items;
}

void rdi_read_text(rdi_profile_reader *r, void *field) {
    char *text = rdi_json_null(&r->j) ? NULL : rdi_json_string(&r->j);
    if (!text)
        return;
    char *copy = rdi_read_take(r, strlen(text) + 1, 1);
    if (copy)
        *(const char **)field = strcpy(copy, text);
    rdi_free(r->j.ctx, text);
}

void rdi_read_needed_text(rdi_profile_reader *r, void *field) {
    rdi_read_text(r, field);
    if (!*(const char **)field)
        rdi_json_fail(&r->j, "expected a string");
}

void rdi_read_texts(rdi_profile_reader *r, const char *const **out, size_t *n) {
    size_t room = rdi_count_items(&r->j);
    const char **texts = rdi_read_take(r, room, sizeof *texts);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && texts && *n < room)
        rdi_read_needed_text(r, &texts[(*n)++]);
    *out = texts;
}

void rdi_read_index(rdi_profile_reader *r, void *field) {
    uint64_t index = rdi_json_u64(&r->j);
    if (index >= UINT32_MAX)
        rdi_json_fail(&r->j, "index %" PRIu64 " is too large; the largest index is %u", index,
                      (unsigned)UINT32_MAX - 1);
    *(size_t *)field = (size_t)index;
}

void rdi_read_index_or_none(rdi_profile_reader *r, void *field) {
    if (rdi_json_null(&r->j))
        *(size_t *)field = RD_NO_INDEX;
    else
        rdi_read_index(r, field);
}

void rdi_read_sum(rdi_profile_reader *r, void *field) {
    *(rd_sum *)field = rdi_sum_narrow(rdi_json_u128(&r->j));
}

void rdi_read_misses(rdi_profile_reader *r, void *field) {
    uint64_t *misses = field;
    size_t n = 0;
    rdi_json_enter_array(&r->j);
    for (; rdi_json_next_item(&r->j); n++) {
        if (n == RD_LEVELS_MAX)
            rdi_json_fail(&r->j, "there are more than %d levels", RD_LEVELS_MAX);
        else
            misses[n] = rdi_json_u64(&r->j);
    }
}
