/* Skips JSON inside a line of text. The functions return the byte after the text that they skip, or
 * NULL if it is invalid. The line must end with a control character. */
#ifndef RDI_SCAN_JSON_H
#define RDI_SCAN_JSON_H

#include "trace/scan.h"

/* Skips a string. p points to its opening quote. */
static inline const char *rdi_scan_json_string(const char *p) {
    for (p++; *p != '"'; p++) {
        if ((unsigned char)*p < ' ')
            return NULL;
        if (*p == '\\' && (unsigned char)*++p < ' ')
            return NULL;
    }
    return p + 1;
}

/* Skips "key": and the blanks around the colon. */
static inline const char *rdi_scan_json_key(const char *p) {
    p = *p == '"' ? rdi_scan_json_string(p) : NULL;
    if (p)
        p = rdi_scan_blanks(p);
    return p && *p == ':' ? rdi_scan_blanks(p + 1) : NULL;
}

/* Skips a number, true, false or null without checking it strictly. A caller that uses the value
 * checks it. */
static inline const char *rdi_scan_json_word(const char *p) {
    const char *start = p;
    while (rdi_is_digit(*p) || (*p >= 'a' && *p <= 'z') || *p == '+' || *p == '-' || *p == '.' ||
           *p == 'E')
        p++;
    return p > start ? p : NULL;
}

/* Skips a value of any kind. Arrays and objects may be nested 64 levels deep. */
const char *rdi_scan_json_value(const char *p);

#endif
