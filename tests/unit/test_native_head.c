/* Tests the header of a native trace with hand-made files of later releases, which have columns and
 * kinds of events that this release does not know. */
#include "support/traces.h"
#include "trace/checksum.h"
#include "trace/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLUMN = 1, EVENT = 2, TRACE = 3, OPTIONAL = 0, REQUIRED = 1, REFS = 3, STEP = 4096 };

/* A file under construction. */
static struct {
    uint8_t bytes[8192];
    size_t n;
    uint64_t references, events; /* numbers of references and events in the frames so far */
} file;

static void put(const void *bytes, size_t n) {
    if (n) /* memcpy() must not see NULL */
        memcpy(file.bytes + file.n, bytes, n);
    file.n += n;
}

static void put_u32(uint32_t x) {
    uint8_t bytes[4];
    rdi_store_le32(bytes, x);
    put(bytes, sizeof bytes);
}

static void put_u64(uint64_t x) {
    uint8_t bytes[8];
    rdi_store_le64(bytes, x);
    put(bytes, sizeof bytes);
}

/* Writes a header of version 2 with neither sizes nor kinds. The caller adds the descriptions. */
static void begin_file(uint8_t flags) {
    memset(&file, 0, sizeof file);
    put("\x89RDT\r\n\x1a\n\2", 9);
    file.n = 10;
    put(&flags, 1);
    file.n = RDI_NATIVE_HEADER;
}

static void describe(uint8_t about, uint8_t flags, uint8_t number, const char *name) {
    const uint8_t front[] = {about, flags, number, (uint8_t)strlen(name)};
    put(front, sizeof front);
    put(name, strlen(name));
}

static void seal_head(void) {
    size_t described = file.n - RDI_NATIVE_HEADER;
    rdi_store_le32(file.bytes + 12, (uint32_t)described);
    rdi_store_le64(file.bytes + 16, rdi_xxh64(file.bytes, 16, 0));
    put_u64(rdi_xxh64(file.bytes + RDI_NATIVE_HEADER, described, 0));
}

/* Writes a column block with one slot and one symbol: each value is STEP more than the previous
 * one. */
static void put_block(uint64_t base) {
    static const uint8_t front[] = {1, 0, 1, 0, 0, 0, 0, 0};
    put(front, sizeof front);
    put_u64(base);
    put_u64(0);
    put_u64(STEP);
    put_u32(0);
}

static size_t begin_frame(uint32_t count) {
    size_t start = file.n;
    put_u32(count);
    put_u32(0);
    return start;
}

static void seal_frame(size_t start, uint64_t events) {
    rdi_store_le32(file.bytes + start + 4, (uint32_t)(file.n - start - RDI_NATIVE_FRAME));
    put_u64(rdi_xxh64(file.bytes + start, file.n - start,
                      rdi_native_seed(file.references, file.events)));
    file.references += rdi_load_le32(file.bytes + start);
    file.events += events;
}

/* Writes a frame with three references and the n bytes of described columns at `more`. */
static void put_references(const void *more, size_t n) {
    size_t start = begin_frame(REFS);
    put_block(0);
    put(more, n);
    seal_frame(start, 0);
}

static void end_file(void) {
    seal_frame(begin_frame(0), 0);
}

/* A described column as a frame has it: the number of its bytes, 5, and bytes that no release can
 * decode. */
static const uint8_t strange[] = {5, 0, 0, 0, 'h', 'e', 'l', 'l', 'o'};

static void assert_references(const traces_result *r) {
    assert_string_equal(r->error, "");
    assert_int_equal(r->n, REFS);
    for (size_t i = 0; i < REFS; i++)
        assert_int_equal(r->addr[i], (i + 1) * STEP);
}

static void assert_read(const char *note) {
    traces_result r = traces_read(NULL, file.bytes, file.n);
    assert_references(&r);
    assert_string_equal(r.note, note);
    traces_free(&r);
}

static void assert_refused(const char *message) {
    traces_result r = traces_read(NULL, file.bytes, file.n);
    assert_int_equal(r.status, RD_EFORMAT);
    if (!strstr(r.error, message))
        fail_msg("the message '%s' does not contain '%s'", r.error, message);
    traces_free(&r);
}

/* ---- columns ---- */

