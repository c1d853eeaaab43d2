/* What the files of health share: patients, their lists, hospitals, villages, and the rules of the system. */
#ifndef HEALTH_H
#define HEALTH_H

#include "program.h"

enum {
    VILLAGE_CHILDREN = 4,
    ASSESS_STEPS = 3,
    TREATMENT_STEPS = 10,
    SICK_IN_1000 = 334,    /* chance per village and step that somebody falls ill */
    REFERRED_IN_1000 = 100 /* chance that a patient is too ill for the hospital of the village */
};

struct patient {
    int hospitals_visited;
    int time;      /* as charged by the hospitals: waiting, assessing, and treatment */
    int time_left; /* of the present stage */
    int entered;   /* the step of falling ill */
    int left;      /* the step of the discharge */
    struct village *home;
};

/* A node of a doubly linked list; the head is a node without a patient. */
struct list {
    struct list *forward;
    struct list *back;
    struct patient *patient;
};

/* What a hospital charged, counted apart from its patients' own times. */
struct hospital_ledger {
    long admitted;
    long waited_steps;
    long assessed;
    long referred;
    long treated;
};

struct hospital {
    int personnel;
    int free_personnel;
    int waiting_patients;
    struct list waiting;
    struct list assess;
    struct list inside;
    struct list up; /* referred; the parent's hospital takes them in the same step */
    struct hospital_ledger ledger;
};

struct village {
    struct village *children[VILLAGE_CHILDREN];
    struct village *parent;
    struct list returned;
    struct hospital hospital;
    uint64_t seed;
    long fallen_ill;
    int label; /* 0 at the root; the children of n are 4n + 1 to 4n + 4 */
    int level; /* 1 at the leaves */
};

struct results {
    long villages;
    long generated;
    long discharged;
    long discharged_time;
    long discharged_hospitals;
    long remaining;
    long remaining_time;
    long longest_queue;
    struct hospital_ledger ledger;
    uint64_t digest;
};

void list_append(struct list *head, struct patient *patient);
void list_remove(struct list *head, struct patient *patient);
long list_length_checked(const struct list *head);
void list_free(struct list *head);

void hospital_open(struct hospital *hospital, int level);
void hospital_admit(struct hospital *hospital, struct patient *patient);
void hospital_check_inside(struct village *village, int step);
void hospital_check_assess(struct village *village);
void hospital_check_waiting(struct hospital *hospital);

uint64_t village_seed(int label);
int village_chance(uint64_t *seed, int in_1000);
struct village *village_build(int level, int label, struct village *parent);
struct list *village_step(struct village *village, int step);
void village_free(struct village *village);

struct results results_collect(const struct village *root);
void results_check(const struct results *results);

void flat_compare(int levels, int steps);

#endif
