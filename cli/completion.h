/* Completion scripts for shells, made from the tables of commands and options. */
#ifndef RD_COMPLETION_H
#define RD_COMPLETION_H

#include <stdio.h>

#define COMPLETION_CHOICES "bash|zsh|fish"

/* Prints the script for the shell with index `shell` in COMPLETION_CHOICES. */
void print_completion(FILE *out, unsigned shell);

#endif
