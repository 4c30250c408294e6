/* Reads and writes the header and the descriptions of a native trace. See native.h and
 * docs/trace-format.md.
 *
 * A file with only columns and events of version 1 is a file of version 1 and has no descriptions.
 * Any other file describes its additional columns and events by name. The description of a column
 * or event also says whether a reader that does not know its name must refuse the file or skip that
 * column or event.
 */
#include "trace/checksum.h"
#include "trace/native.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VERSION           1
#define VERSION_DESCRIBED 2
#define FLAG_IDS          1
#define FLAG_SAMPLED      2
#define FLAG_EVENTS       4

#define ENTRY_BYTES       4 /* number of bytes of a description before its name */
#define NAME_MAX_BYTES    63
#define ENTRY_REQUIRED    1 /* flag: a reader that does not know the name refuses the file */
#define CODING_BLOCK      1 /* coding of a column: as a column block */

/* The subject of a description. Readers treat descriptions of other subjects like unknown names. */
enum { ABOUT_COLUMN = 1, ABOUT_EVENT = 2, ABOUT_TRACE = 3 };

#define NO_PROCESSES "no_processes" /* the only name of a description of the whole trace */

static const uint8_t magic[8] = {0x89, 'R', 'D', 'T', '\r', '\n', 0x1a, '\n'};
static const uint32_t header_fields = RDI_NATIVE_PLAIN_FIELDS & ~RD_FIELD_EVENTS;

bool rdi_native_has_magic(const uint8_t *bytes, size_t n) {
    return memcmp(bytes, magic, n < sizeof magic ? n : sizeof magic) == 0;
}

/* ---- reading ---- */

/* A description. */
typedef struct entry {
    unsigned about, flags, number;
    char name[NAME_MAX_BYTES + 1];
} entry;

static rd_status check_header(rdi_input *in) {
    const uint8_t *head = in->data;
    if (!rdi_native_has_magic(head, RDI_NATIVE_HEADER))
        return rdi_input_fail_byte(in, 0,
                                   "this is not a native trace: the magic number is missing");
    if (head[8] != VERSION && head[8] != VERSION_DESCRIBED)
        return rdi_input_fail_byte(in, 8,
                                   "this is a native trace of version %d, but this release reads "
                                   "only versions %d and %d; use a later release",
                                   head[8], VERSION, VERSION_DESCRIBED);
    if (rdi_load_le64(head + 16) != rdi_xxh64(head, 16, 0))
        return rdi_input_fail_byte(in, 16, "the header is damaged: its checksum is wrong");
    if (head[9] & ~header_fields)
        return rdi_input_fail_byte(in, 9,
                                   "the header has columns that this release does not know, bits "
                                   "0x%02x; use a later release",
                                   head[9] & ~header_fields);
    if (head[10] & ~(FLAG_IDS | FLAG_SAMPLED | FLAG_EVENTS))
        return rdi_input_fail_byte(in, 10,
                                   "the header has flags that this release does not know, bits "
                                   "0x%02x; use a later release",
                                   head[10] & ~(FLAG_IDS | FLAG_SAMPLED | FLAG_EVENTS));
    if (head[11])
        return rdi_input_fail_byte(in, 11, "a reserved byte of the header is %u, not 0",
                                   (unsigned)head[11]);
    size_t most = head[8] == VERSION_DESCRIBED ? RDI_NATIVE_DESCRIPTIONS : 0;
    if (rdi_load_le32(head + 12) > most)
        return rdi_input_fail_byte(
            in, 12, "the header announces %" PRIu32 " bytes of descriptions; at most %zu are valid",
            rdi_load_le32(head + 12), most);
    return RD_OK;
}

