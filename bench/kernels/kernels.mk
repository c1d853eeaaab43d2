# Builds the bench programs: $(BUILD)/bench/NAME for RISC-V, $(BUILD)/bench-native/NAME for here.
#
# Included from the top Makefile; paths are relative to the top of the tree.  BENCH_PROGRAMS is
# what `make bench` needs; $(BUILD)/bench/O0/NAME are the kernels again, compiled without optimizing.
# Floating-point contraction is off, or checksums would differ between
# hosts with and without fused multiply-add.
BUILD ?= build
RISCV_CC ?= riscv64-linux-gnu-gcc
RISCV_CXX ?= riscv64-linux-gnu-g++

BENCH_KERNELS := sort compress float chase interp calls virtual
BENCH_NAMES := $(BENCH_KERNELS) hello words threads parallel
KERNEL_HEADERS := bench/kernels/kernel.h bench/program.h
# scaling makes RISC-V instructions: it is of no use here.
BENCH_PROGRAMS := $(BENCH_NAMES:%=$(BUILD)/bench/%) $(BUILD)/bench/hello-dynamic $(BUILD)/bench/scaling \
	$(BENCH_KERNELS:%=$(BUILD)/bench/O0/%)
BENCH_NATIVE_PROGRAMS := $(BENCH_NAMES:%=$(BUILD)/bench-native/%)

BENCH_WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla \
	-Wimplicit-fallthrough -Werror
BENCH_CFLAGS := -std=c11 -O2 -g -ffp-contract=off $(BENCH_WARNINGS) -Wstrict-prototypes \
	-Wmissing-prototypes
BENCH_CXXFLAGS := -std=c++17 -O2 -g -ffp-contract=off $(BENCH_WARNINGS)
BENCH_NATIVE_FLAGS ?=

.PHONY: bench-programs bench-native
bench-programs: $(BENCH_PROGRAMS)
bench-native: $(BENCH_NATIVE_PROGRAMS)

$(BUILD)/bench $(BUILD)/bench/O0 $(BUILD)/bench-native:
	@mkdir -p $@

# The last -O counts.  The C library is the same.
$(BUILD)/bench/O0/%: bench/kernels/%.c $(KERNEL_HEADERS) | $(BUILD)/bench/O0
	$(say) RISCV $@
	$(Q)$(RISCV_CC) $(BENCH_CFLAGS) -O0 -static -o $@ $< -lm

$(BUILD)/bench/O0/%: bench/kernels/%.cc $(KERNEL_HEADERS) | $(BUILD)/bench/O0
	$(say) RISCV $@
	$(Q)$(RISCV_CXX) $(BENCH_CXXFLAGS) -O0 -static -o $@ $< -lm

$(BUILD)/bench/%: bench/kernels/%.c $(KERNEL_HEADERS) | $(BUILD)/bench
	$(say) RISCV $@
	$(Q)$(RISCV_CC) $(BENCH_CFLAGS) -static -o $@ $< -lm

$(BUILD)/bench/%: bench/kernels/%.cc $(KERNEL_HEADERS) | $(BUILD)/bench
	$(say) RISCV $@
	$(Q)$(RISCV_CXX) $(BENCH_CXXFLAGS) -static -o $@ $< -lm

$(BUILD)/bench/%: bench/%.c bench/program.h | $(BUILD)/bench
	$(say) RISCV $@
	$(Q)$(RISCV_CC) $(BENCH_CFLAGS) -Iinclude -static -o $@ $<

$(BUILD)/bench/hello-dynamic: bench/hello.c | $(BUILD)/bench
	$(say) RISCV $@
	$(Q)$(RISCV_CC) $(BENCH_CFLAGS) -o $@ $<

$(BUILD)/bench-native/%: bench/kernels/%.c $(KERNEL_HEADERS) | $(BUILD)/bench-native
	$(say) CC $@
	$(Q)$(CC) $(BENCH_CFLAGS) $(BENCH_NATIVE_FLAGS) -o $@ $< -lm

$(BUILD)/bench-native/%: bench/kernels/%.cc $(KERNEL_HEADERS) | $(BUILD)/bench-native
	$(say) CC $@
	$(Q)$(CXX) $(BENCH_CXXFLAGS) $(BENCH_NATIVE_FLAGS) -o $@ $< -lm

$(BUILD)/bench-native/%: bench/%.c bench/program.h | $(BUILD)/bench-native
	$(say) CC $@
	$(Q)$(CC) $(BENCH_CFLAGS) $(BENCH_NATIVE_FLAGS) -Iinclude -o $@ $<
