#include "interp/attributes.h"

#include <simdjson.h>

namespace sdfgopt::interp {

namespace dom = simdjson::dom;

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

namespace {

std::optional<Number> number_of(dom::element element) {
  if (std::int64_t whole = 0; element.get(whole) == simdjson::SUCCESS)
    return Number{static_cast<double>(whole), whole};
  if (bool truth = false; element.get(truth) == simdjson::SUCCESS)
    return Number{truth ? 1.0 : 0.0, truth ? 1 : 0};
  if (double value = 0; element.get(value) == simdjson::SUCCESS)
    return Number{value, std::nullopt};
  return std::nullopt;
}

} // namespace

Attributes::Attributes(std::string_view element) : parsed_(std::make_unique<Parsed>()) {
  // The parser copies the text, since it may not be padded. An element without text has defaults.
  dom::element object;
  if (parsed_->parser.parse(element.data(), element.size(), true).get(object) == simdjson::SUCCESS)
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
  dom::object object;
  if (parser.parse(constants_prop.data(), constants_prop.size(), true).get(object) !=
      simdjson::SUCCESS)
    return result;
  for (const auto field : object) {
    Constant constant{std::string(field.key), "", std::nullopt};
    dom::element descriptor;
    dom::element value;
    if (field.value.at(0).get(descriptor) == simdjson::SUCCESS &&
        field.value.at(1).get(value) == simdjson::SUCCESS) {
      std::string_view dtype;
      if (descriptor["attributes"]["dtype"].get(dtype) == simdjson::SUCCESS)
        constant.dtype = dtype;
      constant.value = number_of(value);
    }
    result.push_back(std::move(constant));
  }
  return result;
}

} // namespace sdfgopt::interp
