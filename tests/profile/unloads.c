/* Calls a function of a library that it loads and unloads again, several times. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    long sum = 0;
    for (int i = 0; count > 1 && i < 3; i++) {
        void *library = dlopen(words[1], RTLD_NOW);
        long (*work)(long) = NULL;
        if (library == NULL) {
            printf("%s\n", dlerror());
            return 1;
        }
        *(void **)&work = dlsym(library, "work");
        sum += work(1000);
        dlclose(library);
    }
    printf("%ld\n", sum);
    return 0;
}
