/* Shows calendar time: conversion both ways over centuries, formats, normalization, in UTC. */
#include "common.h"
#include <time.h>

int main(void)
{
    uint64_t hash = CHECKSUM_START;
    struct tm parts;
    char text[128];
    int wrong = 0;

    for (time_t time = -4000000000; time < 8000000000; time += 98765432) {
        REQUIRE(gmtime_r(&time, &parts) != NULL);
        wrong += timegm(&parts) != time;
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S %j %U %a %b", &parts);
        hash = checksum(hash, text, strlen(text));
    }
    printf("wrong %d, texts %016lx, last %s\n", wrong, hash, text);
    memset(&parts, 0, sizeof(parts));
    parts.tm_year = 124;
    parts.tm_mon = 13;
    parts.tm_mday = 31;
    parts.tm_hour = 49;
    printf("normalized %ld\n", (long)mktime(&parts));
    strftime(text, sizeof(text), "%c | %x | %X | %p | %Z", &parts);
    printf("%s\n", text);
    printf("parsed %d\n", strptime("2024-02-29 12:34:56", "%Y-%m-%d %H:%M:%S", &parts) != NULL);
    printf("%d %d %d\n", parts.tm_yday, parts.tm_wday, parts.tm_sec);
    return 0;
}
