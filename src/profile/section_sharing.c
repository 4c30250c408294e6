/* Section "sharing": the blocks, data and lines that threads share. A merged profile does not have
 * this section, because the data of different runs are unrelated. */
#include "profile/section_sharing.h"

#include "profile/profile_reader.h"

rdi_sharing_section *rdi_sharing_section_new(rd_ctx *ctx) {
    rdi_sharing_section *s = rdi_calloc(ctx, 1, sizeof *s);
    if (s)
        s->arena.ctx = ctx;
    return s;
}

void rdi_sharing_section_free(rd_ctx *ctx, void *data) {
    rdi_arena_fini(&((rdi_sharing_section *)data)->arena);
    rdi_free(ctx, data);
}

const rd_shared_data *rd_profile_shared(const rd_profile *p) {
    const rdi_sharing_section *s = p ? rdi_profile_section(p, &rdi_section_sharing) : NULL;
    return s ? &s->is : NULL;
}

/* ---- reading ---- */

#define BLOCK(key, read)                                                                           \
    { #key, read, offsetof(rd_shared_block, key), true }
#define ROW(key, read)                                                                             \
    { #key, read, offsetof(rd_shared_row, key), true }

static void read_items(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"first", rdi_read_u64, offsetof(rd_shared_item, first), true},
        {"last", rdi_read_u64, offsetof(rd_shared_item, last), true},
        {"readers", rdi_read_needed_text, offsetof(rd_shared_item, readers), true},
        {"writers", rdi_read_needed_text, offsetof(rd_shared_item, writers), true},
        {0},
    };
    rd_shared_block *block = field;
    const void *rows = NULL;
    rdi_read_list(r, fields, sizeof(rd_shared_item), &rows, &block->n_items);
    block->items = rows;
}

static void read_blocks(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        BLOCK(address, rdi_read_u64),         BLOCK(threads, rdi_read_u64),
        BLOCK(loads, rdi_read_u64),           BLOCK(stores, rdi_read_u64),
        BLOCK(true_sharing, rdi_read_u64),    BLOCK(false_sharing, rdi_read_u64),
        BLOCK(readers, rdi_read_needed_text), BLOCK(writers, rdi_read_needed_text),
        BLOCK(data, rdi_read_needed_text),    BLOCK(lines, rdi_read_needed_text),
        BLOCK(first, rdi_read_text),          BLOCK(second, rdi_read_text),
        BLOCK(first_offset, rdi_read_u64),    BLOCK(second_offset, rdi_read_u64),
        BLOCK(padding, rdi_read_u64),         BLOCK(removes, rdi_read_u64),
        {"items", read_items, 0, false},      {0},
    };
    rd_shared_data *all = field;
    const void *rows = NULL;
    rdi_read_list(r, fields, sizeof(rd_shared_block), &rows, &all->n_blocks);
    all->blocks = rows;
}

static const rd_shared_row *read_rows(rdi_profile_reader *r, size_t *n) {
    static const rdi_json_field fields[] = {
        ROW(name, rdi_read_needed_text),  ROW(true_sharing, rdi_read_u64),
        ROW(false_sharing, rdi_read_u64), ROW(removals, rdi_read_u64),
        ROW(removes, rdi_read_u64),       {0},
    };
    const void *rows = NULL;
    rdi_read_list(r, fields, sizeof(rd_shared_row), &rows, n);
    return rows;
}

static void read_data(rdi_profile_reader *r, void *field) {
    rd_shared_data *all = field;
    all->data = read_rows(r, &all->n_data);
}

static void read_lines(rdi_profile_reader *r, void *field) {
    rd_shared_data *all = field;
    all->lines = read_rows(r, &all->n_lines);
}

static void read_window_misses(rdi_profile_reader *r, void *field) {
    rd_shared_timeline *row = field;
    size_t room = rdi_count_items(&r->j);
    uint64_t *misses = rdi_read_take(r, room, sizeof *misses);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && misses && row->n < room)
        misses[row->n++] = rdi_json_u64(&r->j);
    row->misses = misses;
}

