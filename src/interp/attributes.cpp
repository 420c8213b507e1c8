#include "interp/attributes.h"

#include <array>
#include <limits>
#include <simdjson.h>

namespace sdfgopt::interp {

namespace dom = simdjson::dom;

namespace {

struct Spelling {
  std::string_view text;
  double value;
};
// The sign comes before: a spelling may not be found inside of a longer one.
constexpr std::array spellings = {
    Spelling{"-Infinity", -std::numeric_limits<double>::infinity()},
    Spelling{"Infinity", std::numeric_limits<double>::infinity()},
    Spelling{"NaN", std::numeric_limits<double>::quiet_NaN()},
};

/// Python writes numbers that JSON does not have; here they become strings.
std::string quoted_numbers(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (in_string && c == '\\' && at + 1 < json.size()) {
      out += {c, json[++at]};
      continue;
    }
    if (c == '"')
      in_string = !in_string;
    const Spelling *found = nullptr;
    for (const Spelling &spelling : spellings)
      if (!in_string && !found && json.substr(at).starts_with(spelling.text))
        found = &spelling;
    if (found) {
      out += '"' + std::string(found->text) + '"';
      at += found->text.size() - 1;
    } else {
      out += c;
    }
  }
  return out;
}

bool parse(dom::parser &parser, std::string_view json, dom::element &element) {
  if (json.empty())
    return false;
  // The parser copies the text, since it may not be padded.
  if (parser.parse(json.data(), json.size(), true).get(element) == simdjson::SUCCESS)
    return true;
  return parser.parse(quoted_numbers(json)).get(element) == simdjson::SUCCESS;
}

std::optional<Number> number_of(dom::element element) {
  if (std::int64_t whole = 0; element.get(whole) == simdjson::SUCCESS)
    return Number{static_cast<double>(whole), whole};
  if (bool truth = false; element.get(truth) == simdjson::SUCCESS)
    return Number{truth ? 1.0 : 0.0, truth ? 1 : 0};
  if (double value = 0; element.get(value) == simdjson::SUCCESS)
    return Number{value, std::nullopt};
  if (std::string_view text; element.get(text) == simdjson::SUCCESS)
    for (const Spelling &spelling : spellings)
      if (text == spelling.text)
        return Number{spelling.value, std::nullopt};
  return std::nullopt;
}

/// Adds the numbers of nested lists in C order, whose lengths must be those of `shape`, which grows
/// on the way to the first number. False if they are not.
bool add_numbers(dom::element element, std::size_t depth, Constant &constant, bool &deepest) {
  dom::array list;
  if (element.get(list) != simdjson::SUCCESS) {
    const std::optional<Number> number = number_of(element);
    if (!number || (deepest && depth != constant.shape.size()))
      return false;
    deepest = true;
    constant.values.push_back(*number);
    return true;
  }
  const auto length = static_cast<std::int64_t>(list.size());
  if (depth == constant.shape.size()) {
    if (deepest)
      return false;
    constant.shape.push_back(length);
  }
  if (constant.shape[depth] != length)
    return false;
  for (const dom::element inner : list)
    if (!add_numbers(inner, depth + 1, constant, deepest))
      return false;
  return true;
}

} // namespace

struct Attributes::Parsed {
  dom::parser parser;
  dom::element attributes;
  bool ok = false;

  [[nodiscard]] std::optional<dom::element> find(std::string_view key) const {
    dom::element found;
    if (!ok || attributes[key].get(found) != simdjson::SUCCESS || found.is_null())
      return std::nullopt;
    return found;
  }
};

Attributes::Attributes(std::string_view element) : parsed_(std::make_unique<Parsed>()) {
  // An element without text has defaults.
  dom::element object;
  if (parse(parsed_->parser, element, object))
    parsed_->ok = object["attributes"].get(parsed_->attributes) == simdjson::SUCCESS;
}

Attributes::~Attributes() = default;

std::optional<std::string> Attributes::string(std::string_view key) const {
  const auto found = parsed_->find(key);
  std::string_view text;
  if (!found || found->get(text) != simdjson::SUCCESS)
    return std::nullopt;
  return std::string(text);
}

std::optional<Number> Attributes::number(std::string_view key) const {
  const auto found = parsed_->find(key);
  return found ? number_of(*found) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> Attributes::integers(std::string_view key) const {
  const auto found = parsed_->find(key);
  dom::array array;
  if (!found || found->get(array) != simdjson::SUCCESS)
    return std::nullopt;
  std::vector<std::int64_t> result;
  for (const dom::element element : array) {
    std::int64_t value = 0;
    if (element.get(value) != simdjson::SUCCESS)
      return std::nullopt;
    result.push_back(value);
  }
  return result;
}

bool Attributes::has(std::string_view key) const { return parsed_->find(key).has_value(); }

std::vector<Constant> constants(std::string_view constants_prop) {
  std::vector<Constant> result;
  dom::parser parser;
  dom::element all;
  dom::object object;
  if (!parse(parser, constants_prop, all) || all.get(object) != simdjson::SUCCESS)
    return result;
  for (const auto field : object) {
    Constant constant;
    constant.name = field.key;
    dom::element descriptor;
    dom::element value;
    if (field.value.at(0).get(descriptor) == simdjson::SUCCESS &&
        field.value.at(1).get(value) == simdjson::SUCCESS) {
      std::string_view dtype;
      if (descriptor["attributes"]["dtype"].get(dtype) == simdjson::SUCCESS)
        constant.dtype = dtype;
      if (dom::element data; value["data"].get(data) == simdjson::SUCCESS) {
        bool deepest = false;
        constant.array = true;
        if (!add_numbers(data, 0, constant, deepest))
          constant.values.clear();
      } else if (const auto number = number_of(value)) {
        constant.values.push_back(*number);
      }
    }
    result.push_back(std::move(constant));
  }
  return result;
}

} // namespace sdfgopt::interp
