#include "verify/runner.h"

#include "interp/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>

namespace sdfgopt::verify {

using interp::Layout;
using interp::ScalarType;
using support::Error;
using support::ErrorCode;

namespace {

Error usage(std::string message) { return {ErrorCode::Usage, std::move(message), ""}; }

/// The value in a type; nothing if the type does not hold it.
std::optional<interp::Value> value_in(ScalarType type, std::variant<std::int64_t, double> given) {
  if (is_float(type)) {
    const double real = std::holds_alternative<double>(given)
                            ? std::get<double>(given)
                            : static_cast<double>(std::get<std::int64_t>(given));
    interp::Value value{.u = 0};
    if (type == ScalarType::Float32)
      value.f = static_cast<float>(real);
    else
      value.d = real;
    return value;
  }
  if (!std::holds_alternative<std::int64_t>(given))
    return std::nullopt;
  const std::int64_t whole = std::get<std::int64_t>(given);
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
  const bool fits = type == ScalarType::Bool ? whole == 0 || whole == 1
                    : is_unsigned(type)
                        ? whole >= 0 && (bits == 64 || whole >> bits == 0)
                        : bits == 64 || (whole >> (bits - 1) == 0 || whole >> (bits - 1) == -1);
  return fits ? std::optional(interp::Value{.i = whole}) : std::nullopt;
}

void put(std::span<std::byte> memory, std::int64_t element, std::size_t size, const void *value) {
  std::memcpy(memory.data() + static_cast<std::size_t>(element) * size, value, size);
}

} // namespace

support::result<std::pair<std::string, std::variant<std::int64_t, double>>>
parse_symbol(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos)
    return usage(fmt::format("'{}' is no value of a symbol; write NAME=NUMBER", text));
  const std::string name(text.substr(0, equals));
  const std::string_view number = text.substr(equals + 1);
  const auto is = [&](std::string_view a, std::string_view b) {
    return number == a || number == b;
  };
  if (is("true", "True") || is("false", "False"))
    return std::pair(name, std::variant<std::int64_t, double>(std::int64_t{is("true", "True")}));
  std::int64_t whole = 0;
  const char *const end = number.data() + number.size();
  if (const auto parsed = std::from_chars(number.data(), end, whole);
      parsed.ec == std::errc() && parsed.ptr == end)
    return std::pair(name, std::variant<std::int64_t, double>(whole));
  double real = 0;
  if (const auto parsed = std::from_chars(number.data(), end, real);
      parsed.ec == std::errc() && parsed.ptr == end)
    return std::pair(name, std::variant<std::int64_t, double>(real));
  return usage(fmt::format("'{}' is no number, in '{}'", number, text));
}

std::string symbols_text(const SymbolMap &symbols) {
  std::string text;
  for (const auto &[name, value] : symbols) {
    if (!text.empty())
      text += ' ';
    text += name + '=';
    std::string number = std::visit([](auto n) { return fmt::format("{}", n); }, value);
    // To be read as what it is: -0 has a sign only as a float.
    if (std::holds_alternative<double>(value) &&
        number.find_first_not_of("-0123456789") == std::string::npos)
      number += ".0";
    text += number;
  }
  return text;
}

