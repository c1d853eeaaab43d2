/* How a program learns of Xstrata: an entry of its auxiliary vector; freestanding. */
#ifndef ISA_RV64_XSTRATA_ABI_H
#define ISA_RV64_XSTRATA_ABI_H

/* The letters "STRA".  Linux numbers its own entries from zero, far below. */
#define AT_STRATA 0x53545241

/* The entry's value, and what the CSR strfeat reads: one bit per feature. */
enum {
    XSTRATA_COUNTERS = 1,
};

/* What ic.sync says of the bytes that it makes visible; 5 to 31 are free. */
enum {
    XSTRATA_CODE_OTHER = 0,
    XSTRATA_CODE_FRAGMENT = 1,
    XSTRATA_CODE_TRAMPOLINE = 2,
    XSTRATA_CODE_COUNTER = 3,
    XSTRATA_CODE_TRANSLATOR = 4,
    XSTRATA_CODE_LOOKUP = 5,
};

#endif