static void make_column(uint8_t flags, uint8_t coding, const char *name) {
    begin_file(0);
    describe(COLUMN, flags, coding, name);
    seal_head();
    put_references(strange, sizeof strange);
    end_file();
}

/* the note before the names of what is skipped */
#define SKIPS                                                                                      \
    "this trace has data that this release does not know and skips; to read them, use a later "    \
    "release: "

static void an_unknown_column_is_skipped_with_a_note(void **state) {
    (void)state;
    make_column(OPTIONAL, 1, "time");
    assert_read(SKIPS "column 'time'");
    make_column(OPTIONAL, 77, "time"); /* the coding is also unknown */
    assert_read(SKIPS "column 'time'");
}

static void a_column_with_an_unknown_coding_is_not_called_unknown(void **state) {
    (void)state;
    make_column(OPTIONAL, 77, "context");
    assert_read(SKIPS "coding of column 'context'");
    make_column(REQUIRED, 77, "context");
    assert_refused("this release does not know the coding of column 'context'");
}

static void an_unknown_column_that_is_required_is_refused_by_name(void **state) {
    (void)state;
    make_column(REQUIRED, 1, "operation");
    assert_refused("t: byte 24: this release does not know the column 'operation', without which "
                   "the trace cannot be read; use a later release");
}

static void a_column_of_the_header_is_not_described(void **state) {
    (void)state;
    make_column(OPTIONAL, 1, "pc");
    assert_refused("column 'pc' is described twice, or the header already has it");
}

static void a_name_is_described_once_even_if_it_is_unknown(void **state) {
    (void)state;
    for (uint8_t about = COLUMN; about <= EVENT; about++) {
        begin_file(0);
        describe(about, OPTIONAL, about == COLUMN ? 1 : 20, "time");
        describe(about, OPTIONAL, about == COLUMN ? 1 : 21, "time");
        seal_head();
        assert_refused("'time' is described twice");
    }
}

static void a_known_column_is_described_once(void **state) {
    (void)state;
    begin_file(0);
    describe(COLUMN, OPTIONAL, 1, "context");
    describe(COLUMN, OPTIONAL, 1, "context");
    seal_head();
    assert_refused(": column 'context' is described twice");
}

static void a_skipped_column_stays_inside_its_frame(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *message;
    } wrong[] = {
        {"\6\0\0\0hello", 9, "a column is cut off"},
        {"\0\0\0", 3, "a column is cut off"},
        {"\4\0\0\0hello", 9, "its columns are followed by extra bytes"},
    };
    for (size_t i = 0; i < RDI_COUNT(wrong); i++) {
        begin_file(0);
        describe(COLUMN, OPTIONAL, 1, "time");
        seal_head();
        put_references(wrong[i].bytes, wrong[i].n);
        assert_refused(wrong[i].message);
    }
}

static void there_are_only_so_many_columns(void **state) {
    (void)state;
    begin_file(0);
    for (char name[] = "a"; name[0] <= 'a' + RDI_NATIVE_COLUMNS; name[0]++)
        describe(COLUMN, OPTIONAL, 1, name);
    seal_head();
    assert_refused("more than 16 columns");
}

/* ---- events ---- */

/* Writes an allocation, an unknown event with a body of 3 bytes, and an allocation, with one
 * reference after each. */
static void make_events(uint8_t flags, uint8_t number) {
    const uint8_t events[] = {2,   0,   7,   0x80, 0x20, 64, 0,    number, 1,  7, 3,
                              'a', 'b', 'c', 2,    1,    7,  0x80, 0x20,   32, 0};
    begin_file(4);
    describe(EVENT, flags, number, "lock");
    seal_head();
    size_t start = begin_frame(0);
    put(events, sizeof events);
    seal_frame(start, 3);
    put_references(NULL, 0);
    end_file();
}

static void an_unknown_kind_of_event_is_skipped_with_a_note(void **state) {
    (void)state;
    make_events(OPTIONAL, 9);
    assert_read(SKIPS "event kind 'lock'");
    rd_ctx *ctx = NULL;
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    const rd_event *events = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_trace_open_memory(ctx, "t", file.bytes, file.n, NULL, &t), RD_OK);
    assert_int_equal(rd_trace_read(t, &refs), RD_OK);
    assert_int_equal(refs->fields, RD_FIELD_EVENTS);
    assert_int_equal(rd_trace_events(t, &events), 2);
    assert_true(events[0].kind == RD_EVENT_ALLOCATE && events[0].at == 0);
    assert_true(events[1].kind == RD_EVENT_ALLOCATE && events[1].at == 2);
    assert_true(events[0].address == 2048 && events[1].address == 4096 && events[1].size == 32);
    rd_trace_close(t);
    rd_ctx_free(ctx);
}

