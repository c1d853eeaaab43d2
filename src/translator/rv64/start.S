/* The first instructions of the translator: it relocates itself, since nobody else does.
 *
 * The program was linked for address 0, so that the address of its ELF header
 * is what every relative relocation adds. */

#define DT_RELA 7
#define DT_RELASZ 8
#define R_RISCV_RELATIVE 3
#define FIRST_STACK_BYTES 262144

    .text
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined ra
    mv a0, sp
    lla s1, __ehdr_start
    lla t0, _DYNAMIC
    li t1, 0 /* the relocations */
    li t2, 0 /* their bytes */
    li t5, DT_RELA
    li t6, DT_RELASZ
next_entry:
    ld t3, 0(t0)
    ld t4, 8(t0)
    addi t0, t0, 16
    bne t3, t5, not_table
    add t1, t4, s1
not_table:
    bne t3, t6, not_size
    mv t2, t4
not_size:
    bnez t3, next_entry

    add t2, t2, t1
    li t5, R_RISCV_RELATIVE
next_relocation:
    bgeu t1, t2, relocated
    ld t0, 8(t1)
    ld t3, 0(t1)
    ld t4, 16(t1)
    addi t1, t1, 24
    bne t0, t5, unknown_relocation
    add t3, t3, s1
    add t4, t4, s1
    sd t4, 0(t3)
    j next_relocation

/* Hidden symbols only and no thread-local storage: the linker has no reason for
 * another kind. */
unknown_relocation:
    ebreak

/* What the kernel made is the program's, and may have room for little more. */
relocated:
    lla sp, first_stack_end
    tail translator_start
    .cfi_endproc
    .size _start, . - _start

    .bss
    .balign 16
    .skip FIRST_STACK_BYTES
    .globl first_stack_end
    .hidden first_stack_end
first_stack_end:

    .section .note.GNU-stack, "", @progbits
