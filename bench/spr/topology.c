/* Reads what Linux says about processors and caches under /sys/devices/system/cpu. */
#define _GNU_SOURCE
#include "topology.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHES_MAX 8
#define FOLDER_DEFAULT "/sys/devices/system/cpu"

/* A test may have a host of its own. */
static const char *folder(void)
{
    const char *other = getenv("SPR_CPU_FOLDER");
    return other != NULL ? other : FOLDER_DEFAULT;
}

static bool read_text(int processor, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cpu%d/%s", folder(), processor, name);
    FILE *file = fopen(path, "r");
    const bool read = file != NULL && fgets(text, (int)size, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    return read;
}

/* Lists are like 0-3,8. */
static bool list_has(const char *list, long number)
{
    const char *at = list;
    while (*at >= '0' && *at <= '9') {
        char *end;
        const long first = strtol(at, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (number >= first && number <= last) {
            return true;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return false;
}

static size_t parse_bytes(const char *text)
{
    char *end;
    const size_t number = strtoull(text, &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

/* The nearest cache for data that both use; 0 if there is none. */
static int shared_level(int first, int second, size_t *bytes)
{
    int nearest = 0;
    for (int i = 0; i < CACHES_MAX; i++) {
        char name[64], level[16], kind[32], list[1024], size[32];
        snprintf(name, sizeof name, "cache/index%d/level", i);
        if (!read_text(first, name, level, sizeof level)) {
            break;
        }
        snprintf(name, sizeof name, "cache/index%d/type", i);
        const bool data = read_text(first, name, kind, sizeof kind) && kind[0] != 'I';
        snprintf(name, sizeof name, "cache/index%d/shared_cpu_list", i);
        const bool shared = read_text(first, name, list, sizeof list) && list_has(list, second);
        const int number = atoi(level);
        if (data && shared && (nearest == 0 || number < nearest)) {
            nearest = number;
            snprintf(name, sizeof name, "cache/index%d/size", i);
            *bytes = read_text(first, name, size, sizeof size) ? parse_bytes(size) : 0;
        }
    }
    return nearest;
}

static bool may_use(const cpu_set_t *allowed, int processor)
{
    return CPU_ISSET((size_t)processor, allowed);
}

bool topology_find(struct topology_pair *pair)
{
    cpu_set_t allowed;
    *pair = (struct topology_pair){.level = 0};
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return false;
    }
    for (int first = 0; first < CPU_SETSIZE; first++) {
        for (int second = first + 1; may_use(&allowed, first) && second < CPU_SETSIZE; second++) {
            size_t bytes = 0;
            const int level = may_use(&allowed, second) ? shared_level(first, second, &bytes) : 0;
            if (level != 0 && (pair->level == 0 || level < pair->level)) {
                char list[1024];
                *pair = (struct topology_pair){
                    .first = first, .second = second, .level = level, .bytes = bytes};
                pair->siblings =
                    read_text(first, "topology/thread_siblings_list", list, sizeof list) &&
                    list_has(list, second);
            }
        }
    }
    return pair->level != 0;
}
