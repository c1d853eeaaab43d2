/* Shows classic programs: queens, game of life, sieve, text search, shortest paths, a sudoku. */
#include "common.h"

static int queens(int size, unsigned columns, unsigned left, unsigned right, int row)
{
    int count = 0;

    if (row == size) {
        return 1;
    }
    for (unsigned free = ~(columns | left | right) & ((1u << size) - 1); free != 0;
         free &= free - 1) {
        unsigned bit = free & -free;

        count += queens(size, columns | bit, (left | bit) << 1, (right | bit) >> 1, row + 1);
    }
    return count;
}

static uint64_t life(int generations)
{
    static unsigned char cells[2][64][64];
    uint64_t state = 3;
    int now = 0;

    for (int i = 0; i < 64 * 64; i++) {
        cells[0][i / 64][i % 64] = next_random(&state) % 3 == 0;
    }
    while (generations-- > 0) {
        for (int y = 0; y < 64; y++) {
            for (int x = 0; x < 64; x++) {
                int around = 0;

                for (int d = 0; d < 9; d++) {
                    around += d == 4 ? 0 : cells[now][(y + d / 3 + 63) % 64][(x + d % 3 + 63) % 64];
                }
                cells[!now][y][x] = around == 3 || (around == 2 && cells[now][y][x]);
            }
        }
        now = !now;
    }
    return checksum(CHECKSUM_START, cells[now], sizeof(cells[now]));
}

static int sieve(void)
{
    static unsigned char composite[1000000];
    int count = 0;

    for (int i = 2; i < 1000000; i++) {
        if (!composite[i]) {
            count++;
            for (int k = i * 2; k < 1000000; k += i) {
                composite[k] = 1;
            }
        }
    }
    return count;
}

static size_t search(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    size_t skip[256];
    size_t found = 0;

    for (int i = 0; i < 256; i++) {
        skip[i] = length;
    }
    for (size_t i = 0; i + 1 < length; i++) {
        skip[(unsigned char)word[i]] = length - 1 - i;
    }
    for (size_t at = 0; at + length <= size; at += skip[(unsigned char)text[at + length - 1]]) {
        found += memcmp(text + at, word, length) == 0;
    }
    return found;
}

static uint64_t paths(void)
{
    static unsigned distance[80][80];
    uint64_t state = 9;

    for (int i = 0; i < 80; i++) {
        for (int k = 0; k < 80; k++) {
            distance[i][k] = i == k ? 0 : 1 + (unsigned)(next_random(&state) % 1000);
        }
    }
    for (int m = 0; m < 80; m++) {
        for (int i = 0; i < 80; i++) {
            for (int k = 0; k < 80; k++) {
                unsigned through = distance[i][m] + distance[m][k];

                distance[i][k] = through < distance[i][k] ? through : distance[i][k];
            }
        }
    }
    return checksum(CHECKSUM_START, distance, sizeof(distance));
}

static int solve(char *grid)
{
    char *empty = strchr(grid, '.');

    if (empty == NULL) {
        return 1;
    }
    for (char digit = '1'; digit <= '9'; digit++) {
        int at = (int)(empty - grid);
        int clash = 0;

        for (int i = 0; i < 9; i++) {
            clash |= grid[at / 9 * 9 + i] == digit || grid[at % 9 + 9 * i] == digit ||
                     grid[at / 27 * 27 + at % 9 / 3 * 3 + i / 3 * 9 + i % 3] == digit;
        }
        if (!clash) {
            *empty = digit;
            if (solve(grid)) {
                return 1;
            }
            *empty = '.';
        }
    }
    return 0;
}

int main(void)
{
    static char text[200001];
    char grid[] =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    uint64_t state = 11;

    for (int i = 0; i < 200000; i++) {
        text[i] = "abcd"[next_random(&state) % 4];
    }
    printf("queens %d\n", queens(9, 0, 0, 0, 0));
    printf("life %016lx\n", life(100));
    printf("primes %d\n", sieve());
    printf("found %zu %zu\n", search(text, 200000, "abca"), search(text, 200000, "dcbadcba"));
    printf("paths %016lx\n", paths());
    printf("solved %d %s\n", solve(grid), grid);
    return 0;
}
