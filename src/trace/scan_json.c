/* Skips JSON values. See scan_json.h. */
#include "trace/scan_json.h"

#define DEPTH_MAX 64

static const char *skip_value(const char *p, unsigned depth);

/* Skips an array or object. p points to its opening bracket. */
static const char *skip_nested(const char *p, unsigned depth) {
    char close = *p == '{' ? '}' : ']';
    p = rdi_scan_blanks(p + 1);
    if (*p == close)
        return p + 1;
    while (depth < DEPTH_MAX) {
        p = close == '}' ? rdi_scan_json_key(p) : p;
        p = p ? skip_value(p, depth + 1) : NULL;
        if (!p)
            return NULL;
        p = rdi_scan_blanks(p);
        if (*p == close)
            return p + 1;
        if (*p != ',')
            return NULL;
        p = rdi_scan_blanks(p + 1);
    }
    return NULL;
}

static const char *skip_value(const char *p, unsigned depth) {
    if (*p == '"')
        return rdi_scan_json_string(p);
    return *p == '{' || *p == '[' ? skip_nested(p, depth) : rdi_scan_json_word(p);
}

const char *rdi_scan_json_value(const char *p) {
    return skip_value(p, 0);
}
