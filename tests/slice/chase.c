/* Follows a list whose nodes stand in an order that no stride describes, and adds up what they hold. */
#include <stdio.h>
#include <stdlib.h>

#define NODES 20000
#define ROUNDS 3

struct node {
    struct node *next;
    long value;
    char rest[112];
};

__attribute__((noipa)) static long chase(const struct node *node)
{
    long sum = 0;
    while (node != NULL) {
        sum = sum * 3 + 1;
        sum ^= sum >> 7;
        node = node->next;
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct node *nodes = calloc(NODES, sizeof *nodes);
    struct node *first = NULL;
    unsigned at = 0;
    for (unsigned i = 0; i < NODES; i++) {
        at = (at + 7919) % NODES; /* a prime that does not divide NODES: each is met once */
        nodes[at].next = first;
        first = &nodes[at];
    }
    long sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        sum += chase(first);
    }
    printf("%s %ld\n", argc > 1 ? argv[1] : "-", sum);
    free(nodes);
    return argc > 1 ? 3 : 0;
}
