# Builds the programs with software helper threads: $(BUILD)/bench/spr for RISC-V, and
# $(BUILD)/bench-native/spr for here.
#
# Included from the top Makefile behind bench/kernels/kernels.mk, whose flags hold here, too.
SPR_PARTS := $(wildcard bench/spr/*.c bench/spr/*.h) bench/program.h
SPR_CFLAGS := $(BENCH_CFLAGS) -Ibench -Iinclude -pthread

.PHONY: spr
spr: $(BUILD)/bench/spr $(BUILD)/bench-native/spr

$(BUILD)/bench/spr: $(SPR_PARTS) | $(BUILD)/bench
	$(say) RISCV $@
	$(Q)$(RISCV_CC) $(SPR_CFLAGS) -static -o $@ $(filter %.c,$^)

$(BUILD)/bench-native/spr: $(SPR_PARTS) | $(BUILD)/bench-native
	$(say) CC $@
	$(Q)$(CC) $(SPR_CFLAGS) $(BENCH_NATIVE_FLAGS) -o $@ $(filter %.c,$^)
