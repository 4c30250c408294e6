/* The API of section "fields", of a later release. */
#ifndef TEST_SECTION_FIELDS_H
#define TEST_SECTION_FIELDS_H

#include "profile/sections.h"

/* Fields that were touched; 0 without the section. */
uint64_t fields_of(const rd_profile *p);

#endif
