/* The manual page, made from the same tables as the help texts. */
#ifndef RD_MAN_H
#define RD_MAN_H

#include <stdio.h>

/* Writes reusedist(1) in the man macro language. */
void print_man(FILE *out);

#endif
