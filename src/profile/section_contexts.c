/* Section "contexts": the tree of calling contexts with the references and misses of each. A merged
 * profile does not have this section, because the details are not merged. */
#include "profile/details.h"
#include "profile/share.h"

/* ---- reading ---- */

static void read_flag(rdi_profile_reader *r, void *field) {
    *(bool *)field = rdi_json_bool(&r->j);
}

static void read_frames(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"function", rdi_read_needed_text, offsetof(rd_call_frame, function), true},
        {"file", rdi_read_text, offsetof(rd_call_frame, file), true},
        {"line", rdi_read_u64, offsetof(rd_call_frame, line), true},
        {"module", rdi_read_text, offsetof(rd_call_frame, module), true},
        {"own", read_flag, offsetof(rd_call_frame, own), true},
        {"inlined", read_flag, offsetof(rd_call_frame, inlined), true},
        {0},
    };
    rd_contexts *c = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *c->frames, &list, &c->n_frames);
    c->frames = list;
}

static void read_nodes(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"parent", rdi_read_index_or_none, offsetof(rd_call_node, parent), true},
        {"frame", rdi_read_index, offsetof(rd_call_node, frame), true},
        {"references", rdi_read_u64, offsetof(rd_call_node, references), true},
        {"misses", rdi_read_misses, offsetof(rd_call_node, misses), true},
        {0},
    };
    rd_contexts *c = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *c->nodes, &list, &c->n_nodes);
    c->nodes = list;
}

static void read_other(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"references", rdi_read_u64, offsetof(rd_contexts, other_references), true},
        {"misses", rdi_read_misses, offsetof(rd_contexts, other_misses), true},
        {"contexts", rdi_read_u64, offsetof(rd_contexts, other_contexts), true},
        {0},
    };
    rdi_read_object(r, fields, field);
}

static void contexts_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"frames", read_frames, 0, true},
        {"nodes", read_nodes, 0, true},
        {"other", read_other, 0, true},
        {0},
    };
    rdi_details *d = rdi_read_details(r, data);
    rd_contexts *c = d ? rdi_read_take(r, 1, sizeof *c) : NULL;
    if (!c)
        return;
    rdi_read_object(r, fields, c);
    d->is.contexts = c;
}

/* ---- checks ---- */

/* Returns whether the counts add up to the references of the profile, and to the misses of all
 * functions. */
static bool sums_up(const rd_profile_facts *facts, const rd_details *d) {
    const rd_contexts *c = d->contexts;
    const rd_attribution *a = d->attribution;
    rdi_u128 references = c->other_references;
    for (size_t i = 0; i < c->n_nodes; i++)
        references += c->nodes[i].references;
    if (references != facts->references)
        return false;
    for (size_t k = 0; k < d->n_levels && a; k++) {
        rdi_u128 misses = c->other_misses[k], expected = 0;
        for (size_t i = 0; i < c->n_nodes; i++)
            misses += c->nodes[i].misses[k];
        for (size_t i = 0; i < a->n_functions; i++)
            expected += a->functions[i].share.misses[k];
        if (misses != expected)
            return false;
    }
    return true;
}

static const char *contexts_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_details *d = data;
    const rd_contexts *c = d->contexts;
    if (!c)
        return NULL;
    for (size_t i = 0; i < c->n_nodes; i++) {
        const rd_call_node *node = &c->nodes[i];
        if (node->frame >= c->n_frames || (node->parent >= i && node->parent != RD_NO_INDEX))
            return "an index in \"contexts\" is out of range";
        if (!rdi_misses_are_possible(d, node->misses, 0, node->references))
            return "a calling context has more misses than references, or more misses in a larger "
                   "cache than in a smaller one";
    }
    if (!rdi_misses_are_possible(d, c->other_misses, 0, c->other_references))
        return "the other calling contexts together have more misses than references, or more "
               "misses in a larger cache than in a smaller one";
    return sums_up(facts, d) ? NULL
                             : "the references or misses of the calling contexts do not add up "
                               "to those of the profile";
}

/* ---- writing ---- */

static void put_frames(rd_json_writer *w, const rd_contexts *c) {
    rd_json_begin_array(w, "frames", RD_JSON_LINES);
    for (size_t i = 0; i < c->n_frames; i++) {
        const rd_call_frame *f = &c->frames[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "function", f->function);
        rd_json_put_string(w, "file", f->file);
        rd_json_put_u64(w, "line", f->line);
        rd_json_put_string(w, "module", f->module);
        rd_json_put_bool(w, "own", f->own);
        rd_json_put_bool(w, "inlined", f->inlined);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_nodes(rd_json_writer *w, const rd_details *d) {
    const rd_contexts *c = d->contexts;
    rd_json_begin_array(w, "nodes", RD_JSON_LINES);
    for (size_t i = 0; i < c->n_nodes; i++) {
        const rd_call_node *node = &c->nodes[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rdi_json_put_u64_or_null(w, "parent", node->parent, RD_NO_INDEX);
        rd_json_put_u64(w, "frame", node->frame);
        rd_json_put_u64(w, "references", node->references);
        rdi_json_put_u64s(w, "misses", node->misses, d->n_levels);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static bool contexts_has(const void *data) {
    return ((const rd_details *)data)->contexts != NULL;
}

static void contexts_write(rd_json_writer *w, const void *data) {
    const rd_details *d = data;
    const rd_contexts *c = d->contexts;
    if (!c)
        return;
    rd_json_begin_object(w, "contexts", RD_JSON_LINES);
    put_frames(w, c);
    put_nodes(w, d);
    rd_json_begin_object(w, "other", RD_JSON_INLINE);
    rd_json_put_u64(w, "references", c->other_references);
    rdi_json_put_u64s(w, "misses", c->other_misses, d->n_levels);
    rd_json_put_u64(w, "contexts", c->other_contexts);
    rd_json_end_object(w);
    rd_json_end_object(w);
}

const rdi_section rdi_section_contexts = {
    .key = "contexts",
    .minor = 3,
    .owner = &rdi_section_levels,
    .has = contexts_has,
    .read = contexts_read,
    .mistake = contexts_mistake,
    .write = contexts_write,
};
