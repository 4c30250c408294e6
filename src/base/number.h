/* Converts numbers to and from text. The library prints and parses real numbers only with these
 * functions, because the functions of the C library depend on the locale, which belongs to the program
 * that uses this library. */
#ifndef RDI_NUMBER_H
#define RDI_NUMBER_H

#include "base/common.h"

#include <stdarg.h>

/* These functions work like their counterparts in the C library, in the C locale. */
double rdi_strtod(const char *text, char **end);
int rdi_snprintf(char *text, size_t room, const char *format, ...) RDI_PRINTF(3, 4);
int rdi_vsnprintf(char *text, size_t room, const char *format, va_list args) RDI_PRINTF(3, 0);

#endif
