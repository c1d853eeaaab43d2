/* Follows the calls of each hart through the tree of their paths. */
#include "machine/units/call_graph.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

#define SP 2
#define NO_WAY UINT32_MAX
/* What the course has between a call and the first instruction behind it: no function. */
#define CALLING CALL_GRAPH_NO_FUNCTION
#define CACHED_WAYS 4096 /* a power of two */

/* From a place through a call site to a function: the place there. */
struct way {
    uint64_t site;
    uint32_t from;
    uint32_t function;
    uint32_t to;
    uint32_t next;  /* of the same place */
    uint32_t again; /* the number of its struct call_again, or NO_WAY: it leads down the tree */
};

/* A call that has not returned: where it came from, and what its return will look like. */
struct frame {
    uint32_t place;
    uint64_t site;
    uint64_t back;
    uint64_t sp;
};

/* How often a function is on a stack of calls, and since when. */
struct activity {
    uint64_t since;
    uint64_t times;
};

/* A hart's calls. */
struct caller {
    const struct hart *hart;
    uint64_t instructions;       /* that it has executed */
    struct activity *activities; /* by function */
    size_t activity_count;
    uint32_t place;
    bool calling; /* it has called, and the first instruction behind that is to come */
    struct frame *frames;
    size_t count, capacity;
    struct caller *next;
};

struct call_graph {
    struct watch_course course;
    uint64_t told; /* of the course's instructions: those that are in the tree */
    struct call_place *places;
    uint32_t *first_ways; /* of each place */
    size_t place_count, place_capacity;
    struct way *ways;
    size_t way_count, way_capacity;
    uint32_t cached[CACHED_WAYS]; /* ways that were gone lately, by what leads to them, or NO_WAY */
    struct call_again *again;
    size_t again_count, again_capacity;
    uint64_t
        *inclusive; /* by function: instructions while it was on a stack, of calls that are over */
    size_t inclusive_count;
    struct caller *callers; /* the newest first */
    struct caller *now;     /* of the hart that runs; NULL before the first */
};

/* Makes room for one item more. */
static void *make_room(void *items, size_t count, size_t *capacity, size_t bytes)
{
    if (count < *capacity) {
        return items;
    }
    *capacity = *capacity != 0 ? *capacity * 2 : 64;
    items = realloc(items, *capacity * bytes);
    ASSERT(items != NULL);
    return items;
}

static uint32_t add_place(struct call_graph *graph, uint32_t parent, uint32_t function,
                          uint64_t site)
{
    size_t capacity = graph->place_capacity;
    graph->first_ways =
        make_room(graph->first_ways, graph->place_count, &capacity, sizeof *graph->first_ways);
    graph->places =
        make_room(graph->places, graph->place_count, &graph->place_capacity, sizeof *graph->places);
    graph->first_ways[graph->place_count] = NO_WAY;
    graph->places[graph->place_count] =
        (struct call_place){.function = function, .parent = parent, .site = site};
    return (uint32_t)graph->place_count++;
}

/* The place of `function` on the path to `place`; the root if it has none. */
static uint32_t find_on_path(const struct call_graph *graph, uint32_t place, uint32_t function)
{
    while (place != CALL_GRAPH_ROOT && graph->places[place].function != function) {
        place = graph->places[place].parent;
    }
    return place;
}

static uint32_t add_again(struct call_graph *graph, uint32_t from, uint32_t to, uint64_t site)
{
    graph->again =
        make_room(graph->again, graph->again_count, &graph->again_capacity, sizeof *graph->again);
    graph->again[graph->again_count] = (struct call_again){.from = from, .to = to, .site = site};
    return (uint32_t)graph->again_count++;
}

