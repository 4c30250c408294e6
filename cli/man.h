/* The manual pages, made from the same tables as the help texts. */
#ifndef RD_MAN_H
#define RD_MAN_H

#include "cli.h"

/* Writes reusedist(1) in the man macro language. */
void print_man(FILE *out);
/* Writes reusedist-NAME(1), the page of one command. */
void print_command_man(FILE *out, const command *cmd);

#endif
