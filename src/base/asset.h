/* Files that are embedded in the library at build time. cmake/embed.cmake writes the arrays. */
#ifndef RDI_ASSET_H
#define RDI_ASSET_H

#include <stddef.h>

typedef struct rdi_asset {
    const char *name;          /* name of the file without its folder */
    const unsigned char *data; /* contents of the file, followed by a NUL */
    size_t n;
} rdi_asset;

/* In every array the last entry has name == NULL. */
extern const rdi_asset rdi_html_assets[];    /* src/report/html and the chart library */
extern const rdi_asset rdi_machine_assets[]; /* src/machine/machines.conf */

#endif
