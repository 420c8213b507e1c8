#include "python/program.h"

#include "io/file.h"
#include "io/text_printer.h"
#include "python/errors.h"
#include "python/interruptible.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

namespace sdfgopt::python {

namespace nb = nanobind;
using namespace nb::literals;
using support::result;

std::pair<std::unique_lock<std::mutex>, std::unique_lock<std::mutex>>
Program::lock_with(const Program &other) const {
  std::pair locks(std::unique_lock(mutex_, std::defer_lock),
                  std::unique_lock(other.mutex_, std::defer_lock));
  if (this == &other)
    locks.first.lock();
  else
    std::lock(locks.first, locks.second);
  return locks;
}

namespace {

using Made = std::unique_ptr<Program>;
using Read = result<std::unique_ptr<ir::Document>>;

Made load(const std::string &path) {
  return std::make_unique<Program>(
      interruptible([&](const std::stop_token &) -> Read { return io::load(path); }), path);
}

Made from_json(const nb::bytes &text, const std::string &name) {
  const std::string_view bytes(text.c_str(), text.size());
  return std::make_unique<Program>(
      interruptible([&](const std::stop_token &) -> Read { return io::load_bytes(bytes, name); }),
      "");
}

Made copy(const Program &program) {
  return std::make_unique<Program>(interruptible([&](const std::stop_token &) -> Read {
                                     const auto lock = program.lock();
                                     return io::written_and_read(program.document());
                                   }),
                                   program.file());
}

std::string rendered(const Program &program, io::FileForm form, bool full) {
  return interruptible([&](const std::stop_token &) -> result<std::string> {
    const auto lock = program.lock();
    return io::render(program.document(), form, full);
  });
}

void save(const Program &program, const std::string &path, bool full) {
  const io::FileForm form = value_or_raise(io::output_form(path));
  interruptible([&](const std::stop_token &) -> result<void> {
    const auto lock = program.lock();
    SDFGOPT_TRY(const std::string bytes, io::render(program.document(), form, full));
    return io::write_file(path, bytes);
  });
}

std::string text(const Program &program, const std::string &only, bool full) {
  return interruptible([&](const std::stop_token &) -> result<std::string> {
    const auto lock = program.lock();
    return io::print_text(program.document(), {full, only});
  });
}

nb::bytes json(const Program &program) {
  const std::string bytes = rendered(program, io::FileForm::Json, false);
  return nb::bytes(bytes.data(), bytes.size());
}

std::string short_text(const Program &program) {
  return "<sdfgopt.Program '" + program.name() + "'" +
         (program.file().empty() ? "" : " from '" + program.file() + "'") + ">";
}

} // namespace

void register_program(nb::module_ &module) {
  nb::class_<Program>(module, "Program",
                      "A program: what `sdfgopt.load` gives. It does not change; what a function "
                      "makes of it is another one.\n\n"
                      "`str(program)` is its text form. It can be pickled.\n\n"
                      "    program = sdfgopt.load(\"program.sdfg\")\n"
                      "    print(program.name, len(str(program)))")
      .def_static("load", &load, "path"_a, "Reads a file; the form is told by the content.")
      .def_static("from_json", &from_json, "text"_a, "name"_a = "",
                  "From the bytes of an SDFG's JSON; `name` is told in errors.")
      .def("save", &save, "path"_a, nb::kw_only(), "full"_a = false,
           "Writes a file, in the form that the name's ending tells.")
      .def("text", &text, "only"_a = "", nb::kw_only(), "full"_a = false,
           "The text form, of all or of one state or region; with bookkeeping, if `full`.")
      .def("json", &json, "The bytes of the .sdfg file.")
      .def("copy", &copy, "The same program, for passes to work on in place.")
      .def_prop_ro("name", &Program::name, "The SDFG's name.")
      .def_prop_ro("file", &Program::file, "The file that it is from, or \"\".")
      .def("__str__", [](const Program &program) { return text(program, "", false); })
      .def("__repr__", &short_text)
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, "memo"_a)
      .def("__getstate__",
           [](const Program &program) { return nb::make_tuple(json(program), program.file()); })
      .def("__setstate__", [](Program &self, const std::pair<nb::bytes, std::string> &state) {
        const std::string_view bytes(state.first.c_str(), state.first.size());
        std::unique_ptr<ir::Document> document = interruptible(
            [&](const std::stop_token &) -> Read { return io::load_bytes(bytes, state.second); });
        new (&self) Program(std::move(document), state.second);
      });
}

} // namespace sdfgopt::python
