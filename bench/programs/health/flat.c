/* The same system without trees and lists, patients as numbers in arrays: a second opinion on small ones. */
#include "health.h"

struct flat_queue {
    int *ids;
    int count;
};

struct flat_village {
    struct flat_queue waiting, assess, inside, up, returned;
    int free_personnel;
    uint64_t seed;
};

struct flat_patient {
    int time;
    int time_left;
    int hospitals_visited;
};

struct flat {
    struct flat_village *villages;
    struct flat_patient *patients;
    int village_count;
    int patient_count;
    int patient_limit;
};

static void queue_push(struct flat *flat, struct flat_queue *queue, int id)
{
    if (queue->ids == NULL) {
        queue->ids = program_allocate((size_t)flat->patient_limit, sizeof *queue->ids);
    }
    queue->ids[queue->count++] = id;
}

static void queue_drop(struct flat_queue *queue, int index)
{
    queue->count--;
    for (int i = index; i < queue->count; i++) {
        queue->ids[i] = queue->ids[i + 1];
    }
}

static void start_stage(struct flat *flat, struct flat_queue *queue, int id, int steps)
{
    flat->patients[id].time += steps;
    flat->patients[id].time_left = steps;
    queue_push(flat, queue, id);
}

static void flat_admit(struct flat *flat, struct flat_village *village, int id)
{
    flat->patients[id].hospitals_visited++;
    if (village->free_personnel == 0) {
        queue_push(flat, &village->waiting, id);
        return;
    }
    village->free_personnel--;
    start_stage(flat, &village->assess, id, ASSESS_STEPS);
}

static void flat_discharge(struct flat *flat, struct flat_village *village)
{
    for (int i = 0; i < village->inside.count;) {
        int id = village->inside.ids[i];
        if (--flat->patients[id].time_left > 0) {
            i++;
            continue;
        }
        queue_drop(&village->inside, i);
        queue_push(flat, &village->returned, id);
        village->free_personnel++;
    }
}

static void flat_assess(struct flat *flat, struct flat_village *village, int is_root)
{
    for (int i = 0; i < village->assess.count;) {
        int id = village->assess.ids[i];
        if (--flat->patients[id].time_left > 0) {
            i++;
            continue;
        }
        queue_drop(&village->assess, i);
        int referred = village_chance(&village->seed, REFERRED_IN_1000);
        if (referred && !is_root) {
            queue_push(flat, &village->up, id);
            village->free_personnel++;
        } else {
            start_stage(flat, &village->inside, id, TREATMENT_STEPS);
        }
    }
}

static void flat_call_in(struct flat *flat, struct flat_village *village)
{
    while (village->waiting.count > 0 && village->free_personnel > 0) {
        int id = village->waiting.ids[0];
        queue_drop(&village->waiting, 0);
        village->free_personnel--;
        start_stage(flat, &village->assess, id, ASSESS_STEPS);
    }
    for (int i = 0; i < village->waiting.count; i++) {
        flat->patients[village->waiting.ids[i]].time++;
    }
}

static void flat_step_village(struct flat *flat, int label)
{
    struct flat_village *village = &flat->villages[label];
    for (int i = VILLAGE_CHILDREN; i > 0; i--) {
        int child = label * VILLAGE_CHILDREN + i;
        if (child >= flat->village_count) {
            continue;
        }
        struct flat_queue *up = &flat->villages[child].up;
        for (int j = 0; j < up->count; j++) {
            flat_admit(flat, village, up->ids[j]);
        }
        up->count = 0;
    }
    flat_discharge(flat, village);
    flat_assess(flat, village, label == 0);
    flat_call_in(flat, village);
    if (village_chance(&village->seed, SICK_IN_1000)) {
        flat_admit(flat, village, flat->patient_count++);
    }
}

static struct flat flat_build(int levels, int steps)
{
    struct flat flat = {0};
    int first_of_level = 0;
    for (int level = levels, width = 1; level > 0; level--, width *= VILLAGE_CHILDREN) {
        first_of_level += width;
    }
    flat.village_count = first_of_level;
    flat.patient_limit = flat.village_count * steps;
    flat.villages = program_allocate((size_t)flat.village_count, sizeof *flat.villages);
    flat.patients = program_allocate((size_t)flat.patient_limit, sizeof *flat.patients);
    int label = 0;
    for (int level = levels, width = 1; level > 0; level--, width *= VILLAGE_CHILDREN) {
        for (int i = 0; i < width; i++, label++) {
            flat.villages[label].free_personnel = 1 << (level - 1);
            flat.villages[label].seed = village_seed(label);
        }
    }
    return flat;
}

static void flat_free(struct flat *flat)
{
    for (int label = 0; label < flat->village_count; label++) {
        struct flat_village *village = &flat->villages[label];
        free(village->waiting.ids);
        free(village->assess.ids);
        free(village->inside.ids);
        free(village->up.ids);
        free(village->returned.ids);
    }
    free(flat->villages);
    free(flat->patients);
}

static void compare_queue(const struct flat *flat, const struct flat_queue *queue,
                          const struct list *head)
{
    const struct list *node = head->forward;
    for (int i = 0; i < queue->count; i++, node = node->forward) {
        program_check(node != NULL, "a list is shorter than its array");
        const struct flat_patient *patient = &flat->patients[queue->ids[i]];
        program_check(node->patient->time == patient->time &&
                          node->patient->time_left == patient->time_left &&
                          node->patient->hospitals_visited == patient->hospitals_visited,
                      "a patient differs between lists and arrays");
    }
    program_check(node == NULL, "a list is longer than its array");
}

static void compare_village(const struct flat *flat, const struct village *village)
{
    if (village == NULL) {
        return;
    }
    const struct flat_village *other = &flat->villages[village->label];
    program_check(other->free_personnel == village->hospital.free_personnel,
                  "staff differs between lists and arrays");
    compare_queue(flat, &other->waiting, &village->hospital.waiting);
    compare_queue(flat, &other->assess, &village->hospital.assess);
    compare_queue(flat, &other->inside, &village->hospital.inside);
    compare_queue(flat, &other->returned, &village->returned);
    for (int i = 0; i < VILLAGE_CHILDREN; i++) {
        compare_village(flat, village->children[i]);
    }
}

/* Runs both side by side; at the end each list must hold what its array holds, in the same order. */
void flat_compare(int levels, int steps)
{
    struct flat flat = flat_build(levels, steps);
    struct village *root = village_build(levels, 0, NULL);
    for (int step = 0; step < steps; step++) {
        village_step(root, step);
        for (int label = flat.village_count - 1; label >= 0; label--) {
            flat_step_village(&flat, label);
        }
    }
    compare_village(&flat, root);
    village_free(root);
    flat_free(&flat);
}