static bool is_name(const char *name) {
    return name[0] && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* Reads the description at *offset in the input buffer and advances *offset. All descriptions end
 * at `end`. */
static rd_status take_entry(rdi_input *in, size_t *offset, size_t end, entry *out) {
    const uint8_t *p = in->data + *offset;
    size_t bytes = end - *offset >= ENTRY_BYTES ? p[3] : 0;
    if (bytes == 0 || bytes > NAME_MAX_BYTES || bytes > end - *offset - ENTRY_BYTES)
        return rdi_input_fail_byte(in, *offset,
                                   "a description is cut off, or its name is empty or too long");
    *out = (entry){.about = p[0], .flags = p[1], .number = p[2]};
    memcpy(out->name, p + ENTRY_BYTES, bytes);
    if (out->flags & ~ENTRY_REQUIRED)
        return rdi_input_fail_byte(in, *offset,
                                   "a description has flags that this release does not know, bits "
                                   "0x%02x; use a later release",
                                   (unsigned)out->flags & ~(unsigned)ENTRY_REQUIRED);
    if (!is_name(out->name) || strlen(out->name) != bytes)
        return rdi_input_fail_byte(in, *offset,
                                   "a description has a name with characters other than a-z, 0-9 "
                                   "and _");
    *offset += ENTRY_BYTES + bytes;
    return RD_OK;
}

static const char *about_text(const entry *e) {
    return e->about == ABOUT_COLUMN ? "column" : e->about == ABOUT_EVENT ? "event kind" : "part";
}

/* Handles a description that this release does not know: fails if it is required, otherwise adds
 * its name to head->note. If this release knows the name of a column, it does not know the coding. */
static rd_status skip_entry(rdi_input *in, size_t offset, const entry *e, rdi_native_head *head) {
    bool known = e->about == ABOUT_COLUMN && rdi_column_info_find(e->name);
    const char *coding = known ? "coding of " : "";
    if (e->flags & ENTRY_REQUIRED)
        return rdi_input_fail_byte(in, offset,
                                   "this release does not know the %s%s '%s', without which the "
                                   "trace cannot be read; use a later release",
                                   coding, about_text(e), e->name);
    size_t used = strlen(head->note);
    snprintf(
        head->note + used, sizeof head->note - used, "%s %s%s '%s'",
        used ? ","
             : "this trace has data that this release does not know and skips; to read them, use a "
               "later release:",
        coding, about_text(e), e->name);
    return RD_OK;
}

static rd_status add_column(rdi_input *in, size_t offset, const entry *e, rdi_native_head *head) {
    const rdi_column_info *column = rdi_column_info_find(e->name);
    if (column && (column->field & (head->fields | header_fields)))
        return rdi_input_fail_byte(
            in, offset, "column '%s' is described twice, or the header already has it", e->name);
    if (head->n_columns == RDI_NATIVE_COLUMNS)
        return rdi_input_fail_byte(in, offset, "the trace has more than %d columns",
                                   RDI_NATIVE_COLUMNS);
    if (e->number != CODING_BLOCK)
        column = NULL;
    head->columns[head->n_columns++] = column;
    head->described++;
    head->fields |= column ? column->field : 0;
    return column ? RD_OK : skip_entry(in, offset, e, head);
}

/* Returns the number of the event kind `name`, or 0 if there is none. Only kinds that version 1
 * does not have are searched. */
static unsigned find_event(const char *name) {
    for (unsigned kind = RDI_NATIVE_PLAIN_EVENT + 1; kind < RDI_EVENT_KINDS; kind++) {
        const rdi_event_info *info = rdi_event_info_of(kind);
        if (info && strcmp(info->name, name) == 0)
            return kind;
    }
    return 0;
}

static rd_status add_event(rdi_input *in, size_t offset, const entry *e, rdi_native_head *head) {
    if (e->number <= RDI_NATIVE_PLAIN_EVENT || e->number >= RDI_EVENT_KINDS ||
        head->events.kind[e->number] != 0)
        return rdi_input_fail_byte(
            in, offset, "event kind '%s' has number %u, which is invalid or already used", e->name,
            (unsigned)e->number);
    unsigned kind = find_event(e->name);
    head->events.kind[e->number] = (uint8_t)(kind ? kind : RDI_EVENT_SKIPPED);
    head->has_events = true;
    head->fields |= kind ? rdi_event_info_of(kind)->field : 0;
    return kind ? RD_OK : skip_entry(in, offset, e, head);
}

/* Refuses a second description with the subject and the name of e, whether this release knows them
 * or not. `first` is the offset of e. */
static rd_status check_repeated(rdi_input *in, size_t first, size_t end, const entry *e) {
    for (size_t offset = RDI_NATIVE_HEADER; offset < first;) {
        entry before = {0};
        RD_TRY(take_entry(in, &offset, end, &before));
        if (before.about == e->about && strcmp(before.name, e->name) == 0)
            return rdi_input_fail_byte(in, first, "%s '%s' is described twice", about_text(e),
                                       e->name);
    }
    return RD_OK;
}

static rd_status read_descriptions(rdi_input *in, rdi_native_head *head) {
    size_t end = head->bytes - RDI_NATIVE_CHECK;
    if (rdi_load_le64(in->data + end) !=
        rdi_xxh64(in->data + RDI_NATIVE_HEADER, end - RDI_NATIVE_HEADER, 0))
        return rdi_input_fail_byte(in, end,
                                   "the descriptions are damaged: their checksum is wrong");
    for (size_t offset = RDI_NATIVE_HEADER; offset < end;) {
        size_t first = offset;
        entry e;
        RD_TRY(take_entry(in, &offset, end, &e));
        RD_TRY(check_repeated(in, first, end, &e));
        if (e.about == ABOUT_COLUMN)
            RD_TRY(add_column(in, first, &e, head));
        else if (e.about == ABOUT_EVENT)
            RD_TRY(add_event(in, first, &e, head));
        else if (e.about == ABOUT_TRACE && strcmp(e.name, NO_PROCESSES) == 0)
            head->no_processes = true;
        else
            RD_TRY(skip_entry(in, first, &e, head));
    }
    return RD_OK;
}

/* Sets the columns and event kinds of version 1 that head->fields contains. */
static void set_plain(rdi_native_head *head) {
    const rdi_column_info *column;
    for (size_t i = 0; (column = rdi_column_info_at(i)) != NULL; i++)
        if (column->field & head->fields & RDI_NATIVE_PLAIN_FIELDS)
            head->columns[head->n_columns++] = column;
    for (unsigned kind = 1; kind <= RDI_NATIVE_PLAIN_EVENT; kind++)
        head->events.kind[kind] = head->fields & RD_FIELD_EVENTS ? (uint8_t)kind : 0;
    head->has_events = (head->fields & RD_FIELD_EVENTS) != 0;
}

static rd_status fill(rdi_input *in, size_t bytes) {
    RD_TRY(rdi_input_fill(in, bytes, bytes));
    if (in->avail < bytes)
        return rdi_input_fail_byte(in, in->avail, "the file ends inside its %s",
                                   bytes > RDI_NATIVE_HEADER ? "descriptions" : "header");
    return RD_OK;
}

rd_status rdi_native_head_read(rdi_input *in, rdi_native_head *out) {
    RD_TRY(fill(in, RDI_NATIVE_HEADER));
    RD_TRY(check_header(in));
    unsigned version = in->data[8], flags = in->data[10];
    *out = (rdi_native_head){
        .fields = in->data[9] | (flags & FLAG_EVENTS ? RD_FIELD_EVENTS : 0),
        .ids = (flags & FLAG_IDS) != 0,
        .sampled = (flags & FLAG_SAMPLED) != 0,
        .bytes = RDI_NATIVE_HEADER,
    };
    set_plain(out);
    if (version == VERSION_DESCRIBED) {
        out->bytes += rdi_load_le32(in->data + 12) + RDI_NATIVE_CHECK;
        RD_TRY(fill(in, out->bytes));
        RD_TRY(read_descriptions(in, out));
    }
    rdi_input_consume(in, out->bytes);
    return RD_OK;
}

/* ---- writing ---- */

static size_t put_entry(uint8_t *p, const entry *e, const char *name) {
    size_t bytes = strlen(name);
    const uint8_t front[ENTRY_BYTES] = {(uint8_t)e->about, (uint8_t)e->flags, (uint8_t)e->number,
                                        (uint8_t)bytes};
    memcpy(p, front, ENTRY_BYTES);
    memcpy(p + ENTRY_BYTES, name, bytes);
    return ENTRY_BYTES + bytes;
}

/* Writes to p the descriptions of the columns and event kinds in head->fields that version 1 does
 * not have, adds these columns and kinds to the head, and returns the size of the descriptions. The
 * description of the whole trace is optional: a reader that does not know it reads the same
 * references. */
static size_t describe(rdi_native_head *head, uint8_t *p) {
    size_t bytes = 0;
    if (head->no_processes)
        bytes = put_entry(p, &(entry){.about = ABOUT_TRACE}, NO_PROCESSES);
    const rdi_column_info *column;
    for (size_t i = 0; (column = rdi_column_info_at(i)) != NULL; i++) {
        if (!(column->field & head->fields & ~(uint32_t)RDI_NATIVE_PLAIN_FIELDS))
            continue;
        entry e = {ABOUT_COLUMN, column->required ? ENTRY_REQUIRED : 0, CODING_BLOCK, ""};
        bytes += put_entry(p + bytes, &e, column->name);
        head->columns[head->n_columns++] = column;
        head->described++;
    }
    for (unsigned kind = RDI_NATIVE_PLAIN_EVENT + 1; kind < RDI_EVENT_KINDS; kind++) {
        const rdi_event_info *info = rdi_event_info_of(kind);
        if (!info || !(info->field & head->fields))
            continue;
        entry e = {ABOUT_EVENT, info->required ? ENTRY_REQUIRED : 0, kind, ""};
        bytes += put_entry(p + bytes, &e, info->name);
        head->events.kind[kind] = (uint8_t)kind;
        head->has_events = true;
    }
    return bytes;
}

rd_status rdi_native_head_write(rdi_output *out, rdi_native_head *head) {
    uint8_t bytes[RDI_NATIVE_HEADER + RDI_NATIVE_DESCRIPTIONS + RDI_NATIVE_CHECK] = {0};
    uint8_t *descriptions = bytes + RDI_NATIVE_HEADER;
    set_plain(head);
    size_t described = describe(head, descriptions);
    memcpy(bytes, magic, sizeof magic);
    bytes[8] = described ? VERSION_DESCRIBED : VERSION;
    bytes[9] = (uint8_t)(head->fields & header_fields);
    bytes[10] = (uint8_t)((head->ids ? FLAG_IDS : 0) | (head->sampled ? FLAG_SAMPLED : 0) |
                          (head->fields & RD_FIELD_EVENTS ? FLAG_EVENTS : 0));
    rdi_store_le32(bytes + 12, (uint32_t)described);
    rdi_store_le64(bytes + 16, rdi_xxh64(bytes, 16, 0));
    rdi_store_le64(descriptions + described, rdi_xxh64(descriptions, described, 0));
    head->bytes = RDI_NATIVE_HEADER + (described ? described + RDI_NATIVE_CHECK : 0);
    return rdi_output_write(out, bytes, head->bytes);
}
