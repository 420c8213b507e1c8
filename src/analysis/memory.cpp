#include "analysis/memory.h"

#include <algorithm>
#include <array>

namespace sdfgopt::analysis {

using symbolic::Expr;

std::optional<std::int64_t> bytes_of_element(const ir::Descriptor &descriptor) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 18> sizes = {
      {{"\"bool\"", 1},
       {"\"bool_\"", 1},
       {"\"int8\"", 1},
       {"\"uint8\"", 1},
       {"\"float8_e4m3fn\"", 1},
       {"\"float8_e5m2\"", 1},
       {"\"int16\"", 2},
       {"\"uint16\"", 2},
       {"\"float16\"", 2},
       {"\"bfloat16\"", 2},
       {"\"int32\"", 4},
       {"\"uint32\"", 4},
       {"\"float32\"", 4},
       {"\"int64\"", 8},
       {"\"uint64\"", 8},
       {"\"float64\"", 8},
       {"\"complex64\"", 8},
       {"\"complex128\"", 16}}};
  for (const auto &[dtype, size] : sizes)
    if (dtype == descriptor.dtype_or_default())
      return size;
  return std::nullopt;
}

std::optional<Expr> bytes_of(const ir::Descriptor &descriptor, symbolic::Context &context) {
  const auto size = bytes_of_element(descriptor);
  if (!size)
    return std::nullopt;
  std::vector<Expr> factors = {context.integer(*size)};
  for (const symbolic::Expression extent : descriptor.shape)
    factors.push_back(context.value(extent));
  return context.mul(factors);
}

std::vector<Expr> strides_of(const ir::Descriptor &descriptor, symbolic::Context &context) {
  const std::size_t rank = descriptor.shape.size();
  std::vector<Expr> strides(rank, context.integer(1));
  if (descriptor.strides.size() == rank) {
    for (std::size_t i = 0; i < rank; ++i)
      strides[i] = context.value(descriptor.strides[i]);
    return strides;
  }
  for (std::size_t i = rank; i-- > 1;)
    strides[i - 1] = context.mul(strides[i], context.value(descriptor.shape[i]));
  return strides;
}

sets::Region whole(const ir::Descriptor &descriptor, symbolic::Context &context) {
  sets::Region region;
  for (const symbolic::Expression extent : descriptor.shape)
    region.dims.push_back({context.integer(0),
                           context.sub(context.value(extent), context.integer(1)),
                           context.integer(1)});
  return region;
}

} // namespace sdfgopt::analysis
