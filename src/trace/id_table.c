/* Turns ids into 64-bit numbers and checks for collisions. See id_table.h. */
#include "trace/id_table.h"

#include "trace/lines.h"

#include <inttypes.h>
#include <stdio.h>

enum { EMPTY = 0, NUMBER = 1, FIRST_NAME = 2 }; /* special values of rdi_id_slot.name */

#define SLOTS_MIN   1024
#define LENGTH_SIZE 4 /* number of bytes before a name, which hold its length */

void rdi_id_table_init(rdi_id_table *t, rd_ctx *ctx) {
    t->ctx = ctx;
}

static void free_slots(rdi_id_table *t) {
    rdi_free(t->ctx, t->slots);
    t->slots = NULL;
    t->used = t->room = 0;
}

void rdi_id_table_fini(rdi_id_table *t) {
    if (!t->ctx)
        return;
    free_slots(t);
    rdi_free(t->ctx, t->names);
    t->names = NULL;
}

void rdi_id_table_separate(rdi_id_table *copy) {
    *copy = (rdi_id_table){
        .base = copy->base, .seed = copy->seed, .wide = copy->wide, .ctx = copy->ctx};
}

/* Hashes eight bytes at a time. Every step is a bijection of the word that it takes, so two names
 * of the same length of up to eight bytes never collide. */
uint64_t rdi_id_hash(uint64_t seed, const char *text, size_t n) {
    uint64_t h = rdi_mix64(seed + UINT64_C(0x9e3779b97f4a7c15) * (n + 1));
    for (; n >= 8; text += 8, n -= 8)
        h = rdi_mix64(h ^ rdi_load_le64((const uint8_t *)text));
    uint8_t rest[8] = {0};
    memcpy(rest, text, n);
    return n > 0 ? rdi_mix64(h ^ rdi_load_le64(rest)) : h;
}

/* Returns the slot of an id, or the empty slot where it belongs. */
static rdi_id_slot *find(const rdi_id_table *t, uint64_t id) {
    size_t mask = t->room - 1;
    for (size_t i = rdi_mix64(id) & mask;; i = (i + 1) & mask)
        if (t->slots[i].name == EMPTY || t->slots[i].id == id)
            return &t->slots[i];
}

/* Makes room for one more id. */
static rd_status reserve_slot(rdi_id_table *t) {
    if (2 * (t->used + 1) <= t->room)
        return RD_OK;
    rdi_id_table grown = *t;
    grown.room = t->room ? 2 * t->room : SLOTS_MIN;
    grown.slots = rdi_calloc(t->ctx, grown.room, sizeof *grown.slots);
    if (!grown.slots)
        return RD_ENOMEM;
    for (size_t i = 0; i < t->room; i++)
        if (t->slots[i].name != EMPTY)
            *find(&grown, t->slots[i].id) = t->slots[i];
    rdi_free(t->ctx, t->slots);
    *t = grown;
    return RD_OK;
}

/* Copies a name and sets *where to the value of rdi_id_slot.name for it. */
static rd_status store_name(rdi_id_table *t, const char *text, size_t n, uint64_t *where) {
    size_t need = t->names_used + LENGTH_SIZE + n;
    if (need > t->names_room) {
        size_t room = need < 2 * t->names_room ? 2 * t->names_room : need;
        char *grown = rdi_resize(t->ctx, t->names, room, 1);
        if (!grown)
            return RD_ENOMEM;
        t->names = grown;
        t->names_room = room;
    }
    *where = FIRST_NAME + t->names_used;
    rdi_store_le32((uint8_t *)t->names + t->names_used, (uint32_t)n);
    memcpy(t->names + t->names_used + LENGTH_SIZE, text, n);
    t->names_used = need;
    return RD_OK;
}

static const char *stored_name(const rdi_id_table *t, const rdi_id_slot *slot, size_t *n) {
    const char *at = t->names + (slot->name - FIRST_NAME);
    *n = rdi_load_le32((const uint8_t *)at);
    return at + LENGTH_SIZE;
}

/* The functions that make messages are not inlined. Their arrays would give rdi_id_read() a stack
 * protector, which takes 4 % of its time. */
#define FAILS static __attribute__((noinline)) rd_status

