// The extension module sdfgopt._core: programs, passes, runs, as Python objects.
#include "python/errors.h"
#include "python/live_program.h"
#include "python/program.h"

NB_MODULE(_core, module) {
  using namespace sdfgopt::python;
  module.doc() = "The native part of sdfgopt; its functions are for the package itself.";
  module.attr("__version__") = SDFGOPT_VERSION;
  register_errors(module);
  register_program(module);
  register_optimize(module);
  register_runs(module);
  register_live(module);
}