static void an_unknown_kind_of_event_that_is_required_is_refused_by_name(void **state) {
    (void)state;
    make_events(REQUIRED, 9);
    assert_refused("this release does not know the event kind 'lock'");
}

static void a_kind_has_a_number_of_its_own(void **state) {
    (void)state;
    static const uint8_t taken[] = {0, 1, RD_EVENT_UNLOAD, RDI_EVENT_KINDS, 255};
    for (size_t i = 0; i < sizeof taken; i++) {
        make_events(OPTIONAL, taken[i]);
        assert_refused("event kind 'lock' has number");
    }
    begin_file(4);
    describe(EVENT, OPTIONAL, 9, "lock");
    describe(EVENT, OPTIONAL, 9, "unlock");
    seal_head();
    assert_refused("event kind 'unlock' has number");
}

static void a_kind_that_is_not_described_is_damage(void **state) {
    (void)state;
    make_events(OPTIONAL, 9);
    size_t number = RDI_NATIVE_HEADER + 8 + RDI_NATIVE_CHECK + RDI_NATIVE_FRAME + 7;
    assert_int_equal(file.bytes[number], 9);
    file.bytes[number] = 10;
    size_t start = number - 7 - RDI_NATIVE_FRAME;
    rdi_store_le64(file.bytes + start + RDI_NATIVE_FRAME + 21,
                   rdi_xxh64(file.bytes + start, RDI_NATIVE_FRAME + 21, 0));
    assert_refused("an event has an unknown kind");
}

/* ---- descriptions ---- */

static void other_descriptions_are_skipped_with_a_note(void **state) {
    (void)state;
    begin_file(0);
    describe(3, OPTIONAL, 1, "unit");
    describe(COLUMN, OPTIONAL, 1, "time");
    seal_head();
    put_references(strange, sizeof strange);
    end_file();
    assert_read(SKIPS "part 'unit', column 'time'");
    begin_file(0);
    describe(200, REQUIRED, 1, "unit");
    seal_head();
    assert_refused("this release does not know the part 'unit'");
}

static void names_and_flags_are_checked(void **state) {
    (void)state;
    begin_file(0);
    describe(COLUMN, 2, 1, "time");
    seal_head();
    assert_refused(
        "a description has flags that this release does not know, bits 0x02; use a later release");
    begin_file(0);
    describe(COLUMN, OPTIONAL, 1, "\x1b[31m");
    seal_head();
    assert_refused("a description has a name with characters other than");
    begin_file(0);
    describe(COLUMN, OPTIONAL, 1, "");
    seal_head();
    assert_refused("a description is cut off, or its name is empty or too long");
    begin_file(0);
    describe(COLUMN, OPTIONAL, 1, "time");
    file.n--;
    seal_head();
    assert_refused("a description is cut off, or its name is empty or too long");
}

static void every_damaged_byte_of_the_head_is_found(void **state) {
    (void)state;
    make_column(OPTIONAL, 1, "time");
    size_t head = RDI_NATIVE_HEADER + 8 + RDI_NATIVE_CHECK;
    for (size_t i = 0; i < head; i++) {
        file.bytes[i] ^= 1;
        traces_result r = traces_read("native", file.bytes, file.n);
        assert_int_equal(r.status, RD_EFORMAT);
        assert_int_equal(r.n, 0);
        traces_free(&r);
        file.bytes[i] ^= 1;
        r = traces_read("native", file.bytes, i);
        assert_int_equal(r.status, RD_EFORMAT);
        traces_free(&r);
    }
}

/* ---- writing ---- */

static void a_trace_without_further_parts_has_version_1(void **state) {
    (void)state;
    static const uint64_t addr[] = {1, 2, 3};
    size_t bytes = 0;
    rd_refs refs = {.n = REFS, .fields = RDI_NATIVE_PLAIN_FIELDS, .addr = addr};
    uint8_t *written = traces_write("native", &refs, false, &bytes);
    assert_int_equal(written[8], 1);
    assert_int_equal(rdi_load_le32(written + 12), 0);
    free(written);
}

