// Errors of the library as Python exceptions.
#pragma once

#include "support/result.h"

#include <nanobind/nanobind.h>

namespace sdfgopt::python {

/// `Error`, a RuntimeError whose `code` is the name of its kind, and `VerificationError`.
void register_errors(nanobind::module_ &module);

/// Raises `sdfgopt.Error` with the text that the program prints. The caller holds the GIL.
[[noreturn]] void raise(const support::Error &error);
/// Raises `sdfgopt.VerificationError`.
[[noreturn]] void raise_difference(const std::string &text);

/// The value; raises the error.
template <typename T> T value_or_raise(support::result<T> result) {
  if (!result.ok())
    raise(result.error());
  if constexpr (!std::is_void_v<T>)
    return std::move(result).value();
}

} // namespace sdfgopt::python
