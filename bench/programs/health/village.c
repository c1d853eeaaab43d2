/* The tree of villages: how it is built, and how one step of time goes through it from the leaves up. */
#include "health.h"

/* Each village has its own sequence, so that the order of the villages does not matter. */
uint64_t village_seed(int label)
{
    return UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(label + 1);
}

int village_chance(uint64_t *seed, int in_1000)
{
    return (int)program_random_below(seed, 1000) < in_1000;
}

struct village *village_build(int level, int label, struct village *parent)
{
    if (level == 0) {
        return NULL;
    }
    struct village *village = program_allocate(1, sizeof *village);
    for (int i = VILLAGE_CHILDREN - 1; i >= 0; i--) {
        village->children[i] = village_build(level - 1, label * VILLAGE_CHILDREN + i + 1, village);
    }
    village->parent = parent;
    village->seed = village_seed(label);
    village->label = label;
    village->level = level;
    hospital_open(&village->hospital, level);
    return village;
}

static struct patient *fall_ill(struct village *village, int step)
{
    if (!village_chance(&village->seed, SICK_IN_1000)) {
        return NULL;
    }
    struct patient *patient = program_allocate(1, sizeof *patient);
    village->fallen_ill++;
    patient->entered = step;
    patient->home = village;
    return patient;
}

static void take_referred(struct hospital *hospital, struct list *up)
{
    while (up->forward != NULL) {
        struct patient *patient = up->forward->patient;
        list_remove(up, patient);
        hospital_admit(hospital, patient);
    }
}

/* Returns the patients that the village's hospital refers upward, NULL where there is no village. */
struct list *village_step(struct village *village, int step)
{
    if (village == NULL) {
        return NULL;
    }
    struct list *up[VILLAGE_CHILDREN];
    for (int i = VILLAGE_CHILDREN - 1; i >= 0; i--) {
        up[i] = village_step(village->children[i], step);
    }
    for (int i = VILLAGE_CHILDREN - 1; i >= 0; i--) {
        if (up[i] != NULL) {
            take_referred(&village->hospital, up[i]);
        }
    }
    hospital_check_inside(village, step);
    hospital_check_assess(village);
    hospital_check_waiting(&village->hospital);

    struct patient *patient = fall_ill(village, step);
    if (patient != NULL) {
        hospital_admit(&village->hospital, patient);
    }
    return &village->hospital.up;
}

void village_free(struct village *village)
{
    if (village == NULL) {
        return;
    }
    for (int i = 0; i < VILLAGE_CHILDREN; i++) {
        village_free(village->children[i]);
    }
    struct hospital *hospital = &village->hospital;
    list_free(&hospital->waiting);
    list_free(&hospital->assess);
    list_free(&hospital->inside);
    list_free(&hospital->up);
    list_free(&village->returned);
    free(village);
}
