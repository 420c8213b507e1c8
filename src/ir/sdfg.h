// SDFGs and their control flow: regions of blocks; and the document that owns a whole file.
#pragma once

#include "ir/descriptor.h"
#include "ir/state.h"
#include "support/text_arena.h"

#include <string>
#include <unordered_map>

namespace sdfgopt::ir {

struct Block;

/// Edge from block `src` to block `dst` of one region. The condition is evaluated after `src`, the
/// assignments when the edge is taken, one after the other.
struct InterstateEdge : Leaf {
  BlockId src;
  BlockId dst;
  std::optional<Code> condition;                        ///< absent: always
  std::vector<std::pair<Name, Expression>> assignments; ///< insertion order; Grammar::Python
  bool removed = false;
};

/// A graph of blocks. Execution begins at the only block without incoming edges, or at
/// `start_block` where there is not exactly one.
struct Region {
  std::vector<Block> blocks;
  std::vector<InterstateEdge> edges;
  std::optional<std::uint32_t> start_block;
  bool renumbered = false;

  [[nodiscard]] Block &block(BlockId id);
  [[nodiscard]] const Block &block(BlockId id) const;
};

/// ControlFlowRegion, UnstructuredControlFlow, NamedRegion, FunctionCallRegion.
struct PlainRegion {
  Region body;
};
struct LoopRegion {
  Region body;
  Name variable; ///< none or "": no loop variable
  std::optional<Code> init;
  std::optional<Code> condition;
  std::optional<Code> update;
  bool inverted = false;               ///< the body runs before the first test
  bool update_before_condition = true; ///< for inverted loops
};
struct Branch {
  Container container;
  std::optional<Code> condition;     ///< absent: else
  std::string_view condition_source; ///< JSON of the condition, as read
  Region body;
};
/// The first branch whose condition holds is taken; none, if there is no else.
struct ConditionalBlock {
  std::vector<Branch> branches;
};
enum class JumpKind : std::uint8_t { Break, Continue, Return };
struct Jump {
  JumpKind kind = JumpKind::Break;
};
/// A block type this program does not know.
struct UnknownBlock {};

using BlockDetail =
    std::variant<State, PlainRegion, LoopRegion, ConditionalBlock, Jump, UnknownBlock>;

struct Block : Container {
  Name type; ///< as in the file
  Name label;
  BlockDetail detail;
  bool removed = false;

  template <typename Kind> [[nodiscard]] bool is() const {
    return std::holds_alternative<Kind>(detail);
  }
  template <typename Kind> [[nodiscard]] const Kind *as() const {
    return std::get_if<Kind>(&detail);
  }
  template <typename Kind> [[nodiscard]] Kind *as() { return std::get_if<Kind>(&detail); }
};

inline Block &Region::block(BlockId id) { return blocks[id.value]; }
inline const Block &Region::block(BlockId id) const { return blocks[id.value]; }

/// The regions directly inside a block: the body of a region or loop, the branches' bodies.
std::vector<const Region *> child_regions(const Block &block);
std::vector<Region *> child_regions(Block &block);

struct Sdfg : Container {
  Name name;
  std::vector<Name> arg_names;
  std::vector<Descriptor> arrays;                         ///< file order
  std::vector<std::pair<Name, std::string_view>> symbols; ///< name -> dtype JSON, sorted by name
  Region root;

  /// The descriptor of that name, or null (also for removed ones). Constant time.
  [[nodiscard]] Descriptor *find_array(Name data);
  [[nodiscard]] const Descriptor *find_array(Name data) const;
  /// To be called after arrays were added or removed.
  void index_arrays();

private:
  std::unordered_map<Name, std::uint32_t> array_index_;
};

/// Calls `visit(State &, Block &, path)` for the states of one SDFG in file order, those in nested
/// regions included, those in nested SDFGs not.
template <typename RegionType, typename Visit>
void for_each_state(RegionType &region, Visit visit) {
  for (auto &block : region.blocks) {
    if (block.removed)
      continue;
    if (auto *state = block.template as<State>())
      visit(*state, block);
    else
      for (auto *child : child_regions(block))
        for_each_state(*child, visit);
  }
}

/// White space between JSON tokens of a file.
struct Layout {
  enum class Style : std::uint8_t { Compact, Spaced, Indented };
  Style style = Style::Compact;
  unsigned indent = 0; ///< of Style::Indented
};

/// A whole file. Owns the text that all elements point into.
struct Document {
  Document();
  Document(const Document &) = delete;
  Document &operator=(const Document &) = delete;

  support::NamePool names;
  symbolic::Context context;
  support::TextArena arena;
  std::unique_ptr<char[]> buffer; ///< the file's bytes, padded
  Sdfg root;
  std::string dace_version;                              ///< "" if the file has none
  symbolic::Grammar grammar = symbolic::Grammar::Dollar; ///< of symbolic strings, by version
  Layout layout;
  std::string_view before; ///< white space before the object
  std::string_view after;  ///< and after it
};

} // namespace sdfgopt::ir
