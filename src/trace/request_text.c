/* Reads the values of requests in text. See request_text.h. */
#include "trace/request_text.h"

#define SECOND UINT64_C(1000000000)

uint64_t rdi_time_unit(uint32_t unit) {
    static const uint64_t nanoseconds[] = {[RDI_TIME_S] = SECOND,
                                           [RDI_TIME_MS] = 1000000,
                                           [RDI_TIME_US] = 1000,
                                           [RDI_TIME_NS] = 1,
                                           [RDI_TIME_FILETIME] = 100};
    return nanoseconds[unit];
}

/* Returns a text that says why a value is not a whole number. */
static const char *not_digits(const char *text, size_t n) {
    if (n > 1 && text[0] == '-' && rdi_is_digit(text[1]))
        return "is negative";
    return n > 1 && rdi_is_digit(text[0]) && memchr(text, '.', n) ? "is not a whole number"
                                                                  : "is not a number";
}

/* Reads digits up to the end of the value. */
static const char *read_digits(const char *text, size_t n, uint64_t *out) {
    if (!rdi_all_digits(text, n, false))
        return not_digits(text, n);
    return rdi_scan_dec(text, out) ? NULL : "does not fit in 64 bits";
}

/* Ignores fractional digits that are below a nanosecond: digits after the ninth if the unit is a
 * second. */
const char *rdi_read_time(const char *text, size_t n, uint64_t unit, uint64_t *out) {
    static const char large[] =
        "is too large for this unit of time; name a smaller unit with time-unit=";
    const char *dot = memchr(text, '.', n);
    size_t whole = dot ? (size_t)(dot - text) : n;
    uint64_t value = 0, rest = 0, scale = unit;
    const char *wrong = read_digits(text, whole, &value);
    if (wrong)
        return wrong;
    if (dot && whole + 1 < n && !rdi_all_digits(dot + 1, n - whole - 1, false))
        return "is not a number";
    for (size_t i = whole + 1; i < n && scale >= 10; i++) {
        scale /= 10;
        rest += (uint64_t)(text[i] - '0') * scale;
    }
    bool lost = __builtin_mul_overflow(value, unit, &value);
    return lost || __builtin_add_overflow(value, rest, out) ? large : NULL;
}

const char *rdi_read_lifetime(const char *text, size_t n, uint64_t *out) {
    uint64_t seconds = 0;
    const char *wrong = read_digits(text, n, &seconds);
    if (wrong)
        return wrong;
    *out = seconds > INT64_MAX / SECOND ? UINT64_MAX : seconds * SECOND;
    return NULL;
}

const char *rdi_read_bytes(const char *text, size_t n, uint64_t *out) {
    const char *wrong = read_digits(text, n, out);
    return !wrong && *out > INT64_MAX ? "is not below 2^63" : wrong;
}

/* The list begins with the names of gets, because most requests are gets. */
const char *rdi_read_operation(const char *text, size_t n, uint64_t *out) {
    static const struct {
        const char *words;
        rd_operation operation;
    } known[] = {
        {"get|gets|read|r|rd|head|load|l|get_lease|0", RD_OPERATION_READ},
        {"set|add|replace|cas|append|prepend|incr|decr|put|write|w|wr|store|s|copy|set_lease|1",
         RD_OPERATION_WRITE},
        {"touch", RD_OPERATION_TOUCH},
        {"gat|gats", RD_OPERATION_READ_TOUCH},
        {"delete|del|remove", RD_OPERATION_DELETE},
    };
    for (size_t i = 0; i < RDI_COUNT(known); i++)
        if (rdi_csv_matches(text, n, known[i].words)) {
            *out = (uint64_t)known[i].operation;
            return NULL;
        }
    return "is not a known operation, such as get, set or delete";
}
