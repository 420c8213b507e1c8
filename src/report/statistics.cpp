#include "report/statistics.h"

#include "analysis/memory.h"

#include <array>

#include <fmt/format.h>

namespace sdfgopt::report {

namespace {

using ir::DescriptorKind;

constexpr std::array<std::string_view, 9> node_names = {
    "access nodes",  "tasklets",     "map entries",   "map exits",    "consume entries",
    "consume exits", "nested SDFGs", "library nodes", "unknown nodes"};
static_assert(std::variant_size_v<ir::NodeDetail> == node_names.size());
constexpr std::array<std::string_view, 6> block_names = {
    "states", "regions", "loops", "conditional blocks", "jumps", "unknown blocks"};
static_assert(std::variant_size_v<ir::BlockDetail> == block_names.size());

class Counter {
public:
  explicit Counter(ir::Document &document) : context_(document.context) {}

  void count(ir::Sdfg &sdfg) {
    ++sdfgs_;
    for (const ir::Descriptor &descriptor : sdfg.arrays)
      if (descriptor.transient && !descriptor.removed)
        count_transient(descriptor);
    count(sdfg.root, sdfg);
  }

  [[nodiscard]] std::string text() {
    std::string out = fmt::format("{:>8} SDFGs\n", sdfgs_);
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (blocks_[i] > 0 || i == 0)
        out += fmt::format("{:>8} {}\n", blocks_[i], block_names[i]);
    out += fmt::format("{:>8} interstate edges\n", interstate_edges_);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i] > 0)
        out += fmt::format("{:>8} {}\n", nodes_[i], node_names[i]);
    out += fmt::format("{:>8} memlets\n", edges_);
    constexpr std::array<std::string_view, 2> kinds = {"argument", "transient"};
    for (std::size_t from = 0; from < 2; ++from)
      for (std::size_t to = 0; to < 2; ++to)
        out += fmt::format("{:>8} array copies, {} to {}\n", copies_[from][to], kinds[from],
                           kinds[to]);
    out += fmt::format("{:>8} transients, {} bytes", transients_,
                       context_.print(context_.add(terms_), symbolic::Grammar::Python));
    if (unknown_sizes_ > 0)
      out += fmt::format(" and {} of unknown size", unknown_sizes_);
    return out + "\n";
  }

private:
  void count_transient(const ir::Descriptor &descriptor) {
    ++transients_;
    if (const auto bytes = analysis::bytes_of(descriptor, context_))
      terms_.push_back(*bytes);
    else
      ++unknown_sizes_;
  }

  void count(ir::Region &region, ir::Sdfg &sdfg) {
    interstate_edges_ += region.edges.size();
    for (ir::Block &block : region.blocks) {
      ++blocks_[block.detail.index()];
      if (auto *state = block.as<ir::State>())
        count(*state, sdfg);
      for (ir::Region *child : ir::child_regions(block))
        count(*child, sdfg);
    }
  }

  void count(ir::State &state, ir::Sdfg &sdfg) {
    edges_ += state.edges.size();
    for (ir::Node &node : state.nodes) {
      ++nodes_[node.detail.index()];
      if (auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
        count(*nested->sdfg);
    }
    for (const ir::Edge &edge : state.edges) {
      const auto *from = array_at(state, edge.src, sdfg);
      const auto *to = array_at(state, edge.dst, sdfg);
      if (from && to && !edge.memlet.is_empty())
        ++copies_[from->transient ? 1 : 0][to->transient ? 1 : 0];
    }
  }

  static const ir::Descriptor *array_at(const ir::State &state, ir::NodeId node,
                                        const ir::Sdfg &sdfg) {
    const auto *access = state.node(node).as<ir::AccessNode>();
    const ir::Descriptor *descriptor = access ? sdfg.find_array(access->data) : nullptr;
    return descriptor && descriptor->kind != DescriptorKind::Scalar ? descriptor : nullptr;
  }

  symbolic::Context &context_;
  std::size_t sdfgs_ = 0;
  std::array<std::size_t, block_names.size()> blocks_{};
  std::array<std::size_t, node_names.size()> nodes_{};
  std::size_t interstate_edges_ = 0;
  std::size_t edges_ = 0;
  std::array<std::array<std::size_t, 2>, 2> copies_{};
  std::size_t transients_ = 0;
  std::size_t unknown_sizes_ = 0;
  std::vector<symbolic::Expr> terms_;
};

} // namespace

std::string statistics(ir::Document &document) {
  Counter counter(document);
  counter.count(document.root);
  return counter.text();
}

std::string solver_statistics(const sets::Statistics &statistics) {
  return fmt::format("solver: {} questions, {} answered before, {} decided at sight, {} unknown\n",
                     statistics.queries, statistics.cache_hits, statistics.decided_syntactically,
                     statistics.unknown);
}

} // namespace sdfgopt::report
