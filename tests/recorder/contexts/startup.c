/* A program with code before and behind the startup code that the C library links into it. */
static int grid[4096];
__attribute__((noinline)) int sum_of_grid(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += grid[i];
    return sum;
}
int main(int n, char **arguments) {
    return arguments[0][0] == sum_of_grid(4095 + n);
}
