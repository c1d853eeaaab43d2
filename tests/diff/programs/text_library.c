/* Shows the C library's text functions: formats, scanning, conversion, searching, tokens, wide
 * characters. */
#include "common.h"
#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <locale.h>
#include <regex.h>
#include <wchar.h>
#include <wctype.h>

static void show_formats(void)
{
    printf("[%5d] [%-5d] [%05d] [%+d] [%x] [%#X] [%o] [%c] [%.3s] [%10s] [%-10s] [%%]\n", 42, 42,
           42, 42, 255, 255, 8, 'c', "abcdef", "right", "left");
    printf("[%*d] [%-*d] [%.*f] [%lld] [%zu] [%hd] [%" PRIu64 "] [%2s]\n", 6, 1, 6, 2, 2, 3.14159,
           -1ll, (size_t)7, 300, UINT64_MAX, "s");
}

static void show_scanning(void)
{
    int a = 0;
    unsigned b = 0;
    char word[20] = "";
    double number = 0;
    int used = 0;
    int count =
        sscanf("  -17 0xff token 2.5e3 rest", "%d %x %19s %lf%n", &a, &b, word, &number, &used);

    printf("%d: %d %u %s %g %d\n", count, a, b, word, number, used);
    count = sscanf("key=value;x", "%19[^=]=%*[a-z];%c", word, word + 10);
    printf("%d: %s %c\n", count, word, word[10]);
    printf("%ld %lu %ld %d\n", strtol("-0x7fz", NULL, 0), strtoul("777", NULL, 8),
           strtol("99999999999999999999", NULL, 10), errno == ERANGE);
}

static void show_searching(void)
{
    char text[] = "alpha,beta;;gamma delta";
    char *rest = NULL;
    uint64_t hash = CHECKSUM_START;
    char haystack[5000];

    for (char *word = strtok_r(text, ",; ", &rest); word != NULL;
         word = strtok_r(NULL, ",; ", &rest)) {
        printf("[%s]", word);
    }
    printf("\n");
    for (size_t i = 0; i < sizeof(haystack) - 1; i++) {
        haystack[i] = (char)('a' + i * i % 23 % 7);
    }
    haystack[sizeof(haystack) - 1] = '\0';
    memcpy(haystack + 4321, "needle", 6);
    for (size_t i = 0; i < 64; i++) {
        hash = checksum_word(hash, strlen(haystack + i * 7));
        hash = checksum_word(hash, (uint64_t)(strstr(haystack + i, "needle") - haystack));
        hash = checksum_word(hash, (uint64_t)(strchr(haystack + i, 'n') - haystack));
        hash = checksum_word(hash, (uint64_t)((char *)memchr(haystack + i, 'g', 4000) - haystack));
        hash = checksum_word(hash, (uint64_t)(strcmp(haystack + i, haystack + 23) > 0));
        hash = checksum_word(hash, strspn(haystack + i, "abc") * 100 + strcspn(haystack, "g"));
        memmove(haystack + i + 3, haystack + i, 900);
    }
    printf("searches %016lx\n", hash);
}

static void show_patterns(void)
{
    regex_t pattern;
    regmatch_t match[3];
    const char *line = "error 42 at file.c:117, warning";

    REQUIRE(regcomp(&pattern, "([a-z.]+):([0-9]+)", REG_EXTENDED) == 0);
    REQUIRE(regexec(&pattern, line, 3, match, 0) == 0);
    printf("%.*s %.*s\n", (int)(match[1].rm_eo - match[1].rm_so), line + match[1].rm_so,
           (int)(match[2].rm_eo - match[2].rm_so), line + match[2].rm_so);
    printf("no match %d\n", regexec(&pattern, "nothing here", 0, NULL, 0) == REG_NOMATCH);
    regfree(&pattern);
    printf("bad pattern %d\n", regcomp(&pattern, "(", REG_EXTENDED) != 0);
    printf("names %d %d\n", fnmatch("*.c", "file.c", 0), fnmatch("[a-c]?", "dx", 0) != 0);
}

static void show_wide(void)
{
    wchar_t wide[64];
    wchar_t *end = NULL;

    REQUIRE(swprintf(wide, 64, L"%ls-%d-%s", L"wide", 7, "narrow") > 0);
    printf("%zu %d %ld\n", wcslen(wide), wcscmp(wide, L"wide-7-narrow"), wcstol(L"123x", &end, 10));
    printf("%d %d %lc\n", (int)towupper(L'q'), iswalpha(L'5') != 0, (wint_t)wide[0]);
    printf("%s %d\n", setlocale(LC_ALL, ""), isalpha(200) != 0);
}

int main(void)
{
    show_formats();
    show_scanning();
    show_searching();
    show_patterns();
    show_wide();
    return 0;
}