static void read_thread(rdi_profile_reader *r, void *field) {
    uint64_t number = rdi_json_u64(&r->j);
    if (number > UINT32_MAX)
        rdi_json_fail(&r->j, "the number of a thread or process is 2^32 or more");
    *(uint32_t *)field = (uint32_t)number;
}

static void read_timelines(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"process", read_thread, offsetof(rd_shared_timeline, process), true},
        {"thread", read_thread, offsetof(rd_shared_timeline, thread), true},
        {"misses", read_window_misses, 0, true},
        {0},
    };
    rd_shared_data *all = field;
    const void *rows = NULL;
    rdi_read_list(r, fields, sizeof(rd_shared_timeline), &rows, &all->n_timelines);
    all->timelines = rows;
}

static void sharing_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"interleave", rdi_read_needed_text, offsetof(rd_shared_data, interleave), true},
        {"references", rdi_read_u64, offsetof(rd_shared_data, references), true},
        {"threads", rdi_read_u64, offsetof(rd_shared_data, threads), true},
        {"true_sharing", rdi_read_u64, offsetof(rd_shared_data, true_sharing), true},
        {"false_sharing", rdi_read_u64, offsetof(rd_shared_data, false_sharing), true},
        {"shared_blocks", rdi_read_u64, offsetof(rd_shared_data, shared_blocks), true},
        {"blocks", read_blocks, 0, true},
        {"data", read_data, 0, true},
        {"lines", read_lines, 0, true},
        {"window", rdi_read_u64, offsetof(rd_shared_data, window), false},
        {"timelines", read_timelines, 0, false},
        {0},
    };
    rdi_sharing_section *s = rdi_sharing_section_new(r->j.ctx);
    *data = s;
    if (!s) {
        r->j.status = RD_ENOMEM;
        return;
    }
    r->arena = &s->arena;
    rdi_read_object(r, fields, &s->is);
}

/* ---- checks ---- */

static const char *block_mistake(const rd_shared_block *b) {
    rdi_u128 misses = (rdi_u128)b->true_sharing + b->false_sharing;
    if (b->threads < 2 || misses == 0 || misses > (rdi_u128)b->loads + b->stores)
        return "the counts of a shared block contradict each other";
    if (!b->first != !b->second)
        return "a shared block has only one of \"first\" and \"second\"";
    if (b->removes > misses)
        return "the \"removes\" of a shared block is above the number of its coherence misses";
    for (size_t i = 0; i < b->n_items; i++)
        if (b->items[i].first > b->items[i].last ||
            (i && b->items[i].first <= b->items[i - 1].last))
            return "the items of a shared block are not in ascending order";
    return NULL;
}

/* Returns a text that says what is wrong with the timelines, or NULL if they are valid. */
static const char *timelines_mistake(const rd_shared_data *all) {
    rdi_u128 misses = 0;
    for (size_t i = 0; i < all->n_timelines; i++)
        for (size_t w = 0; w < all->timelines[i].n; w++)
            misses += all->timelines[i].misses[w];
    if (all->window && misses != (rdi_u128)all->true_sharing + all->false_sharing)
        return "the timelines of threads do not add up to their coherence misses";
    return NULL;
}

static const char *sharing_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_shared_data *all = data;
    rdi_u128 trues = 0, falses = 0;
    if (all->references != facts->references)
        return "\"sharing\" and the profile have different numbers of references";
    if (all->n_blocks > all->shared_blocks)
        return "\"sharing\" lists more blocks than \"shared_blocks\" says";
    for (size_t i = 0; i < all->n_blocks; i++) {
        const char *mistake = block_mistake(&all->blocks[i]);
        if (mistake)
            return mistake;
        trues += all->blocks[i].true_sharing;
        falses += all->blocks[i].false_sharing;
    }
    bool complete = all->n_blocks == all->shared_blocks;
    if (trues > all->true_sharing || falses > all->false_sharing ||
        (complete && (trues != all->true_sharing || falses != all->false_sharing)))
        return "the coherence misses of shared blocks do not add up to the totals of \"sharing\"";
    return timelines_mistake(all);
}

