// Element types of data, symbols and the values that code computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sdfgopt::interp {

enum class ScalarType : std::uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float32,
  Float64,
};
constexpr std::size_t scalar_type_count = 11;

/// The type for a dtype as files spell it: JSON text (`"float64"`, quotes included) or the bare
/// name. Nothing for vectors, structures, pointers, complex and half precision numbers.
std::optional<ScalarType> scalar_type(std::string_view dtype);

/// NumPy's name, "float64".
std::string_view name_of(ScalarType type);
/// Bytes of one element in memory.
std::size_t size_of(ScalarType type);
bool is_float(ScalarType type);
bool is_unsigned(ScalarType type); ///< UInt8 ... UInt64; not Bool

/// Type of arithmetic on one operand in C++: Bool and integers below 32 bits become Int32.
ScalarType promoted(ScalarType type);
/// Type of a binary operation in C++ (usual arithmetic conversions).
ScalarType promoted(ScalarType a, ScalarType b);

/// One register. What it holds is known when the code is compiled:
/// Bool 0 or 1; signed integers sign-extended, unsigned ones zero-extended, in `i`; floats in their
/// own member, the other bits zero.
union Value {
  std::int64_t i;
  std::uint64_t u;
  float f;
  double d;
};
static_assert(sizeof(Value) == 8);

} // namespace sdfgopt::interp
