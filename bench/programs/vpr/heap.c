/* The wavefront of the maze router: a binary heap of entries that are recycled. */
#include "vpr.h"

static struct heap_entry *new_entry(struct heap *heap)
{
    if (heap->free_entries == NULL) {
        return program_allocate(1, sizeof *heap->free_entries);
    }
    struct heap_entry *entry = heap->free_entries;
    heap->free_entries = entry->next_free;
    return entry;
}

void heap_recycle(struct heap *heap, struct heap_entry *entry)
{
    entry->next_free = heap->free_entries;
    heap->free_entries = entry;
}

void heap_push(struct heap *heap, const struct heap_entry *values)
{
    struct heap_entry *entry = new_entry(heap);
    *entry = *values;
    if (heap->count + 1 >= heap->space) {
        heap->space = heap->space * 2 + 256;
        heap->entries = realloc(heap->entries, (size_t)heap->space * sizeof *heap->entries);
        program_check(heap->entries != NULL, "memory for the heap");
    }
    int place = ++heap->count;
    while (place > 1 && heap->entries[place / 2]->cost > entry->cost) {
        heap->entries[place] = heap->entries[place / 2];
        place /= 2;
    }
    heap->entries[place] = entry;
}

/* The cheapest, or NULL. */
struct heap_entry *heap_pop(struct heap *heap)
{
    if (heap->count == 0) {
        return NULL;
    }
    struct heap_entry *cheapest = heap->entries[1];
    struct heap_entry *last = heap->entries[heap->count--];
    int hole = 1;
    for (int child = 2; child <= heap->count; child = 2 * hole) {
        if (child < heap->count && heap->entries[child + 1]->cost < heap->entries[child]->cost) {
            child++;
        }
        if (heap->entries[child]->cost >= last->cost) {
            break;
        }
        heap->entries[hole] = heap->entries[child];
        hole = child;
    }
    heap->entries[hole] = last;
    heap->popped++;
    return cheapest;
}

void heap_empty(struct heap *heap)
{
    while (heap->count > 0) {
        heap_recycle(heap, heap->entries[heap->count--]);
    }
}

void heap_free(struct heap *heap)
{
    heap_empty(heap);
    while (heap->free_entries != NULL) {
        struct heap_entry *next = heap->free_entries->next_free;
        free(heap->free_entries);
        heap->free_entries = next;
    }
    free(heap->entries);
    heap->entries = NULL;
    heap->space = 0;
}
