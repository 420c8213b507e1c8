#include "python/live_program.h"

#include "python/errors.h"
#include "python/program.h"

#include <nanobind/stl/shared_ptr.h>

namespace sdfgopt::python {

using namespace nb::literals;

namespace {

class LiveProgram {
public:
  explicit LiveProgram(nb::handle sdfg)
      : live_(std::make_shared<LiveDocument>(value_or_raise(read_live(sdfg)))),
        // The program keeps the live objects, too, which its document is about.
        program_(std::make_shared<Program>(
            std::shared_ptr<ir::Document>(live_, live_->document.get()), "")) {}

  [[nodiscard]] std::shared_ptr<Program> program() const { return program_; }
  [[nodiscard]] nb::object edits() const { return edits_of(*live_); }

private:
  std::shared_ptr<LiveDocument> live_;
  std::shared_ptr<Program> program_;
};

} // namespace

void register_live(nb::module_ &module) {
  nb::class_<LiveProgram>(
      module, "LiveProgram",
      "A live dace.SDFG, read without a detour over JSON. It must not be changed "
      "until the edits are applied.")
      .def(nb::init<nb::handle>(), "sdfg"_a)
      .def_prop_ro("program", &LiveProgram::program,
                   "What was read, for passes to change. It cannot be saved, run or verified.")
      .def("edits", &LiveProgram::edits,
           "What passes changed in the program, for sdfgopt._live.apply_edits.");
}

} // namespace sdfgopt::python