/* Fails with a message that `text` and the name or number in `slot` have the same 64-bit number. */
FAILS fail_collision(const rdi_id_table *t, const rdi_id_slot *slot, const char *text, size_t n) {
    char new_id[RDI_EXCERPT_MAX], old_id[RDI_EXCERPT_MAX] = "";
    rdi_excerpt(new_id, text, n);
    if (slot->name == NUMBER) {
        snprintf(old_id, sizeof old_id, "%" PRIu64, slot->id);
    } else {
        const char *name = stored_name(t, slot, &n);
        rdi_excerpt(old_id, name, n);
    }
    return rdi_fail(t->ctx, RD_EFORMAT,
                    "ids '%s' and '%s' are both 0x%016" PRIx64
                    " as a 64-bit number; choose another hash with seed=N (now %" PRIu64 ")",
                    old_id, new_id, slot->id, t->seed);
}

FAILS fail_late_name(const rdi_id_table *t, const char *text, size_t n) {
    char excerpt[RDI_EXCERPT_MAX];
    rdi_excerpt(excerpt, text, n);
    return rdi_fail(t->ctx, RD_EFORMAT,
                    "'%s' is not a number, but the first %d ids were (base=string takes all "
                    "ids as names)",
                    excerpt, RDI_ID_NUMBERS_MAX);
}

/* ---- logs ---- */

#define LOG_ROOM 4096

/* An id in a log: its 64-bit value, and the length of its name; n is 0 if the id was written as a number
 * and has no name. */
struct rdi_id_noted {
    uint64_t id;
    size_t n;
};

/* Makes room for `more` elements of `size` bytes after the n elements of an array. */
static rd_status grow(rd_ctx *ctx, void **array, size_t n, size_t more, size_t size, size_t *room) {
    if (n + more <= *room)
        return RD_OK;
    size_t wanted = 2 * (n + more) > LOG_ROOM ? 2 * (n + more) : LOG_ROOM;
    void *grown = rdi_resize(ctx, *array, wanted, size);
    if (!grown)
        return RD_ENOMEM;
    *array = grown;
    *room = wanted;
    return RD_OK;
}

/* Appends a name of n bytes, or a number if n is 0, to a log. */
static rd_status note_id(rdi_id_log *log, uint64_t id, const char *text, size_t n) {
    void *ids = log->ids, *names = log->text;
    rd_status status = grow(log->ctx, &ids, log->n, 1, sizeof *log->ids, &log->room);
    log->ids = ids;
    if (status == RD_OK)
        status = grow(log->ctx, &names, log->used, n, 1, &log->text_room);
    log->text = names;
    if (status != RD_OK)
        return status;
    log->ids[log->n++] = (struct rdi_id_noted){.id = id, .n = n};
    if (n)
        memcpy(log->text + log->used, text, n);
    log->used += n;
    return RD_OK;
}

void rdi_id_log_free(rdi_id_log *log) {
    rdi_free(log->ctx, log->ids);
    rdi_free(log->ctx, log->text);
}

/* ---- names and numbers ---- */

/* Remembers and checks a name whose hash is `id`. */
static rd_status enter_name(rdi_id_table *t, const char *text, size_t n, uint64_t id) {
    if (t->numbers_read >= RDI_ID_NUMBERS_MAX)
        return fail_late_name(t, text, n);
    if (t->log)
        return note_id(t->log, id, text, n);
    RD_TRY(reserve_slot(t));
    rdi_id_slot *slot = find(t, id);
    if (slot->name == EMPTY) {
        RD_TRY(store_name(t, text, n, &slot->name));
        slot->id = id;
        t->used++;
    } else {
        size_t stored = 0;
        const char *name = slot->name == NUMBER ? NULL : stored_name(t, slot, &stored);
        if (!name || stored != n || memcmp(name, text, n) != 0)
            return fail_collision(t, slot, text, n);
    }
    t->has_names = true;
    return RD_OK;
}

static rd_status read_name(rdi_id_table *t, const char *text, size_t n, uint64_t *out) {
    if (memchr(text, '\0', n))
        return rdi_fail(t->ctx, RD_EFORMAT,
                        "the id contains a NUL byte; the trace may be in a binary format");
    uint64_t id = rdi_id_hash(t->seed, text, n);
    RD_TRY(enter_name(t, text, n, id));
    *out = id;
    return RD_OK;
}

