#include "python/errors.h"

#include <cassert>

namespace sdfgopt::python {

namespace nb = nanobind;
using support::ErrorCode;

namespace {

// Kept for good: an extension module is never unloaded.
PyObject *error_type = nullptr;
PyObject *verification_error_type = nullptr;

const char *code_name(ErrorCode code) {
  switch (code) {
  case ErrorCode::Usage:
    return "usage";
  case ErrorCode::Io:
    return "io";
  case ErrorCode::Syntax:
    return "syntax";
  case ErrorCode::Format:
    return "format";
  case ErrorCode::Limit:
    return "limit";
  case ErrorCode::Invalid:
    return "invalid";
  case ErrorCode::Unsupported:
    return "unsupported";
  case ErrorCode::Fault:
    return "fault";
  case ErrorCode::Stopped:
    return "stopped";
  }
  assert(false);
  return "";
}

PyObject *exception_type(nb::module_ &module, const char *name, const char *doc, PyObject *base,
                         const char *code) {
  nb::dict members;
  members["code"] = code;
  PyObject *type =
      PyErr_NewExceptionWithDoc(("sdfgopt." + std::string(name)).c_str(), doc, base, members.ptr());
  if (!type)
    throw nb::python_error();
  module.attr(name) = nb::handle(type);
  return type;
}

[[noreturn]] void raise(PyObject *type, const std::string &text, const char *code) {
  nb::object error = nb::handle(type)(nb::str(text.data(), text.size()));
  error.attr("code") = code;
  PyErr_SetObject(type, error.ptr());
  throw nb::python_error();
}

} // namespace

void register_errors(nb::module_ &module) {
  error_type = exception_type(
      module, "Error",
      "What the program `sdfg-opt` would print as an error, with the same text.\n\n"
      "`code` tells of which kind it is: \"usage\" (the caller asked for what does not exist, or "
      "does not\ngo together), \"io\", \"syntax\", \"format\" (no SDFG), \"limit\", \"invalid\" "
      "(a graph that breaks a rule),\n\"unsupported\" (a program that cannot be run here), "
      "\"fault\" (a program that, when run, does what no\nprogram may), \"difference\".\n\n"
      "    try:\n"
      "        sdfgopt.optimize(\"program.sdfg\", assume=\"n >\")\n"
      "    except sdfgopt.Error as error:\n"
      "        print(error.code, error)",
      PyExc_RuntimeError, "");
  verification_error_type = exception_type(
      module, "VerificationError",
      "With `verify=True`: a pass changed what the program does. Nothing is written or changed.",
      error_type, "difference");
}

void raise(const support::Error &error) { raise(error_type, error.text(), code_name(error.code)); }

void raise_difference(const std::string &text) {
  raise(verification_error_type, text, "difference");
}

} // namespace sdfgopt::python