/* ---- writing ---- */

static void write_block(rd_json_writer *w, const rd_shared_block *b) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_u64(w, "address", b->address);
    rd_json_put_u64(w, "threads", b->threads);
    rd_json_put_u64(w, "loads", b->loads);
    rd_json_put_u64(w, "stores", b->stores);
    rd_json_put_u64(w, "true_sharing", b->true_sharing);
    rd_json_put_u64(w, "false_sharing", b->false_sharing);
    rd_json_put_string(w, "readers", b->readers);
    rd_json_put_string(w, "writers", b->writers);
    rd_json_put_string(w, "data", b->data);
    rd_json_put_string(w, "lines", b->lines);
    rd_json_put_string(w, "first", b->first);
    rd_json_put_string(w, "second", b->second);
    rd_json_put_u64(w, "first_offset", b->first_offset);
    rd_json_put_u64(w, "second_offset", b->second_offset);
    rd_json_put_u64(w, "padding", b->padding);
    rd_json_put_u64(w, "removes", b->removes);
    rd_json_begin_array(w, "items", RD_JSON_INLINE);
    for (size_t i = 0; i < b->n_items; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "first", b->items[i].first);
        rd_json_put_u64(w, "last", b->items[i].last);
        rd_json_put_string(w, "readers", b->items[i].readers);
        rd_json_put_string(w, "writers", b->items[i].writers);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    rd_json_end_object(w);
}

static void write_timelines(rd_json_writer *w, const rd_shared_data *all) {
    rd_json_put_u64(w, "window", all->window);
    rd_json_begin_array(w, "timelines", RD_JSON_LINES);
    for (size_t i = 0; i < all->n_timelines; i++) {
        const rd_shared_timeline *row = &all->timelines[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "process", row->process);
        rd_json_put_u64(w, "thread", row->thread);
        rd_json_begin_array(w, "misses", RD_JSON_INLINE);
        for (size_t k = 0; k < row->n; k++)
            rd_json_put_u64(w, NULL, row->misses[k]);
        rd_json_end_array(w);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void write_rows(rd_json_writer *w, const char *key, const rd_shared_row *rows, size_t n) {
    rd_json_begin_array(w, key, RD_JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "name", rows[i].name);
        rd_json_put_u64(w, "true_sharing", rows[i].true_sharing);
        rd_json_put_u64(w, "false_sharing", rows[i].false_sharing);
        rd_json_put_u64(w, "removals", rows[i].removals);
        rd_json_put_u64(w, "removes", rows[i].removes);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void sharing_write(rd_json_writer *w, const void *data) {
    const rd_shared_data *all = data;
    rd_json_begin_object(w, "sharing", RD_JSON_LINES);
    rd_json_put_string(w, "interleave", all->interleave);
    rd_json_put_u64(w, "references", all->references);
    rd_json_put_u64(w, "threads", all->threads);
    rd_json_put_u64(w, "true_sharing", all->true_sharing);
    rd_json_put_u64(w, "false_sharing", all->false_sharing);
    rd_json_put_u64(w, "shared_blocks", all->shared_blocks);
    rd_json_begin_array(w, "blocks", RD_JSON_LINES);
    for (size_t i = 0; i < all->n_blocks; i++)
        write_block(w, &all->blocks[i]);
    rd_json_end_array(w);
    write_rows(w, "data", all->data, all->n_data);
    write_rows(w, "lines", all->lines, all->n_lines);
    write_timelines(w, all);
    rd_json_end_object(w);
}

const rdi_section rdi_section_sharing = {
    .key = "sharing",
    .minor = 3,
    .read = sharing_read,
    .mistake = sharing_mistake,
    .write = sharing_write,
    .free = rdi_sharing_section_free,
};
