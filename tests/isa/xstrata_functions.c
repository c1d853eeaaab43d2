/* Each function of xstrata_asm.h once, each in a function whose arguments fix the registers. */
#include "isa/rv64/xstrata_asm.h"

void test_ctr_new(uint64_t tag, uint64_t callback);
uint64_t test_ctr_read(uint64_t tag);
void test_ctr_drop(uint64_t tag);
void test_ctr_ret(void);
void test_sit_new(uint64_t slice);
uint64_t test_ctx_start(uint64_t start, uint64_t argument);
void test_ctx_stop(void);
uint64_t test_ctr_time(uint64_t tag, uint64_t which);
uint64_t test_hot_read(uint64_t number);
void test_hot_watch(uint64_t head);
void test_ic_sync(const void *start, uint64_t bytes);
void test_csr_write(uint64_t value);
uint64_t test_csr_read(void);

void test_ctr_new(uint64_t tag, uint64_t callback)
{
    xstrata_ctr_new(tag, callback);
}

uint64_t test_ctr_read(uint64_t tag)
{
    return xstrata_ctr_read(tag);
}

void test_ctr_drop(uint64_t tag)
{
    xstrata_ctr_drop(tag);
}

void test_ctr_ret(void)
{
    xstrata_ctr_ret();
}

void test_sit_new(uint64_t slice)
{
    xstrata_sit_new(slice);
}

uint64_t test_ctx_start(uint64_t start, uint64_t argument)
{
    return xstrata_ctx_start(start, argument);
}

void test_ctx_stop(void)
{
    xstrata_ctx_stop();
}

void test_ic_sync(const void *start, uint64_t bytes)
{
    xstrata_ic_sync(start, bytes, 3);
}

uint64_t test_ctr_time(uint64_t tag, uint64_t which)
{
    return xstrata_ctr_time(tag, which);
}

uint64_t test_hot_read(uint64_t number)
{
    return xstrata_hot_read(number);
}

void test_hot_watch(uint64_t head)
{
    xstrata_hot_watch(head);
}

void test_csr_write(uint64_t value)
{
    xstrata_csr_write(ctrthresh, value);
}

uint64_t test_csr_read(void)
{
    return xstrata_csr_read(ctrentries);
}
