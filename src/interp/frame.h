// One SDFG while it is compiled: what its names stand for. A nested SDFG has a frame of its own for
// each place that it is compiled into.
#pragma once

#include "interp/lifetimes.h"
#include "interp/symbolic_compiler.h"
#include "ir/sdfg.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace sdfgopt::interp {

/// What all frames of a program share.
struct Unit {
  ir::Document &document;
  Emitter &emitter;
  std::uint64_t order_seed; ///< 0: nodes that the graph does not order run as the file has them
  /// Registers with what memory holds that nobody wrote; of the types that some code needs.
  std::map<ScalarType, Operand> undefined = {};
  unsigned depth =
      0; ///< of blocks and nodes that are being compiled, each inside of the one before
};

/// One level deeper; the compiler recurses, and a level costs stack.
class Nesting {
public:
  explicit Nesting(Unit &unit) : unit_(unit) { ++unit_.depth; }
  Nesting(const Nesting &) = delete;
  Nesting &operator=(const Nesting &) = delete;
  ~Nesting() { --unit_.depth; }
  [[nodiscard]] bool too_deep() const { return unit_.depth > max_nesting; }
  static constexpr unsigned max_nesting = 400;

private:
  Unit &unit_;
};

/// Memory as a data name, or a View of it, sees it.
struct DataRef {
  Name name;
  ir::DescriptorKind kind = ir::DescriptorKind::Array;
  ScalarType type = ScalarType::Float64;
  SlotId slot = none;
  std::vector<Operand> shape;   ///< Int64
  std::vector<Operand> strides; ///< Int64, as many
  std::vector<Operand> offsets; ///< added to indices; empty: zeros
  Operand start;                ///< element with all indices 0; Operand::reg is none: 0
};

/// "cannot run: ..."
support::Error cannot_run(const std::string &what);

class Frame final : public SymbolScope {
public:
  Frame(Unit &unit, const ir::Sdfg &sdfg, Frame *outer);

  [[nodiscard]] const ir::Sdfg &sdfg() const { return sdfg_; }
  [[nodiscard]] Unit &unit() const { return unit_; }
  [[nodiscard]] Emitter &emitter() const { return unit_.emitter; }
  [[nodiscard]] const analysis::StateGraph &graph(const ir::State &state) const {
    return graphs_.at(&state);
  }
  [[nodiscard]] const Lifetimes &lifetimes() const { return lifetimes_; }

  // --- symbols ---------------------------------------------------------------------------------
  std::optional<Operand> symbol(Name name) override;
  /// The same, but of names that the SDFG declares, or that something around declares: for code, in
  /// which a name may also be a function or a mistake.
  std::optional<Operand> declared_symbol(Name name);
  /// The register that assignments to a symbol write.
  Operand assigned_symbol(Name name);
  /// Control flow of this SDFG assigns to the symbol.
  [[nodiscard]] bool is_assigned(Name name) const { return assigned_.contains(name); }
  /// The type in the symbol table; nothing if the symbol is not declared there.
  [[nodiscard]] std::optional<ScalarType> declared_type(Name name) const;
  void define(Name name, Operand value) { symbols_[name] = value; }
  /// Names that are defined for a while, such as map parameters: undone in reverse.
  class Scoped;

  // --- data ------------------------------------------------------------------------------------
  bool is_data(Name name) override { return sdfg_.find_array(name) != nullptr; }
  support::result<Operand> element(Name data, std::span<const Operand> index) override;
  /// The same of a constant that is an array, of this SDFG or of one around.
  support::result<Operand> constant_element(Name name, std::span<const Operand> index);
  /// Memory of an array, scalar, stream or reference. Not for Views: those depend on the node.
  support::result<DataRef> data(Name name);
  /// A nested SDFG's name for memory from outside.
  void bind(Name name, DataRef ref) { data_[name] = std::move(ref); }
  /// Layout of a descriptor over a slot whose origin is the element with all indices 0: shape,
  /// strides and offsets are computed here.
  support::result<DataRef> layout(const ir::Descriptor &descriptor, SlotId slot);
  /// Puts the constants that are arrays into memory; at the beginning of a run.
  support::result<void> fill_constants();
  /// Arguments of the program, in file order: to be called once, on the outermost frame.
  support::result<void> declare_arguments();
  /// Memory for a transient: `fresh` anew each time, else only if it has none.
  support::result<void> allocate(Name name, bool fresh);
  /// A scalar with memory of its own that holds `value` when control comes here.
  SlotId scalar(std::string name, Operand value);
  /// A register with what undefined memory holds; not to be written to.
  Operand undefined(ScalarType type);
  /// Loads the registers that undefined() gave; before they are read.
  void load_undefined();
  /// Frees what this frame's names hold; at the end of a run.
  void release();

  /// Position in the slot's memory. `index` has one Int64 a dimension (checked).
  support::result<Operand> address(const DataRef &ref, std::span<const Operand> index);

  support::result<Operand> integer(ir::Expression expression);
  support::result<std::vector<Operand>> integers(const std::vector<ir::Expression> &expressions);

private:
  void declare_assigned(const ir::Region &region);
  ScalarType assigned_type(std::string_view value);
  void declare_constants();
  [[nodiscard]] const DataRef *constant_array(Name name) const;
  support::result<Operand> element_of(const DataRef &ref, std::span<const Operand> index);
  support::result<std::uint32_t> declare_container(const ir::Descriptor &descriptor);
  SlotId allocate_elements(std::string name, ScalarType type, std::int64_t elements);
  support::result<void> compute_layout(std::uint32_t container, const ir::Descriptor &descriptor);

  Unit &unit_;
  const ir::Sdfg &sdfg_;
  Frame *outer_;
  StateGraphs graphs_;
  Lifetimes lifetimes_;
  std::unordered_map<Name, ScalarType> declared_;
  std::unordered_map<Name, Operand> symbols_;
  std::unordered_set<Name> assigned_;
  std::unordered_map<Name, DataRef> data_;
  std::unordered_map<Name, SlotId> references_;
  std::unordered_map<Name, DataRef> constant_arrays_;
  std::unordered_map<Name, std::uint32_t> containers_; // of transients and arguments
  std::vector<std::uint32_t> order_;                   // those containers as they were made
};

class Frame::Scoped {
public:
  explicit Scoped(Frame &frame) : frame_(frame) {}
  Scoped(const Scoped &) = delete;
  Scoped &operator=(const Scoped &) = delete;
  ~Scoped();
  void define(Name name, Operand value);

private:
  Frame &frame_;
  std::vector<std::pair<Name, std::optional<Operand>>> before_;
};

} // namespace sdfgopt::interp
