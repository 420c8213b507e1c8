#include "interp/types.h"

#include <array>
#include <cassert>

namespace sdfgopt::interp {

namespace {

struct TypeFacts {
  std::string_view name;
  std::size_t size;
};

constexpr std::array<TypeFacts, scalar_type_count> facts = {{{"bool", 1},
                                                             {"int8", 1},
                                                             {"int16", 2},
                                                             {"int32", 4},
                                                             {"int64", 8},
                                                             {"uint8", 1},
                                                             {"uint16", 2},
                                                             {"uint32", 4},
                                                             {"uint64", 8},
                                                             {"float32", 4},
                                                             {"float64", 8}}};

} // namespace

std::optional<ScalarType> scalar_type(std::string_view dtype) {
  if (dtype.size() >= 2 && dtype.front() == '"' && dtype.back() == '"')
    dtype = dtype.substr(1, dtype.size() - 2);
  if (dtype == "bool_")
    return ScalarType::Bool;
  for (std::size_t k = 0; k < facts.size(); ++k)
    if (facts[k].name == dtype)
      return static_cast<ScalarType>(k);
  return std::nullopt;
}

std::string_view name_of(ScalarType type) { return facts[static_cast<std::size_t>(type)].name; }

std::size_t size_of(ScalarType type) { return facts[static_cast<std::size_t>(type)].size; }

bool is_float(ScalarType type) {
  return type == ScalarType::Float32 || type == ScalarType::Float64;
}

bool is_unsigned(ScalarType type) {
  return type >= ScalarType::UInt8 && type <= ScalarType::UInt64;
}

ScalarType promoted(ScalarType type) {
  return is_float(type) || size_of(type) >= 4 ? type : ScalarType::Int32;
}

ScalarType promoted(ScalarType a, ScalarType b) {
  a = promoted(a);
  b = promoted(b);
  if (is_float(a) || is_float(b)) {
    if (!is_float(a))
      return b;
    return is_float(b) && b > a ? b : a;
  }
  if (size_of(a) != size_of(b))
    return size_of(a) > size_of(b) ? a : b; // the wider one holds all values of the other
  return is_unsigned(a) ? a : b;
}

} // namespace sdfgopt::interp
