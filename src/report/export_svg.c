/* Exports a flame graph of the chosen value: an SVG image that needs no other file.
 *
 * The whole run is at the top, and the outermost frames are below it. Frames of the user's own code are
 * orange, and frames of libraries are blue. A frame that stands for several contexts is gray. The title of
 * each frame, which browsers show under the pointer, has the exact count. Narrow frames are left out, so only
 * the frame of the whole run is sure to have the profile's total.
 */
#include "report/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WIDTH       1200.0
#define ROW         18
#define TOP         40
#define ROWS_MAX    400 /* rows; deeper frames are left out */
#define LETTER      7.0 /* width of a letter in pixels */
#define WIDTH_LEAST 0.3 /* minimum width of a frame in pixels; narrower frames are left out */

typedef struct picture {
    const rdi_export *e;
    rdi_text *out;
    double scale; /* pixels per count */
    uint64_t at;
    size_t rows;
} picture;

/* Adds the first characters of a text, fewer than `columns`. Escapes the characters that have a meaning in
 * XML, and drops control characters. */
static void put_xml(rdi_text *out, const char *text, size_t columns) {
    for (; *text; text++) {
        columns -= ((unsigned char)*text & 0xc0) != 0x80 && columns > 0;
        if (columns == 0)
            break;
        if (strchr("<>&\"'", *text))
            rdi_text_printf(out, "&#%d;", *text);
        else if ((unsigned char)*text >= ' ' && *text != 0x7f)
            rdi_text_putc(out, *text);
    }
}

static const char *color_of(const rd_call_frame *f) {
    static const char *const own[] = {"#f6a15b", "#f4b266", "#f08c4a", "#f7c27a"};
    static const char *const library[] = {"#a9c1d9", "#b7cbe0", "#9db7d2", "#c3d4e6"};
    size_t hash = 0;
    if (f->function[0] == '(' && !f->file && !f->module)
        return "#dcdcdc";
    for (const char *c = f->function; *c; c++)
        hash = 31 * hash + (unsigned char)*c;
    return (f->own ? own : library)[hash % 4];
}

static void measure(void *user, size_t node, size_t depth, bool enter) {
    picture *p = user;
    size_t row = depth + 1;
    if (enter && row < ROWS_MAX && row + 1 > p->rows &&
        (double)p->e->all[node][p->e->chosen] * p->scale >= WIDTH_LEAST)
        p->rows = row + 1;
}

/* Adds a frame with the count `all` that begins at the count `at` from the left edge. */
static void put_frame(const picture *p, const rd_call_frame *f, size_t row, uint64_t at,
                      uint64_t all) {
    char place[RDI_PLACE_ROOM];
    double x = (double)at * p->scale, y = (double)(TOP + ROW * row);
    double width = (double)all * p->scale;
    rdi_export_place(f, place);
    rdi_text_puts(p->out, "<g><title>");
    put_xml(p->out, f->function, 1000);
    if (*place) {
        rdi_text_puts(p->out, ", ");
        put_xml(p->out, place, 300);
    }
    rdi_text_printf(p->out, ": %" PRIu64 " ", all);
    put_xml(p->out, p->e->names[p->e->chosen], SIZE_MAX);
    rdi_text_puts(p->out, ", ");
    rdi_text_fixed(p->out, 100 * (double)all / (double)p->e->total[p->e->chosen], 2);
    rdi_text_puts(p->out, " %</title><rect x=\"");
    rdi_text_fixed(p->out, x, 2);
    rdi_text_puts(p->out, "\" y=\"");
    rdi_text_fixed(p->out, y, 0);
    rdi_text_puts(p->out, "\" width=\"");
    rdi_text_fixed(p->out, width, 2);
    rdi_text_printf(p->out, "\" height=\"%d\" fill=\"%s\"/>", ROW - 1, color_of(f));
    if (width > 4 * LETTER) {
        rdi_text_puts(p->out, "<text x=\"");
        rdi_text_fixed(p->out, x + 3, 2);
        rdi_text_puts(p->out, "\" y=\"");
        rdi_text_fixed(p->out, y + 13, 0);
        rdi_text_puts(p->out, "\">");
        put_xml(p->out, f->function, (size_t)(width / LETTER));
        rdi_text_puts(p->out, "</text>");
    }
    rdi_text_puts(p->out, "</g>\n");
}

static void draw(void *user, size_t node, size_t depth, bool enter) {
    picture *p = user;
    uint64_t all = p->e->all[node][p->e->chosen];
    size_t row = depth + 1;
    if (enter && row < ROWS_MAX && (double)all * p->scale >= WIDTH_LEAST)
        put_frame(p, &p->e->frames[p->e->nodes[node].frame], row, p->at, all);
    if (enter) /* the frame's own count takes the space to the left of its children */
        p->at += rdi_export_value(&p->e->nodes[node], p->e->chosen);
}

static rd_status svg_write(const rdi_export *e, rdi_text *out) {
    uint64_t total = e->total[e->chosen];
    picture p = {.e = e, .out = out, .scale = total ? WIDTH / (double)total : 0, .rows = 1};
    rdi_export_walk(e, measure, &p);
    size_t height = TOP + ROW * p.rows + 8;
    rdi_text_printf(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %zu\" width=\"%d\" "
                    "height=\"%zu\" font-family=\"monospace\" font-size=\"11\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
                    "<text x=\"4\" y=\"18\" font-size=\"14\">",
                    (int)WIDTH, height, (int)WIDTH, height);
    put_xml(out, e->names[e->chosen], SIZE_MAX);
    rdi_text_printf(
        out,
        " by call: %" PRIu64 "</text>\n"
        "<text x=\"4\" y=\"33\" fill=\"#555555\">orange: own code, blue: libraries</text>\n",
        total);
    if (total)
        put_frame(&p, &(rd_call_frame){.function = "(whole run)"}, 0, 0, total);
    rdi_export_walk(e, draw, &p);
    rdi_text_puts(out, "</svg>\n");
    return RD_OK;
}

const rdi_exporter rdi_exporter_svg = {"svg", "a flame graph as an image", svg_write};
