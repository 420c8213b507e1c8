// Runs a piece of tasklet code on the interpreter's machine: typed inputs by name, one output `o`
// of a type, and an array `A` of eight doubles 0, 10, ... 70.
#pragma once

#include "interp/code_compiler.h"
#include "interp/code_parser.h"
#include "interp/machine.h"

#include <array>
#include <cstring>
#include <map>
#include <string>

namespace sdfgopt::interp {

struct CodeInput {
  std::string name;
  ScalarType type;
  Value value;
};

inline CodeInput input(std::string name, double value) {
  return {std::move(name), ScalarType::Float64, Value{.d = value}};
}
inline CodeInput input(std::string name, float value) {
  Value bits{.u = 0};
  bits.f = value;
  return {std::move(name), ScalarType::Float32, bits};
}
inline CodeInput input(std::string name, std::int64_t value, ScalarType type = ScalarType::Int64) {
  return {std::move(name), type, Value{.i = value}};
}
inline CodeInput input(std::string name, int value) {
  return input(std::move(name), std::int64_t{value}, ScalarType::Int32);
}

class CodeRunner final : public CodeScope {
public:
  CodeRunner(const std::vector<CodeInput> &inputs, ScalarType output) : emitter_(program_) {
    for (const CodeInput &each : inputs) {
      const Operand operand = emitter_.new_operand(each.type);
      names_[each.name] = operand;
      program_.symbols.push_back({each.name, each.type, operand.reg, {}});
      values_.push_back(each.value);
    }
    array_ = container("A", ScalarType::Float64, 8);
    out_ = container("out", output, 1);
    output_ = emitter_.new_operand(output);
  }

  /// Bits of `o`, zero-extended.
  support::result<std::uint64_t> run_code(const support::result<ast::Block> &block) {
    if (!block.ok())
      return block.error();
    SDFGOPT_CHECK(compile_statements(block.value(), *this, emitter_));
    return finish();
  }
  /// The type and bits of an expression.
  support::result<std::pair<ScalarType, std::uint64_t>> run_expression(std::string_view code) {
    SDFGOPT_TRY(const ast::ExprPtr expr, parse_expression(code));
    SDFGOPT_TRY(const Operand value, compile_expression(*expr, *this, emitter_));
    program_.containers[out_].type = value.type;
    output_ = value;
    SDFGOPT_TRY(const std::uint64_t bits, finish());
    return std::pair(value.type, bits);
  }
  /// The memory of A, after a run.
  [[nodiscard]] const std::array<double, 8> &array() const { return memory_; }

  std::optional<Operand> value(std::string_view name) override {
    if (name == "o")
      return output_;
    const auto found = names_.find(name);
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }
  support::result<Operand> load(std::string_view name, std::span<const Operand> index) override {
    SDFGOPT_CHECK(check(name, index));
    return emitter_.load(program_.containers[array_].slot,
                         emitter_.convert(index[0], ScalarType::Int64), ScalarType::Float64);
  }
  support::result<void> store(std::string_view name, std::span<const Operand> index,
                              Operand value) override {
    SDFGOPT_CHECK(check(name, index));
    emitter_.store(program_.containers[array_].slot, emitter_.convert(index[0], ScalarType::Int64),
                   ScalarType::Float64, value);
    return {};
  }
  support::result<bool> assign(std::string_view name, Operand value) override {
    if (name != "o")
      return false;
    emitter_.assign(output_, value);
    return true;
  }

private:
  static support::result<void> check(std::string_view name, std::span<const Operand> index) {
    if (name != "A" || index.size() != 1)
      return support::Error{support::ErrorCode::Unsupported, "cannot run: no such array", {}};
    return {};
  }

  std::uint32_t container(std::string name, ScalarType type, std::int64_t size) {
    Container made;
    made.name = std::move(name);
    made.type = type;
    made.slot = program_.slots++;
    made.shape = {emitter_.integer(size).reg};
    made.strides = {emitter_.integer(1).reg};
    made.total_size = made.shape[0];
    const auto id = static_cast<std::uint32_t>(program_.containers.size());
    program_.containers.push_back(std::move(made));
    program_.arguments.push_back(id);
    return id;
  }

  support::result<std::uint64_t> finish() {
    emitter_.store(program_.containers[out_].slot, emitter_.integer(0), output_.type, output_);
    emitter_.emit(Op::Halt);
    emitter_.finish();
    program_.places.push_back({0, "the code"});
    Memory memory(2);
    for (std::size_t k = 0; k < 8; ++k)
      memory_[k] = 10.0 * static_cast<double>(k);
    memory[0].resize(sizeof memory_);
    std::memcpy(memory[0].data(), memory_.data(), sizeof memory_);
    memory[1].resize(size_of(output_.type));
    RunOptions options;
    options.fuel = 100'000;
    SDFGOPT_TRY(const RunOutcome outcome, run(program_, values_, std::move(memory), options));
    std::memcpy(memory_.data(), outcome.arguments[0].data(), sizeof memory_);
    std::uint64_t bits = 0;
    std::memcpy(&bits, outcome.arguments[1].data(), outcome.arguments[1].size());
    return bits;
  }

  Program program_;
  Emitter emitter_;
  std::map<std::string, Operand, std::less<>> names_;
  SymbolValues values_;
  std::uint32_t array_ = 0;
  std::uint32_t out_ = 0;
  Operand output_;
  std::array<double, 8> memory_{};
};

} // namespace sdfgopt::interp