static struct way *add_way(struct call_graph *graph, uint32_t from, uint32_t function,
                           uint64_t site)
{
    const uint32_t above = find_on_path(graph, from, function);
    const bool again = above != CALL_GRAPH_ROOT;
    const uint32_t to = again ? above : add_place(graph, from, function, site);
    const uint32_t number = again ? add_again(graph, from, to, site) : NO_WAY;
    graph->ways =
        make_room(graph->ways, graph->way_count, &graph->way_capacity, sizeof *graph->ways);
    struct way *way = &graph->ways[graph->way_count];
    *way = (struct way){.site = site,
                        .from = from,
                        .function = function,
                        .to = to,
                        .next = graph->first_ways[from],
                        .again = number};
    graph->first_ways[from] = (uint32_t)graph->way_count++;
    return way;
}

static bool is_way(const struct way *way, uint32_t from, uint32_t function, uint64_t site)
{
    return way->site == site && way->from == from && way->function == function;
}

static struct way *search_way(struct call_graph *graph, uint32_t from, uint32_t function,
                              uint64_t site)
{
    for (uint32_t i = graph->first_ways[from]; i != NO_WAY; i = graph->ways[i].next) {
        if (is_way(&graph->ways[i], from, function, site)) {
            return &graph->ways[i];
        }
    }
    return add_way(graph, from, function, site);
}

/* A function that is called from many places, or calls many, would make the search long: half of the time that calls
 * take was spent there. */
static struct way *find_way(struct call_graph *graph, uint32_t from, uint32_t function,
                            uint64_t site)
{
    const uint64_t mixed =
        (site >> 1) + from * UINT64_C(0x9e3779b1) + function * UINT64_C(0x85ebca6b);
    uint32_t *cached = &graph->cached[(mixed ^ mixed >> 12) & (CACHED_WAYS - 1)];
    if (*cached == NO_WAY || !is_way(&graph->ways[*cached], from, function, site)) {
        *cached = (uint32_t)(search_way(graph, from, function, site) - graph->ways);
    }
    return &graph->ways[*cached];
}

static void count_call(struct call_graph *graph, const struct way *way)
{
    if (way->again != NO_WAY) {
        graph->again[way->again].calls++;
    } else {
        graph->places[way->to].calls++;
    }
}

/* What was executed since the last time is of the place where the hart is. */
static void settle(struct call_graph *graph)
{
    if (graph->now != NULL) {
        const uint64_t more = graph->course.instructions - graph->told;
        graph->places[graph->now->place].instructions += more;
        graph->now->instructions += more;
    }
    graph->told = graph->course.instructions;
}

/* Makes `items`, of which there are `count`, at least `needed`; new ones are zero. */
static void *extend(void *items, size_t *count, size_t needed, size_t bytes)
{
    if (needed <= *count) {
        return items;
    }
    const size_t more = needed + needed / 2 + 64;
    items = realloc(items, more * bytes);
    ASSERT(items != NULL);
    memset((char *)items + *count * bytes, 0, (more - *count) * bytes);
    *count = more;
    return items;
}

static void begin_function(struct caller *caller, uint32_t function)
{
    caller->activities = extend(caller->activities, &caller->activity_count, (size_t)function + 1,
                                sizeof *caller->activities);
    struct activity *activity = &caller->activities[function];
    if (activity->times++ == 0) {
        activity->since = caller->instructions;
    }
}

/* What the function of a place has executed so far is its own, unless it is on the stack once more. */
static void end_function(struct call_graph *graph, struct caller *caller, uint32_t place)
{
    const uint32_t function = graph->places[place].function;
    if (function == CALL_GRAPH_NO_FUNCTION) {
        return;
    }
    struct activity *activity = &caller->activities[function];
    if (--activity->times == 0) {
        graph->inclusive = extend(graph->inclusive, &graph->inclusive_count, (size_t)function + 1,
                                  sizeof *graph->inclusive);
        graph->inclusive[function] += caller->instructions - activity->since;
    }
}

