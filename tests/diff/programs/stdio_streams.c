/* Shows stdio streams: seeking, pushing back, buffering modes, memory streams, reading lines,
 * errors. */
#include "common.h"

int main(void)
{
    FILE *file = fopen("data", "w+");
    char line[64] = "";
    char *text = NULL;
    size_t size = 0;
    FILE *memory = NULL;
    fpos_t position;

    REQUIRE(file != NULL);
    for (int i = 0; i < 1000; i++) {
        REQUIRE(fprintf(file, "line %d\n", i) > 0);
    }
    REQUIRE(fseek(file, 0, SEEK_SET) == 0 && fgets(line, sizeof(line), file) != NULL);
    printf("first %s", line);
    REQUIRE(fgetpos(file, &position) == 0 && fseek(file, -9, SEEK_END) == 0);
    REQUIRE(fgets(line, sizeof(line), file) != NULL);
    printf("last %s", line);
    printf("end: %d", fgetc(file));
    printf(" %d\n", feof(file) != 0);
    REQUIRE(fsetpos(file, &position) == 0 && ungetc('#', file) == '#');
    REQUIRE(fscanf(file, "%63s", line) == 1);
    printf("pushed back %s, at %ld\n", line, ftell(file));
    REQUIRE(fflush(file) == 0 && fseek(file, 100, SEEK_SET) == 0 && fputs("OVER", file) >= 0);
    REQUIRE(fseek(file, 96, SEEK_SET) == 0 && fread(line, 1, 12, file) == 12);
    printf("overwritten %.4s\n", line + 4);
    rewind(file);
    for (int i = 0; i < 3; i++) {
        REQUIRE(getline(&text, &size, file) > 0);
    }
    printf("third %s", text);
    free(text);
    REQUIRE(fclose(file) == 0);
    memory = open_memstream(&text, &size);
    REQUIRE(memory != NULL && fprintf(memory, "%d-%s", 12, "memory") > 0 && fclose(memory) == 0);
    printf("memory stream %s %zu\n", text, size);
    memory = fmemopen(text, size, "r");
    REQUIRE(memory != NULL && fscanf(memory, "%d-%63s", &(int){0}, line) == 2);
    printf("read back %s\n", line);
    fclose(memory);
    free(text);
    file = fopen("data", "r");
    printf("write to a reader: %d, error %d\n", fputc('x', file), ferror(file) != 0);
    printf("missing: %d\n", fopen("none/none", "r") == NULL);
    setvbuf(stderr, NULL, _IOFBF, 512);
    fprintf(stderr, "to standard error %d\n", 1);
    fflush(stderr);
    file = freopen("copy", "w", stdout);
    REQUIRE(file != NULL && printf("redirected\n") > 0 && fflush(stdout) == 0);
    return dprintf(2, "done\n") == 5 ? 0 : 1;
}
