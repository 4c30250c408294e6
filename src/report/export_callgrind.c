/* Exports the tree for callgrind_annotate and KCachegrind.
 *
 * The format has functions with the costs of their lines, and the calls between two functions with
 * the costs of everything below them. So the tree is summed: nodes by function and line, and edges
 * by calling line and called function. The number of calls is the number of contexts, because the
 * profile does not count calls.
 *
 * Both tools sort by the first event, so the value that the user chose comes first.
 */
#include "report/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_FUNCTION UINT32_MAX

/* The costs of a line of a function itself, or of a call on that line with everything below it. */
typedef struct cost {
    uint32_t function, called; /* called NO_FUNCTION: costs of the line itself */
    uint64_t line, called_line;
    uint64_t count, value[RDI_EXPORT_VALUES];
} cost;

/* Returns 0 if both costs are of one line, or of calls on one line of one function. */
static int compare_keys(const cost *x, const cost *y) {
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->called != y->called) /* costs of lines come before calls */
        return x->called == NO_FUNCTION   ? -1
               : y->called == NO_FUNCTION ? 1
               : x->called < y->called    ? -1
                                          : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Calls on one line of one function have different called lines if the profile has several lines of the called
 * function. The smallest called line comes first. */
static int by_key(const void *a, const void *b) {
    const cost *x = a, *y = b;
    int order = compare_keys(x, y);
    return order ? order : (x->called_line > y->called_line) - (x->called_line < y->called_line);
}

/* Lists the costs of all nodes and edges, sorted and summed. A sum keeps its smallest called line. */
static rd_status list_costs(const rdi_export *e, const rdi_functions *f, rdi_arena *arena,
                            cost **out, size_t *n) {
    cost *list = rdi_arena_alloc(arena, 2 * e->n_nodes, sizeof *list);
    size_t all = 0, kept = 0;
    if (!list)
        return RD_ENOMEM;
    for (size_t i = 0; i < e->n_nodes; i++) {
        const rd_call_node *node = &e->nodes[i];
        const rd_call_frame *frame = &e->frames[node->frame];
        cost own = {f->of[node->frame], NO_FUNCTION, frame->line, 0, 1, {0}};
        for (size_t k = 0; k < e->n_values; k++)
            own.value[k] = rdi_export_value(node, k);
        list[all++] = own;
        if (node->parent == RD_NO_INDEX)
            continue;
        size_t caller = e->nodes[node->parent].frame;
        list[all] =
            (cost){f->of[caller], own.function, e->frames[caller].line, frame->line, 1, {0}};
        memcpy(list[all++].value, e->all[i], sizeof e->all[i]);
    }
    if (all)
        qsort(list, all, sizeof *list, by_key);
    for (size_t i = 0; i < all; i++) {
        if (kept == 0 || compare_keys(&list[kept - 1], &list[i]) != 0) {
            list[kept++] = list[i];
            continue;
        }
        list[kept - 1].count++;
        for (size_t k = 0; k < e->n_values; k++)
            list[kept - 1].value[k] += list[i].value[k];
    }
    *out = list;
    *n = kept;
    return RD_OK;
}

/* Writes a name with its number when it appears for the first time, and only the number after that. */
static void put_named(rdi_text *out, const char *key, uint32_t number, const char *text,
                      bool *known) {
    rdi_text_printf(out, "%s(%" PRIu32 ")", key, number + 1);
    if (!known[number]) {
        rdi_text_putc(out, ' ');
        rdi_text_escaped(out, text && *text ? text : "???");
    }
    known[number] = true;
    rdi_text_putc(out, '\n');
}

/* For each module, file and function: true if its name is already in the file. */
typedef struct known_names {
    bool *modules, *files, *functions;
} known_names;

/* Writes the module, the file and the name of a function, each on a line that begins with a key from `keys`. */
static void put_function(const rdi_export *e, const rdi_functions *f, uint32_t function,
                         const char *const keys[3], known_names *known, rdi_text *out) {
    const rd_call_frame *frame = &e->frames[f->frame[function]];
    put_named(out, keys[0], f->module[function], frame->module, known->modules);
    put_named(out, keys[1], f->file[function], frame->file, known->files);
    put_named(out, keys[2], function, frame->function, known->functions);
}

/* Returns the index of the value in a column of the file. The chosen value is in the first column, and all other
 * values follow in their order. */
static size_t value_of_column(const rdi_export *e, size_t column) {
    return column == 0 ? e->chosen : column - (column <= e->chosen);
}

static void put_values(const rdi_export *e, const uint64_t *values, rdi_text *out) {
    for (size_t k = 0; k < e->n_values; k++) {
        rdi_text_putc(out, ' ');
        rdi_text_u64(out, values[value_of_column(e, k)]);
    }
    rdi_text_putc(out, '\n');
}

static void put_event(size_t value, rdi_text *out) {
    if (value)
        rdi_text_printf(out, "L%zum", value);
    else
        rdi_text_puts(out, "Refs");
}

static void put_head(const rdi_export *e, rdi_text *out) {
    rdi_text_puts(out, "# callgrind format\nversion: 1\ncreator: reusedist\npositions: line\n");
    for (size_t value = 0; value < e->n_values; value++) {
        rdi_text_puts(out, "event: ");
        put_event(value, out);
        if (value)
            rdi_text_printf(out, " : misses of %s\n", e->d->levels[value - 1].name);
        else
            rdi_text_puts(out, " : references\n");
    }
    rdi_text_puts(out, "events:");
    for (size_t k = 0; k < e->n_values; k++) {
        rdi_text_putc(out, ' ');
        put_event(value_of_column(e, k), out);
    }
    rdi_text_puts(out, "\nsummary:");
    put_values(e, e->total, out);
}

static void put_costs(const rdi_export *e, const rdi_functions *f, const cost *list, size_t n,
                      known_names *known, rdi_text *out) {
    static const char *const own[] = {"ob=", "fl=", "fn="}, *const called[] = {
                                                                "cob=", "cfi=", "cfn="};
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || list[i].function != list[i - 1].function) {
            rdi_text_putc(out, '\n');
            put_function(e, f, list[i].function, own, known, out);
        }
        if (list[i].called != NO_FUNCTION) {
            put_function(e, f, list[i].called, called, known, out);
            rdi_text_printf(out, "calls=%" PRIu64 " %" PRIu64 "\n", list[i].count,
                            list[i].called_line);
        }
        rdi_text_u64(out, list[i].line);
        put_values(e, list[i].value, out);
    }
}

static rd_status callgrind_write(const rdi_export *e, rdi_text *out) {
    rdi_arena arena = {.ctx = e->ctx};
    rdi_functions f = {0};
    cost *list = NULL;
    size_t n = 0;
    rd_status status = rdi_export_functions(e, &arena, &f);
    if (status == RD_OK)
        status = list_costs(e, &f, &arena, &list, &n);
    known_names known = {rdi_arena_alloc(&arena, e->n_frames + 1, sizeof(bool)),
                         rdi_arena_alloc(&arena, e->n_frames + 1, sizeof(bool)),
                         rdi_arena_alloc(&arena, e->n_frames + 1, sizeof(bool))};
    if (!known.modules || !known.files || !known.functions)
        status = RD_ENOMEM;
    put_head(e, out);
    if (status == RD_OK)
        put_costs(e, &f, list, n, &known, out);
    rdi_text_puts(out, "\ntotals:");
    put_values(e, e->total, out);
    rdi_arena_fini(&arena);
    return status;
}

const rdi_exporter rdi_exporter_callgrind = {
    "callgrind", "a profile for callgrind_annotate and KCachegrind", callgrind_write};
