/* The parameters of the network, with the names that the literature on ART 2 gives them. */
#ifndef ART_PARAMETERS_H
#define ART_PARAMETERS_H

#define ART_A 10.0
#define ART_B 0.2
#define ART_C 0.1
#define ART_D 0.9

/* Images whose angle's cosine is under about 0.83 are not taken for each other. */
#define ART_VIGILANCE 0.965

/* Of each step of learning. */
#define ART_DELTA_T 1.0

/* F1 has settled when no U moves by more, and at the latest after so many passes. */
#define ART_SETTLED 1e-6
#define ART_MAX_PASSES 12

#endif
