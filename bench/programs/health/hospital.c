/* One hospital's step: who is discharged, who is assessed, who may come in from the waiting room. */
#include "health.h"
#include "prefetch.h"

void hospital_open(struct hospital *hospital, int level)
{
    hospital->personnel = 1 << (level - 1);
    hospital->free_personnel = hospital->personnel;
}

static void begin_assessment(struct hospital *hospital, struct patient *patient)
{
    hospital->free_personnel--;
    hospital->ledger.assessed++;
    patient->time_left = ASSESS_STEPS;
    patient->time += ASSESS_STEPS;
    list_append(&hospital->assess, patient);
}

static void begin_treatment(struct hospital *hospital, struct patient *patient)
{
    hospital->ledger.treated++;
    patient->time_left = TREATMENT_STEPS;
    patient->time += TREATMENT_STEPS;
    list_append(&hospital->inside, patient);
}

void hospital_admit(struct hospital *hospital, struct patient *patient)
{
    patient->hospitals_visited++;
    hospital->ledger.admitted++;
    if (hospital->free_personnel > 0) {
        begin_assessment(hospital, patient);
    } else {
        hospital->waiting_patients++;
        list_append(&hospital->waiting, patient);
    }
}

void hospital_check_inside(struct village *village, int step)
{
    struct hospital *hospital = &village->hospital;
    struct list *next;
    for (struct list *node = hospital->inside.forward; node != NULL; node = next) {
        struct patient *patient = node->patient;
        next = node->forward;
        PREFETCH(next);
        patient->time_left--;
        if (patient->time_left == 0) {
            hospital->free_personnel++;
            patient->left = step;
            list_remove(&hospital->inside, patient);
            list_append(&village->returned, patient);
        }
    }
}

/* Nobody is above the root's hospital, so it treats everybody. */
void hospital_check_assess(struct village *village)
{
    struct hospital *hospital = &village->hospital;
    struct list *next;
    for (struct list *node = hospital->assess.forward; node != NULL; node = next) {
        struct patient *patient = node->patient;
        next = node->forward;
        PREFETCH(next);
        patient->time_left--;
        if (patient->time_left > 0) {
            continue;
        }
        list_remove(&hospital->assess, patient);
        if (!village_chance(&village->seed, REFERRED_IN_1000) || village->parent == NULL) {
            begin_treatment(hospital, patient);
        } else {
            hospital->free_personnel++;
            hospital->ledger.referred++;
            list_append(&hospital->up, patient);
        }
    }
}

void hospital_check_waiting(struct hospital *hospital)
{
    struct list *next;
    for (struct list *node = hospital->waiting.forward; node != NULL; node = next) {
        struct patient *patient = node->patient;
        next = node->forward;
        PREFETCH(next);
        if (hospital->free_personnel > 0) {
            hospital->waiting_patients--;
            list_remove(&hospital->waiting, patient);
            begin_assessment(hospital, patient);
        } else {
            patient->time++;
            hospital->ledger.waited_steps++;
        }
    }
}
