// NumPy arrays as memory of a program's arguments.
#pragma once

#include "interp/machine.h"
#include "verify/shape_symbols.h"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sdfgopt::python {

/// The memory of an object that has the buffer protocol, held until this is gone. The object can
/// not give it away meanwhile.
class ArrayView {
public:
  /// Raises an Error that names the argument if the object has no memory.
  ArrayView(nanobind::handle object, const std::string &argument);
  ~ArrayView();
  ArrayView(const ArrayView &) = delete;
  ArrayView &operator=(const ArrayView &) = delete;

  [[nodiscard]] const std::string &dtype() const { return dtype_; } ///< NumPy's name
  [[nodiscard]] const verify::ArrayShape &shape() const { return shape_; }
  [[nodiscard]] bool read_only() const { return view_.readonly != 0; }

  /// The argument's whole memory; nothing if it is laid out in another way, has padding, or is
  /// read-only. Type and shape agree.
  [[nodiscard]] std::optional<std::span<std::byte>> memory_of(const interp::Layout &layout) const;
  /// All of it, of an array without gaps.
  [[nodiscard]] std::span<std::byte> whole() const;

  /// Between the elements and an argument's memory; type and shape agree.
  void copy_to(const interp::Layout &layout, std::span<std::byte> memory) const;
  void copy_from(const interp::Layout &layout, std::span<const std::byte> memory) const;
  /// The elements are what the memory holds.
  [[nodiscard]] bool holds(const interp::Layout &layout, std::span<const std::byte> memory) const;

private:
  template <typename Visit> void for_each_element(const interp::Layout &layout, Visit visit) const;

  Py_buffer view_ = {};
  std::string dtype_;
  verify::ArrayShape shape_;
};

/// A new array of NumPy's with an argument's type and layout; `memory` is what has its whole
/// memory, padding included.
struct NewArray {
  nanobind::object array;
  std::unique_ptr<ArrayView> memory;
};
NewArray new_array(const interp::Layout &layout);

} // namespace sdfgopt::python
