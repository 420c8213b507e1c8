# make demo: set up, build, and optimise a real program. make test: set up, and pass every test.

BUILD := build
export CTEST_OUTPUT_ON_FAILURE := 1
export CTEST_PARALLEL_LEVEL := $(shell nproc)

.PHONY: all demo test wheel asan bench compare domains dace gt4py clean

all:
	scripts/setup.sh
	cmake --preset release
	cmake --build $(BUILD)

demo:
	scripts/setup.sh
	cmake --preset release
	cmake --build $(BUILD) --target sdfg-opt
	scripts/demo.sh

# BLESS=1 make test: what filetests expect becomes what they give; review the diff.
test:
	scripts/setup.sh test
	cmake --preset release
	cmake --build $(BUILD)
	scripts/wheel.sh
	scripts/lint.sh
	ctest --preset release
	$(MAKE) asan
	.venv/bin/python -m pytest -q tests/python

# The Python package, in build-wheel/dist.
wheel:
	scripts/setup.sh test
	scripts/wheel.sh

asan:
	cmake --preset asan
	cmake --build build-asan --target unit_tests filetest_runner sdfg-opt
	ctest --preset asan

# Parts of the program, measured.
bench: all
	$(BUILD)/bench/parts

# The whole program against the Python pass of GT4Py; needs Python 3.12 or newer.
compare: all
	scripts/setup.sh test
	.venv/bin/python bench/compare.py

# What becomes of the buffers of programs with run-time domains.
domains: all
	python3 bench/domains.py

# Our DaCe pass against the one of GT4Py, in one process.
dace: wheel
	.venv/bin/python bench/dace_pass.py

# GT4Py programs with and without our hook, run on many domains.
gt4py: wheel
	.venv/bin/python bench/gt4py_programs.py

clean:
	rm -rf $(BUILD) build-asan build-wheel
