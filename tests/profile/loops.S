# Loops of every form, and jumps back that close none.  tests/profile/run knows how many instructions each has.
    .text

# The condition stands at the end and is entered first, as compilers that do not optimize place it.  The second loop
# has nothing of the first.
    .globl condition_last
    .type condition_last, @function
condition_last:
    li a0, 10
    j 1f
first_body:
    addi a1, a1, 1
1:  addi a0, a0, -1
    bnez a0, first_body
    li a0, 4
    j 2f
second_body:
    addi a1, a1, 1
2:  addi a0, a0, -1
    bnez a0, second_body
    ret
    .size condition_last, . - condition_last

# What a turn does seldom stands behind the loop, and jumps back into it.
    .globl seldom
    .type seldom, @function
seldom:
    li a0, 50
before:
    addi a0, a0, -1
    bnez a0, before
    li a0, 6
seldom_head:
    andi a2, a0, 1
    bnez a2, odd
meets:
    addi a0, a0, -1
    bnez a0, seldom_head
    ret
odd:
    addi a1, a1, 1
    j meets
    .size seldom, . - seldom

# Nothing is executed twice, but for the calls.
    .globl no_loop
    .type no_loop, @function
no_loop:
    beqz x0, further
back:
    addi a1, a1, 1
    ret
further:
    addi a1, a1, 2
    j back
    .size no_loop, . - no_loop

# An indirect jump before the loop, and another in it.
    .globl indirect
    .type indirect, @function
indirect:
    la t1, first_case
    jr t1
    ebreak
first_case:
    li a0, 8
indirect_head:
    la t1, second_case
    jr t1
    ebreak
second_case:
    addi a0, a0, -1
    bnez a0, indirect_head
    ret
    .size indirect, . - indirect

# A loop in a loop.
    .globl nested
    .type nested, @function
nested:
    li a0, 3
outer:
    li a2, 5
inner:
    addi a2, a2, -1
    bnez a2, inner
    addi a0, a0, -1
    bnez a0, outer
    ret
    .size nested, . - nested

# It is entered at its head, and behind it.
    .globl two_entries
    .type two_entries, @function
two_entries:
    li a0, 7
    andi a2, a1, 1
    bnez a2, entered
entries_head:
    addi a1, a1, 1
entered:
    addi a0, a0, -1
    bnez a0, entries_head
    ret
    .size two_entries, . - two_entries

# Both conditions stand at the end.
    .globl nested_last
    .type nested_last, @function
nested_last:
    li a0, 3
    j 2f
outer_body:
    li a2, 4
    j 1f
inner_body:
    addi a1, a1, 1
1:  addi a2, a2, -1
    bnez a2, inner_body
2:  addi a0, a0, -1
    bnez a0, outer_body
    ret
    .size nested_last, . - nested_last

# Nothing in the function leads to the handler, as to one of an exception; it goes on with the loop.
    .globl handled
    .type handled, @function
handled:
    mv t4, ra
    li t3, 6
handled_head:
    call returns_elsewhere
goes_on:
    addi t3, t3, -1
    bnez t3, handled_head
    mv ra, t4
    ret
handler:
    addi a1, a1, 1
    j goes_on
    .size handled, . - handled

# If the number is odd.
    .type returns_elsewhere, @function
returns_elsewhere:
    andi t5, t3, 1
    beqz t5, 1f
    la ra, handler
1:  ret
    .size returns_elsewhere, . - returns_elsewhere

    .globl main
    .type main, @function
main:
    addi sp, sp, -16
    sd ra, 8(sp)
    li a1, 0
    call condition_last
    call seldom
    call no_loop
    call no_loop
    call indirect
    call nested
    call nested_last
    call handled
    li a1, 0
    call two_entries
    li a1, 1
    call two_entries
    ld ra, 8(sp)
    addi sp, sp, 16
    li a0, 0
    ret
    .size main, . - main
    .section .note.GNU-stack, "", @progbits
