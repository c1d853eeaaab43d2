/* Marks a region of a program for `strata sim --roi`: instructions that do nothing anywhere else.
 *
 * slti x0, x0, N is a HINT that the RISC-V specification leaves to custom use: it runs unchanged on every
 * RISC-V processor, in emulators and under the translator.  Programs for other processors mark nothing. */
#ifndef STRATA_ROI_H
#define STRATA_ROI_H

#if defined(__riscv)
#define STRATA_ROI_BEGIN() __asm__ volatile("slti x0, x0, 1" ::: "memory")
#define STRATA_ROI_END() __asm__ volatile("slti x0, x0, 2" ::: "memory")
#else
#define STRATA_ROI_BEGIN() ((void)0)
#define STRATA_ROI_END() ((void)0)
#endif

#endif
