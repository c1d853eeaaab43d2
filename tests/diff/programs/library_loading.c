/* Shows dlopen, dlsym, dlclose: constructors, callbacks, thread-local data, symbols missing,
 * reload. */
#include "common.h"
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

typedef double apply_function(double (*)(double), double);

static double half(double value)
{
    return value / 2;
}

static void *in_thread(void *word)
{
    apply_function *apply = (apply_function *)word;

    return (void *)(long)apply(half, 100);
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen("libplugin_loaded.so", i == 1 ? RTLD_NOW : RTLD_LAZY);
        void *again = NULL;
        apply_function *apply = NULL;
        const int *table = NULL;
        pthread_t thread;
        void *result = NULL;

        REQUIRE(library != NULL);
        again = dlopen("libplugin_loaded.so", RTLD_NOW);
        printf("same handle %d\n", again == library);
        REQUIRE(dlclose(again) == 0);
        apply = (apply_function *)dlsym(library, "plugin_apply");
        table = dlsym(library, "plugin_table");
        REQUIRE(apply != NULL && table != NULL);
        printf("applied %.3f %.3f, table %d\n", apply(half, 5), apply(sqrt, 2), table[5]);
        REQUIRE(pthread_create(&thread, NULL, in_thread, (void *)apply) == 0);
        REQUIRE(pthread_join(thread, &result) == 0);
        printf("in a thread %ld\n", (long)result);
        printf("missing symbol %d, error %d\n", dlsym(library, "plugin_none") == NULL,
               dlerror() != NULL);
        REQUIRE(dlclose(library) == 0);
    }
    printf("missing library %d\n", dlopen("libplugin_none.so", RTLD_NOW) == NULL);
    printf("own symbol %d\n", dlsym(RTLD_DEFAULT, "strlen") != NULL);
    return 0;
}
