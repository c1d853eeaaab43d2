/* Software prefetching: what a program says, built with -DSOFTWARE_PREFETCH, of lines that it reads soon.
 *
 * PREFETCH must be no more than a hint: its address may be beyond the data.  A program that reads an index
 * ahead makes room for that, PREFETCH_ROOM entries, behind the last one; they are zero. */
#ifndef BENCH_PREFETCH_H
#define BENCH_PREFETCH_H

#ifndef SOFTWARE_PREFETCH
#define PREFETCH(address) ((void)sizeof(address))
#define PREFETCH_ROOM(entries) 0
#else
#define PREFETCH(address) prefetch_line(address)
#define PREFETCH_ROOM(entries) (entries)

static inline void prefetch_line(const volatile void *address)
{
#ifdef __riscv
    /* prefetch.r 0(address), of the extension Zicbop, which the assembler need not know. */
    __asm__ volatile(".insn i 0x13, 6, x0, %0, 1" : : "r"(address));
#else
    __builtin_prefetch((const void *)address);
#endif
}
#endif

#endif
