// Typed indices. An id prints the same in memory dumps, the text form, errors and remarks.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace sdfgopt::ir {

/// Index into one array of one owner; the prefix is its print form's letter.
template <char Prefix> struct Id {
  static constexpr std::uint32_t none_value = UINT32_MAX;
  std::uint32_t value = none_value;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] constexpr bool has_value() const { return value != none_value; }
  constexpr auto operator<=>(const Id &) const = default;
  [[nodiscard]] std::string str() const {
    return has_value() ? Prefix + std::to_string(value) : std::string("none");
  }
};

using StateId = Id<'s'>; ///< states of a document, numbered in file order, nested SDFGs included
using NodeId = Id<'n'>;  ///< nodes of one state: the position in the file's array
using EdgeId = Id<'e'>;  ///< edges of one state
using BlockId = Id<'b'>; ///< blocks of one region

} // namespace sdfgopt::ir
