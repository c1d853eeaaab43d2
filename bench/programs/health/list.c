/* The lists of patients: appended at the far end, searched from the head, one allocation per node. */
#include "health.h"
#include "prefetch.h"

/* There is no pointer to the last node: an append walks the list. */
void list_append(struct list *head, struct patient *patient)
{
    struct list *last = head;
    while (last->forward != NULL) {
        last = last->forward;
    }
    struct list *node = program_allocate(1, sizeof *node);
    node->patient = patient;
    node->back = last;
    last->forward = node;
}

void list_remove(struct list *head, struct patient *patient)
{
    struct list *node = head->forward;
    while (node != NULL && node->patient != patient) {
        PREFETCH(node->forward);
        node = node->forward;
    }
    program_check(node != NULL, "a patient is not in the list that the patient leaves");
    node->back->forward = node->forward;
    if (node->forward != NULL) {
        node->forward->back = node->back;
    }
    free(node);
}

long list_length_checked(const struct list *head)
{
    long length = 0;
    for (const struct list *node = head; node->forward != NULL; node = node->forward) {
        program_check(node->forward->back == node, "a list's two directions differ");
        program_check(node->forward->patient != NULL, "a node without a patient");
        length++;
    }
    return length;
}

/* Frees the patients, too. */
void list_free(struct list *head)
{
    struct list *node = head->forward;
    while (node != NULL) {
        struct list *next = node->forward;
        free(node->patient);
        free(node);
        node = next;
    }
    head->forward = NULL;
}
