// Runs compiled programs: sequential, every access checked, memory between guard bands.
#pragma once

#include "interp/bytecode.h"
#include "support/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sdfgopt::interp {

/// An argument array for given symbol values.
struct Layout {
  std::string name;
  ScalarType type = ScalarType::Float64;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides; ///< in elements
  std::int64_t start_offset = 0;     ///< of the element with all indices 0
  std::int64_t total_size = 0;       ///< elements of memory, padding included

  /// Product of the shape.
  [[nodiscard]] std::int64_t elements() const;
};

/// Values of the free symbols, in the order of Program::symbols.
using SymbolValues = std::vector<Value>;

/// The whole memory of each argument, in the order of Program::arguments: Layout::total_size
/// elements each, in the machine's byte order.
using Memory = std::vector<std::vector<std::byte>>;
/// The same, where it belongs to somebody else.
using BorrowedMemory = std::vector<std::span<std::byte>>;

/// Shapes of the arguments. An error if an extent is negative, a size does not fit the memory limit
/// (ErrorCode::Limit), or an element of the shape lies outside of the memory (ErrorCode::Fault).
support::result<std::vector<Layout>>
argument_layouts(const Program &program, const SymbolValues &symbols, std::size_t memory_limit);

/// Contents of memory that nobody wrote that tell what is undefined in most cases: NaNs and large
/// integers, negative numbers, positive numbers.
constexpr unsigned fill_count = 3;

/// One element whose value is noted after each state.
struct Watch {
  std::size_t argument = 0; ///< position in Program::arguments
  std::int64_t element = 0; ///< in its memory
};
struct WatchEvent {
  std::uint32_t state; ///< position in Program::states
  std::uint64_t bits;  ///< of the element, zero-extended
  bool operator==(const WatchEvent &) const = default;
};

struct RunOptions {
  /// 0: loops run in ascending order; else the seed of their order. Depends on seed, number of
  /// iterations and shape only, so that the same loop in two programs runs in the same order.
  std::uint64_t order_seed = 0;
  /// What memory holds that nobody wrote: 0, 1, 2 and so on for different contents.
  unsigned fill = 0;
  std::uint64_t fuel = std::uint64_t{1} << 36;
  std::size_t memory_limit = std::size_t{8} << 30; ///< bytes, of arguments and transients together
  std::optional<Watch> watch;
  std::stop_token stop =
      {}; ///< once a stop is asked for, the run ends soon with ErrorCode::Stopped
};

struct RunOutcome {
  Memory arguments;
  std::uint64_t tasklets = 0; ///< executed
  std::uint64_t steps = 0;    ///< of fuel
  std::vector<WatchEvent> events;
};

/// Runs `program`. Errors: Fault (an access out of bounds, a division by zero, a pop of an empty
/// stream, ...; the place names state and node, the message data, element and size), Limit (out of
/// fuel or memory). `arguments` must have the sizes that argument_layouts tells.
support::result<RunOutcome> run(const Program &program, const SymbolValues &symbols,
                                Memory arguments, const RunOptions &options);

/// The same on memory that the caller lends: it holds the results, which are not copied into the
/// outcome, and what was done until then if there is an error. Nothing outside of it is touched,
/// whatever the program does. It counts for the memory limit.
support::result<RunOutcome> run_in_place(const Program &program, const SymbolValues &symbols,
                                         const BorrowedMemory &arguments,
                                         const RunOptions &options);

} // namespace sdfgopt::interp