struct call_graph *call_graph_create(void)
{
    struct call_graph *graph = calloc(1, sizeof *graph);
    if (graph != NULL) {
        graph->course.function = CALLING;
        memset(graph->cached, 0xff, sizeof graph->cached); /* NO_WAY */
        add_place(graph, CALL_GRAPH_ROOT, CALL_GRAPH_NO_FUNCTION, 0);
    }
    return graph;
}

static void destroy_caller(struct caller *caller)
{
    free(caller->activities);
    free(caller->frames);
    free(caller);
}

void call_graph_destroy(struct call_graph *graph)
{
    if (graph == NULL) {
        return;
    }
    while (graph->callers != NULL) {
        struct caller *next = graph->callers->next;
        destroy_caller(graph->callers);
        graph->callers = next;
    }
    free(graph->places);
    free(graph->first_ways);
    free(graph->ways);
    free(graph->again);
    free(graph->inclusive);
    free(graph);
}

struct watch_course *call_graph_course(struct call_graph *graph)
{
    return &graph->course;
}

static struct caller *caller_of(struct call_graph *graph, const struct hart *hart)
{
    for (struct caller *caller = graph->callers; caller != NULL; caller = caller->next) {
        if (caller->hart == hart) {
            return caller;
        }
    }
    struct caller *caller = calloc(1, sizeof *caller);
    ASSERT(caller != NULL);
    caller->hart = hart;
    caller->place = CALL_GRAPH_ROOT;
    caller->next = graph->callers;
    graph->callers = caller;
    return caller;
}

/* The function that the course has while a hart is where `caller` says. */
static uint32_t function_of(const struct call_graph *graph, const struct caller *caller)
{
    return caller->calling ? CALLING : graph->places[caller->place].function;
}

void call_graph_resume(struct call_graph *graph, struct hart *hart)
{
    if (graph->now != NULL && graph->now->hart == hart) {
        return;
    }
    settle(graph);
    graph->now = caller_of(graph, hart);
    graph->course.function = function_of(graph, graph->now);
}

/* All calls but the first `left` are over. */
static void end_calls(struct call_graph *graph, struct caller *caller, size_t left)
{
    if (caller->calling) { /* the last one has not begun */
        caller->calling = false;
        caller->count--;
    }
    while (caller->count > left) {
        end_function(graph, caller, caller->place);
        caller->place = caller->frames[--caller->count].place;
    }
}

void call_graph_forget(struct call_graph *graph, const struct hart *hart)
{
    settle(graph);
    for (struct caller **link = &graph->callers; *link != NULL; link = &(*link)->next) {
        struct caller *caller = *link;
        if (caller->hart == hart) {
            end_calls(graph, caller, 0);
            end_function(graph, caller, caller->place);
            graph->now = graph->now == caller ? NULL : graph->now;
            *link = caller->next;
            destroy_caller(caller);
            return;
        }
    }
}

void call_graph_call(struct call_graph *graph, uint64_t site, uint64_t back)
{
    struct caller *caller = graph->now;
    settle(graph);
    caller->frames =
        make_room(caller->frames, caller->count, &caller->capacity, sizeof *caller->frames);
    caller->frames[caller->count++] = (struct frame){
        .place = caller->place, .site = site, .back = back, .sp = caller->hart->x[SP]};
    caller->calling = true;
    graph->course.function = CALLING;
}

/* How many calls a return to `target` leaves.  One that no call fits is a long jump or an exception: the stack
 * pointer says which calls are over.  So it does of a return to the translator's own copy of a return address. */
static size_t count_left(const struct caller *caller, uint64_t target)
{
    const uint64_t sp = caller->hart->x[SP];
    size_t left = caller->count;
    if (left > 0 && caller->frames[left - 1].back == target) {
        return left - 1;
    }
    for (size_t i = caller->count; i > 0 && caller->frames[i - 1].sp <= sp; i--) {
        left = i - 1;
        if (caller->frames[i - 1].back == target) {
            return left;
        }
    }
    return left;
}

