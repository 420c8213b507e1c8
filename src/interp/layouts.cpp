#include "interp/layouts.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace sdfgopt::interp {

using support::Error;
using support::ErrorCode;
using support::result;

std::int64_t Layout::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape)
    product *= extent; // fits: argument_layouts has seen to it
  return product;
}

namespace {

Error fault(const Layout &layout, std::string_view what) {
  return {ErrorCode::Fault, fmt::format("array '{}' {}", layout.name, what), ""};
}

/// "[2, 3]". (fmt::join of 64-bit numbers sets off a false alarm of GCC 12.)
std::string list(const std::vector<std::int64_t> &numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "[" : ", ") + std::to_string(number);
  return text.empty() ? "[]" : text + "]";
}

/// Extents are not negative, and their product fits unless it is 0.
result<void> check_extents(const Layout &layout) {
  for (const std::int64_t extent : layout.shape)
    if (extent < 0)
      return fault(layout,
                   fmt::format("has a negative extent in its shape {}", list(layout.shape)));
  std::int64_t product = std::ranges::count(layout.shape, 0) != 0 ? 0 : 1;
  for (const std::int64_t extent : layout.shape)
    if (product != 0 && __builtin_mul_overflow(product, extent, &product))
      return Error{ErrorCode::Limit,
                   fmt::format("array '{}' has more elements than 64 bits can count", layout.name),
                   ""};
  return {};
}

/// Every element of the shape, reached by the strides, is in memory. (The extents are right.)
result<void> check_reach(const Layout &layout) {
  if (layout.total_size < 0)
    return fault(layout, fmt::format("has {} elements in memory", layout.total_size));
  if (layout.elements() == 0)
    return {};
  const auto outside = [&] {
    return fault(layout, fmt::format("of shape {}, strides {} and start offset {} does not fit "
                                     "into its {} elements of memory",
                                     list(layout.shape), list(layout.strides), layout.start_offset,
                                     layout.total_size));
  };
  std::int64_t lowest = layout.start_offset;
  std::int64_t highest = layout.start_offset;
  for (std::size_t k = 0; k < layout.shape.size(); ++k) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(layout.shape[k] - 1, layout.strides[k], &reach))
      return outside();
    std::int64_t &corner = reach < 0 ? lowest : highest;
    if (__builtin_add_overflow(corner, reach, &corner))
      return outside();
  }
  if (lowest < 0 || highest >= layout.total_size)
    return outside();
  return {};
}

Layout layout_of(const Container &container, const std::vector<Value> &registers) {
  Layout layout;
  layout.name = container.name;
  layout.type = container.type;
  for (const Reg reg : container.shape)
    layout.shape.push_back(registers[reg].i);
  for (const Reg reg : container.strides)
    layout.strides.push_back(registers[reg].i);
  if (container.start_offset != none)
    layout.start_offset = registers[container.start_offset].i;
  layout.total_size = registers[container.total_size].i;
  return layout;
}

} // namespace

result<std::vector<Layout>> read_layouts(const Program &program,
                                         const std::vector<Value> &registers,
                                         std::size_t memory_limit) {
  std::vector<Layout> layouts;
  std::size_t used = 0;
  for (const std::uint32_t argument : program.arguments) {
    Layout layout = layout_of(program.containers[argument], registers);
    SDFGOPT_CHECK(check_extents(layout));
    SDFGOPT_CHECK(check_reach(layout));
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(layout.total_size, size_of(layout.type), &bytes) ||
        bytes > memory_limit - used)
      return Error{ErrorCode::Limit,
                   fmt::format("the memory of array '{}' would exceed the limit of {} bytes",
                               layout.name, memory_limit),
                   ""};
    used += bytes;
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

} // namespace sdfgopt::interp
