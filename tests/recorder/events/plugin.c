/* A library whose function walk() makes 50,000 references to 400,000 bytes of its own. */
static volatile long table[50000];

int walk(void) {
    for (int i = 0; i < 50000; i++)
        (void)table[i];
    return 0;
}
