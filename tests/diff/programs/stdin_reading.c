/* Shows standard input read by words and by lines through stdio: counts and a checksum. */
#include "common.h"
#include <ctype.h>

int main(void)
{
    char line[512];
    size_t lines = 0;
    size_t words = 0;
    size_t longest = 0;
    uint64_t hash = CHECKSUM_START;

    while (fgets(line, sizeof(line), stdin) != NULL) {
        size_t length = strlen(line);

        lines++;
        longest = length > longest ? length : longest;
        hash = checksum(hash, line, length);
        for (size_t i = 0; i < length; i++) {
            words +=
                !isspace((unsigned char)line[i]) && (i == 0 || isspace((unsigned char)line[i - 1]));
        }
    }
    printf("%zu lines, %zu words, longest %zu, %016lx\n", lines, words, longest, hash);
    printf("end %d, error %d, again %d\n", feof(stdin) != 0, ferror(stdin) != 0, getchar());
    return 0;
}
