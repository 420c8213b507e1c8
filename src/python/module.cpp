// The extension module sdfgopt._core: programs, passes, runs, as Python objects.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, m) { m.attr("__version__") = SDFGOPT_VERSION; }
