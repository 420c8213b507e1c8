// Expressions of generated programs that know what values they take, so that an access can be seen
// to be in bounds when it is made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgopt::verify::generator {

/// Values that something may have.
struct Interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// A sum of terms, each an integer times an atom (a symbol, a call), and a constant. An atom knows
/// its values in each of the program's runs.
class Value {
public:
  Value() = default;
  Value(std::int64_t number) : constant_(number) {}
  /// `runs` may be empty for what is never asked for its values, such as a map's parameter.
  static Value atom(std::string text, std::vector<Interval> runs);
  static Value name(std::string text) { return atom(std::move(text), {}); }

  [[nodiscard]] std::string text() const;
  [[nodiscard]] Interval in_run(std::size_t run) const;
  [[nodiscard]] bool is_number() const { return terms_.empty(); }
  /// The value of a number.
  [[nodiscard]] std::int64_t number() const { return constant_; }
  [[nodiscard]] bool is(std::int64_t number) const { return is_number() && constant_ == number; }
  /// A name stands anywhere in the text.
  [[nodiscard]] bool mentions(std::string_view name) const;

  friend Value operator+(const Value &a, const Value &b) { return a.plus(b, 1); }
  friend Value operator-(const Value &a, const Value &b) { return a.plus(b, -1); }
  [[nodiscard]] Value times(std::int64_t factor) const;
  friend bool operator==(const Value &a, const Value &b) { return a.text() == b.text(); }

private:
  struct Term {
    std::string atom;
    std::int64_t factor;
    std::vector<Interval> runs;
  };
  [[nodiscard]] Value plus(const Value &other, std::int64_t sign) const;

  std::vector<Term> terms_; ///< of different atoms, without factors of 0
  std::int64_t constant_ = 0;
};

using Values = std::vector<Value>;

/// `function(a, b)` as an atom, where `evaluate` is monotonic in both; a number if both are.
template <typename Function>
Value call(const char *function, const Value &a, const Value &b, std::size_t runs,
           Function evaluate) {
  if (a.is_number() && b.is_number())
    return evaluate(a.number(), b.number());
  std::vector<Interval> values;
  for (std::size_t run = 0; run < runs; ++run) {
    const Interval x = a.in_run(run);
    const Interval y = b.in_run(run);
    values.push_back({evaluate(x.low, y.low), evaluate(x.high, y.high)});
  }
  return Value::atom(std::string(function) + "(" + a.text() + ", " + b.text() + ")",
                     std::move(values));
}

/// Of values that are not negative.
Value product(const Value &a, const Value &b, std::size_t runs);

/// One dimension of a box.
struct Dim {
  Value begin;
  Value extent;
};
using Box = std::vector<Dim>;

Box box(const Values &begins, const Values &extents);
/// "[0..N - 1, i]".
std::string subset(const Box &box);

/// "[N, 3]".
std::string list_text(const Values &values);

/// Some name of a list stands in some value.
bool mention(const Values &values, const std::vector<std::string> &names);
/// A name stands in a text as a word.
bool has_word(std::string_view text, std::string_view word);

Values operator+(const Values &a, const Values &b);

} // namespace sdfgopt::verify::generator
