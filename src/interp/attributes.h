// Attributes of elements that the IR carries without modelling them, such as a library node's.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgopt::interp {

/// A number in JSON, kept as a float and, if it is a whole one, as an integer.
struct Number {
  double value = 0;
  std::optional<std::int64_t> whole;
};

class Attributes {
public:
  /// `element` is the JSON object of an element, which has a member `attributes`. Python's NaN and
  /// Infinity are numbers in it.
  explicit Attributes(std::string_view element);
  ~Attributes();
  Attributes(const Attributes &) = delete;
  Attributes &operator=(const Attributes &) = delete;

  /// Nothing if absent, null or of another type.
  [[nodiscard]] std::optional<std::string> string(std::string_view key) const;
  [[nodiscard]] std::optional<Number> number(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  /// Present, and not null.
  [[nodiscard]] bool has(std::string_view key) const;

private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

/// A constant of an SDFG (`constants_prop`): its name, dtype (JSON), and values.
struct Constant {
  std::string name;
  std::string dtype;
  bool array = false;
  std::vector<std::int64_t> shape; ///< of an array
  std::vector<Number> values;      ///< in C order; empty if they are no numbers
};
std::vector<Constant> constants(std::string_view constants_prop);

} // namespace sdfgopt::interp
