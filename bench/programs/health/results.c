/* What came of it all: the sums over the villages, and whether patients, times, and staff add up. */
#include "health.h"

static int is_ancestor(const struct village *village, const struct village *descendant)
{
    while (descendant != NULL && descendant != village) {
        descendant = descendant->parent;
    }
    return descendant != NULL;
}

/* The route upward is one hospital per level, so where a patient is tells the hospitals visited. */
static void check_place(const struct village *village, const struct patient *patient)
{
    program_check(is_ancestor(village, patient->home), "a patient is in a foreign hospital");
    program_check(patient->hospitals_visited == village->level - patient->home->level + 1,
                  "hospitals visited are not those on the way up");
}

static void collect_returned(struct results *results, const struct village *village)
{
    for (struct list *node = village->returned.forward; node != NULL; node = node->forward) {
        const struct patient *patient = node->patient;
        int stay = patient->left - patient->entered;
        int difference = stay - patient->time;
        check_place(village, patient);
        /* Each admission may charge a step begun as one more or less than the clock shows. */
        program_check(abs(difference) <= patient->hospitals_visited,
                      "a patient's time differs from the clock");
        program_check(patient->time >= ASSESS_STEPS * patient->hospitals_visited + TREATMENT_STEPS,
                      "a treatment was too short");
        results->discharged++;
        results->discharged_time += patient->time;
        results->discharged_hospitals += patient->hospitals_visited;
        results->digest = program_mix(results->digest, (uint64_t)patient->time);
    }
}

static void collect_remaining(struct results *results, const struct village *village,
                              const struct list *head)
{
    for (struct list *node = head->forward; node != NULL; node = node->forward) {
        const struct patient *patient = node->patient;
        check_place(village, patient);
        results->remaining++;
        results->remaining_time += patient->time;
        results->digest = program_mix(results->digest, (uint64_t)patient->entered);
    }
}

static void check_hospital(const struct hospital *hospital)
{
    long waiting = list_length_checked(&hospital->waiting);
    long busy = list_length_checked(&hospital->assess) + list_length_checked(&hospital->inside);
    program_check(waiting == hospital->waiting_patients, "the waiting room was miscounted");
    program_check(busy + hospital->free_personnel == hospital->personnel,
                  "staff is lost or gained");
    program_check(waiting == 0 || hospital->free_personnel == 0, "patients wait for idle staff");
}

static void add_ledger(struct hospital_ledger *sum, const struct hospital_ledger *ledger)
{
    sum->admitted += ledger->admitted;
    sum->waited_steps += ledger->waited_steps;
    sum->referred += ledger->referred;
    sum->assessed += ledger->assessed;
    sum->treated += ledger->treated;
}

static void collect_village(struct results *results, const struct village *village)
{
    if (village == NULL) {
        return;
    }
    const struct hospital *hospital = &village->hospital;
    check_hospital(hospital);
    program_check(list_length_checked(&village->returned) <= hospital->ledger.treated,
                  "more discharged than treated");
    program_check(list_length_checked(&hospital->up) == 0, "referred patients were left behind");
    results->villages++;
    results->generated += village->fallen_ill;
    if (hospital->waiting_patients > results->longest_queue) {
        results->longest_queue = hospital->waiting_patients;
    }
    results->digest = program_mix(results->digest, (uint64_t)village->label);
    add_ledger(&results->ledger, &hospital->ledger);
    collect_returned(results, village);
    collect_remaining(results, village, &hospital->waiting);
    collect_remaining(results, village, &hospital->assess);
    collect_remaining(results, village, &hospital->inside);
    for (int i = 0; i < VILLAGE_CHILDREN; i++) {
        collect_village(results, village->children[i]);
    }
}

struct results results_collect(const struct village *root)
{
    struct results results = {0};
    collect_village(&results, root);
    return results;
}

/* The patients' own times must be what the hospitals charged, however the lists were walked. */
void results_check(const struct results *results)
{
    const struct hospital_ledger *ledger = &results->ledger;
    long charged =
        ledger->waited_steps + ASSESS_STEPS * ledger->assessed + TREATMENT_STEPS * ledger->treated;
    program_check(results->discharged_time + results->remaining_time == charged,
                  "the patients' times are not what the hospitals charged");
    program_check(results->generated == results->discharged + results->remaining,
                  "patients are lost or made up");
    program_check(ledger->admitted == results->generated + ledger->referred,
                  "admissions are not the ill and the referred");
    program_check(ledger->assessed >= ledger->treated + ledger->referred,
                  "treated or referred without assessment");
    program_check(ledger->treated >= results->discharged, "discharged without treatment");
}
