/* Every register keeps its value while loops become counted and hot: the status says which did not. */
    .globl _start
    .macro each_register action
    .irp number, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    \action \number
    .endr
    .endm
    .macro fill number
    li x\number, \number * 0x01010101
    .endm
    .macro verify number
    li x2, \number * 0x01010101
    bne x\number, x2, wrong_\number
    .endm
    .macro complain number
wrong_\number:
    li a0, \number
    j leave
    .endm
_start:
    each_register fill
    li x31, 300
loop:
    addi x31, x31, -1
    bnez x31, loop
    each_register verify
    li x31, 300
    la x2, through
through:
    addi x31, x31, -1
    blez x31, over
    jr x2
over:
    each_register verify
    li a0, 0
leave:
    li a7, 94
    ecall
    each_register complain