std::string extents_text(std::span<const std::int64_t> extents) {
  std::string text = "[";
  for (const std::int64_t extent : extents)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

IndexRange integers_for(ir::Document &document, const SymbolMap &symbols, IndexRange otherwise) {
  SymbolChoice choice;
  for (const auto &[name, value] : symbols)
    if (std::holds_alternative<std::int64_t>(value))
      choice.values.emplace_back(document.names.intern(name), std::get<std::int64_t>(value));
  return index_range(document, choice).value_or(otherwise);
}

std::uint64_t run_order(std::uint64_t seed) { return std::max<std::uint64_t>(1, seed + 1); }

support::result<const interp::Program *> Runner::program(std::uint64_t order_seed) {
  if (const auto found = programs_.find(order_seed); found != programs_.end())
    return &found->second;
  SDFGOPT_TRY(interp::Program program, interp::compile(document_, order_seed));
  // Those of the last orders, and the one that layouts are computed with.
  constexpr std::size_t most_programs = 4;
  if (programs_.size() >= most_programs)
    std::erase_if(programs_, [](const auto &kept) { return kept.first != 0; });
  return &programs_.emplace(order_seed, std::move(program)).first->second;
}

/// What a symbol holds that the program assigns, before it does: a local variable of the C++ that
/// DaCe prints, which nobody has set.
interp::Value unset(interp::ScalarType type, unsigned fill) {
  const std::int64_t number = fill == 0   ? 101
                              : fill == 1 ? -57
                                          : 3 - static_cast<std::int64_t>(fill % 7);
  return value_in(type, number)
      .value_or(value_in(type, std::int64_t{fill % 2}).value_or(interp::Value{.u = 1}));
}

namespace {

std::string missing_in(const interp::Program &program, const SymbolMap &symbols) {
  std::string missing;
  for (const interp::SymbolInput &symbol : program.symbols)
    if (!symbol.assigned && !symbols.contains(symbol.name))
      missing += (missing.empty() ? "" : ", ") + symbol.name;
  return missing;
}

} // namespace

support::result<interp::SymbolValues>
Runner::values(const interp::Program &program, const SymbolMap &symbols, unsigned fill) const {
  interp::SymbolValues values;
  for (const interp::SymbolInput &symbol : program.symbols) {
    const auto found = symbols.find(symbol.name);
    values.push_back(unset(symbol.type, fill));
    if (found == symbols.end())
      continue;
    const auto value = value_in(symbol.type, found->second);
    if (!value)
      return usage(fmt::format("{} is no value of symbol '{}', which is {}",
                               symbols_text({{found->first, found->second}}), symbol.name,
                               name_of(symbol.type)));
    values.back() = *value;
  }
  if (const std::string missing = missing_in(program, symbols); !missing.empty())
    return usage(fmt::format("no value for {}; give one with --symbol NAME=NUMBER", missing));
  return values;
}

support::result<std::string> Runner::missing_symbols(const SymbolMap &symbols) {
  SDFGOPT_TRY(const interp::Program *compiled, program(0));
  return missing_in(*compiled, symbols);
}

std::optional<SymbolMap> Runner::choose_missing(const SymbolMap &given,
                                                const std::vector<symbolic::Expr> &facts,
                                                std::uint64_t seed, std::int64_t size) {
  ChoiceOptions options{{}, facts, seed, size};
  for (const auto &[name, value] : given)
    if (std::holds_alternative<std::int64_t>(value))
      options.given.emplace_back(document_.names.intern(name), std::get<std::int64_t>(value));
  const auto choice = SymbolChooser(document_, options).next();
  if (!choice)
    return std::nullopt;
  SymbolMap chosen;
  for (const auto &[name, value] : choice->values)
    if (const auto known = has_symbol(name.str());
        known.ok() && known.value() && !given.contains(name.str()))
      chosen.emplace(name.str(), value);
  return chosen;
}

support::result<bool> Runner::has_symbol(const std::string &name) {
  SDFGOPT_TRY(const interp::Program *compiled, program(0));
  const ir::Sdfg &root = document_.root;
  const support::Name known = document_.names.find(name);
  const ir::Descriptor *array = known ? root.find_array(known) : nullptr;
  return std::any_of(root.symbols.begin(), root.symbols.end(),
                     [&](const auto &symbol) { return symbol.first == known; }) ||
         std::any_of(compiled->symbols.begin(), compiled->symbols.end(),
                     [&](const auto &input) { return input.name == name; }) ||
         (array && !array->transient && array->kind == ir::DescriptorKind::Scalar);
}

support::result<std::vector<Layout>> Runner::layouts(const SymbolMap &symbols,
                                                     const RunLimits &limits) {
  for (const auto &[name, value] : symbols) {
    SDFGOPT_TRY(const bool known, has_symbol(name));
    if (!known)
      return usage(fmt::format("the program has no symbol '{}'", name));
  }
  SDFGOPT_TRY(const interp::Program *compiled, program(0));
  SDFGOPT_TRY(const interp::SymbolValues given, values(*compiled, symbols, 0));
  return interp::argument_layouts(*compiled, given, limits.memory);
}

support::result<void> Runner::fill(const Layout &layout, const SymbolMap &symbols,
                                   const Inputs &inputs, std::span<std::byte> memory) const {
  fill_input(memory, name_of(layout.type), inputs.seed, layout.name, inputs.integers.limit,
             inputs.floats, inputs.integers.first);
  const auto symbol = symbols.find(layout.name);
  if (symbol == symbols.end())
    return {};
  const auto value = value_in(layout.type, symbol->second);
  if (!value)
    return usage(fmt::format("{} is no value of '{}', which is {}",
                             symbols_text({{symbol->first, symbol->second}}), layout.name,
                             name_of(layout.type)));
  put(memory, layout.start_offset, size_of(layout.type), &value->u);
  return {};
}

std::optional<Error> objection(const Layout &layout, std::string_view dtype,
                               const std::vector<std::int64_t> &shape) {
  const bool scalar = shape.empty() && layout.shape == std::vector<std::int64_t>{1};
  if (dtype == name_of(layout.type) && (shape == layout.shape || scalar))
    return std::nullopt;
  return usage(fmt::format("the array for '{}' is {}{}, but the program asks for {}{}", layout.name,
                           dtype, extents_text(shape), name_of(layout.type),
                           extents_text(layout.shape)));
}

support::result<interp::Memory> Runner::memory(const std::vector<Layout> &layouts,
                                               const SymbolMap &symbols,
                                               const Inputs &inputs) const {
  for (const auto &given : inputs.arrays)
    if (std::none_of(layouts.begin(), layouts.end(),
                     [&](const Layout &layout) { return layout.name == given.first; }))
      return usage(fmt::format("the program has no argument '{}'", given.first));
  interp::Memory memory;
  for (const Layout &layout : layouts) {
    const std::size_t size = size_of(layout.type);
    std::vector<std::byte> bytes(static_cast<std::size_t>(layout.total_size) * size);
    if (const auto given = inputs.arrays.find(layout.name); given != inputs.arrays.end()) {
      const io::NpyArray &array = given->second;
      if (symbols.contains(layout.name))
        return usage(fmt::format("'{}' is given both as a value and as an array", layout.name));
      if (auto wrong = objection(layout, array.dtype, array.shape))
        return std::move(*wrong);
      SDFGOPT_CHECK(fill(layout, {}, inputs, bytes));
      const std::byte *next = array.bytes.data();
      for_each_position(layout, [&](std::int64_t position) {
        put(bytes, position, size, next);
        next += size;
      });
    } else {
      SDFGOPT_CHECK(fill(layout, symbols, inputs, bytes));
    }
    memory.push_back(std::move(bytes));
  }
  return memory;
}

support::result<interp::RunOutcome> Runner::run(const SymbolMap &symbols, interp::Memory memory,
                                                const interp::RunOptions &options) {
  SDFGOPT_TRY(const interp::Program *compiled, program(options.order_seed));
  SDFGOPT_TRY(const interp::SymbolValues given, values(*compiled, symbols, options.fill));
  return interp::run(*compiled, given, std::move(memory), options);
}

support::result<interp::RunOutcome> Runner::run_in_place(const SymbolMap &symbols,
                                                         const interp::BorrowedMemory &memory,
                                                         const interp::RunOptions &options) {
  SDFGOPT_TRY(const interp::Program *compiled, program(options.order_seed));
  SDFGOPT_TRY(const interp::SymbolValues given, values(*compiled, symbols, options.fill));
  return interp::run_in_place(*compiled, given, memory, options);
}

io::NpyArray to_npy(const Layout &layout, const std::vector<std::byte> &memory) {
  io::NpyArray array{std::string(name_of(layout.type)), layout.shape, {}};
  const std::size_t size = size_of(layout.type);
  array.bytes.reserve(static_cast<std::size_t>(layout.elements()) * size);
  for_each_position(layout, [&](std::int64_t position) {
    const std::byte *element = memory.data() + static_cast<std::size_t>(position) * size;
    array.bytes.insert(array.bytes.end(), element, element + size);
  });
  return array;
}

std::uint64_t element_bits(const std::vector<std::byte> &memory, ScalarType type,
                           std::int64_t element) {
  std::uint64_t bits = 0;
  const std::size_t size = size_of(type);
  std::memcpy(&bits, memory.data() + static_cast<std::size_t>(element) * size, size);
  return bits;
}

std::string element_text(ScalarType type, std::uint64_t bits) {
  const auto real = [&](auto number, int digits) {
    // A NaN's payload, and what made it, shows in its bits only.
    return std::isnan(number) ? fmt::format("nan (0x{:0{}x})", bits, digits)
                              : fmt::format("{}", number);
  };
  switch (type) {
  case ScalarType::Bool:
    return bits <= 1 ? (bits == 1 ? "true" : "false") : fmt::format("bool of bits {}", bits);
  case ScalarType::Int8:
    return fmt::format("{}", static_cast<int>(static_cast<std::int8_t>(bits)));
  case ScalarType::Int16:
    return fmt::format("{}", static_cast<std::int16_t>(bits));
  case ScalarType::Int32:
    return fmt::format("{}", static_cast<std::int32_t>(bits));
  case ScalarType::Int64:
    return fmt::format("{}", static_cast<std::int64_t>(bits));
  case ScalarType::UInt8:
  case ScalarType::UInt16:
  case ScalarType::UInt32:
  case ScalarType::UInt64:
    return fmt::format("{}", bits);
  case ScalarType::Float32:
    return real(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), 8);
  case ScalarType::Float64:
    return real(std::bit_cast<double>(bits), 16);
  }
  assert(false);
  return "";
}

} // namespace sdfgopt::verify
