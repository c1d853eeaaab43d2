/* Shows the environment: inherited variables, changed ones, removal. */
#include "common.h"

extern char **environ;

int main(void)
{
    const char *inherited = getenv("DIFF_VARIABLE");
    size_t before = 0;
    size_t after = 0;

    for (char **entry = environ; *entry != NULL; entry++) {
        before++;
    }
    printf("inherited: %s\n", inherited != NULL ? inherited : "(none)");
    printf("missing: %s\n", getenv("DIFF_NOT_THERE") == NULL ? "(none)" : "there");
    REQUIRE(setenv("DIFF_NEW", "one", 1) == 0);
    REQUIRE(setenv("DIFF_NEW", "two", 0) == 0);
    printf("kept: %s\n", getenv("DIFF_NEW"));
    REQUIRE(setenv("DIFF_NEW", "two", 1) == 0);
    printf("replaced: %s\n", getenv("DIFF_NEW"));
    for (char **entry = environ; *entry != NULL; entry++) {
        after++;
    }
    printf("grew by %zu\n", after - before);
    REQUIRE(unsetenv("DIFF_VARIABLE") == 0);
    printf("removed: %d\n", getenv("DIFF_VARIABLE") == NULL);
    REQUIRE(clearenv() == 0);
    printf("cleared: %d\n", getenv("DIFF_NEW") == NULL);
    return 0;
}
