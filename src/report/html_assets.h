/* Files of src/report/html, and the chart library, as they were when this was built. The array is
 * written by cmake/embed.cmake. */
#ifndef RDI_HTML_ASSETS_H
#define RDI_HTML_ASSETS_H

#include <stddef.h>

typedef struct rdi_asset {
    const char *name;          /* of the file, without its folder */
    const unsigned char *data; /* and a NUL behind */
    size_t n;
} rdi_asset;

extern const rdi_asset rdi_html_assets[]; /* ends with name == NULL */

#endif
