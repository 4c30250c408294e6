/* Declarations that both files of the program use. */
#ifndef TABLE_H
#define TABLE_H

#define ENTRIES 100

int sum(const int *values, int n);

#endif
