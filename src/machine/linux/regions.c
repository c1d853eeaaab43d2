/* The sorted list of address ranges that show a file, cut and split as mappings come and go. */
#include "machine/linux/regions.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void insert(struct region **regions, struct region *region)
{
    struct region **at = regions;

    while (*at != NULL && (*at)->start < region->start) {
        at = &(*at)->next;
    }
    region->next = *at;
    *at = region;
}

static struct region *copy_region(const struct region *from)
{
    struct region *copy = malloc(sizeof *copy);

    if (copy == NULL) {
        return NULL;
    }
    *copy = *from;
    copy->name = strdup(from->name);
    if (copy->name == NULL) {
        free(copy);
        return NULL;
    }
    return copy;
}

static bool add(struct region **regions, const struct region *region)
{
    struct region *copy = copy_region(region);

    if (copy != NULL) {
        insert(regions, copy);
    }
    return copy != NULL;
}

void region_add_file(struct region **regions, guest_addr start, uint64_t bytes, int host_fd,
                     uint64_t offset)
{
    char link[64];
    char name[PATH_MAX];
    struct stat status;

    snprintf(link, sizeof link, "/proc/self/fd/%d", host_fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    if (length < 0 || fstat(host_fd, &status) != 0) {
        return;
    }
    name[length] = '\0';
    struct region region = {
        .start = start,
        .end = start + bytes,
        .offset = offset,
        .device = status.st_dev,
        .inode = status.st_ino,
        .segment = NO_SEGMENT,
        .name = name,
    };
    add(regions, &region);
}

/* Named as in Linux, where the file behind a segment is one that was never in a folder. */
bool region_add_segment(struct region **regions, guest_addr start, uint64_t bytes, int segment,
                        uint32_t key)
{
    char name[32];
    struct region region = {
        .start = start,
        .end = start + bytes,
        .device = makedev(0, 1),
        .inode = (ino_t)segment,
        .segment = segment,
        .name = name,
    };

    snprintf(name, sizeof name, "/SYSV%08x (deleted)", key);
    return add(regions, &region);
}

/* Cuts `region` at `address`, which is inside it; the second part follows it in
 * the list. */
static void split(struct region *region, guest_addr address)
{
    struct region *rest = copy_region(region);

    if (rest != NULL) {
        rest->start = address;
        rest->offset += address - region->start;
        region->next = rest;
    }
    region->end = address;
}

void region_remove(struct region **regions, guest_addr start, uint64_t bytes)
{
    guest_addr end = start + bytes;
    struct region **at = regions;

    while (*at != NULL && (*at)->start < end) {
        struct region *region = *at;
        if (region->end > end) {
            split(region, end);
        }
        if (region->start < start && region->end > start) {
            split(region, start);
        } else if (region->start >= start) {
            *at = region->next;
            free(region->name);
            free(region);
            continue;
        }
        at = &region->next;
    }
}

void region_move(struct region **regions, guest_addr from, uint64_t bytes, guest_addr to)
{
    for (guest_addr at = from; at < from + bytes;) {
        const struct region *region = region_find(*regions, at);
        if (region == NULL) {
            at += 4096;
            continue;
        }
        guest_addr end = region->end < from + bytes ? region->end : from + bytes;
        struct region *copy = copy_region(region);
        if (copy != NULL) {
            copy->start = to + (at - from);
            copy->end = to + (end - from);
            copy->offset += at - region->start;
            insert(regions, copy);
        }
        at = end;
    }
    region_remove(regions, from, bytes);
}

const struct region *region_find(const struct region *regions, guest_addr address)
{
    for (const struct region *region = regions; region != NULL; region = region->next) {
        if (address >= region->start && address < region->end) {
            return region;
        }
    }
    return NULL;
}