/* Stores a numeric id, to detect a later name whose hash is this number, and fails if an earlier
 * name has this hash. If the first RDI_ID_NUMBERS_MAX ids are numbers, the function forgets them
 * and stores no more. */
static rd_status note_number(rdi_id_table *t, const char *text, size_t n, uint64_t id) {
    if (t->log)
        return t->numbers_read < RDI_ID_NUMBERS_MAX ? note_id(t->log, id, NULL, 0) : RD_OK;
    if (!t->has_names) {
        if (t->numbers_read >= RDI_ID_NUMBERS_MAX)
            return RD_OK;
        if (++t->numbers_read == RDI_ID_NUMBERS_MAX) {
            free_slots(t);
            return RD_OK;
        }
    }
    RD_TRY(reserve_slot(t));
    rdi_id_slot *slot = find(t, id);
    if (slot->name >= FIRST_NAME)
        return fail_collision(t, slot, text, n);
    t->used += slot->name == EMPTY;
    *slot = (rdi_id_slot){.id = id, .name = NUMBER};
    return RD_OK;
}

/* Slots are fetched AHEAD ids before they are needed, because most slots are not in the processor's
 * caches. */
rd_status rdi_id_table_enter(rdi_id_table *t, const rdi_id_log *log) {
    enum { AHEAD = 8 };
    const uint64_t numbers_read = t->numbers_read;
    const bool has_names = t->has_names;
    const char *text = log->text;
    for (size_t i = 0; i < log->n; i++) {
        const struct rdi_id_noted *now = &log->ids[i];
        if (i + AHEAD < log->n && t->room)
            __builtin_prefetch(&t->slots[rdi_mix64(now[AHEAD].id) & (t->room - 1)]);
        rd_status status =
            now->n ? enter_name(t, text, now->n, now->id) : note_number(t, "", 0, now->id);
        if (status != RD_OK) {
            t->numbers_read = numbers_read;
            t->has_names = has_names;
            return status;
        }
        text += now->n;
    }
    return RD_OK;
}

FAILS fail_number(const rdi_id_table *t, const char *text, size_t n, const char *why) {
    char excerpt[RDI_EXCERPT_MAX];
    rdi_excerpt(excerpt, text, n);
    return rdi_fail(t->ctx, RD_EFORMAT, "'%s' %s", excerpt, why);
}

/* Returns whether the text is a number under base=auto, dec or hex. Sets *hex to whether the digits
 * must be hexadecimal. */
static bool is_number(uint32_t base, const char *text, size_t n, bool *hex) {
    bool prefixed = n > 2 && rdi_has_0x(text);
    *hex = base == RDI_ID_HEX || (base == RDI_ID_AUTO && prefixed);
    if (*hex)
        return prefixed ? rdi_all_digits(text + 2, n - 2, true) : rdi_all_digits(text, n, true);
    return (base == RDI_ID_DEC || n == 1 || text[0] != '0') && rdi_all_digits(text, n, false);
}

rd_status rdi_id_read(rdi_id_table *t, const char *text, size_t n, uint64_t *out) {
    bool hex = false;
    if (t->base == RDI_ID_STRING)
        return read_name(t, text, n, out);
    if (!is_number(t->base, text, n, &hex)) {
        if (t->base == RDI_ID_AUTO)
            return read_name(t, text, n, out);
        return fail_number(t, text, n,
                           hex ? "is not a hexadecimal number (base=hex)"
                               : "is not a decimal number (base=dec)");
    }
    uint64_t id = 0;
    const char *digits = hex && rdi_has_0x(text) ? text + 2 : text;
    if (!(hex ? rdi_scan_hex(digits, &id) : rdi_scan_dec(digits, &id))) {
        if (t->wide)
            return read_name(t, text, n, out);
        return fail_number(t, text, n, "does not fit in 64 bits (base=string takes ids as names)");
    }
    if (t->base == RDI_ID_AUTO)
        RD_TRY(note_number(t, text, n, id));
    *out = id;
    return RD_OK;
}
