#include "verify/generator_value.h"

#include "support/words.h"

namespace sdfgopt::verify::generator {

Value Value::atom(std::string text, std::vector<Interval> runs) {
  Value value;
  value.terms_.push_back({std::move(text), 1, std::move(runs)});
  return value;
}

Value Value::plus(const Value &other, std::int64_t sign) const {
  Value sum = *this;
  sum.constant_ += sign * other.constant_;
  for (const Term &term : other.terms_) {
    const auto same = std::find_if(sum.terms_.begin(), sum.terms_.end(),
                                   [&](const Term &t) { return t.atom == term.atom; });
    if (same == sum.terms_.end()) {
      sum.terms_.push_back({term.atom, sign * term.factor, term.runs});
      continue;
    }
    same->factor += sign * term.factor;
    if (same->factor == 0)
      sum.terms_.erase(same);
  }
  return sum;
}

Value Value::times(std::int64_t factor) const {
  if (factor == 0)
    return 0;
  Value result = *this;
  result.constant_ *= factor;
  for (Term &term : result.terms_)
    term.factor *= factor;
  return result;
}

std::string Value::text() const {
  std::string text;
  const auto add = [&](bool negative, const std::string &part) {
    if (text.empty())
      text = negative ? "-" + part : part;
    else
      text += (negative ? " - " : " + ") + part;
  };
  const auto add_terms = [&](bool negative) {
    for (const Term &term : terms_)
      if ((term.factor < 0) == negative) {
        const std::int64_t factor = negative ? -term.factor : term.factor;
        add(negative, factor == 1 ? term.atom : std::to_string(factor) + "*" + term.atom);
      }
  };
  add_terms(false);
  if (constant_ > 0)
    add(false, std::to_string(constant_));
  add_terms(true);
  if (constant_ < 0)
    add(true, std::to_string(-constant_));
  return text.empty() ? "0" : text;
}

Interval Value::in_run(std::size_t run) const {
  Interval sum{constant_, constant_};
  for (const Term &term : terms_) {
    const Interval value = run < term.runs.size() ? term.runs[run] : Interval{};
    const std::int64_t a = term.factor * value.low;
    const std::int64_t b = term.factor * value.high;
    sum.low += std::min(a, b);
    sum.high += std::max(a, b);
  }
  return sum;
}

bool Value::mentions(std::string_view name) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const Term &term) { return has_word(term.atom, name); });
}

Value product(const Value &a, const Value &b, std::size_t runs) {
  if (a.is_number())
    return b.times(a.number());
  if (b.is_number())
    return a.times(b.number());
  std::vector<Interval> values;
  for (std::size_t run = 0; run < runs; ++run) {
    const Interval x = a.in_run(run);
    const Interval y = b.in_run(run);
    values.push_back({x.low * y.low, x.high * y.high});
  }
  const auto factor = [](const Value &value) {
    const std::string text = value.text();
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  };
  return Value::atom(factor(a) + "*" + factor(b), std::move(values));
}

Box box(const Values &begins, const Values &extents) {
  Box result;
  for (std::size_t d = 0; d < begins.size(); ++d)
    result.push_back({begins[d], extents[d]});
  return result;
}

std::string subset(const Box &box) {
  std::string text = "[";
  for (const Dim &dim : box) {
    if (text.size() > 1)
      text += ", ";
    text += dim.begin.text();
    if (!dim.extent.is(1))
      text += ".." + (dim.begin + dim.extent - 1).text();
  }
  return text + "]";
}

std::string list_text(const Values &values) {
  std::string text = "[";
  for (const Value &value : values) {
    if (text.size() > 1)
      text += ", ";
    text += value.text();
  }
  return text + "]";
}

bool has_word(std::string_view text, std::string_view word) {
  bool found = false;
  support::for_each_word(text, [&](std::string_view other) { found = found || other == word; });
  return found;
}

bool mention(const Values &values, const std::vector<std::string> &names) {
  return std::any_of(values.begin(), values.end(), [&](const Value &value) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string &name) { return value.mentions(name); });
  });
}

Values operator+(const Values &a, const Values &b) {
  Values sum;
  for (std::size_t d = 0; d < a.size(); ++d)
    sum.push_back(a[d] + b[d]);
  return sum;
}

} // namespace sdfgopt::verify::generator
