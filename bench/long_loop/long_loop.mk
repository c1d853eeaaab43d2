# Builds $(BUILD)/bench/long_loop/N: a loop with N conditional branches a turn, for how long a loop may be that a detector
# of hot spots still finds (experiments/long-loops.exp).
#
# Included from the top Makefile behind bench/kernels/kernels.mk, whose flags hold here, too.
LONG_LOOPS := 10 30 100 300 1000 3000 10000

.PHONY: long-loops
long-loops: $(LONG_LOOPS:%=$(BUILD)/bench/long_loop/%)

$(BUILD)/bench/long_loop/%: bench/long_loop/main.c bench/long_loop/loop.S bench/program.h
	@mkdir -p $(@D)
	$(say) RISCV $@
	$(Q)$(RISCV_CC) $(BENCH_CFLAGS) -DBRANCHES=$* -static -o $@ $(filter-out %.h,$^)
