/* The files of src/report/html and the chart library, embedded at build time. cmake/embed.cmake
 * writes the array. */
#ifndef RDI_HTML_ASSETS_H
#define RDI_HTML_ASSETS_H

#include <stddef.h>

typedef struct rdi_asset {
    const char *name;          /* name of the file without its folder */
    const unsigned char *data; /* content of the file, followed by a NUL */
    size_t n;
} rdi_asset;

extern const rdi_asset rdi_html_assets[]; /* the last entry has name == NULL */

#endif
