#include "interp/code_types.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sdfgopt::interp {

namespace {

using enum ScalarType;

constexpr auto type_words = std::to_array<std::string_view>(
    {"bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double"});

constexpr auto spellings = std::to_array<std::pair<std::string_view, ScalarType>>({
    {"int", Int32},
    {"uint", UInt32},
    {"float", Float32},
    {"double", Float64},
    {"signed char", Int8},
    {"unsigned char", UInt8},
    {"char", Int8},
    {"short", Int16},
    {"short int", Int16},
    {"unsigned short", UInt16},
    {"unsigned short int", UInt16},
    {"signed", Int32},
    {"signed int", Int32},
    {"unsigned", UInt32},
    {"unsigned int", UInt32},
    {"long", Int64},
    {"long int", Int64},
    {"long long", Int64},
    {"long long int", Int64},
    {"unsigned long", UInt64},
    {"unsigned long int", UInt64},
    {"unsigned long long", UInt64},
    {"unsigned long long int", UInt64},
    {"int8_t", Int8},
    {"int16_t", Int16},
    {"int32_t", Int32},
    {"int64_t", Int64},
    {"uint8_t", UInt8},
    {"uint16_t", UInt16},
    {"uint32_t", UInt32},
    {"uint64_t", UInt64},
    {"size_t", UInt64},
    {"ptrdiff_t", Int64},
});

} // namespace

std::optional<ScalarType> type_named(std::string_view name) {
  for (const std::string_view module : {"dace.", "np.", "numpy.", "std.", "builtins."}) {
    if (name.starts_with(module)) {
      name.remove_prefix(module.size());
      break;
    }
  }
  if (name.starts_with('"'))
    return std::nullopt; // scalar_type() would also accept JSON
  const auto *const found =
      std::ranges::find(spellings, name, &std::pair<std::string_view, ScalarType>::first);
  return found == spellings.end() ? scalar_type(name) : std::optional(found->second);
}

bool is_type_word(std::string_view word) {
  return std::ranges::find(type_words, word) != type_words.end();
}

} // namespace sdfgopt::interp
