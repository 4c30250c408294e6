/* Sections: the optional data of a profile. A section is one table in one file, section_NAME.c, and
 * one line in sections.def. Profiles are read, written, merged and freed with the functions in this
 * table.
 *
 * The data of a section is one object, which the profile owns. Several sections can share one
 * object; one of them is its owner.
 */
#ifndef RDI_SECTIONS_H
#define RDI_SECTIONS_H

#include "base/json_write.h"
#include "profile/profile_build.h"

#define RDI_SECTIONS_MAX 32

typedef struct rdi_profile_reader rdi_profile_reader;
typedef struct rdi_section rdi_section;

struct rdi_section {
    const char *key;          /* key in the profile's JSON object */
    unsigned minor;           /* a file with this section has at least the schema 1.minor */
    const rdi_section *owner; /* the section that owns the data; NULL: this section */
    /* Optional. Returns whether `data`, which other sections share, has anything of this section.
     * Without this function, all data count as having something of this section. */
    bool (*has)(const void *data);
    /* Reads the value of the key into *data, which is NULL unless another section of the same owner
     * has already been read. A failure is stored in r->j. */
    void (*read)(rdi_profile_reader *r, void **data);
    /* Optional. This function is called after the file was read. It returns a text that describes a
     * contradiction between the data and the facts or other data, or NULL if there is none. */
    const char *(*mistake)(const rd_profile_facts *facts, const void *data);
    /* Writes the key and its value, or nothing if `data` has nothing of this section. */
    void (*write)(rd_json_writer *w, const void *data);
    /* Optional. Makes the data *sum of a merged profile from the data of n profiles; data[i] is
     * NULL if profile i does not have the section. *sum may stay NULL. Without this function, a
     * merged profile does not have the section. */
    rd_status (*merge)(rd_ctx *ctx, const void *const *data, size_t n, void **sum);
    void (*free)(rd_ctx *ctx, void *data); /* only owners have it; `data` is not NULL */
};

/* The data of all sections of a profile, by the index of their owner in sections.def. NULL:
 * none. */
typedef struct rdi_sections {
    void *data[RDI_SECTIONS_MAX];
} rdi_sections;

/* Returns the section at `index` in the order of sections.def, or NULL after the last one. */
const rdi_section *rdi_section_at(size_t index);
/* Returns the address of the pointer to a section's data. */
void **rdi_section_slot(rdi_sections *all, const rdi_section *s);

/* Returns the largest `minor` of the sections that have data, or 0 if there are none. */
unsigned rdi_sections_minor(const rdi_sections *all);
void rdi_sections_write(rd_json_writer *w, const rdi_sections *all);
const char *rdi_sections_mistake(const rd_profile_facts *facts, const rdi_sections *all);
rd_status rdi_sections_merge(rd_ctx *ctx, rd_profile *const *profiles, size_t n, rdi_sections *sum);
void rdi_sections_free(rd_ctx *ctx, rdi_sections *all);

/* Returns the sections of a profile (profile.c). */
rdi_sections *rdi_profile_sections(const rd_profile *p);
/* Returns the data of one section, or NULL. */
void *rdi_profile_section(const rd_profile *p, const rdi_section *s);
/* Sets the data of a section. Takes ownership of `data`, which may be NULL, and frees the previous
 * data. */
void rdi_profile_set_section(rd_profile *p, const rdi_section *s, void *data);

#define RDI_SECTION(name) extern const rdi_section rdi_section_##name;
#include "profile/sections.def"
#undef RDI_SECTION

#endif