void call_graph_return(struct call_graph *graph, uint64_t target)
{
    struct caller *caller = graph->now;
    settle(graph);
    end_calls(graph, caller, count_left(caller, target));
    graph->course.function = function_of(graph, caller);
}

/* Without a call it is a jump: the function takes the place of the one that it leaves, behind the same call. */
void call_graph_enter(struct call_graph *graph, uint32_t function, bool at_start)
{
    struct caller *caller = graph->now;
    const struct frame outermost = {.place = CALL_GRAPH_ROOT};
    const struct frame *call = caller->count > 0 ? &caller->frames[caller->count - 1] : &outermost;
    settle(graph);
    const struct way *way = find_way(graph, call->place, function, call->site);
    if (caller->calling || at_start) {
        count_call(graph, way);
    }
    if (!caller->calling) {
        end_function(graph, caller, caller->place);
    }
    begin_function(caller, function);
    caller->place = way->to;
    caller->calling = false;
    graph->course.function = function;
}

void call_graph_take_back(struct call_graph *graph, uint64_t instructions)
{
    graph->course.instructions -= instructions;
}

const struct call_place *call_graph_places(struct call_graph *graph, size_t *count)
{
    settle(graph);
    *count = graph->place_count;
    return graph->places;
}

const struct call_again *call_graph_again(const struct call_graph *graph, size_t *count)
{
    *count = graph->again_count;
    return graph->again;
}

uint64_t call_graph_inclusive(const struct call_graph *graph, uint32_t function)
{
    uint64_t sum = function < graph->inclusive_count ? graph->inclusive[function] : 0;
    for (const struct caller *caller = graph->callers; caller != NULL; caller = caller->next) {
        if (function < caller->activity_count && caller->activities[function].times > 0) {
            sum += caller->instructions - caller->activities[function].since;
        }
    }
    return sum;
}

struct call_graph_kept {
    struct watch_course course;
    struct caller *now, *callers;
    uint64_t *inclusive;
    size_t inclusive_count;
    size_t place_count, again_count;
    struct call_place *places;
    struct call_again *again;
};

static void *copy_of(const void *items, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    ASSERT(copy != NULL);
    if (bytes > 0) {
        memcpy(copy, items, bytes);
    }
    return copy;
}

struct call_graph_kept *call_graph_keep(struct call_graph *graph)
{
    struct call_graph_kept *kept = malloc(sizeof *kept);
    ASSERT(kept != NULL);
    settle(graph);
    *kept = (struct call_graph_kept){
        .course = graph->course,
        .now = graph->now,
        .callers = graph->callers,
        .inclusive = copy_of(graph->inclusive, graph->inclusive_count * sizeof *graph->inclusive),
        .inclusive_count = graph->inclusive_count,
        .place_count = graph->place_count,
        .again_count = graph->again_count,
        .places = copy_of(graph->places, graph->place_count * sizeof *graph->places),
        .again = copy_of(graph->again, graph->again_count * sizeof *graph->again)};
    return kept;
}

void call_graph_put_back(struct call_graph *graph, struct call_graph_kept *kept)
{
    memcpy(graph->places, kept->places, kept->place_count * sizeof *graph->places);
    for (size_t i = kept->place_count; i < graph->place_count; i++) {
        graph->places[i].calls = graph->places[i].instructions = 0;
    }
    for (size_t i = 0; i < graph->again_count; i++) {
        graph->again[i].calls = i < kept->again_count ? kept->again[i].calls : 0;
    }
    while (graph->callers != kept->callers) {
        struct caller *next = graph->callers->next;
        destroy_caller(graph->callers);
        graph->callers = next;
    }
    for (size_t i = 0; i < graph->inclusive_count; i++) {
        graph->inclusive[i] = i < kept->inclusive_count ? kept->inclusive[i] : 0;
    }
    graph->course = kept->course;
    graph->told = kept->course.instructions;
    graph->now = kept->now;
    free(kept->inclusive);
    free(kept->places);
    free(kept->again);
    free(kept);
}