/* ---- processes ---- */

/* Returns rd_trace_has_processes() of a trace in memory, which must have no note. */
static bool has_processes(const uint8_t *bytes, size_t n) {
    rd_ctx *ctx = NULL;
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_trace_open_memory(ctx, "t", bytes, n, "native", &t), RD_OK);
    assert_int_equal(rd_trace_read(t, &refs), RD_OK);
    assert_int_equal(refs->n, REFS);
    assert_null(rd_trace_note(t));
    bool processes = rd_trace_has_processes(t);
    rd_trace_close(t);
    rd_ctx_free(ctx);
    return processes;
}

static bool written_with_processes(const char *spec, bool ids) {
    static const uint64_t addr[] = {1, 2, UINT64_MAX};
    size_t bytes = 0;
    rd_refs refs = {.n = REFS, .addr = addr};
    uint8_t *written = traces_write(spec, &refs, ids, &bytes);
    bool processes = has_processes(written, bytes);
    free(written);
    return processes;
}

static void addresses_name_processes_unless_the_file_says_otherwise(void **state) {
    (void)state;
    assert_true(written_with_processes("native", false));
    assert_true(written_with_processes("native:processes=on", false));
    assert_false(written_with_processes("native:processes=off", false));
}

static void object_ids_never_name_processes(void **state) {
    (void)state;
    assert_false(written_with_processes("native", true));
    assert_false(written_with_processes("native:processes=off", true));
}

static void the_mark_of_processes_may_be_required(void **state) {
    (void)state;
    for (uint8_t flags = OPTIONAL; flags <= REQUIRED; flags++) {
        begin_file(0);
        describe(TRACE, flags, 0, "no_processes");
        seal_head();
        put_references(NULL, 0);
        end_file();
        assert_false(has_processes(file.bytes, file.n));
    }
    begin_file(0);
    describe(TRACE, OPTIONAL, 0, "no_processes");
    describe(TRACE, OPTIONAL, 1, "no_processes");
    seal_head();
    assert_refused("part 'no_processes' is described twice");
}

static void fields_have_names(void **state) {
    (void)state;
    assert_string_equal(rd_field_name(RD_FIELD_SIZE), "size");
    assert_string_equal(rd_field_name(RD_FIELD_KIND), "kind");
    assert_string_equal(rd_field_name(RD_FIELD_PC), "pc");
    assert_string_equal(rd_field_name(RD_FIELD_THREAD), "thread");
    assert_string_equal(rd_field_name(RD_FIELD_EVENTS), "events");
    assert_string_equal(rd_field_name(RD_FIELD_BYTES), "bytes");
    assert_null(rd_field_name(RD_FIELD_MORE(5)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_column_is_skipped_with_a_note),
        cmocka_unit_test(a_column_with_an_unknown_coding_is_not_called_unknown),
        cmocka_unit_test(an_unknown_column_that_is_required_is_refused_by_name),
        cmocka_unit_test(a_column_of_the_header_is_not_described),
        cmocka_unit_test(a_name_is_described_once_even_if_it_is_unknown),
        cmocka_unit_test(a_known_column_is_described_once),
        cmocka_unit_test(a_skipped_column_stays_inside_its_frame),
        cmocka_unit_test(there_are_only_so_many_columns),
        cmocka_unit_test(an_unknown_kind_of_event_is_skipped_with_a_note),
        cmocka_unit_test(an_unknown_kind_of_event_that_is_required_is_refused_by_name),
        cmocka_unit_test(a_kind_has_a_number_of_its_own),
        cmocka_unit_test(a_kind_that_is_not_described_is_damage),
        cmocka_unit_test(other_descriptions_are_skipped_with_a_note),
        cmocka_unit_test(names_and_flags_are_checked),
        cmocka_unit_test(every_damaged_byte_of_the_head_is_found),
        cmocka_unit_test(a_trace_without_further_parts_has_version_1),
        cmocka_unit_test(addresses_name_processes_unless_the_file_says_otherwise),
        cmocka_unit_test(object_ids_never_name_processes),
        cmocka_unit_test(the_mark_of_processes_may_be_required),
        cmocka_unit_test(fields_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
