/* Exports the tree for pprof: its profile.proto, without compression.
 *
 * Function and location i + 1 are frame i. Text number text_of_frame(i) is the function of frame i, and
 * the next text is its file, or its module if the file is unknown.
 */
#include "report/export.h"
#include "report/protobuf.h"

/* Fields of the messages Profile, ValueType, Sample, Location, Line and Function. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5 };
enum { PROFILE_STRING = 6, PROFILE_DEFAULT_TYPE = 14 };
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

/* Indices in the table of strings: the empty string is 0, then come the unit "count", the names of the
 * values, and the names of the frames. */
enum { TEXT_COUNT = 1, TEXT_VALUES = 2 };

static size_t text_of_frame(const rdi_export *e, size_t frame) {
    return TEXT_VALUES + e->n_values + 2 * frame;
}

/* Writes the stack of a node, innermost frame first, and its values. */
static void put_sample(const rdi_export *e, size_t node, rdi_text *sample, rdi_text *packed,
                       rdi_text *out) {
    for (size_t at = node; at != RD_NO_INDEX; at = e->nodes[at].parent)
        rdi_pb_varint(packed, e->nodes[at].frame + 1);
    rdi_pb_message(sample, SAMPLE_LOCATION, packed);
    for (size_t k = 0; k < e->n_values; k++)
        rdi_pb_varint(packed, rdi_export_value(&e->nodes[node], k));
    rdi_pb_message(sample, SAMPLE_VALUE, packed);
    rdi_pb_message(out, PROFILE_SAMPLE, sample);
}

static void put_frame(const rdi_export *e, size_t frame, rdi_text *message, rdi_text *part,
                      rdi_text *out) {
    size_t text = text_of_frame(e, frame);
    rdi_pb_number(part, LINE_FUNCTION, frame + 1);
    rdi_pb_number(part, LINE_NUMBER, e->frames[frame].line);
    rdi_pb_number(message, LOCATION_ID, frame + 1);
    rdi_pb_message(message, LOCATION_LINE, part);
    rdi_pb_message(out, PROFILE_LOCATION, message);
    rdi_pb_number(message, FUNCTION_ID, frame + 1);
    rdi_pb_number(message, FUNCTION_NAME, text);
    rdi_pb_number(message, FUNCTION_SYSTEM_NAME, text);
    rdi_pb_number(message, FUNCTION_FILE, text + 1);
    rdi_pb_message(out, PROFILE_FUNCTION, message);
}

static void put_texts(const rdi_export *e, rdi_text *out) {
    rdi_pb_string(out, PROFILE_STRING, "");
    rdi_pb_string(out, PROFILE_STRING, "count");
    for (size_t k = 0; k < e->n_values; k++)
        rdi_pb_string(out, PROFILE_STRING, e->names[k]);
    for (size_t i = 0; i < e->n_frames; i++) {
        const rd_call_frame *f = &e->frames[i];
        rdi_pb_string(out, PROFILE_STRING, f->function);
        rdi_pb_string(out, PROFILE_STRING, f->file ? f->file : f->module ? f->module : "");
    }
}

static rd_status pprof_write(const rdi_export *e, rdi_text *out) {
    rdi_text message = rdi_text_start(e->ctx), part = rdi_text_start(e->ctx);
    for (size_t k = 0; k < e->n_values; k++) {
        rdi_pb_number(&message, VALUE_TYPE, TEXT_VALUES + k);
        rdi_pb_number(&message, VALUE_UNIT, TEXT_COUNT);
        rdi_pb_message(out, PROFILE_SAMPLE_TYPE, &message);
    }
    for (size_t i = 0; i < e->n_nodes; i++)
        if (e->nodes[i].references)
            put_sample(e, i, &message, &part, out);
    for (size_t i = 0; i < e->n_frames; i++)
        put_frame(e, i, &message, &part, out);
    put_texts(e, out);
    rdi_pb_number(out, PROFILE_DEFAULT_TYPE, TEXT_VALUES + e->chosen);
    rdi_text_drop(&message);
    rdi_text_drop(&part);
    return RD_OK;
}

const rdi_exporter rdi_exporter_pprof = {"pprof", "a profile for `go tool pprof` and others",
                                         pprof_write};
