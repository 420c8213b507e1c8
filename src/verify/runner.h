// Runs a document: symbols and arrays by name, contents by seed.
#pragma once

#include "interp/machine.h"
#include "io/npy.h"
#include "ir/sdfg.h"
#include "verify/inputs.h"
#include "verify/symbol_choice.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace sdfgopt::verify {

/// Values of symbols and of scalar arguments, by name.
using SymbolMap = std::map<std::string, std::variant<std::int64_t, double>>;

/// `N=10`, `dt=0.5`, `flag=true`. The error says what is wrong with the text.
support::result<std::pair<std::string, std::variant<std::int64_t, double>>>
parse_symbol(std::string_view text);

/// "N=10 M=3".
std::string symbols_text(const SymbolMap &symbols);

/// Contents of arguments: given arrays, and a seed for the rest.
struct Inputs {
  std::map<std::string, io::NpyArray> arrays;
  std::uint64_t seed = 0;
  Floats floats = Floats::Exact;
  IndexRange integers = {0, 1}; ///< where integers lie: they may be indices
};

/// A range for integers with which subscripts that are computed from them are in bounds;
/// `otherwise` if there are no such subscripts.
IndexRange integers_for(ir::Document &document, const SymbolMap &symbols,
                        IndexRange otherwise = {0, 100});

struct RunLimits {
  std::uint64_t fuel = std::uint64_t{1} << 36;
  std::size_t memory = std::size_t{2} << 30; ///< bytes; a process takes a few times as much
};

/// The seed of the order in which maps run, for the seed that a user gives. Never 0.
std::uint64_t run_order(std::uint64_t seed);

/// A document with the programs it was compiled to, one for each order of nodes.
class Runner {
public:
  /// `document` must outlive the runner and must not change.
  explicit Runner(ir::Document &document) : document_(document) {}

  /// The same program for the same seed.
  support::result<const interp::Program *> program(std::uint64_t order_seed);

  /// The program has a symbol, or a scalar argument, of that name.
  support::result<bool> has_symbol(const std::string &name);

  /// The arguments for these values. An error if a symbol that is needed has none, or one is given
  /// that the program does not know.
  support::result<std::vector<interp::Layout>> layouts(const SymbolMap &symbols,
                                                       const RunLimits &limits);

  /// Symbols that the program needs and that have no value here: "M, N".
  support::result<std::string> missing_symbols(const SymbolMap &symbols);

  /// Values of symbols that have none in `given`, so that the program is valid and the facts hold.
  /// Nothing if none were found; never without facts.
  std::optional<SymbolMap> choose_missing(const SymbolMap &given,
                                          const std::vector<symbolic::Expr> &facts,
                                          std::uint64_t seed, std::int64_t size);

  /// What an argument holds that no array is given for, padding included: its value if it is a
  /// scalar that has one, else by the seed. `memory` has its size.
  support::result<void> fill(const interp::Layout &layout, const SymbolMap &symbols,
                             const Inputs &inputs, std::span<std::byte> memory) const;
  /// Memory of the arguments to begin with.
  support::result<interp::Memory> memory(const std::vector<interp::Layout> &layouts,
                                         const SymbolMap &symbols, const Inputs &inputs) const;

  support::result<interp::RunOutcome> run(const SymbolMap &symbols, interp::Memory memory,
                                          const interp::RunOptions &options);
  /// The same on memory that the caller lends; see interp::run_in_place. Where the programs for 0
  /// and the seed of the order were asked for before, this does not touch the document.
  support::result<interp::RunOutcome> run_in_place(const SymbolMap &symbols,
                                                   const interp::BorrowedMemory &memory,
                                                   const interp::RunOptions &options);

private:
  support::result<interp::SymbolValues> values(const interp::Program &program,
                                               const SymbolMap &symbols, unsigned fill) const;

  ir::Document &document_;
  std::map<std::uint64_t, interp::Program> programs_;
};

/// "[3, 4]".
std::string extents_text(std::span<const std::int64_t> extents);

/// What is wrong with an array of this type (NumPy's name) and shape for an argument, if anything.
/// For a scalar, an array without dimensions will do.
std::optional<support::Error> objection(const interp::Layout &layout, std::string_view dtype,
                                        const std::vector<std::int64_t> &shape);

/// The elements of an argument in C order, without padding.
io::NpyArray to_npy(const interp::Layout &layout, const std::vector<std::byte> &memory);

/// Calls `visit(position)` with the memory position of each element of the shape, in C order.
template <typename Visit> void for_each_position(const interp::Layout &layout, Visit visit) {
  const std::size_t rank = layout.shape.size();
  const auto index = std::make_unique<std::int64_t[]>(rank);
  std::int64_t position = layout.start_offset;
  for (std::int64_t left = layout.elements(); left > 0; --left) {
    visit(position);
    for (std::size_t d = rank; d-- > 0;) {
      position += layout.strides[d];
      if (++index[d] < layout.shape[d])
        break;
      position -= layout.strides[d] * layout.shape[d];
      index[d] = 0;
    }
  }
}

/// One element of memory as text: "3.5", "true", "nan (0x7ff8000000000001)".
std::string element_text(interp::ScalarType type, std::uint64_t bits);
/// An element's bits, zero-extended.
std::uint64_t element_bits(const std::vector<std::byte> &memory, interp::ScalarType type,
                           std::int64_t element);

} // namespace sdfgopt::verify
