#include "python/arrays.h"

#include "python/errors.h"

#include <cassert>
#include <cstring>

namespace sdfgopt::python {

namespace nb = nanobind;
using interp::Layout;

namespace {

/// NumPy's name of what a buffer holds; the object's own where that is nothing that arguments may
/// be.
std::string dtype_of(const Py_buffer &view, nb::handle object) {
  std::string_view format = view.format ? view.format : "B";
  if (!format.empty() && std::string_view("@=<").find(format.front()) != std::string_view::npos)
    format.remove_prefix(1);
  const std::string bits = std::to_string(8 * view.itemsize);
  if (format == "?")
    return "bool";
  if (format == "f" || format == "d")
    return "float" + bits;
  if (format.size() == 1 && std::string_view("bhilqn").find(format) != std::string_view::npos)
    return "int" + bits;
  if (format.size() == 1 && std::string_view("BHILQN").find(format) != std::string_view::npos)
    return "uint" + bits;
  if (!nb::hasattr(object, "dtype"))
    return std::string(format);
  const nb::object dtype = object.attr("dtype");
  return nb::str(dtype).c_str();
}

/// Strides of C order, in elements.
std::vector<std::int64_t> packed(const std::vector<std::int64_t> &shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

} // namespace

ArrayView::ArrayView(nb::handle object, const std::string &argument) {
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    raise({support::ErrorCode::Usage,
           "'" + argument + "' is given " + nb::type_name(object.type()).c_str() +
               ", which is neither an array in memory nor a number",
           ""});
  }
  dtype_ = dtype_of(view_, object);
  for (int d = 0; d < view_.ndim; ++d) {
    shape_.shape.push_back(view_.shape[d]);
    shape_.strides.push_back(view_.strides[d] / view_.itemsize);
  }
}

ArrayView::~ArrayView() { PyBuffer_Release(&view_); }

std::optional<std::span<std::byte>> ArrayView::memory_of(const Layout &layout) const {
  if (read_only() || layout.start_offset != 0)
    return std::nullopt;
  if (layout.elements() == 0)
    return layout.total_size == 0 ? std::optional(std::span<std::byte>()) : std::nullopt;
  std::int64_t last = 0;
  for (std::size_t d = 0; d < shape_.shape.size(); ++d) {
    if (shape_.shape[d] == 1)
      continue;
    if (view_.strides[d] != layout.strides[d] * view_.itemsize || view_.strides[d] < 0)
      return std::nullopt;
    last += (shape_.shape[d] - 1) * layout.strides[d];
  }
  if (last + 1 != layout.total_size)
    return std::nullopt;
  return std::span(static_cast<std::byte *>(view_.buf),
                   static_cast<std::size_t>(layout.total_size * view_.itemsize));
}

std::span<std::byte> ArrayView::whole() const {
  return {static_cast<std::byte *>(view_.buf), static_cast<std::size_t>(view_.len)};
}

/// Calls `visit(element of the array, byte offset in the argument's memory)`.
template <typename Visit>
void ArrayView::for_each_element(const Layout &layout, Visit visit) const {
  const std::size_t rank = shape_.shape.size();
  std::vector<std::int64_t> index(rank);
  auto *element = static_cast<std::byte *>(view_.buf);
  verify::for_each_position(layout, [&](std::int64_t position) {
    visit(element, static_cast<std::size_t>(position * view_.itemsize));
    for (std::size_t d = rank; d-- > 0;) {
      element += view_.strides[d];
      if (++index[d] < shape_.shape[d])
        break;
      element -= view_.strides[d] * shape_.shape[d];
      index[d] = 0;
    }
  });
}

void ArrayView::copy_to(const Layout &layout, std::span<std::byte> memory) const {
  for_each_element(layout, [&](const std::byte *element, std::size_t offset) {
    std::memcpy(memory.data() + offset, element, static_cast<std::size_t>(view_.itemsize));
  });
}

void ArrayView::copy_from(const Layout &layout, std::span<const std::byte> memory) const {
  assert(!read_only());
  for_each_element(layout, [&](std::byte *element, std::size_t offset) {
    std::memcpy(element, memory.data() + offset, static_cast<std::size_t>(view_.itemsize));
  });
}

bool ArrayView::holds(const Layout &layout, std::span<const std::byte> memory) const {
  bool same = true;
  for_each_element(layout, [&](const std::byte *element, std::size_t offset) {
    same = same && std::memcmp(element, memory.data() + offset,
                               static_cast<std::size_t>(view_.itemsize)) == 0;
  });
  return same;
}

NewArray new_array(const Layout &layout) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object dtype = numpy.attr("dtype")(nb::str(name_of(layout.type).data()));
  const nb::object memory = numpy.attr("empty")(layout.total_size, dtype);
  nb::list shape;
  nb::list strides;
  const auto size = static_cast<std::int64_t>(size_of(layout.type));
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    shape.append(layout.shape[d]);
    strides.append(layout.strides[d] * size);
  }
  const bool plain = layout.start_offset == 0 && layout.total_size == layout.elements() &&
                     layout.strides == packed(layout.shape);
  nb::object array = plain ? nb::object(memory.attr("reshape")(shape))
                           : nb::object(numpy.attr("ndarray")(shape, dtype, memory,
                                                              layout.start_offset * size, strides));
  return {std::move(array), std::make_unique<ArrayView>(memory, layout.name)};
}

} // namespace sdfgopt::python
